//! What InnoDB's pages are compressed by, undone: never into more than a page, from any bytes.
//!
//! Every method has to use up all of its input and to fill all of its output, which is more than
//! upstream asks: so no bit of a payload is left that could be flipped unnoticed.
//!
//! Sources: `fil0pagecompress.cc` of MariaDB 10.11, `file.cc` of MySQL 8 (`Compression`).

mod lzo;
mod xz;

use flate2::{Decompress, FlushDecompress, Status};

/// A method of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Zlib,
    Lz4,
    Lzo,
    Lzma,
    Bzip2,
    Snappy,
}

impl Method {
    /// MySQL's number of a method.
    pub(crate) fn of_mysql(number: u8) -> Option<Self> {
        match number {
            1 => Some(Self::Zlib),
            2 => Some(Self::Lz4),
            _ => None,
        }
    }

    /// MariaDB's number of a method (`innodb_compression_algorithm`).
    pub(crate) fn of_mariadb(number: u16) -> Option<Self> {
        match number {
            1 => Some(Self::Zlib),
            2 => Some(Self::Lz4),
            3 => Some(Self::Lzo),
            4 => Some(Self::Lzma),
            5 => Some(Self::Bzip2),
            6 => Some(Self::Snappy),
            _ => None,
        }
    }

    /// Unpacks all of `packed` into all of `out`, which is at most a page; none if they are not of
    /// each other.
    pub(crate) fn unpack(self, packed: &[u8], out: &mut [u8]) -> Option<()> {
        let whole = match self {
            Self::Zlib => zlib(packed, out),
            Self::Lz4 => lz4_flex::block::decompress_into(packed, out).ok() == Some(out.len()),
            Self::Lzo => lzo::unpack(packed, out).is_some(),
            Self::Lzma => xz::unpack(packed, out).is_some(),
            Self::Bzip2 => bzip2(packed, out),
            Self::Snappy => snappy(packed, out),
        };
        whole.then_some(())
    }
}

fn zlib(packed: &[u8], out: &mut [u8]) -> bool {
    let mut stream = Decompress::new(true);
    let ended = stream.decompress(packed, out, FlushDecompress::Finish);
    matches!(ended, Ok(Status::StreamEnd))
        && stream.total_in() == packed.len() as u64
        && stream.total_out() == out.len() as u64
}

fn bzip2(packed: &[u8], out: &mut [u8]) -> bool {
    let mut stream = bzip2::Decompress::new(false);
    // A second call, since the end of the stream may only be seen once the output is full.
    let mut filled = 0;
    for _ in 0..2 {
        let taken = stream.total_in() as usize;
        match stream.decompress(&packed[taken..], &mut out[filled..]) {
            Ok(bzip2::Status::StreamEnd) => {
                return stream.total_in() == packed.len() as u64
                    && stream.total_out() == out.len() as u64;
            }
            Ok(_) => filled = stream.total_out() as usize,
            Err(_) => return false,
        }
    }
    false
}

fn snappy(packed: &[u8], out: &mut [u8]) -> bool {
    snap::raw::decompress_len(packed).ok() == Some(out.len())
        && snap::raw::Decoder::new().decompress(packed, out).ok() == Some(out.len())
}
