//! Several metrics judged together: each is one more chance of a false alarm.

/// The primary metric's share of the 5% that may be false alarms.
const PRIMARY_SHARE: f64 = 0.8;

/// `p_values` corrected by Holm's method with weights (S. Holm, "A simple sequentially rejective
/// multiple test procedure", Scand. J. Statistics 6, 1979): of the 5% four belong to the first
/// metric, the primary one, and the rest is shared by the others. Whatever the metrics have to do
/// with each other, a false alarm in any of them is as rare as promised for one.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let others = p_values.len().saturating_sub(1) as f64;
    let weight = |index: usize| match index {
        0 => PRIMARY_SHARE,
        _ => (1.0 - PRIMARY_SHARE) / others,
    };
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| (p_values[a] / weight(a)).total_cmp(&(p_values[b] / weight(b))));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut least = 0.0_f64;
    for (place, &index) in order.iter().enumerate() {
        let remaining: f64 = order[place..].iter().map(|&index| weight(index)).sum();
        least = least.max(p_values[index] * remaining / weight(index));
        adjusted[index] = least.min(1.0);
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(left: &[f64], right: &[f64]) {
        let near = left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(left.len() == right.len() && near, "{left:?} is not {right:?}");
    }

    #[test]
    fn a_single_metric_is_left_as_it_is() {
        close(&holm(&[0.03]), &[0.03]);
        close(&holm(&[]), &[]);
    }

    #[test]
    fn the_primary_metric_has_four_of_the_five_percent() {
        close(&holm(&[0.03, 0.9]), &[0.0375, 0.9]);
        // Once the other is shown, the primary one has all of it.
        close(&holm(&[0.04, 0.001]), &[0.04, 0.005]);
    }

    #[test]
    fn the_others_share_the_rest_step_by_step() {
        // 0.2 / 2 each: 0.001 → 0.01 of the whole; then 0.9 remain, then 0.1.
        close(&holm(&[0.01, 0.001, 0.5]), &[0.01 * 0.9 / 0.8, 0.01, 0.5]);
    }

    #[test]
    fn correction_never_makes_a_p_value_smaller_nor_changes_places() {
        let given = [0.2, 0.01, 0.01, 0.6];
        let adjusted = holm(&given);
        assert!(given.iter().zip(&adjusted).all(|(p, q)| p <= q && *q <= 1.0), "{adjusted:?}");
        close(&adjusted[1..2], &adjusted[2..3]);
    }
}
