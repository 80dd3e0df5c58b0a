//! A file to import: as it was sent, on disk, and unpacked while it is read.

use super::room::Held;
use flate2::Compression;
use flate2::read::{GzEncoder, MultiGzDecoder};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};

/// The most bytes that a file may have, unpacked. A few kilobytes can unpack to terabytes.
pub const UNPACKED: u64 = 1 << 30;

/// How a file of gzip begins (RFC 1952, section 2.3.1).
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A file that can be read again and again, but not twice at a time.
#[derive(Debug)]
pub struct ImportFile {
    file: File,
    /// Whether it is compressed with gzip.
    pub is_packed: bool,
    /// The room that it takes, for as long as it is there.
    held: Vec<Held>,
}

impl ImportFile {
    /// A file, at whatever place it is.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn new(mut file: File) -> io::Result<Self> {
        file.seek(SeekFrom::Start(0))?;
        let mut begins = Vec::new();
        file.by_ref().take(2).read_to_end(&mut begins)?;
        Ok(Self { file, is_packed: begins == GZIP, held: Vec::new() })
    }

    /// Keeps room for as long as the file is there.
    pub fn hold(&mut self, room: Vec<Held>) {
        self.held.extend(room);
    }

    /// The bytes, compressed with gzip if they were not, from the beginning.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open_packed(&self) -> io::Result<Box<dyn Read + Send>> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        if self.is_packed {
            return Ok(Box::new(file));
        }
        let file = BufReader::with_capacity(64 << 10, file);
        Ok(Box::new(GzEncoder::new(file, Compression::fast())))
    }

    /// Bytes, as it was sent.
    ///
    /// # Errors
    /// When they cannot be counted.
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// The bytes, unpacked, from the beginning.
    ///
    /// # Errors
    /// When it cannot be read. So may what is returned: with [`io::ErrorKind::FileTooLarge`] beyond
    /// [`UNPACKED`] bytes.
    pub fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        self.open_within(UNPACKED)
    }

    /// Like [`open`](Self::open), with another bound on what is unpacked.
    ///
    /// # Errors
    /// As there.
    pub fn open_within(&self, most: u64) -> io::Result<Box<dyn Read + Send>> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(0))?;
        if !self.is_packed {
            return Ok(Box::new(file));
        }
        let unpacked = MultiGzDecoder::new(BufReader::with_capacity(64 << 10, file));
        Ok(Box::new(Bounded { input: unpacked, left: most }))
    }
}

struct Bounded<Input> {
    input: Input,
    left: u64,
}

impl<Input: Read> Read for Bounded<Input> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(into)?;
        match self.left.checked_sub(u64::try_from(read).unwrap_or(u64::MAX)) {
            Some(left) => self.left = left,
            None => return Err(io::ErrorKind::FileTooLarge.into()),
        }
        Ok(read)
    }
}
