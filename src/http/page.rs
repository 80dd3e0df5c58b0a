//! Lists: keyset pages, newest first or in the order of a key. Never an offset, so a page costs
//! the same at any depth.

use super::error::ApiError;
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use utoipa::{IntoParams, ToSchema};

/// What a client may ask of a list.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// How many items, 1 to 200.
    #[param(minimum = 1, maximum = 200, default = 50)]
    pub limit: Option<u32>,
    /// Where the last page ended: its `next_cursor`.
    pub cursor: Option<String>,
}

/// A page of a list, understood.
#[derive(Debug, Clone, Copy)]
pub struct Page<Key> {
    /// Of which list: a cursor of another one is refused.
    pub list: &'static str,
    /// How many items, 1 to 200.
    pub limit: i64,
    /// The key of the last item before this page.
    pub after: Option<Key>,
}

/// One page of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Items<T> {
    /// The items.
    pub items: Vec<T>,
    /// The `cursor` of the next page; null at the end.
    #[schema(required = true)]
    pub next_cursor: Option<String>,
}

impl PageQuery {
    /// Checks the limit and opens the cursor of the list of this name.
    ///
    /// # Errors
    /// 422 for a limit outside of 1 to 200 and for a cursor that is not of this list.
    pub fn read<Key: DeserializeOwned>(&self, list: &'static str) -> Result<Page<Key>, ApiError> {
        let limit = self.limit.unwrap_or(50);
        if !(1..=200).contains(&limit) {
            return Err(ApiError::invalid_at("limit", format!("{limit}, expected 1 to 200")));
        }
        let after = self.cursor.as_deref().map(|cursor| open(list, cursor)).transpose()?;
        Ok(Page { list, limit: i64::from(limit), after })
    }
}

impl<Key> Page<Key> {
    /// How many rows to read: one more than wanted tells whether there is a next page.
    #[must_use]
    pub const fn fetch(&self) -> i64 {
        self.limit + 1
    }

    /// Makes a page of the rows read by [`Self::fetch`].
    pub fn items<T>(&self, mut rows: Vec<T>, key: impl FnOnce(&T) -> Key) -> Items<T>
    where
        Key: Serialize,
    {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = rows.len() > limit;
        rows.truncate(limit);
        let next_cursor = rows.last().filter(|_| more).map(|last| seal(self.list, &key(last)));
        Items { items: rows, next_cursor }
    }
}

impl<T> Items<T> {
    /// The same page of other things.
    pub fn map<U>(self, to: impl FnMut(T) -> U) -> Items<U> {
        Items { items: self.items.into_iter().map(to).collect(), next_cursor: self.next_cursor }
    }
}

fn seal<Key: Serialize>(list: &str, key: &Key) -> String {
    // A key is numbers, dates and text: it always has a JSON form.
    BASE64_URL_SAFE_NO_PAD.encode(serde_json::to_vec(&(list, key)).unwrap_or_default())
}

fn open<Key: DeserializeOwned>(list: &str, cursor: &str) -> Result<Key, ApiError> {
    BASE64_URL_SAFE_NO_PAD
        .decode(cursor)
        .ok()
        .and_then(|json| serde_json::from_slice::<(String, Key)>(&json).ok())
        .filter(|(of, _)| of == list)
        .map(|(_, key)| key)
        .ok_or_else(|| ApiError::invalid_at("cursor", "not a cursor of this list"))
}
