//! Bodies that do not come: a request's body must make progress while the server waits for it.
//!
//! Only the time that is spent waiting for the client counts. How fast the server reads is its own
//! affair.

use super::limits::{PROGRESS, STALLED};
use actix_web::HttpMessage;
use actix_web::dev::{Payload, ServiceRequest};
use actix_web::error::PayloadError;
use actix_web::web::Bytes;
use futures_util::Stream;
use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep};

/// Whether a request waits for its client now.
#[derive(Clone, Debug, Default)]
pub struct Awaited(Rc<Cell<bool>>);

impl Awaited {
    /// Whether more of the body was asked for and has not come.
    #[must_use]
    pub fn is_awaited(&self) -> bool {
        self.0.get()
    }
}

/// Bounds the waits for the body of `request`.
pub fn watch(request: &mut ServiceRequest) -> Awaited {
    let awaited = Awaited::default();
    let payload = request.take_payload();
    if !matches!(payload, Payload::None) {
        let body = Watched::new(payload, awaited.clone(), STALLED, PROGRESS);
        request.set_payload(Payload::Stream { payload: Box::pin(body) });
    }
    awaited
}

struct Watched {
    payload: Payload,
    awaited: Awaited,
    /// How long the client may take to bring so many bytes.
    stalled: Duration,
    progress: usize,
    /// How much longer it may take.
    left: Duration,
    /// How many of them it has brought.
    brought: usize,
    /// The wait that is on now: since when, and until when.
    wait: Option<(Instant, Pin<Box<Sleep>>)>,
}

impl Watched {
    fn new(payload: Payload, awaited: Awaited, stalled: Duration, progress: usize) -> Self {
        Self { payload, awaited, stalled, progress, left: stalled, brought: 0, wait: None }
    }

    fn count(&mut self, bytes: usize) {
        if let Some((since, _)) = self.wait.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
        self.brought += bytes;
        if self.brought >= self.progress {
            self.left = self.stalled;
            self.brought = 0;
        }
    }
}

impl Stream for Watched {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if let Poll::Ready(item) = Pin::new(&mut this.payload).poll_next(cx) {
            this.awaited.0.set(false);
            this.count(item.as_ref().and_then(|item| item.as_ref().ok()).map_or(0, Bytes::len));
            return Poll::Ready(item);
        }
        this.awaited.0.set(true);
        let left = this.left;
        let (_, until) = this.wait.get_or_insert_with(|| (Instant::now(), Box::pin(sleep(left))));
        match until.as_mut().poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                Poll::Ready(Some(Err(PayloadError::Io(io::ErrorKind::TimedOut.into()))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Awaited, Watched};
    use actix_web::dev::Payload;
    use actix_web::error::PayloadError;
    use actix_web::web::Bytes;
    use futures_util::{Stream, StreamExt, stream};
    use std::time::Duration;
    use tokio::time::sleep;

    const STALLED: Duration = Duration::from_millis(200);

    fn watched(
        body: impl Stream<Item = Result<Bytes, PayloadError>> + 'static,
    ) -> (Watched, Awaited) {
        let payload: Payload = Payload::Stream { payload: Box::pin(body) };
        let awaited = Awaited::default();
        (Watched::new(payload, awaited.clone(), STALLED, 10), awaited)
    }

    fn is_late(item: Option<Result<Bytes, PayloadError>>) -> bool {
        matches!(item, Some(Err(PayloadError::Io(error)))
            if error.kind() == std::io::ErrorKind::TimedOut)
    }

    #[actix_web::test]
    async fn what_the_server_does_meanwhile_does_not_count() {
        let (mut body, awaited) =
            watched(stream::iter((0..5).map(|_| Ok(Bytes::from_static(b"x")))));
        let mut length = 0;
        while let Some(piece) = body.next().await {
            length += piece.unwrap().len();
            assert!(!awaited.is_awaited());
            sleep(STALLED / 2).await;
        }
        assert_eq!(length, 5);
    }

    #[actix_web::test]
    async fn a_body_that_does_not_come_is_late() {
        let (mut body, awaited) = watched(stream::pending());
        assert!(is_late(body.next().await));
        assert!(awaited.is_awaited());
    }

    #[actix_web::test]
    async fn a_body_that_drips_is_late() {
        let drops = stream::repeat(()).then(|()| async {
            sleep(STALLED / 4).await;
            Ok(Bytes::from_static(b"x"))
        });
        let (mut body, _) = watched(drops);
        let mut length = 0;
        let last = loop {
            match body.next().await {
                Some(Ok(piece)) => length += piece.len(),
                last => break last,
            }
        };
        assert!(is_late(last));
        assert!(length < 5, "{length}");
    }
}
