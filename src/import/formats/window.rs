//! A window that slides over the file: the only place where bytes are held.
//!
//! Always true: it holds what was read and not yet passed, and grows only when its reader asks for
//! more than it holds; whoever asks stops at [`ROW_LIMIT`].

use std::io::{self, Read};

/// The most bytes that one row may have, in any format; a longer one is rejected.
pub const ROW_LIMIT: usize = 1 << 20;

/// How much is read at a time: enough to make system calls cheap, little enough to stay in cache.
const STEP: usize = 128 << 10;

pub(super) struct Window<'r> {
    input: Box<dyn Read + 'r>,
    held: Vec<u8>,
    start: usize,
    ended: bool,
    passed: u64,
}

impl<'r> Window<'r> {
    pub(super) fn over(input: Box<dyn Read + 'r>) -> Self {
        Self { input, held: Vec::with_capacity(STEP), start: 0, ended: false, passed: 0 }
    }

    /// What is held and not yet passed.
    pub(super) fn bytes(&self) -> &[u8] {
        self.held.get(self.start..).unwrap_or_default()
    }

    /// Whether [`bytes`](Self::bytes) is all that is left.
    pub(super) fn ended(&self) -> bool {
        self.ended
    }

    /// How many bytes were passed.
    pub(super) fn offset(&self) -> u64 {
        self.passed
    }

    /// Passes over `count` bytes of those held.
    pub(super) fn advance(&mut self, count: usize) {
        let count = count.min(self.bytes().len());
        self.start += count;
        self.passed = self.passed.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
    }

    /// Passes over all that is held.
    pub(super) fn advance_all(&mut self) {
        self.advance(self.bytes().len());
    }

    /// Reads on behind what is held; false when there was nothing left.
    pub(super) fn more(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        self.held.drain(..self.start.min(self.held.len()));
        self.start = 0;
        // Doubling keeps the work of one long row linear although it is looked at again each time.
        let step = u64::try_from(self.held.len().max(STEP)).unwrap_or(u64::MAX);
        let read = self.input.by_ref().take(step).read_to_end(&mut self.held)?;
        self.ended = read == 0;
        Ok(read > 0)
    }

    /// The next `count` bytes, or fewer where the file ends before.
    pub(super) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        while self.bytes().len() < count && self.more()? {}
        let held = self.bytes();
        Ok(held.get(..count).unwrap_or(held))
    }
}
