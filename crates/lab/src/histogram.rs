//! A latency histogram that can be stored and merged without loss.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer as HdrDeserializer, Serializer as _, V2Serializer},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};

/// Bytes that are no histogram, or a histogram that has no bytes.
#[derive(Debug, thiserror::Error)]
#[error("latency histogram: {0}")]
pub struct HistogramError(String);

/// Latencies in microseconds, three significant digits, 1 µs to 1 h. Serialised as base64 of the
/// HdrHistogram V2 encoding, which the HdrHistogram tools of every language read.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyHistogram(pub Histogram<u64>);

impl LatencyHistogram {
    /// The largest latency that is told apart, microseconds: one hour.
    pub const MAX_US: u64 = 3_600_000_000;

    /// A histogram without values.
    pub fn empty() -> Self {
        // The bounds are constants that the library documents as legal.
        Self(Histogram::new_with_bounds(1, Self::MAX_US, 3).expect("legal constant bounds"))
    }

    /// The values of all.
    pub fn of_all<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all = Self::empty();
        parts.into_iter().for_each(|part| all.join(part));
        all
    }

    /// Takes the values of another one.
    pub fn join(&mut self, more: &Self) {
        // Only values over the upper bound could not be added, and all have the same bounds.
        let _added = self.0.add(&more.0);
    }

    /// The latency below which `percent` of the values lie, milliseconds; 0 when empty.
    pub fn percentile_ms(&self, percent: f64) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.value_at_percentile(percent) as f64 / 1e3 }
    }

    /// Mean, milliseconds; 0 when empty.
    pub fn mean_ms(&self) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.mean() / 1e3 }
    }

    /// Largest value, milliseconds; 0 when empty.
    pub fn max_ms(&self) -> f64 {
        if self.0.is_empty() { 0.0 } else { self.0.max() as f64 / 1e3 }
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The HdrHistogram V2 encoding, uncompressed. Fails only where a single count is over 2^63.
    pub fn to_v2(&self) -> Result<Vec<u8>, HistogramError> {
        let mut bytes = Vec::new();
        V2Serializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(|error| HistogramError(format!("{error:?}")))?;
        Ok(bytes)
    }

    /// Reads what [`Self::to_v2`] or another HdrHistogram library wrote.
    pub fn from_v2(mut bytes: &[u8]) -> Result<Self, HistogramError> {
        HdrDeserializer::new()
            .deserialize(&mut bytes)
            .map(Self)
            .map_err(|error| HistogramError(format!("{error:?}")))
    }
}

impl Serialize for LatencyHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(self.to_v2().map_err(S::Error::custom)?))
    }
}

impl<'de> Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        Self::from_v2(&bytes).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_of_several_are_together_as_if_one_had_recorded_them() {
        let of = |values: &[u64]| {
            let mut histogram = LatencyHistogram::empty();
            values.iter().for_each(|value| histogram.0.record(*value).unwrap());
            histogram
        };
        let all = LatencyHistogram::of_all([&of(&[1, 900]), &of(&[]), &of(&[7_000_000])]);
        assert_eq!(all, of(&[1, 900, 7_000_000]));
        assert_eq!(LatencyHistogram::of_all([]), LatencyHistogram::empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn what_is_written_is_read_back(
            values in prop::collection::vec(1..=LatencyHistogram::MAX_US, 0..200),
        ) {
            let mut histogram = LatencyHistogram::empty();
            for value in values {
                histogram.0.record(value).unwrap();
            }
            let bytes = histogram.to_v2().unwrap();
            prop_assert_eq!(&LatencyHistogram::from_v2(&bytes).unwrap(), &histogram);
            let json = serde_json::to_string(&histogram).unwrap();
            prop_assert_eq!(serde_json::from_str::<LatencyHistogram>(&json).unwrap(), histogram);
        }

        #[test]
        fn damaged_bytes_are_an_error_or_a_histogram_never_a_panic(
            flips in prop::collection::vec((0usize..200, any::<u8>()), 1..8),
        ) {
            let mut histogram = LatencyHistogram::empty();
            for value in 1..100 {
                histogram.0.record(value * 997).unwrap();
            }
            let mut bytes = histogram.to_v2().unwrap();
            for (at, with) in flips {
                let at = at % bytes.len();
                bytes[at] ^= with;
            }
            let _ = LatencyHistogram::from_v2(&bytes);
        }
    }
}
