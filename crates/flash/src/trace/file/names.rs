//! Header, trailer and files in frames.

use super::{
    Header, Trailer,
    frame::PAYLOAD_BYTES_MAX,
    varint::{put, take, unzigzag, zigzag},
};
use crate::trace::names::{Extent, FileId, FileMap};
use std::{ffi::OsString, os::unix::ffi::OsStrExt, os::unix::ffi::OsStringExt};

/// A header's bytes.
pub(super) fn header(header: &Header) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, u64::from(header.carries_hints));
    for number in [header.device_bytes, header.started_unix_ns, header.started_ns] {
        put(&mut out, number);
    }
    out.extend(header.device.as_bytes());
    out
}

/// A header of its bytes.
pub(super) fn read_header(mut from: &[u8]) -> Option<Header> {
    let carries_hints = match take(&mut from)? {
        0 => false,
        1 => true,
        _ => return None,
    };
    Some(Header {
        carries_hints,
        device_bytes: take(&mut from)?,
        started_unix_ns: take(&mut from)?,
        started_ns: take(&mut from)?,
        device: String::from_utf8(from.to_vec()).ok()?,
    })
}

/// A trailer's bytes.
pub(super) fn trailer(trailer: &Trailer) -> Vec<u8> {
    let mut out = Vec::new();
    for number in [trailer.events, trailer.lost, trailer.ended_ns] {
        put(&mut out, number);
    }
    out
}

/// A trailer of its bytes.
pub(super) fn read_trailer(mut from: &[u8]) -> Option<Trailer> {
    let trailer =
        Trailer { events: take(&mut from)?, lost: take(&mut from)?, ended_ns: take(&mut from)? };
    from.is_empty().then_some(trailer)
}

/// A file's bytes; in several parts if it lies in very many places.
pub(super) fn file(map: &FileMap) -> Vec<Vec<u8>> {
    let path = map.path.as_os_str().as_bytes();
    // Two numbers of at most ten bytes an extent.
    let extents_max = (PAYLOAD_BYTES_MAX - path.len().min(PAYLOAD_BYTES_MAX / 2) - 64) / 20;
    let parts = match map.extents.is_empty() {
        true => vec![map.extents.as_slice()],
        false => map.extents.chunks(extents_max).collect(),
    };
    parts.into_iter().map(|extents| part(map.file, path, extents)).collect()
}

fn part(file: FileId, path: &[u8], extents: &[Extent]) -> Vec<u8> {
    let mut out = Vec::new();
    put(&mut out, file.0.into());
    put(&mut out, path.len() as u64);
    out.extend(path);
    let mut end = 0_u64;
    for extent in extents {
        put(&mut out, zigzag(extent.sector.wrapping_sub(end) as i64));
        put(&mut out, extent.sectors);
        end = extent.sector.wrapping_add(extent.sectors);
    }
    out
}

/// A file, or a part of it, of its bytes.
pub(super) fn read_file(mut from: &[u8]) -> Option<FileMap> {
    let file = FileId(take(&mut from)?.try_into().ok()?);
    let length = usize::try_from(take(&mut from)?).ok()?;
    let (path, mut from) = from.split_at_checked(length)?;
    let path = OsString::from_vec(path.to_vec()).into();
    let mut extents = Vec::new();
    let mut end = 0_u64;
    while !from.is_empty() {
        let sector = end.wrapping_add_signed(unzigzag(take(&mut from)?));
        let sectors = take(&mut from)?;
        end = sector.wrapping_add(sectors);
        extents.push(Extent { sector, sectors });
    }
    Some(FileMap { file, path, extents })
}
