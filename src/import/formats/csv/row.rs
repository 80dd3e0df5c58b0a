//! One record of a table as a row.

use std::collections::BTreeMap;

use crate::problems::identity::Platform;

use super::super::dates::{self, Moment};
use super::super::item::{Item, Precision, ProblemRef};
use super::super::place::{Place, place};
use super::super::quote::quoted;
use super::super::read::Options;
use super::super::rows::Outcome;
use super::cells;
use super::column;
use super::columns::{Columns, Role};
use super::header::Header;
use super::picked::{Cell, Picked};
use super::records::Cells;
use super::slug::{Spelling, spelling};

/// A table, while its rows are read.
pub(super) struct Table<'a> {
    header: &'a Header,
    columns: Columns,
    options: &'a Options,
    rows: u64,
    /// Whether a time without a zone was read.
    pub(super) zone_assumed: bool,
    left_out: BTreeMap<usize, LeftOut>,
}

/// The values of a column that were not understood.
struct LeftOut {
    count: u64,
    first_row: u64,
    first: String,
}

impl<'a> Table<'a> {
    pub(super) fn of(header: &'a Header, columns: Columns, options: &'a Options) -> Self {
        let left_out = BTreeMap::new();
        Self { header, columns, options, rows: 0, zone_assumed: false, left_out }
    }

    /// What a record comes to; none if all of it is blank.
    pub(super) fn row(&mut self, cells: &Cells<'_>) -> Option<Outcome> {
        if (0..cells.len()).all(|index| cells.get(index).is_empty()) {
            return None;
        }
        self.rows += 1;
        Some(self.item(cells).into())
    }

    /// A column's name, for a message.
    pub(super) fn name_of(&self, index: usize) -> String {
        match self.header.names.get(index) {
            Some(name) if !name.is_empty() => column(name),
            _ => format!("column {}", index + 1),
        }
    }

    /// What a person should know of values that were left out.
    pub(super) fn remarks(&self) -> Vec<String> {
        self.left_out
            .iter()
            .map(|(index, LeftOut { count, first_row, first })| {
                let (name, first) = (self.name_of(*index), quoted(first));
                match count {
                    1 => format!(
                        "{name}: 1 value was not understood and left out, in row {first_row}: \
                         {first}"
                    ),
                    _ => format!(
                        "{name}: {count} values were not understood and left out, the first in \
                         row {first_row}: {first}"
                    ),
                }
            })
            .collect()
    }

    fn item(&mut self, cells: &Cells<'_>) -> Result<Item, Outcome> {
        self.fits_the_header(cells)?;
        let picked = Picked::from(cells, &self.columns, self.header)?;
        let status_date = self.solved(&picked)?;
        let mut item = self.problem(&picked)?;
        let (when, precision) = self.when(&picked, status_date)?;
        item.happened_at = when.map(|moment| moment.at);
        item.precision = precision;
        item.difficulty = self.detail(picked.difficulty, cells::difficulty);
        item.rating = self.detail(picked.rating, cells::rating);
        item.minutes = self.detail(picked.minutes, cells::minutes).map(f64::from);
        item.attempts = self
            .detail(picked.attempts, |cell| cells::count(cell).filter(|attempts| *attempts > 0));
        item.language = picked.language.map(|cell| cell.text.to_owned());
        item.external_id = picked.external_id.map(|cell| cell.text.to_owned());
        item.notes = (!picked.notes.is_empty()).then(|| picked.notes.join("\n\n"));
        item.tags = picked.tags;
        Ok(item)
    }

    fn fits_the_header(&self, cells: &Cells<'_>) -> Result<(), Outcome> {
        let columns = self.header.names.len();
        if (columns..cells.len()).any(|index| !cells.get(index).is_empty()) {
            return Err(Outcome::rejected(format!(
                "{} cells under a header of {columns}; perhaps a separator is not in quotation marks",
                cells.len()
            )));
        }
        let repeated = self.columns.iter().all(|column| {
            self.header.names.get(column.index).is_some_and(|name| name == cells.get(column.index))
        });
        if repeated {
            return Err(Outcome::ignored("the header once more"));
        }
        Ok(())
    }

    /// Goes on only for what was solved; with the date that some write in place of “yes”.
    fn solved(&self, picked: &Picked<'_>) -> Result<Option<Moment>, Outcome> {
        if let Some(cell) = picked.solved {
            return match cells::solved(cell.text) {
                Some(true) => Ok(None),
                Some(false) => {
                    let (name, text) = (self.name_of(cell.index), quoted(cell.text));
                    Err(Outcome::ignored(format!("{name} says {text}")))
                }
                None => self.moment(cell).map(Some).map_err(|_| {
                    let (name, text) = (self.name_of(cell.index), quoted(cell.text));
                    Outcome::ambiguous(format!("{name}: {text} may or may not mean solved"))
                }),
            };
        }
        if self.columns.has(Role::Solved) {
            return Err(Outcome::ignored("the status is blank"));
        }
        if picked.attempts.is_some_and(|cell| cells::count(cell.text) == Some(0)) {
            return Err(Outcome::ignored("0 attempts"));
        }
        let has_date = picked.solved_at.or(picked.at).or(picked.last_solved_at).is_some();
        let should = self.columns.has(Role::SolvedAt) || self.columns.has(Role::LastSolvedAt);
        if should && !has_date {
            return Err(Outcome::ambiguous(
                "neither a status nor a date says whether the problem was solved",
            ));
        }
        Ok(None)
    }

    /// When it was solved. A last solve alone only bounds the first one.
    fn when(
        &mut self,
        picked: &Picked<'_>,
        status_date: Option<Moment>,
    ) -> Result<(Option<Moment>, Precision), Outcome> {
        let first = match picked.solved_at.or(picked.at) {
            Some(cell) => Some(self.moment(cell)?),
            None => status_date,
        };
        let (moment, precision) = match (first, picked.last_solved_at) {
            (Some(moment), _) => (moment, moment.precision),
            (None, Some(cell)) => (self.moment(cell)?, Precision::UpperBound),
            (None, None) => return Ok((None, Precision::Unknown)),
        };
        self.zone_assumed |= moment.zone_assumed;
        Ok((Some(moment), precision))
    }

    fn moment(&self, cell: Cell<'_>) -> Result<Moment, Outcome> {
        let Options { time_zone, date_order, .. } = *self.options;
        dates::moment(cell.text, time_zone, date_order)
            .map_err(|reason| Outcome::rejected(format!("{}: {reason}", self.name_of(cell.index))))
    }

    fn problem(&self, picked: &Picked<'_>) -> Result<Item, Outcome> {
        // Some put the address into the column of the title or of the slug.
        let is_url =
            |cell: &Cell<'_>| cell.text.starts_with("https://") || cell.text.starts_with("http://");
        let url = picked.url.or(picked.slug.filter(is_url)).or(picked.title.filter(is_url));
        let slug = picked.slug.filter(|cell| !is_url(cell));
        let title = picked.title.filter(|cell| !is_url(cell)).map(|cell| cells::title(cell.text));
        let platform = picked.platform.map(|cell| self.platform(cell)).transpose()?;
        let number = picked
            .number
            .and_then(|cell| cells::number(cell.text))
            .or(title.and_then(|(number, _)| number));
        let place = match (url, slug) {
            (Some(url), slug) => beside_url(url.text, platform, slug.map(|cell| cell.text))?,
            (None, Some(slug)) => {
                let platform = platform.unwrap_or(Platform::Leetcode);
                let slug = by_number(platform, slug.text, number)?;
                place(None, None, Some((platform, slug)))?
            }
            (None, None) => None,
        };
        match (place, title) {
            (Some(place), title) => Ok(Item {
                title: title.map(|(_, title)| title.to_owned()),
                number: number.filter(|_| url.is_none()),
                ..Item::at(place)
            }),
            (None, Some((_, title))) => {
                let title = title.to_owned();
                Ok(Item { number, ..Item::of(ProblemRef::Title { platform, title }) })
            }
            (None, None) => Err(Outcome::rejected("no problem: title, slug and URL are blank")),
        }
    }

    fn platform(&self, cell: Cell<'_>) -> Result<Platform, Outcome> {
        cells::platform(cell.text).ok_or_else(|| {
            Outcome::rejected(format!(
                "{}: {} is no platform that is known; known are {}",
                self.name_of(cell.index),
                quoted(cell.text),
                Platform::ALL.map(Platform::as_str).join(", ")
            ))
        })
    }

    /// A value that may be left out.
    fn detail<T>(&mut self, cell: Option<Cell<'_>>, read: fn(&str) -> Option<T>) -> Option<T> {
        let cell = cell?;
        let value = read(cell.text);
        if value.is_none() {
            let left_out = self.left_out.entry(cell.index).or_insert_with(|| LeftOut {
                count: 0,
                first_row: self.rows,
                first: cell.text.chars().take(100).collect(),
            });
            left_out.count += 1;
        }
        value
    }
}

/// The problem of a URL; a slug beside it must be the same one, with or without a number.
fn beside_url(
    url: &str,
    platform: Option<Platform>,
    slug: Option<&str>,
) -> Result<Option<Place>, Outcome> {
    let found = place(Some(url), platform, None)?;
    if let (Some(found), Some(slug)) = (&found, slug) {
        let platform = found.identity.platform;
        let slug = match spelling(slug) {
            Spelling::Numbered(_, bare) | Spelling::Either(_, bare)
                if bare.eq_ignore_ascii_case(&found.identity.slug) =>
            {
                bare
            }
            _ => slug,
        };
        place(Some(url), None, Some((platform, slug)))?;
    }
    Ok(found)
}

/// The slug of a cell that may have the problem's number before it.
fn by_number(platform: Platform, cell: &str, number: Option<u32>) -> Result<&str, Outcome> {
    if platform != Platform::Leetcode {
        return Ok(cell);
    }
    match (spelling(cell), number) {
        (Spelling::Numbered(own, _), Some(number)) if own != number => Err(Outcome::ambiguous(
            format!("the slug {} and the number {number} disagree", quoted(cell)),
        )),
        (Spelling::Whole(slug) | Spelling::Numbered(_, slug), _) => Ok(slug),
        (Spelling::Either(own, slug), Some(number)) if own == number => Ok(slug),
        (Spelling::Either(..), _) => Err(Outcome::ambiguous(format!(
            "whether the number before {} belongs to the slug cannot be known",
            quoted(cell)
        ))),
    }
}
