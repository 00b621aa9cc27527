//! E-divisive: places where the distribution of a series changes (D. S. Matteson and N. A. James,
//! "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", JASA 109,
//! 2014), with α = 1.

use super::TrendOptions;
use rand::{SeedableRng, seq::SliceRandom};
use rand_pcg::Pcg64;

/// Runs that are looked at together. A dip of a few runs is lost in hundreds; Apache Otava slides
/// a window of as many.
const WINDOW: usize = 50;
/// The fewest runs before and after a change.
const SEGMENT_MIN: usize = 2;

/// Places that may be changes, each the index of the first value after, ascending. The windows
/// share the chance of a false one.
pub fn candidates(series: &[f64], options: &TrendOptions) -> Vec<usize> {
    let step = WINDOW / 2;
    let windows = series.len().saturating_sub(WINDOW).div_ceil(step) + 1;
    let level = options.first_p_value / windows as f64;
    let mut random = Pcg64::seed_from_u64(options.seed);
    let mut found: Vec<usize> = Vec::new();
    let mut start = 0;
    loop {
        let end = (start + WINDOW).min(series.len());
        let test = Test { level, permutations: options.permutations };
        let inside = test.splits(&series[start..end], &mut random);
        found.extend(inside.iter().map(|place| start + place));
        if end == series.len() {
            break;
        }
        // What lies before the window's last change is told already.
        start = inside.last().map_or(start + step, |last| (start + last).max(start + step));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// How sure a split must be.
struct Test {
    level: f64,
    permutations: u32,
}

impl Test {
    /// Splits the best place of all segments as long as chance would seldom make one as good.
    fn splits(&self, series: &[f64], random: &mut Pcg64) -> Vec<usize> {
        let mut borders = vec![0, series.len()];
        loop {
            let best = borders
                .windows(2)
                .filter_map(|two| {
                    let (place, gain) = best_split(&series[two[0]..two[1]])?;
                    Some((two[0] + place, gain))
                })
                .max_by(|(_, a), (_, b)| a.total_cmp(b));
            let Some((place, gain)) = best else { break };
            if !self.is_significant(series, &borders, gain, random) {
                break;
            }
            let at = borders.partition_point(|border| *border < place);
            borders.insert(at, place);
        }
        borders[1..borders.len() - 1].to_vec()
    }

    /// Whether few of the permutations within segments have a split as good.
    fn is_significant(
        &self,
        series: &[f64],
        borders: &[usize],
        gain: f64,
        random: &mut Pcg64,
    ) -> bool {
        let mut shuffled = series.to_vec();
        let allowed = self.level * f64::from(self.permutations + 1);
        // The series itself is one of its permutations.
        let mut as_good = 1.0;
        for _ in 0..self.permutations {
            let best = borders
                .windows(2)
                .filter_map(|two| {
                    let segment = &mut shuffled[two[0]..two[1]];
                    segment.shuffle(random);
                    best_split(segment).map(|(_, gain)| gain)
                })
                .fold(f64::NEG_INFINITY, f64::max);
            as_good += f64::from(u8::from(best >= gain));
            if as_good > allowed {
                return false;
            }
        }
        true
    }
}

/// The place at which a segment's two parts differ most, and by how much: the energy distance
/// between them times nm / (n + m). None for a segment too short to be split.
fn best_split(segment: &[f64]) -> Option<(usize, f64)> {
    let length = segment.len();
    if length < 2 * SEGMENT_MIN {
        return None;
    }
    let distance = |a: usize, b: usize| (segment[a] - segment[b]).abs();
    // Sums of distances within the left part, within the right part, and between them, moved on
    // by one value at a time.
    let (mut left, mut between) = (0.0, 0.0);
    let mut right = 0.0;
    for a in 0..length {
        for b in a + 1..length {
            right += distance(a, b);
        }
    }
    let mut best = (0, f64::NEG_INFINITY);
    for moved in 0..length - SEGMENT_MIN {
        let to_left: f64 = (0..moved).map(|a| distance(a, moved)).sum();
        let to_right: f64 = (moved + 1..length).map(|b| distance(moved, b)).sum();
        left += to_left;
        right -= to_right;
        between += to_right - to_left;
        let place = moved + 1;
        if place < SEGMENT_MIN {
            continue;
        }
        let (n, m) = (place as f64, (length - place) as f64);
        let energy =
            2.0 * between / (n * m) - 2.0 * left / (n * (n - 1.0)) - 2.0 * right / (m * (m - 1.0));
        let gain = energy * n * m / (n + m);
        if gain > best.1 {
            best = (place, gain);
        }
    }
    Some(best)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_best_split_is_that_of_the_definition() {
        let segment: [f64; 7] = [1.0, 1.5, 0.5, 4.0, 4.5, 3.5, 4.2];
        let mean = |pairs: Vec<f64>| pairs.iter().sum::<f64>() / pairs.len() as f64;
        let within = |part: &[f64]| {
            let pairs = (0..part.len()).flat_map(|a| (a + 1..part.len()).map(move |b| (a, b)));
            mean(pairs.map(|(a, b)| (part[a] - part[b]).abs()).collect())
        };
        let gain = |place: usize| {
            let (left, right) = segment.split_at(place);
            let between =
                left.iter().flat_map(|a| right.iter().map(move |b| (a - b).abs())).collect();
            let (n, m) = (left.len() as f64, right.len() as f64);
            (2.0 * mean(between) - within(left) - within(right)) * n * m / (n + m)
        };
        let (place, best) = best_split(&segment).unwrap();
        assert_eq!(place, 3);
        assert!((best - gain(3)).abs() < 1e-12, "{best} is not {}", gain(3));
        assert!((2..=5).all(|other| gain(other) <= best + 1e-12));
    }

    #[test]
    fn what_is_too_short_is_not_split() {
        assert_eq!(best_split(&[1.0, 9.0, 9.0]), None);
        assert_eq!(best_split(&[]), None);
    }
}
