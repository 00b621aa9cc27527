//! Classes parted into groups of like lifetimes.

/// Parts items into at most `groups` groups of neighbours on a line, so that the weighted sum of
/// squares around the groups' means is least: the optimum, by dynamic programming (W. D. Fisher,
/// "On grouping for maximum homogeneity", JASA 53, 1958). Each item is a place and its weight; the
/// group of each is told, group 0 being leftmost. Time grows with the square of the items.
#[must_use]
pub fn grouped(items: &[(f64, f64)], groups: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by(|&a, &b| items[a].0.total_cmp(&items[b].0));
    let sorted: Vec<(f64, f64)> = order.iter().map(|&at| items[at]).collect();
    let sums = Sums::new(&sorted);
    let count = sorted.len();
    let groups = groups.min(count).max(1);
    // costs[k][n]: the least cost of the first n items in k + 1 groups, and where the last begins.
    let mut costs: Vec<Vec<(f64, usize)>> =
        vec![(0..=count).map(|end| (sums.cost(0, end), 0)).collect()];
    for parts in 1..groups {
        let fewer = &costs[parts - 1];
        let best = |end: usize| {
            (0..=end)
                .map(|begin| (fewer[begin].0 + sums.cost(begin, end), begin))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .unwrap_or((0.0, 0))
        };
        costs.push((0..=count).map(best).collect());
    }
    let mut group_of = vec![0; count];
    let mut end = count;
    for parts in (0..groups).rev() {
        let begin = costs[parts][end].1;
        order[begin..end].iter().for_each(|&item| group_of[item] = parts);
        end = begin;
    }
    numbered_without_gaps(group_of)
}

/// Groups that nobody is in do not count.
fn numbered_without_gaps(mut groups: Vec<usize>) -> Vec<usize> {
    let mut used: Vec<usize> = groups.clone();
    used.sort_unstable();
    used.dedup();
    for group in &mut groups {
        *group = used.binary_search(group).unwrap_or(0);
    }
    groups
}

/// Sums of the first items, from which the cost of any run of them follows.
struct Sums(Vec<(f64, f64, f64)>);

impl Sums {
    fn new(items: &[(f64, f64)]) -> Self {
        // Around the middle, so that squares of large numbers do not cancel.
        let middle = items.get(items.len() / 2).map_or(0.0, |item| item.0);
        let mut sums = vec![(0.0, 0.0, 0.0)];
        let (mut weights, mut first, mut second) = (0.0, 0.0, 0.0);
        for (place, weight) in items {
            let place = place - middle;
            weights += weight;
            first += weight * place;
            second += weight * place * place;
            sums.push((weights, first, second));
        }
        Self(sums)
    }

    fn cost(&self, begin: usize, end: usize) -> f64 {
        let (from, to) = (self.0[begin], self.0[end]);
        let (weights, first, second) = (to.0 - from.0, to.1 - from.1, to.2 - from.2);
        if weights > 0.0 { (second - first * first / weights).max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn heaps_are_found() {
        let items = [(5.0, 1.0), (0.1, 1.0), (9.0, 2.0), (0.0, 3.0), (5.1, 1.0)];
        assert_eq!(grouped(&items, 3), [1, 0, 2, 0, 1]);
        assert_eq!(grouped(&items, 1), [0; 5]);
        assert_eq!(grouped(&items, 9).iter().max(), Some(&4), "no more groups than items");
        assert_eq!(grouped(&[], 3), [0; 0]);
        assert_eq!(grouped(&[(1.0, 1.0), (1.0, 1.0)], 2).len(), 2);
    }

    fn cost(items: &[(f64, f64)], groups: &[usize]) -> f64 {
        let mut cost = 0.0;
        for group in 0..items.len() {
            let of = || items.iter().zip(groups).filter(|(_, g)| **g == group).map(|(i, _)| i);
            let weight: f64 = of().map(|(_, weight)| weight).sum();
            let mean = of().map(|(place, weight)| place * weight).sum::<f64>() / weight;
            cost += of().map(|(place, weight)| weight * (place - mean).powi(2)).sum::<f64>();
        }
        cost
    }

    proptest! {
        #[test]
        fn no_parting_is_better(
            items in prop::collection::vec((0.0..10.0, 0.1..5.0), 1..7), seed in 0usize..1_000
        ) {
            let found = grouped(&items, 3);
            let other: Vec<usize> = (0..items.len()).map(|at| seed / (at + 1) % 3).collect();
            prop_assert!(cost(&items, &found) <= cost(&items, &other) + 1e-6);
        }
    }
}
