//! Who there is, and what a token allows.

use crate::db::instant::At;
use crate::db::text::{UnknownName, named, stored_as_text};
use crate::schema::{tokens, users};
use diesel::deserialize::FromSqlRow;
use diesel::expression::AsExpression;
use diesel::prelude::*;
use diesel::sql_types::Text;
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;

/// What an account may do on the instance.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, AsExpression, FromSqlRow,
)]
#[serde(rename_all = "snake_case")]
#[diesel(sql_type = Text)]
pub enum Role {
    /// Tracks what they solve.
    User,
    /// Runs the instance too.
    Admin,
}

impl Role {
    /// The scopes of a session of this role.
    #[must_use]
    pub fn scopes(self) -> Scopes {
        let mut scopes = vec![Scope::Read, Scope::Write, Scope::Submit];
        if self == Self::Admin {
            scopes.push(Scope::Admin);
        }
        Scopes::new(scopes)
    }
}

stored_as_text! {
    Role, "role":
    User => "user",
    Admin => "admin",
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Read everything of one's own.
    Read,
    /// Change everything of one's own.
    Write,
    /// `POST /submissions` and `GET /problems/resolve` only: for a program that does only that, such as
    /// a browser extension.
    Submit,
    /// What only an admin may do.
    Admin,
}

named! {
    Scope, "scope":
    Read => "read",
    Write => "write",
    Submit => "submit",
    Admin => "admin",
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of scopes, each once and in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(transparent)]
pub struct Scopes(Vec<Scope>);

impl Scopes {
    /// The set of these.
    #[must_use]
    pub fn new(mut scopes: Vec<Scope>) -> Self {
        scopes.sort();
        scopes.dedup();
        Self(scopes)
    }

    /// Whether the set has any of `wanted`.
    #[must_use]
    pub fn has_any(&self, wanted: &[Scope]) -> bool {
        wanted.iter().any(|scope| self.0.contains(scope))
    }

    /// The scopes that `self` has and `maker` has not.
    #[must_use]
    pub fn beyond(&self, maker: &Self) -> Vec<Scope> {
        self.0.iter().copied().filter(|scope| !maker.0.contains(scope)).collect()
    }

    /// The scopes that both sets have.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        Self(self.0.iter().copied().filter(|scope| other.0.contains(scope)).collect())
    }

    /// As it is stored: the names with spaces between.
    #[must_use]
    pub fn to_text(&self) -> String {
        self.0.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Reads what [`Self::to_text`] wrote.
    ///
    /// # Errors
    /// [`UnknownName`] for a word that is no scope.
    pub fn from_text(text: &str) -> Result<Self, UnknownName> {
        text.split_whitespace().map(str::parse).collect::<Result<_, _>>().map(Self::new)
    }
}

/// How a token came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Text)]
pub enum TokenKind {
    /// By a password; slides, and ends when the password changes.
    Session,
    /// Made for a program.
    Api,
}

stored_as_text! {
    TokenKind, "kind of token":
    Session => "session",
    Api => "api",
}

/// An account, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Serialize, ToSchema)]
pub struct User {
    /// Its number.
    pub id: i64,
    /// The address to log in with, in lower case.
    pub email: String,
    /// A short name, unique on the instance: `[a-z0-9_-]{2,39}`.
    pub handle: String,
    /// What is shown, where something other than the handle is.
    #[schema(required = true)]
    pub display_name: Option<String>,
    /// What it may do on the instance.
    pub role: Role,
    /// When it was registered.
    pub created_at: At,
}

/// The columns of [`User`].
pub type UserColumns =
    (users::id, users::email, users::handle, users::display_name, users::role, users::created_at);

/// The columns of [`User`].
pub const USER: UserColumns =
    (users::id, users::email, users::handle, users::display_name, users::role, users::created_at);

/// A row of `tokens`, without its secret, which is nowhere.
#[derive(Clone, Debug, Queryable)]
pub struct TokenRow {
    /// Its number.
    pub id: i64,
    /// What its owner calls it.
    pub name: String,
    /// What it allows, as text.
    pub scopes: String,
    /// What the request that made it asked for, where it had a key.
    pub fingerprint: Option<String>,
    /// When it was made.
    pub created_at: At,
    /// When it ends, if it does.
    pub expires_at: Option<At>,
    /// When it was revoked, if it was.
    pub revoked_at: Option<At>,
}

/// The columns of [`TokenRow`].
pub type TokenColumns = (
    tokens::id,
    tokens::name,
    tokens::scopes,
    tokens::fingerprint,
    tokens::created_at,
    tokens::expires_at,
    tokens::revoked_at,
);

/// The columns of [`TokenRow`].
pub const TOKEN: TokenColumns = (
    tokens::id,
    tokens::name,
    tokens::scopes,
    tokens::fingerprint,
    tokens::created_at,
    tokens::expires_at,
    tokens::revoked_at,
);

/// A token to be stored.
#[derive(Insertable)]
#[diesel(table_name = tokens, treat_none_as_default_value = false)]
pub struct NewToken<'a> {
    /// Whose it is.
    pub user_id: i64,
    /// How it came to be.
    pub kind: TokenKind,
    /// What its owner calls it.
    pub name: &'a str,
    /// What it allows, as text.
    pub scopes: String,
    /// The SHA-256 of its secret.
    pub token_hash: String,
    /// The key of the request that made it.
    pub idempotency_key: Option<&'a str>,
    /// What that request asked for.
    pub fingerprint: Option<&'a str>,
    /// Now.
    pub created_at: At,
    /// When it ends, if it does.
    pub expires_at: Option<At>,
}

/// An account to be stored.
#[derive(Insertable)]
#[diesel(table_name = users, treat_none_as_default_value = false)]
pub struct NewUser<'a> {
    /// In lower case.
    pub email: &'a str,
    /// In lower case.
    pub handle: &'a str,
    /// What is shown instead of the handle.
    pub display_name: Option<&'a str>,
    /// Argon2id, as a PHC string.
    pub password_hash: &'a str,
    /// `User`, until it claims more.
    pub role: Role,
    /// An IANA name.
    pub time_zone: &'a str,
    /// `HH:MM`.
    pub day_starts_at: &'a str,
    /// Which schedules a solve gets.
    pub scheduler: &'a str,
    /// Solves a day that close the ring.
    pub goal_solves: i32,
    /// Revisions a day that close the ring.
    pub goal_revisions: i32,
    /// Revisions a day beyond which `today` flags.
    pub daily_cap: i32,
    /// The hour of the digest.
    pub digest_hour: i32,
    /// Now.
    pub created_at: At,
    /// Now.
    pub updated_at: At,
}
