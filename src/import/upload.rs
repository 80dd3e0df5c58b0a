//! The file in the body of a request, to disk: as it comes, without holding it in memory, and as far
//! as there is [`Room`].

use super::file::ImportFile;
use super::room::{Held, Room, SHARE};
use crate::http::error::ApiError;
use crate::http::json::{broken, too_large, unsupported};
use actix_multipart::{Multipart, MultipartError};
use actix_web::dev::Payload;
use actix_web::http::header;
use actix_web::web::{self, Bytes};
use actix_web::{HttpMessage, HttpRequest};
use futures_util::{Stream, StreamExt};
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::Write;

/// The largest file, in bytes as it is sent.
pub const LIMIT: usize = 512 << 20;

/// How much of a body that is too large is read and thrown away, so that the client, which is
/// still sending, gets to see the answer.
const DRAIN: usize = 64 << 20;

/// Seconds after which there may be room again for files.
const FULL: u64 = 10;

/// The name of the field of a form.
pub const FIELD: &str = "file";

/// The most fields of a form. The others are thrown away, together at most [`DRAIN`] bytes.
const FIELDS: usize = 100;

/// The media types that a file may have. What it really is, its own structure tells.
pub const MEDIA_TYPES: [&str; 9] = [
    "application/json",
    "application/x-ndjson",
    "application/ndjson",
    "text/csv",
    "text/tab-separated-values",
    "text/plain",
    "application/gzip",
    "application/x-gzip",
    "application/octet-stream",
];

/// A file that was sent.
#[derive(Debug)]
pub struct Upload {
    /// The file.
    pub file: ImportFile,
    /// The SHA-256 of its bytes as sent, in hexadecimal.
    pub digest: String,
}

/// Receives the file in the body of a request, or in the field [`FIELD`] of a form.
pub async fn receive(
    request: &HttpRequest,
    payload: Payload,
    room: &Room,
) -> Result<Upload, ApiError> {
    let media_type = request.content_type().to_ascii_lowercase();
    if media_type == "multipart/form-data" {
        return from_form(request, payload, room).await;
    }
    let refusal = if MEDIA_TYPES.contains(&media_type.as_str()) {
        None
    } else {
        Some(unsupported(format!("send a form, or one of {}", MEDIA_TYPES.join(", "))))
    };
    let encoding = encoding(request);
    let (is_packed, refusal) = match encoding.as_str() {
        "" | "identity" => (media_type.ends_with("gzip"), refusal),
        "gzip" | "x-gzip" => (true, refusal),
        _ => (false, refusal.or(Some(unsupported("send `Content-Encoding: gzip`, or none")))),
    };
    let mut spool = Spool::new(room)?;
    // What is refused is read all the same, so that the client sees the answer.
    spool.fill(payload, refusal.is_none(), broken).await?;
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    let upload = spool.end()?;
    if is_packed && !upload.file.is_packed {
        return Err(ApiError::malformed("the body is not compressed with gzip"));
    }
    Ok(upload)
}

fn encoding(request: &HttpRequest) -> String {
    let encodings = request.headers().get_all(header::CONTENT_ENCODING);
    let encodings: Vec<_> = encodings
        .map(|value| String::from_utf8_lossy(value.as_bytes()).to_ascii_lowercase())
        .collect();
    encodings.join(",")
}

async fn from_form(
    request: &HttpRequest,
    payload: Payload,
    room: &Room,
) -> Result<Upload, ApiError> {
    let mut form = Multipart::new(request.headers(), payload);
    let mut found = None;
    let (mut fields, mut others) = (0, 0);
    while let Some(field) = next(&mut form, bad_form).await? {
        fields += 1;
        if fields > FIELDS {
            return Err(ApiError::malformed(format!("a form of at most {FIELDS} fields is read")));
        }
        let is_file = field.name() == Some(FIELD);
        if is_file && found.is_some() {
            return Err(ApiError::invalid_at(FIELD, "one file is expected"));
        }
        let mut spool = Spool::new(room)?;
        spool.fill(field, is_file, bad_form).await?;
        if is_file {
            found = Some(spool.end()?);
        } else {
            others += spool.size;
            if others > DRAIN {
                return Err(too_large(LIMIT));
            }
        }
    }
    found.ok_or_else(|| ApiError::invalid_at(FIELD, "a field of this name is expected"))
}

fn bad_form(error: MultipartError) -> ApiError {
    match error {
        MultipartError::Payload(error) => broken(error),
        error => ApiError::malformed(format!("the form cannot be read: {error}")),
    }
}

/// The next piece of what a client sends.
async fn next<T, Error>(
    stream: &mut (impl Stream<Item = Result<T, Error>> + Unpin),
    explain: impl Fn(Error) -> ApiError,
) -> Result<Option<T>, ApiError> {
    stream.next().await.transpose().map_err(explain)
}

/// A temporary file, without a name, that goes when nobody holds it any more.
struct Spool<'a> {
    room: &'a Room,
    held: Vec<Held>,
    file: File,
    digest: Sha256,
    size: usize,
}

impl<'a> Spool<'a> {
    fn new(room: &'a Room) -> Result<Self, ApiError> {
        let file = tempfile::tempfile().map_err(no_room)?;
        Ok(Self { room, held: Vec::new(), file, digest: Sha256::new(), size: 0 })
    }

    /// Takes in what comes; or only lets it pass, where it is not wanted.
    async fn fill<Error>(
        &mut self,
        mut stream: impl Stream<Item = Result<Bytes, Error>> + Unpin,
        is_wanted: bool,
        explain: impl Fn(Error) -> ApiError,
    ) -> Result<(), ApiError> {
        let mut held = Vec::new();
        let mut passed = 0;
        let mut is_room = true;
        while let Some(chunk) = next(&mut stream, &explain).await? {
            self.size += chunk.len();
            is_room = is_room && self.reserve(is_wanted);
            if !is_wanted || !is_room || self.size > LIMIT {
                passed += chunk.len();
                if passed > DRAIN {
                    break;
                }
                continue;
            }
            held.extend_from_slice(&chunk);
            if held.len() >= SHARE {
                held = self.write(held).await?;
            }
        }
        if self.size > LIMIT {
            return Err(too_large(LIMIT));
        }
        if !is_room {
            return Err(full());
        }
        self.write(held).await?;
        Ok(())
    }

    /// Takes room for what has come, if it is to be kept. Whether there is enough.
    fn reserve(&mut self, is_wanted: bool) -> bool {
        let wanted = if is_wanted { self.size.min(LIMIT) } else { 0 };
        while self.held.len() * SHARE < wanted {
            match self.room.take(SHARE) {
                Some(share) => self.held.push(share),
                None => {
                    self.held.clear();
                    return false;
                }
            }
        }
        true
    }

    /// Writes what is held, and gives the room back.
    async fn write(&mut self, mut held: Vec<u8>) -> Result<Vec<u8>, ApiError> {
        let mut file = self.file.try_clone().map_err(no_room)?;
        let mut digest = std::mem::take(&mut self.digest);
        let (written, digest, held) = web::block(move || {
            digest.update(&held);
            let written = file.write_all(&held);
            held.clear();
            (written, digest, held)
        })
        .await
        .map_err(|_| ApiError::unavailable("the server is stopping"))?;
        self.digest = digest;
        written.map_err(no_room)?;
        Ok(held)
    }

    fn end(self) -> Result<Upload, ApiError> {
        let digest = hex::encode(self.digest.finalize());
        let mut file = ImportFile::new(self.file).map_err(no_room)?;
        file.hold(self.held);
        Ok(Upload { file, digest })
    }
}

/// Other files have all the room that there is for files. It comes free as imports end.
pub fn full() -> ApiError {
    let error = ApiError::unavailable("too many files wait to be imported");
    ApiError { retry_after: Some(FULL), ..error }
}

#[expect(clippy::needless_pass_by_value, reason = "the form that `map_err` wants")]
fn no_room(error: std::io::Error) -> ApiError {
    tracing::error!(%error, "a file cannot be kept on disk");
    ApiError::unavailable("the file cannot be kept on disk now")
}
