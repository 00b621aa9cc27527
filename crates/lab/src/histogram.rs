//! A latency histogram that can be stored and merged without loss.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use hdrhistogram::{
    Histogram,
    serialization::{Deserializer as HdrDeserializer, Serializer as _, V2Serializer},
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};

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
}

impl Serialize for LatencyHistogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        V2Serializer::new().serialize(&self.0, &mut bytes).map_err(S::Error::custom)?;
        serializer.serialize_str(&STANDARD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for LatencyHistogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD.decode(text).map_err(D::Error::custom)?;
        HdrDeserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map(Self)
            .map_err(|error| D::Error::custom(format!("histogram: {error:?}")))
    }
}
