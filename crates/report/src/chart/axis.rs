//! From values to places, and where to put the ticks.

/// The smallest and the largest value that a logarithmic axis begins with: no latency in
/// milliseconds and no percentile is beyond.
const SMALLEST: f64 = 1e-3;
const LARGEST: f64 = 1e9;

/// A straight or logarithmic scale from `low` to `high` onto a stretch of the drawing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    from: f64,
    until: f64,
    logarithmic: bool,
}

impl Axis {
    /// Values in proportion.
    pub(super) fn linear(low: f64, high: f64, from: f64, until: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, from, until, logarithmic: false }
    }

    /// Equal ratios take equal room. Bounds are widened to powers of ten or to their halves and
    /// fifths, whichever is nearest.
    pub(super) fn logarithmic(low: f64, high: f64, from: f64, until: f64) -> Self {
        let low = if low.is_finite() && low > 0.0 { low.clamp(SMALLEST, LARGEST) } else { 0.1 };
        let high = if high > low { high.min(10.0 * LARGEST) } else { low * 10.0 };
        let low = steps(low).into_iter().rev().find(|step| *step <= low).unwrap_or(low);
        let high = steps(high).into_iter().find(|step| *step >= high).unwrap_or(high);
        Self { low, high, from, until, logarithmic: true }
    }

    /// Equal ratios take equal room between just these bounds; in proportion where they are none
    /// that a ratio could be made of.
    pub(super) fn ratio(low: f64, high: f64, from: f64, until: f64) -> Self {
        match low >= SMALLEST && high > low && high <= LARGEST {
            true => Self { low, high, from, until, logarithmic: true },
            false => Self::linear(low, high, from, until),
        }
    }

    /// The place of `value`; what is outside is put on the edge.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = match self.logarithmic {
            true => (value / self.low).ln() / (self.high / self.low).ln(),
            false => (value - self.low) / (self.high - self.low),
        };
        self.from + share * (self.until - self.from)
    }

    /// Round values for about `wanted` ticks.
    pub(super) fn ticks(&self, wanted: usize) -> Vec<f64> {
        match self.logarithmic {
            true => self.logarithmic_ticks(),
            false => {
                let step =
                    nice_step((self.high - self.low) / wanted.max(1) as f64, &[1.0, 2.0, 5.0]);
                multiples(step, self.low, self.high)
            }
        }
    }

    /// Round times for about `wanted` ticks: seconds, then minutes, then hours.
    pub(super) fn time_ticks(&self, wanted: usize) -> Vec<f64> {
        let span = (self.high - self.low) / wanted.max(1) as f64;
        let round = [1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0];
        let step = round.into_iter().find(|step| *step >= span);
        let step = step.unwrap_or_else(|| 3600.0 * nice_step(span / 3600.0, &[1.0, 2.0, 4.0, 6.0]));
        multiples(step, self.low, self.high)
    }

    fn logarithmic_ticks(&self) -> Vec<f64> {
        let decades = (self.high / self.low).log10();
        let factors: &[f64] = if decades <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let powers = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
        let mut ticks: Vec<f64> = powers
            .flat_map(|power| factors.iter().map(move |factor| factor * 10_f64.powi(power)))
            .collect();
        ticks.retain(|tick| *tick >= self.low * 0.999 && *tick <= self.high * 1.001);
        ticks
    }
}

/// 1, 2, 5 and 10 in the decade of `value`.
fn steps(value: f64) -> [f64; 4] {
    let power = 10_f64.powf(value.log10().floor());
    [power, 2.0 * power, 5.0 * power, 10.0 * power]
}

/// The least of `factors` times a power of ten that is at least `span`.
fn nice_step(span: f64, factors: &[f64]) -> f64 {
    let span = if span.is_finite() && span > 0.0 { span } else { 1.0 };
    let power = 10_f64.powf(span.log10().floor());
    let steps = factors.iter().map(|factor| factor * power);
    steps.into_iter().find(|step| *step >= span * 0.999).unwrap_or(10.0 * power)
}

fn multiples(step: f64, low: f64, high: f64) -> Vec<f64> {
    let first = (low / step).ceil();
    let last = (high / step * (1.0 + 1e-9)).floor();
    let number = (last - first).clamp(0.0, 100.0) as u32;
    (0..=number).map(|index| (first + f64::from(index)) * step).collect()
}

/// The least round value that is at least `value`, for the end of an axis from 0.
pub(super) fn round_up(value: f64) -> f64 {
    nice_step(value, &[1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_inside() {
        let axis = Axis::linear(0.0, 430.0, 200.0, 0.0);
        assert_eq!(axis.ticks(5), [0.0, 100.0, 200.0, 300.0, 400.0]);
        assert_eq!(axis.place(0.0), 200.0);
        assert_eq!(axis.place(430.0), 0.0);
        assert_eq!(axis.place(1e9), 0.0);
    }

    #[test]
    fn logarithmic_bounds_are_widened_to_round_values() {
        let axis = Axis::logarithmic(1.3, 87.0, 0.0, 1.0);
        assert_eq!(axis.ticks(0), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!((axis.place(1.0), axis.place(10.0), axis.place(100.0)), (0.0, 0.5, 1.0));
    }

    #[test]
    fn ratios_have_equal_room_and_no_more_of_it() {
        let axis = Axis::ratio(1.0, 16.0, 0.0, 100.0);
        assert_eq!(
            [1.0, 2.0, 4.0, 8.0, 16.0].map(|n| axis.place(n)),
            [0.0, 25.0, 50.0, 75.0, 100.0]
        );
        assert_eq!(Axis::ratio(0.0, 10.0, 0.0, 100.0).place(5.0), 50.0);
    }

    #[test]
    fn times_are_marked_by_minutes_and_hours() {
        let minutes = Axis::linear(0.0, 600.0, 0.0, 1.0);
        assert_eq!(minutes.time_ticks(6), [0.0, 120.0, 240.0, 360.0, 480.0, 600.0]);
        let day = Axis::linear(0.0, 43_200.0, 0.0, 1.0);
        assert_eq!(day.time_ticks(7)[1], 7200.0);
    }

    #[test]
    fn broken_bounds_still_make_an_axis() {
        for axis in [
            Axis::logarithmic(f64::NAN, f64::INFINITY, 0.0, 1.0),
            Axis::logarithmic(0.0, 0.0, 0.0, 1.0),
            Axis::logarithmic(f64::MIN_POSITIVE, f64::MAX, 0.0, 1.0),
            Axis::logarithmic(f64::MAX, f64::MAX, 0.0, 1.0),
            Axis::linear(0.0, f64::MAX, 0.0, 1.0),
            Axis::linear(0.0, 0.0, 0.0, 1.0),
        ] {
            assert!((1..30).contains(&axis.ticks(5).len()), "{axis:?}");
            assert!(axis.place(0.5).is_finite(), "{axis:?}");
        }
    }
}
