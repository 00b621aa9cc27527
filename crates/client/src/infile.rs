//! `LOAD DATA LOCAL INFILE` from a stream instead of a file.

use crate::{
    connection::{Call, Connection},
    error::Error,
    row::Rows,
    wire::{
        Channel, Fault, command,
        reply::{self, Done, Form},
    },
};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use std::{io, pin::pin};

/// The most that goes into one packet, bytes: less than any server's `max_allowed_packet`.
const PACKET_BYTES_MAX: usize = 512 * 1024;

impl Connection {
    /// Runs a `LOAD DATA LOCAL INFILE` statement and feeds it from `data`, whatever file name it
    /// gives. No file is ever read.
    ///
    /// # Errors
    /// The server's refusal (3948 or 4166 where it allows no LOCAL), or a lost connection.
    /// [`Error::Data`] when `data` fails: the protocol has no word for it, and what ends early
    /// looks whole to the server, so that the connection is broken off before the end.
    pub async fn load_data(
        &mut self,
        sql: &str,
        data: impl Stream<Item = io::Result<Bytes>>,
    ) -> Result<Done, Error> {
        let call = Call::start(self)?;
        let Connection { channel, rows, .. } = &mut *call.connection;
        let outcome = feed(channel, rows, sql, data).await;
        match outcome {
            Ok(outcome) => call.finish(outcome),
            // Broken off by the drop of the call.
            Err(error) => Err(Error::Data(error.to_string())),
        }
    }
}

/// The reply to the statement, once it has got all its data; the outer error is the data's own.
async fn feed(
    channel: &mut Channel,
    rows: &mut Rows,
    sql: &str,
    data: impl Stream<Item = io::Result<Bytes>>,
) -> io::Result<Result<Done, Fault>> {
    channel.put(|out| command::query(out, sql));
    let asked = reply::read(channel, rows, Form::Text, None).await;
    if !matches!(asked, Err(Fault::WantsData)) {
        return Ok(asked);
    }
    let mut data = pin!(data);
    while let Some(piece) = data.next().await {
        for part in piece?.chunks(PACKET_BYTES_MAX) {
            channel.put(|out| out.extend_from_slice(part));
            if let Err(fault) = channel.flush().await {
                return Ok(Err(fault));
            }
        }
    }
    // An empty packet says that this was all.
    channel.put(|_nothing| {});
    Ok(reply::read(channel, rows, Form::Text, None).await)
}
