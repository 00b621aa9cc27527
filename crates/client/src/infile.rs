//! The data of `LOAD DATA LOCAL INFILE`, as the wire library wants it.

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use mysql_async::{Conn, InfileData};
use std::{
    io,
    sync::{Mutex, PoisonError},
    task::Poll,
};
use tokio::sync::oneshot;

/// The most that goes into one packet, bytes: less than any server's `max_allowed_packet`.
const PACKET_BYTES_MAX: usize = 512 * 1024;

/// The stream in pieces that every server takes. Where it fails, it tells so and then neither
/// goes on nor ends: an end would look like that of whole data.
pub(crate) fn watched(
    data: impl Stream<Item = io::Result<Bytes>> + Send + 'static,
) -> (InfileData, oneshot::Receiver<io::Error>) {
    let (tell, failure) = oneshot::channel();
    let (mut tell, mut data) = (Some(tell), data.boxed());
    let mut rest = Bytes::new();
    let pieces = stream::poll_fn(move |context| {
        while rest.is_empty() {
            match data.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(bytes))) => rest = bytes,
                Poll::Ready(Some(Err(error))) => {
                    if let Some(tell) = tell.take() {
                        // Nobody listens once the statement is over.
                        let _unheard = tell.send(error);
                    }
                    return Poll::Pending;
                }
                Poll::Ready(None) => return Poll::Ready(None),
                Poll::Pending => return Poll::Pending,
            }
        }
        let piece = rest.split_to(rest.len().min(PACKET_BYTES_MAX));
        Poll::Ready(Some(Ok(piece)))
    });
    (pieces.boxed(), failure)
}

/// Has the next statement that asks for a file get this.
pub(crate) fn feed(conn: &mut Conn, data: InfileData) {
    // The wire library wants to share what only one side ever touches; a mutex that nobody else
    // can see satisfies it.
    let data = Mutex::new(data);
    conn.set_infile_handler(async move {
        Ok(data.into_inner().unwrap_or_else(PoisonError::into_inner))
    });
}

/// Has no statement get anything.
pub(crate) fn feed_nothing(conn: &mut Conn) {
    conn.set_infile_handler(async { Err(mysql_async::LocalInfileError::NoHandler.into()) });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[tokio::test]
    async fn long_pieces_are_cut_and_empty_ones_skipped() {
        let long = Bytes::from(vec![7; 2 * PACKET_BYTES_MAX + 1]);
        let parts = [Bytes::new(), long, Bytes::new(), Bytes::from_static(b"x")];
        let (pieces, _failure) = watched(stream::iter(parts.map(Ok)));
        let lengths: Vec<_> = pieces.map(|piece| piece.unwrap().len()).collect().await;
        assert_eq!(lengths, [PACKET_BYTES_MAX, PACKET_BYTES_MAX, 1, 1]);
    }

    #[tokio::test]
    async fn a_failure_is_told_and_is_no_end() {
        let parts = [Ok(Bytes::from_static(b"x")), Err(io::Error::other("worn out"))];
        let (mut pieces, mut failure) = watched(stream::iter(parts));
        assert_eq!(pieces.next().await.unwrap().unwrap(), "x");
        assert!(futures_util::poll!(pieces.next()).is_pending());
        assert_eq!(failure.try_recv().unwrap().to_string(), "worn out");
    }
}
