//! A series as few bytes, without loss.
//!
//! Values with at most three decimals, which is what is recorded, become whole thousandths; what
//! each differs by from the one before, with gaps marked, takes a byte or two for most, and then
//! they are deflated. A series with any other value is kept as its floating-point numbers.

use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use std::io::{Read, Write};

/// The first byte: how the rest is to be read.
const THOUSANDTHS: u8 = 1;
const FLOATS: u8 = 2;

/// Whole numbers up to here are exact as floating-point numbers.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// A number of 64 bits takes at most ten bytes of seven bits.
const VARINT_BYTES_MAX: u64 = 10;

/// Packs a series.
pub(super) fn pack(values: &[Option<f64>]) -> Vec<u8> {
    let (format, body) = match thousandths(values) {
        Some(body) => (THOUSANDTHS, body),
        None => (FLOATS, floats(values)),
    };
    let mut encoder = DeflateEncoder::new(vec![format], Compression::default());
    // Writing to memory does not fail.
    let _written = encoder.write_all(&body);
    encoder.finish().unwrap_or_default()
}

/// Unpacks a series of `count` values; none where the bytes are no such series.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Option<Vec<Option<f64>>> {
    let (format, deflated) = bytes.split_first()?;
    let mut body = Vec::new();
    // No more than there can be, whatever a damaged file makes of itself.
    let limit = VARINT_BYTES_MAX * (count as u64) + 1;
    DeflateDecoder::new(deflated).take(limit).read_to_end(&mut body).ok()?;
    let values = match *format {
        THOUSANDTHS => from_thousandths(&body)?,
        FLOATS => from_floats(&body)?,
        _ => return None,
    };
    (values.len() == count).then_some(values)
}

/// A 0 for a gap, or one more than the zigzag of the growth since the last value.
fn thousandths(values: &[Option<f64>]) -> Option<Vec<u8>> {
    let mut body = Vec::with_capacity(2 * values.len());
    let mut before = 0;
    for value in values {
        let Some(value) = value else {
            body.push(0);
            continue;
        };
        let scaled = (value * 1e3).round();
        let is_exact = scaled.abs() < EXACT && scaled / 1e3 == *value;
        if !is_exact || (*value == 0.0 && value.is_sign_negative()) {
            return None;
        }
        let now = scaled as i64;
        let grown = now - before;
        before = now;
        varint((grown.unsigned_abs() << 1 | u64::from(grown < 0)) + 1, &mut body);
    }
    Some(body)
}

fn from_thousandths(body: &[u8]) -> Option<Vec<Option<f64>>> {
    let mut values = Vec::new();
    let mut now: i64 = 0;
    let mut rest = body;
    while !rest.is_empty() {
        let Some(zigzag) = read_varint(&mut rest)?.checked_sub(1) else {
            values.push(None);
            continue;
        };
        let size = i64::try_from(zigzag >> 1).ok()?;
        now = now.checked_add(if zigzag & 1 == 1 { -size } else { size })?;
        values.push(Some(now as f64 / 1e3));
    }
    Some(values)
}

/// Eight bytes a value; a gap is what is no number.
fn floats(values: &[Option<f64>]) -> Vec<u8> {
    values.iter().flat_map(|value| value.unwrap_or(f64::NAN).to_le_bytes()).collect()
}

fn from_floats(body: &[u8]) -> Option<Vec<Option<f64>>> {
    let (chunks, []) = body.as_chunks::<8>() else { return None };
    let value = |bytes: &[u8; 8]| Some(f64::from_le_bytes(*bytes)).filter(|value| !value.is_nan());
    Some(chunks.iter().map(value).collect())
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn varint(mut number: u64, body: &mut Vec<u8>) {
    while number >= 0x80 {
        body.push(number as u8 | 0x80);
        number >>= 7;
    }
    body.push(number as u8);
}

fn read_varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number: u64 = 0;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        let bits = u64::from(byte & 0x7f);
        number |= bits.checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn twelve_hours_of_eighty_series_take_a_few_megabytes() {
        // A random walk in the last digits, worse than what a server does.
        let mut state: u64 = 1;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f64 / f64::from(1 << 24)
        };
        let mut sizes = Vec::new();
        for scale in [1.0, 100.0, 10_000.0, 100_000_000.0] {
            let rate = |_| Some((scale * (0.8 + 0.4 * random()) * 1e3).round() / 1e3);
            let values: Vec<Option<f64>> = (0..43_200).map(rate).collect();
            let packed = pack(&values);
            assert_eq!(unpack(&packed, values.len()).unwrap(), values);
            sizes.push(packed.len());
        }
        let zeros = pack(&vec![Some(0.0); 43_200]).len();
        // Twenty of each kind: rows, processors, bytes a second, and so on.
        let total_bytes: usize = 20 * sizes.iter().sum::<usize>();
        assert!(total_bytes < 13_000_000 && zeros < 200, "{total_bytes}, {sizes:?}, {zeros}");
    }

    proptest! {
        #[test]
        fn every_series_is_unpacked_as_it_was(
            values in prop::collection::vec(
                prop::option::of(prop_oneof![
                    prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::NEGATIVE,
                    (-1_000_000_i64..1_000_000_000_000).prop_map(|n| n as f64 / 1e3),
                ]),
                0..60,
            ),
        ) {
            let finite: Vec<Option<f64>> =
                values.iter().map(|value| value.filter(|v| v.is_finite())).collect();
            let back = unpack(&pack(&finite), finite.len()).unwrap();
            let bits = |values: &[Option<f64>]| -> Vec<Option<u64>> {
                values.iter().map(|value| value.map(f64::to_bits)).collect()
            };
            prop_assert_eq!(bits(&back), bits(&finite));
        }

        #[test]
        fn thousandths_survive(values in prop::collection::vec(any::<i32>(), 0..60)) {
            let values: Vec<Option<f64>> =
                values.iter().map(|n| Some(f64::from(*n) / 1e3)).collect();
            prop_assert_eq!(unpack(&pack(&values), values.len()).unwrap(), values);
        }

        #[test]
        fn damaged_bytes_are_a_series_or_none(
            bytes in prop::collection::vec(any::<u8>(), 0..80), count in 0..100_usize,
        ) {
            if let Some(values) = unpack(&bytes, count) {
                prop_assert_eq!(values.len(), count);
            }
        }
    }
}
