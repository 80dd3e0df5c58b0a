//! How a client names a problem in a request, and what it says of it.

use super::Named;
use super::identity::{self, Platform};
use super::topic::Topic;
use crate::http::error::FieldError;
use crate::problems::difficulty::Difficulty;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The most characters of a title.
const LONGEST_TITLE: usize = 500;

/// The most tags of a problem.
pub const TAGS: usize = 50;

/// The most characters of a tag.
const LONGEST_TAG: usize = 100;

/// A problem by its URL, or by its platform and its slug there.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ProblemBody {
    /// Any page of the problem; instead of `platform` and `slug`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 2048, example = "https://leetcode.com/problems/two-sum/")]
    pub url: Option<String>,
    /// Where it is from; with `slug`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<Platform>,
    /// Its name there; with `platform`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 255, example = "two-sum")]
    pub slug: Option<String>,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 500)]
    pub title: Option<String>,
    /// How hard it is said to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difficulty: Option<Difficulty>,
    /// What it is said to be about: at most 50 of at most 100 characters. A problem that has no topic
    /// gets that of the most particular one that means any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(max_items = 50)]
    pub tags: Option<Vec<String>>,
}

/// A named problem, with what only the user who said it sees.
#[derive(Clone, Debug)]
pub struct Reading {
    /// The problem.
    pub named: Named,
    /// The site whose numbers its submissions have.
    pub judge: &'static str,
    /// What it is said to be about.
    pub tags: Option<Vec<String>>,
}

impl ProblemBody {
    /// Understands the body, which is at `at` in the request.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn read(&self, at: &str) -> Result<Reading, Vec<FieldError>> {
        let mut errors = Vec::new();
        let located = match (&self.url, self.platform, &self.slug) {
            (Some(url), None, None) => identity::locate(url)
                .map(|located| (located.identity, located.judge))
                .map_err(|error| FieldError::new(format!("{at}/url"), error.to_string())),
            (None, Some(platform), Some(slug)) => identity::canonical(platform, slug)
                .map(|identity| (identity, identity::main_judge(platform)))
                .map_err(|error| FieldError::new(format!("{at}/slug"), error.to_string())),
            _ => Err(FieldError::new(at, "either `url` or `platform` and `slug` are expected")),
        };
        let title = self.title.as_deref().map(clean).filter(|title| !title.is_empty());
        if let Some(detail) = title.as_deref().and_then(fault_of_title) {
            errors.push(FieldError::new(format!("{at}/title"), detail));
        }
        let tags = self.tags.as_deref().map(clean_all);
        if let Some(detail) = tags.as_deref().and_then(fault_of_tags) {
            errors.push(FieldError::new(format!("{at}/tags"), detail));
        }
        match located {
            Ok((identity, judge)) if errors.is_empty() => Ok(Reading {
                named: Named {
                    identity,
                    title,
                    difficulty: self.difficulty,
                    topic: tags.as_deref().and_then(topic_of),
                },
                judge,
                tags,
            }),
            Ok(_) => Err(errors),
            Err(error) => {
                errors.insert(0, error);
                Err(errors)
            }
        }
    }
}

/// What a problem with these tags is about, where they say so.
#[must_use]
pub fn topic_of(tags: &[String]) -> Option<Topic> {
    super::classify::tags::topic_of(tags.iter().map(String::as_str))
}

/// What is wrong with a title, if anything.
#[must_use]
pub fn fault_of_title(title: &str) -> Option<String> {
    // Bytes are never fewer than characters, so counting is for the rare long ones.
    (title.len() > LONGEST_TITLE && title.chars().count() > LONGEST_TITLE)
        .then(|| format!("at most {LONGEST_TITLE} characters"))
}

/// What is wrong with tags, if anything.
#[must_use]
pub fn fault_of_tags(tags: &[String]) -> Option<String> {
    if tags.len() > TAGS {
        return Some(format!("at most {TAGS} tags"));
    }
    let bad = |tag: &String| !(1..=LONGEST_TAG).contains(&tag.chars().count());
    tags.iter().any(bad).then(|| format!("tags have 1 to {LONGEST_TAG} characters"))
}

/// Tags as they are kept: see [`clean`].
#[must_use]
pub fn clean_all(tags: &[String]) -> Vec<String> {
    tags.iter().map(|tag| clean(tag)).collect()
}

/// A line of text as it is kept: control characters, which no database and no calendar wants, are
/// spaces.
#[must_use]
pub fn clean(text: &str) -> String {
    text.replace(char::is_control, " ").trim().to_owned()
}
