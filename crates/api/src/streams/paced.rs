//! Stream body with backpressure: each piece is generated after the previous one is in the socket. The HTTP library
//! alone would buffer up to 400 kB for a client that does not read.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use futures_util::task::AtomicWaker;
use http_body::{Frame, SizeHint};

/// Body that yields one piece at a time.
pub(crate) fn paced<B>(body: B) -> Body
where
    B: HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    Body::new(Paced { body: Body::new(body), turn: Arc::default() })
}

struct Paced {
    body: Body,
    turn: Arc<WriteTurn>,
}

/// Whether a piece is being written.
#[derive(Default)]
struct WriteTurn {
    is_taken: AtomicBool,
    waiting: AtomicWaker,
}

struct PacedPiece {
    bytes: Bytes,
    turn: Arc<WriteTurn>,
}

impl AsRef<[u8]> for PacedPiece {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for PacedPiece {
    fn drop(&mut self) {
        self.turn.is_taken.store(false, Ordering::Release);
        self.turn.waiting.wake();
    }
}

impl HttpBody for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        this.turn.waiting.register(context.waker());
        if this.turn.is_taken.load(Ordering::Acquire) {
            return Poll::Pending;
        }
        let Some(frame) = ready!(Pin::new(&mut this.body).poll_frame(context)?) else {
            return Poll::Ready(None);
        };
        let turn = &this.turn;
        Poll::Ready(Some(Ok(frame.map_data(|bytes| {
            if bytes.is_empty() {
                return bytes;
            }
            turn.is_taken.store(true, Ordering::Release);
            Bytes::from_owner(PacedPiece { bytes, turn: Arc::clone(turn) })
        }))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use http_body_util::BodyExt;

    use super::*;

    #[tokio::test]
    async fn the_next_piece_is_made_when_the_one_before_is_written() {
        let pieces = ["a piece", "another"].map(|text| Ok::<_, axum::Error>(Bytes::from(text)));
        let mut body = paced(Body::from_stream(stream::iter(pieces)));
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        let part = first.slice(..1);
        drop(first);
        let mut next = std::pin::pin!(body.frame());
        let polled = std::future::poll_fn(|cx| Poll::Ready(next.as_mut().poll(cx))).await;
        assert!(polled.is_pending(), "a part of the first is still to be written");
        let (second, ()) = tokio::join!(next, async { drop(part) });
        assert_eq!(second.unwrap().unwrap().into_data().unwrap(), "another");
        assert!(body.frame().await.is_none());
    }
}
