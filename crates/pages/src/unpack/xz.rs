//! The container around LZMA that `lzma_easy_buffer_encode` writes: one block by one filter, and
//! no checksum over what is in it.
//!
//! It is read here because its header may demand a dictionary of 4 GiB, and a page needs 64 KiB.
//! Source: "The .xz File Format" 1.2.1 (tukaani.org).

use crate::layout::MOST_PAGE_BYTES;
use flate2::Crc;
use lzma_rust2::Lzma2Reader;
use std::io::Read;

/// Beginning of the file: magic, no check, and the checksum of these flags.
const HEADER: [u8; 12] = [0xFD, b'7', b'z', b'X', b'Z', 0, 0, 0, 0xFF, 0x12, 0xD9, 0x41];
/// The flags of a block that has one filter and says its sizes.
const ONE_FILTER_AND_SIZES: u8 = 0xC0;
/// LZMA2, with one byte of properties.
const LZMA2: [u8; 2] = [0x21, 1];

/// Unpacks all of `packed` into all of `out`; none if they are not of each other.
pub(super) fn unpack(packed: &[u8], out: &mut [u8]) -> Option<()> {
    let block = packed.strip_prefix(&HEADER)?;
    let header_bytes = (usize::from(*block.first()?) + 1) * 4;
    let (header, mut data) = block.split_at_checked(header_bytes)?;
    let (told, sum) = header.split_last_chunk::<4>()?;
    if told.get(1) != Some(&ONE_FILTER_AND_SIZES) || crc32(told) != *sum {
        return None;
    }
    let before = data.len();
    let mut reader = Lzma2Reader::new(&mut data, MOST_PAGE_BYTES as u32, None);
    reader.read_exact(out).ok()?;
    // The end mark, and with it that nothing more comes.
    if reader.read(&mut [0]).ok()? != 0 {
        return None;
    }
    drop(reader);
    let packed_bytes = before - data.len();
    let mut sizes = Vec::new();
    push_number(&mut sizes, packed_bytes);
    push_number(&mut sizes, out.len());
    sizes.extend(LZMA2);
    let consistent =
        told[2..].starts_with(&sizes) && data == tail(header_bytes + packed_bytes, out.len());
    consistent.then_some(())
}

/// What has to follow the block: padding, the index of one block, and the footer.
fn tail(block_bytes: usize, unpacked_bytes: usize) -> Vec<u8> {
    let padding = block_bytes.next_multiple_of(4) - block_bytes;
    let mut index = vec![0, 1];
    push_number(&mut index, block_bytes);
    push_number(&mut index, unpacked_bytes);
    index.resize(index.len().next_multiple_of(4), 0);
    index.extend(crc32(&index));
    let mut footer = Vec::from(((index.len() / 4 - 1) as u32).to_le_bytes());
    footer.extend([0, 0]);
    let mut tail = vec![0; padding];
    tail.extend(index);
    tail.extend(crc32(&footer));
    tail.extend(footer);
    tail.extend(*b"YZ");
    tail
}

/// A number of seven bits a byte, the lowest first.
fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number > 127 {
        bytes.push((number & 127) as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}
