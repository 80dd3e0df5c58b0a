//! Enums that are stored as their name.

/// How much of a name that nobody knows an error quotes, in characters.
const QUOTED: usize = 40;

/// A name that is none of an enum's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} {given:?}, expected one of {}", .expected.join(", "))]
pub struct UnknownName {
    /// What it should name.
    pub what: &'static str,
    /// How the name that was given begins.
    pub given: String,
    /// All names that there are.
    pub expected: Vec<&'static str>,
}

impl UnknownName {
    /// That `name` is none of `expected`.
    #[must_use]
    pub fn new(what: &'static str, name: &str, expected: &[&'static str]) -> Self {
        Self { what, given: name.chars().take(QUOTED).collect(), expected: expected.to_vec() }
    }
}

/// Gives an enum its names: `ALL`, `as_str`, and `FromStr`, which reads exactly what `as_str` writes.
macro_rules! named {
    ($name:ident, $what:literal: $($variant:ident => $text:literal),+ $(,)?) => {
        impl $name {
            /// All of them, in the order of their declaration.
            pub const ALL: [Self; [$($text),+].len()] = [$(Self::$variant),+];

            /// The name in JSON and in the database.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }

        impl std::str::FromStr for $name {
            type Err = crate::db::text::UnknownName;

            fn from_str(name: &str) -> Result<Self, Self::Err> {
                match name {
                    $($text => Ok(Self::$variant),)+
                    _ => Err(crate::db::text::UnknownName::new($what, name, &[$($text),+])),
                }
            }
        }
    };
}
pub(crate) use named;

/// Gives an enum its names, as [`named!`] does, and stores it under them on both databases. The enum
/// derives `FromSqlRow` and `AsExpression` with `sql_type = Text`.
macro_rules! stored_as_text {
    ($name:ident, $what:literal: $($variant:ident => $text:literal),+ $(,)?) => {
        crate::db::text::named! { $name, $what: $($variant => $text),+ }

        impl<DB> diesel::deserialize::FromSql<diesel::sql_types::Text, DB> for $name
        where
            DB: diesel::backend::Backend,
            String: diesel::deserialize::FromSql<diesel::sql_types::Text, DB>,
        {
            fn from_sql(raw: DB::RawValue<'_>) -> diesel::deserialize::Result<Self> {
                let text = <String as diesel::deserialize::FromSql<
                                                                            diesel::sql_types::Text,
                                                                            DB,
                                                                        >>::from_sql(raw)?;
                Ok(text.parse()?)
            }
        }

        impl<DB> diesel::serialize::ToSql<diesel::sql_types::Text, DB> for $name
        where
            DB: diesel::backend::Backend,
            str: diesel::serialize::ToSql<diesel::sql_types::Text, DB>,
        {
            fn to_sql<'b>(
                &'b self,
                out: &mut diesel::serialize::Output<'b, '_, DB>,
            ) -> diesel::serialize::Result {
                <str as diesel::serialize::ToSql<diesel::sql_types::Text, DB>>::to_sql(
                    self.as_str(),
                    out,
                )
            }
        }
    };
}
pub(crate) use stored_as_text;
