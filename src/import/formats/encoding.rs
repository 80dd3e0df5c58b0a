//! From the bytes of a file to UTF-8, as its byte order mark says.
//!
//! Bytes that are no text become bytes that are no UTF-8, so that the row which has them is
//! rejected and no other.

use std::io::{self, Cursor, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8};

const CHUNK: usize = 32 << 10;

/// Not part of any UTF-8 text.
const MALFORMED: u8 = 0xFF;

/// The file without its byte order mark and in UTF-8, and the name of its encoding where that was
/// another one.
pub(super) fn utf8<'r>(
    mut input: impl Read + 'r,
) -> io::Result<(Box<dyn Read + 'r>, Option<&'static str>)> {
    let mut head = Vec::with_capacity(3);
    input.by_ref().take(3).read_to_end(&mut head)?;
    let found = Encoding::for_bom(&head);
    let body = head.split_off(found.map_or(0, |(_, mark)| mark.min(head.len())));
    let rest = Cursor::new(body).chain(input);
    Ok(match found {
        Some((encoding, _)) if encoding != UTF_8 => (
            Box::new(Recoded {
                input: rest,
                decoder: encoding.new_decoder_without_bom_handling(),
                text: Vec::new(),
                given: 0,
                ended: false,
            }),
            Some(encoding.name()),
        ),
        _ => (Box::new(rest), None),
    })
}

struct Recoded<R> {
    input: R,
    decoder: Decoder,
    text: Vec<u8>,
    given: usize,
    ended: bool,
}

impl<R: Read> Recoded<R> {
    fn refill(&mut self) -> io::Result<()> {
        let mut raw = Vec::with_capacity(CHUNK);
        let chunk = u64::try_from(CHUNK).unwrap_or(u64::MAX);
        self.input.by_ref().take(chunk).read_to_end(&mut raw)?;
        self.ended = raw.is_empty();
        self.given = 0;
        self.text.clear();
        let mut from = raw.as_slice();
        let mut part = vec![0; CHUNK * 4];
        loop {
            let (result, read, written) =
                self.decoder.decode_to_utf8_without_replacement(from, &mut part, self.ended);
            self.text.extend_from_slice(part.get(..written).unwrap_or_default());
            from = from.get(read..).unwrap_or_default();
            match result {
                DecoderResult::InputEmpty => return Ok(()),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => self.text.push(MALFORMED),
            }
        }
    }
}

impl<R: Read> Read for Recoded<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.given >= self.text.len() && !self.ended {
            self.refill()?;
        }
        let count = self.text.get(self.given..).unwrap_or_default().read(into)?;
        self.given += count;
        Ok(count)
    }
}
