//! The tables of the sources.

use super::*;

/// The spare factor, FIFO, and greedy with blocks of 64, 128 and 256 pages.
const UNIFORM: [(f64, f64, [f64; 3]); 5] = [
    (0.07, 7.817, [7.001, 7.386, 7.595]),
    (0.10, 5.677, [5.242, 5.451, 5.562]),
    (0.20, 3.188, [3.053, 3.119, 3.153]),
    (0.28, 2.481, [2.402, 2.441, 2.461]),
    (0.50, 1.716, [1.681, 1.698, 1.707]),
];

#[test]
fn uniform_writes_have_the_published_amplification() {
    for (spare, of_fifo, of_greedy) in UNIFORM {
        let alpha = 1.0 + spare;
        assert!((fifo(alpha) - of_fifo).abs() < 6e-4, "FIFO, {spare}: {}", fifo(alpha));
        for (block_pages, published) in [64, 128, 256].into_iter().zip(of_greedy) {
            let computed = greedy(alpha, block_pages);
            assert!((computed - published).abs() < 6e-4, "{spare}, {block_pages}: {computed}");
        }
    }
    assert!((fifo(1.3) - 2.364).abs() < 6e-4);
}

#[test]
fn hot_and_cold_writes_have_the_published_amplification() {
    for (spare, writes, pages, mixed, split) in
        [(0.10, 0.8, 0.2, 5.81, 3.74), (0.28, 0.9, 0.1, 3.25, 1.40)]
    {
        let alpha = 1.0 + spare;
        let classes = Class::hot_and_cold(writes, pages);
        let computed = mixed_greedy(alpha, 128, &classes);
        assert!((computed - mixed).abs() < 6e-3, "mixed, {spare}: {computed}");
        let (computed, [hot, cold]) = split_greedy(alpha, 128, classes);
        assert!((computed - split).abs() < 6e-3, "split, {spare}: {computed}");
        assert!(hot > alpha && cold < alpha && cold > 1.0, "the spare space goes to the hot");
        assert!((pages * hot + (1.0 - pages) * cold - alpha).abs() < 1e-9);
        let shares = best_shares(alpha, 128, classes);
        assert!((apart_greedy(alpha, 128, classes, shares) - split).abs() < 6e-3);
        for worse in [[shares[0] - 0.05, shares[1] + 0.05], [shares[0] + 0.05, shares[1] - 0.05]] {
            assert!(apart_greedy(alpha, 128, classes, worse) > computed, "{worse:?}");
        }
    }
}

#[test]
fn one_class_is_uniform() {
    let all = [Class { writes: 1.0, pages: 1.0 }];
    assert!((mixed_fifo(1.1, &all) - fifo(1.1)).abs() < 1e-9);
    let equal = Class::hot_and_cold(0.3, 0.3);
    assert!((mixed_greedy(1.28, 64, &equal) - greedy(1.28, 64)).abs() < 1e-9);
}

#[test]
fn lambert_w_is_the_inverse_of_w_times_its_exponential() {
    for w in [-1.0, -0.999, -0.9, -0.5, -0.1, 0.0, 0.1, 1.0, 5.0, 20.0] {
        let inverse = lambert_w(w * f64::exp(w));
        assert!((inverse - w).abs() < 1e-6, "{w}: {inverse}");
    }
    assert!(lambert_w(-1.0).is_nan());
}
