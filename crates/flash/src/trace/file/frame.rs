//! Frames: what kind, how long, a checksum, and then the payload.

use std::io::{self, Read, Write};

/// Bytes before the payload.
pub(super) const HEAD_BYTES: u64 = 9;

/// A payload has at most so many bytes: what claims more is no frame. Memory is taken for one.
pub(super) const PAYLOAD_BYTES_MAX: usize = 1 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Header = b'H' as isize,
    Events = b'E' as isize,
    File = b'F' as isize,
    Trailer = b'T' as isize,
}

impl Tag {
    fn of(byte: u8) -> Option<Self> {
        [Self::Header, Self::Events, Self::File, Self::Trailer]
            .into_iter()
            .find(|tag| *tag as u8 == byte)
    }
}

/// Writes a frame and says how many bytes it has.
pub(super) fn write(out: &mut impl Write, tag: Tag, payload: &[u8]) -> io::Result<u64> {
    let length = u32::try_from(payload.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
    let mut head = vec![tag as u8];
    head.extend(length.to_le_bytes());
    head.extend(sum(&head, payload).to_le_bytes());
    out.write_all(&head)?;
    out.write_all(payload)?;
    Ok(HEAD_BYTES + u64::from(length))
}

/// The checksum covers kind and length, too: CRC-32C.
fn sum(head: &[u8], payload: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(head), payload)
}

/// Why there is no frame.
#[derive(Debug)]
pub(super) enum Fault {
    /// The file ends, between two frames.
    End,
    /// The file ends, inside this frame.
    Cut,
    /// These bytes are none, in words.
    Damaged(&'static str),
    /// The file cannot be read.
    Io(io::Error),
}

/// Reads a frame; its payload is put into `payload`.
pub(super) fn read(from: &mut impl Read, payload: &mut Vec<u8>) -> Result<Tag, Fault> {
    let mut head = [0; HEAD_BYTES as usize];
    match fill(from, &mut head)? {
        0 => return Err(Fault::End),
        filled if filled < head.len() => return Err(Fault::Cut),
        _ => {}
    }
    let tag = Tag::of(head[0]).ok_or(Fault::Damaged("no frame of a known kind"))?;
    let number =
        |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let length = number(1) as usize;
    if length > PAYLOAD_BYTES_MAX {
        return Err(Fault::Damaged("a frame longer than any is"));
    }
    payload.resize(length, 0);
    if fill(from, payload)? < length {
        return Err(Fault::Cut);
    }
    match sum(&head[..5], payload) == number(5) {
        true => Ok(tag),
        false => Err(Fault::Damaged("a checksum that does not match")),
    }
}

/// Reads until `buffer` is full or the file ends, and says how much it got.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> Result<usize, Fault> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(more) => filled += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(Fault::Io(error)),
        }
    }
    Ok(filled)
}
