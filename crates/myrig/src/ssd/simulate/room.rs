//! Whether there is memory for the drives: the kernel kills who takes more than there is.

use super::drives::Asked;
use crate::failure::Failure;
use flash::{replay::EVENT_BYTES, trace::file::Survey};
use host::{Bytes, Resources, Root};
use report::text::count;
use std::path::Path;

/// Bytes for each page of flash and for each that the host can address, bitmaps of blocks included.
const BYTES_A_PAGE: u64 = 5;

/// Bytes for each page that a write buffer can hold: its table and its queue, in which discarded
/// pages may still stand.
const BUFFER_BYTES_A_PAGE: u64 = 96;

/// Refuses drives that do not fit, so many at a time.
pub(super) fn check(drives: &[Asked], jobs: usize) -> Result<(), Failure> {
    let bytes = |drive: &Asked| {
        let geometry = &drive.options.geometry;
        (geometry.physical_pages() + u64::from(geometry.logical_pages)) * BYTES_A_PAGE
            + u64::from(drive.options.buffer_pages) * BUFFER_BYTES_A_PAGE
    };
    let largest = drives.iter().map(bytes).max().unwrap_or(0);
    let needed = largest.saturating_mul(jobs as u64);
    let available = available_bytes();
    if needed <= available {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "the simulated drives need {} of memory and {} are available: fewer at a time (--jobs), a \
         smaller --capacity or larger pages (--page)",
        Bytes(needed),
        Bytes(available)
    )))
}

/// Bytes of memory that this machine can still give.
pub(super) fn available_bytes() -> u64 {
    Resources::of(&Root::real(), Path::new("/")).available_bytes
}

/// Refuses a trace that does not fit into so many bytes.
pub(super) fn check_trace(path: &Path, survey: &Survey, available: u64) -> Result<(), Failure> {
    let events = survey.events;
    let needed = events.saturating_mul(EVENT_BYTES).saturating_add(survey.names_bytes);
    if needed <= available {
        return Ok(());
    }
    Err(Failure::usage(format!(
        "{}: its {} events and their files need {} of memory and {} are available: a shorter trace \
         (`myrig ssd trace --duration`), or drives that are fed at once and keep no event (--live)",
        path.display(),
        count(events),
        Bytes(needed),
        Bytes(available)
    )))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_trace_that_does_not_fit_is_refused_by_name() {
        let survey = Survey { events: 1_000_000, names_bytes: 1 << 20, ..Survey::default() };
        let fits = 16_000_000 + (1 << 20);
        assert!(check_trace(Path::new("x.trace"), &survey, fits).is_ok());
        let error = check_trace(Path::new("x.trace"), &survey, fits - 1).unwrap_err();
        let words = error.to_string();
        for part in ["x.trace", "1,000,000 events", "16.3 MiB", "--duration", "--live"] {
            assert!(words.contains(part), "{words}");
        }
    }
}
