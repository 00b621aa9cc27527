//! What is measured, and how readings become a series.

use std::borrow::Cow;

/// Decimals that are kept: a thousandth of a row, of a processor or of a session is enough, and
/// figures with few digits take little room.
const DECIMALS: f64 = 1e3;

/// Something that is measured again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meter {
    /// Its name, unique among all, `innodb.rows_read`.
    pub name: Cow<'static, str>,
    /// What it is called beside others of its group, `rows read`.
    pub label: Cow<'static, str>,
    /// What it is shown together with, `rows`.
    pub group: &'static str,
    /// What its values count, `1/s`.
    pub unit: &'static str,
    /// Where it comes from.
    pub source: Cow<'static, str>,
}

/// What was read at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Reading {
    /// A total that grows: its growth a second is the value.
    Total(f64),
    /// A state: the value as it is.
    State(f64),
    /// Two totals: the growth of the first over that of the second is the value.
    Ratio(f64, f64),
}

impl Reading {
    /// The value between two readings `length_s` apart. None where a total has become smaller, for
    /// then somebody has started it anew.
    fn value(self, before: Option<(f64, Self)>, now_s: f64) -> Option<f64> {
        let value = match (self, before) {
            (Self::State(state), _) => state,
            (Self::Total(now), Some((then_s, Self::Total(then)))) => {
                grown(now, then)? / Some(now_s - then_s).filter(|length_s| *length_s > 0.0)?
            }
            (Self::Ratio(now, of_now), Some((_, Self::Ratio(then, of_then)))) => {
                grown(now, then)? / Some(grown(of_now, of_then)?).filter(|of| *of > 0.0)?
            }
            _ => return None,
        };
        // A figure so large that its thousandths overflow is none either.
        Some((value * DECIMALS).round() / DECIMALS).filter(|value| value.is_finite())
    }
}

fn grown(now: f64, then: f64) -> Option<f64> {
    Some(now - then).filter(|grown| *grown >= 0.0)
}

/// Readings that were taken together.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Readings {
    /// When, seconds from the start of the load.
    pub(crate) taken_s: f64,
    pub(crate) values: Vec<(Meter, Reading)>,
}

/// A meter with its values on a common axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Track {
    /// What was measured.
    pub meter: Meter,
    /// A value for each place on the axis; none where there is a gap.
    pub values: Vec<Option<f64>>,
}

/// Makes series of readings.
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    axis_s: Vec<f64>,
    tracks: Vec<(Track, Option<(f64, Reading)>)>,
}

impl Recorder {
    /// Adds a place on the axis. What was not read leaves a gap there; a rate after a gap is over
    /// all the time since the last reading.
    pub(crate) fn row(&mut self, at_s: f64, readings: &[Readings]) {
        let rows = self.axis_s.len();
        self.axis_s.push(at_s);
        for (track, _) in &mut self.tracks {
            track.values.push(None);
        }
        for Readings { taken_s, values } in readings {
            for (meter, reading) in values {
                let (track, last) = self.track(meter, rows);
                let value = reading.value(*last, *taken_s);
                *last = Some((*taken_s, *reading));
                // A track has as many values as the axis has places, and that is at least one.
                if let Some(place) = track.values.last_mut() {
                    *place = value;
                }
            }
        }
    }

    /// The track of that meter; one that comes late has gaps before.
    fn track(&mut self, meter: &Meter, rows: usize) -> &mut (Track, Option<(f64, Reading)>) {
        let known = self.tracks.iter().position(|(track, _)| track.meter.name == meter.name);
        let index = known.unwrap_or_else(|| {
            let values = vec![None; rows + 1];
            self.tracks.push((Track { meter: meter.clone(), values }, None));
            self.tracks.len() - 1
        });
        &mut self.tracks[index]
    }

    /// What there is at the last place on the axis.
    pub(crate) fn latest(&self) -> impl Iterator<Item = (&Meter, f64)> {
        self.tracks.iter().filter_map(|(track, _)| Some((&track.meter, (*track.values.last()?)?)))
    }

    /// The axis, seconds from the start of the load, and the tracks that have a value.
    pub(crate) fn finish(self) -> (Vec<f64>, Vec<Track>) {
        let tracks = self.tracks.into_iter().map(|(track, _)| track);
        let told = |track: &Track| track.values.iter().any(Option::is_some);
        (self.axis_s, tracks.filter(told).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn meter(name: &'static str) -> Meter {
        let source = "a test".into();
        Meter { name: name.into(), label: name.into(), group: "g", unit: "1/s", source }
    }

    fn at(taken_s: f64, reading: Reading) -> Readings {
        Readings { taken_s, values: vec![(meter("m"), reading)] }
    }

    fn values(rows: &[Option<Readings>]) -> Vec<Option<f64>> {
        let mut recorder = Recorder::default();
        for (second, readings) in rows.iter().enumerate() {
            recorder.row(second as f64, readings.as_slice());
        }
        recorder.finish().1.swap_remove(0).values
    }

    #[test]
    fn a_total_becomes_a_rate_over_the_time_that_it_really_took() {
        let total = |s, total| Some(at(s, Reading::Total(total)));
        let rows = [total(0.0, 100.0), total(1.25, 200.0), total(2.25, 230.0)];
        assert_eq!(values(&rows), [None, Some(80.0), Some(30.0)]);
    }

    #[test]
    fn a_total_that_falls_is_a_gap_and_counts_on_from_there() {
        let total = |s, total| Some(at(s, Reading::Total(total)));
        let rows = [total(0.0, 900.0), total(1.0, 5.0), total(2.0, 15.0)];
        assert_eq!(values(&rows), [None, None, Some(10.0)]);
    }

    #[test]
    fn a_missing_answer_is_a_gap_and_the_next_covers_it() {
        let total = |s, total| Some(at(s, Reading::Total(total)));
        let rows = [total(0.0, 0.0), None, total(2.0, 50.0)];
        assert_eq!(values(&rows), [None, None, Some(25.0)]);
        let state = |s, state| Some(at(s, Reading::State(state)));
        assert_eq!(values(&[state(0.0, 7.0), None, state(2.0, 8.0)]), [Some(7.0), None, Some(8.0)]);
    }

    #[test]
    fn a_ratio_is_of_what_both_grew_by() {
        let ratio = |s, a, b| Some(at(s, Reading::Ratio(a, b)));
        let rows = [ratio(0.0, 10.0, 100.0), ratio(1.0, 16.0, 104.0), ratio(2.0, 16.0, 104.0)];
        assert_eq!(values(&rows), [None, Some(1.5), None]);
    }

    #[test]
    fn a_meter_that_comes_late_has_gaps_before() {
        let mut recorder = Recorder::default();
        recorder.row(0.0, &[]);
        recorder.row(1.0, &[at(1.0, Reading::State(3.0))]);
        assert_eq!(recorder.latest().map(|(_, value)| value).collect::<Vec<_>>(), [3.0]);
        recorder.row(2.0, &[Readings { taken_s: 2.0, values: Vec::new() }]);
        assert_eq!(recorder.latest().count(), 0, "the last place is a gap");
        let (axis_s, tracks) = recorder.finish();
        assert_eq!(axis_s, [0.0, 1.0, 2.0]);
        assert_eq!(tracks[0].values, [None, Some(3.0), None]);
    }

    proptest! {
        #[test]
        fn whatever_is_read_values_are_finite_and_rates_not_negative(
            readings in prop::collection::vec((any::<f64>(), any::<f64>()), 1..20),
        ) {
            let rows = readings.iter().map(|(s, total)| Some(at(*s, Reading::Total(*total))));
            let mut recorder = Recorder::default();
            for (second, readings) in rows.enumerate() {
                recorder.row(second as f64, readings.as_slice());
            }
            for track in recorder.finish().1 {
                prop_assert_eq!(track.values.len(), readings.len());
                prop_assert!(track.values.iter().flatten().all(|v| v.is_finite() && *v >= 0.0));
            }
        }
    }
}
