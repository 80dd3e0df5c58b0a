//! What a problem is about: one of a closed list.

use serde::{Deserialize, Deserializer, Serialize};
use utoipa::openapi::{ObjectBuilder, RefOr, Schema, schema};
use utoipa::{PartialSchema, ToSchema};

/// Every topic there is.
pub const ALL: [&str; 41] = [
    "arrays",
    "backtracking",
    "binary-search",
    "bit-manipulation",
    "combinatorics",
    "concurrency",
    "database",
    "design",
    "dp",
    "game-theory",
    "geometry",
    "graphs",
    "greedy",
    "hashing",
    "heap",
    "implementation",
    "interactive",
    "intervals",
    "linked-list",
    "math",
    "matrix",
    "number-theory",
    "probability",
    "prefix-sums",
    "queue",
    "recursion",
    "segment-trees",
    "shell",
    "shortest-paths",
    "simulation",
    "sliding-window",
    "sorting",
    "stack",
    "string-matching",
    "strings",
    "topological-sort",
    "trees",
    "tries",
    "two-pointers",
    "union-find",
    "other",
];

/// One of [`ALL`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Topic(&'static str);

/// A topic that does not exist here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown topic {found:?}, expected one of {}", ALL.join(", "))]
pub struct UnknownTopic {
    found: String,
}

impl Topic {
    /// The name in JSON and in the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// The topic of this name.
    ///
    /// # Errors
    /// [`UnknownTopic`] where there is none.
    pub fn named(name: &str) -> Result<Self, UnknownTopic> {
        ALL.into_iter()
            .find(|topic| *topic == name)
            .map(Self)
            .ok_or_else(|| UnknownTopic { found: name.chars().take(40).collect() })
    }
}

impl<'de> Deserialize<'de> for Topic {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let name = String::deserialize(input)?;
        Self::named(&name).map_err(serde::de::Error::custom)
    }
}

impl PartialSchema for Topic {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(schema::Type::String)
            .enum_values(Some(ALL))
            .description(Some("What a problem is about."))
            .into()
    }
}

impl ToSchema for Topic {}
