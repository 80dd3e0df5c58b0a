//! Enums that are stored as their name.

/// Stores an enum as text on both databases. The enum brings `as_str()` and `FromStr`, and derives
/// `FromSqlRow` and `AsExpression` with `sql_type = Text`.
macro_rules! stored_as_text {
    ($name:ty) => {
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
