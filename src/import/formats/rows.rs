//! What a file's rows come to, and the way from a format's reader to the caller's sink.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::item::Item;
use super::read::Options;
use super::unreadable::Halt;

/// Words for a person, without a full stop.
pub type Reason = Cow<'static, str>;

/// One row of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Counted from 1; a header, blank lines and blank rows of a table do not count.
    pub number: u64,
    /// The line of the file on which the row begins, from 1, where rows are lines.
    pub line: Option<u64>,
    /// What it came to.
    pub outcome: Outcome,
}

/// What a row came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// An accepted solve.
    Item(Box<Item>),
    /// Understood, and not an accepted solve.
    Ignored(Reason),
    /// It can be read in two ways; nothing is made of it.
    Ambiguous(Reason),
    /// It cannot be read.
    Rejected(Reason),
}

impl Outcome {
    pub(super) fn rejected(reason: impl Into<Reason>) -> Self {
        Self::Rejected(reason.into())
    }

    pub(super) fn ambiguous(reason: impl Into<Reason>) -> Self {
        Self::Ambiguous(reason.into())
    }

    pub(super) fn ignored(reason: impl Into<Reason>) -> Self {
        Self::Ignored(reason.into())
    }
}

/// A reader of rows leaves early, with `?`, when a row is no item.
impl From<Result<Item, Outcome>> for Outcome {
    fn from(read: Result<Item, Outcome>) -> Self {
        read.map_or_else(|outcome| outcome, |item| Self::Item(Box::new(item)))
    }
}

/// Characters that a reason may have.
const REASON_LIMIT: usize = 1_000;

/// A reason that can be kept and shown. Some repeat what a file says, such as the name of a member:
/// it may be of any length, and PostgreSQL keeps no NUL.
fn presentable(reason: Reason) -> Reason {
    if reason.len() <= REASON_LIMIT && !reason.contains(char::is_control) {
        return reason;
    }
    let shown = reason.chars().take(REASON_LIMIT);
    shown.map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().into()
}

/// Remarks that one file may cause.
const REMARKS_LIMIT: usize = 50;

/// The way to the sink: it numbers the rows and holds every format to the rules for all of them.
pub(super) struct Rows<'a> {
    /// As the caller set them.
    pub(super) options: &'a Options,
    sink: &'a mut dyn FnMut(Row) -> ControlFlow<()>,
    given: u64,
    /// See [`Taken::detail`](super::Taken::detail).
    pub(super) detail: String,
    /// Whether a time without a zone was read.
    pub(super) zone_assumed: bool,
    remarks: Vec<String>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(
        options: &'a Options,
        sink: &'a mut dyn FnMut(Row) -> ControlFlow<()>,
    ) -> Self {
        Self {
            options,
            sink,
            given: 0,
            detail: String::new(),
            zone_assumed: false,
            remarks: Vec::new(),
        }
    }

    /// Gives the next row.
    pub(super) fn give(&mut self, line: Option<u64>, outcome: Outcome) -> Result<(), Halt> {
        self.given += 1;
        let outcome = match outcome {
            Outcome::Item(item) => match item.check(self.options.now) {
                Ok(()) => Outcome::Item(item),
                Err(reason) => Outcome::Rejected(presentable(reason)),
            },
            Outcome::Ignored(reason) => Outcome::Ignored(presentable(reason)),
            Outcome::Ambiguous(reason) => Outcome::Ambiguous(presentable(reason)),
            Outcome::Rejected(reason) => Outcome::Rejected(presentable(reason)),
        };
        match (self.sink)(Row { number: self.given, line, outcome }) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(Halt::Enough),
        }
    }

    /// How many rows were given.
    pub(super) fn given(&self) -> u64 {
        self.given
    }

    /// Says something about the file as a whole, once.
    pub(super) fn remark(&mut self, remark: String) {
        if self.remarks.len() < REMARKS_LIMIT && !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }

    pub(super) fn into_remarks(self) -> Vec<String> {
        self.remarks
    }
}
