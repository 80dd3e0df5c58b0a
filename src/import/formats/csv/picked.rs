//! The cells of a record by what their columns are.

use super::super::quote::quoted;
use super::super::rows::Outcome;
use super::cells;
use super::columns::{Columns, Role};
use super::header::Header;
use super::records::Cells;
use crate::problems::naming::TAGS;

/// A cell and the index of its column.
#[derive(Clone, Copy)]
pub(super) struct Cell<'t> {
    pub(super) text: &'t str,
    pub(super) index: usize,
}

/// The cells of a record by their roles; blank ones are absent.
#[derive(Default)]
pub(super) struct Picked<'t> {
    pub(super) url: Option<Cell<'t>>,
    pub(super) slug: Option<Cell<'t>>,
    pub(super) title: Option<Cell<'t>>,
    pub(super) number: Option<Cell<'t>>,
    pub(super) platform: Option<Cell<'t>>,
    pub(super) solved: Option<Cell<'t>>,
    pub(super) solved_at: Option<Cell<'t>>,
    pub(super) at: Option<Cell<'t>>,
    pub(super) last_solved_at: Option<Cell<'t>>,
    pub(super) difficulty: Option<Cell<'t>>,
    pub(super) attempts: Option<Cell<'t>>,
    pub(super) minutes: Option<Cell<'t>>,
    pub(super) rating: Option<Cell<'t>>,
    pub(super) language: Option<Cell<'t>>,
    pub(super) external_id: Option<Cell<'t>>,
    pub(super) tags: Vec<String>,
    pub(super) notes: Vec<&'t str>,
}

impl<'t> Picked<'t> {
    /// Of several columns with one role the first that is not blank; those that even have one name
    /// must agree.
    pub(super) fn from(
        cells: &Cells<'t>,
        columns: &Columns,
        header: &Header,
    ) -> Result<Self, Outcome> {
        let mut picked = Self::default();
        // The rank by which a role was filled last, to find columns of the same name.
        let mut last = None;
        for column in columns.iter() {
            let text = cells.get(column.index);
            if text.is_empty() {
                continue;
            }
            let place = match column.role {
                Role::Url => &mut picked.url,
                Role::Slug => &mut picked.slug,
                Role::Title => &mut picked.title,
                Role::Number => &mut picked.number,
                Role::Platform => &mut picked.platform,
                Role::Solved => &mut picked.solved,
                Role::SolvedAt => &mut picked.solved_at,
                Role::At => &mut picked.at,
                Role::LastSolvedAt => &mut picked.last_solved_at,
                Role::Difficulty => &mut picked.difficulty,
                Role::Attempts => &mut picked.attempts,
                Role::Minutes => &mut picked.minutes,
                Role::Rating => &mut picked.rating,
                Role::Language => &mut picked.language,
                Role::ExternalId => &mut picked.external_id,
                Role::Tags => {
                    for tag in cells::tags(text) {
                        // One too many is enough to be told so, and to stop.
                        if picked.tags.len() <= TAGS
                            && !picked.tags.iter().any(|known| known == tag)
                        {
                            picked.tags.push(tag.to_owned());
                        }
                    }
                    continue;
                }
                Role::Notes => {
                    picked.notes.push(text);
                    continue;
                }
            };
            match place {
                None => {
                    *place = Some(Cell { text, index: column.index });
                    last = Some(column.rank);
                }
                Some(first) if last == Some(column.rank) && first.text != text => {
                    return Err(Outcome::ambiguous(format!(
                        "two columns are named {}, and they say {} and {}",
                        quoted(header.names.get(column.index).map_or("", String::as_str)),
                        quoted(first.text),
                        quoted(text)
                    )));
                }
                Some(_) => {}
            }
        }
        Ok(picked)
    }
}
