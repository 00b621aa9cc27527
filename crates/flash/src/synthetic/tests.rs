//! What is drawn has the distribution that was asked for.

use super::*;

fn counts(pattern: Pattern, pages: u32, draws: usize) -> Vec<u32> {
    let mut batch = vec![0; draws];
    Load::new(pattern, pages, 7).unwrap().fill(&mut batch);
    let mut counts = vec![0; pages as usize];
    for page in batch {
        counts[page as usize] += 1;
    }
    counts
}

#[test]
fn uniform_draws_are_even() {
    let counts = counts(Pattern::Uniform, 100, 1_000_000);
    assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
}

#[test]
fn hot_pages_get_their_share() {
    let pattern = Pattern::HotCold { writes: 0.8, pages: 0.2 };
    let counts = counts(pattern, 100, 1_000_000);
    let hot: u32 = counts[..20].iter().sum();
    assert!((798_000..802_000).contains(&hot), "{hot}");
    let load = Load::new(pattern, 100, 7).unwrap();
    assert_eq!((load.class(19), load.class(20)), (1, 0));
}

#[test]
fn zipf_draws_follow_the_power_law() {
    for exponent in [0.5, 0.99, 1.0, 1.5] {
        let counts = counts(Pattern::Zipf { exponent }, 1000, 1_000_000);
        let whole: f64 = (1..=1000).map(|k| f64::from(k).powf(-exponent)).sum();
        let mut sum = (0.0, 0.0);
        for (rank, count) in (1..).zip(counts) {
            sum.0 += f64::from(count) / 1e6;
            sum.1 += f64::from(rank).powf(-exponent) / whole;
            // Kolmogorov-Smirnov at one in a million.
            assert!((sum.0 - sum.1).abs() < 0.0027, "exponent {exponent}, rank {rank}: {sum:?}");
        }
    }
}

#[test]
fn sequential_draws_begin_again() {
    let mut load = Load::new(Pattern::Sequential, 5, 7).unwrap();
    let mut batch = [0; 7];
    load.fill(&mut batch);
    assert_eq!(batch, [0, 1, 2, 3, 4, 0, 1]);
}

#[test]
fn equal_seeds_draw_equal_pages_whatever_the_batches() {
    for pattern in [Pattern::Uniform, Pattern::Zipf { exponent: 1.0 }] {
        let mut whole = [0; 64];
        Load::new(pattern, 1000, 3).unwrap().fill(&mut whole);
        let mut parts = [0; 64];
        let mut load = Load::new(pattern, 1000, 3).unwrap();
        parts.chunks_mut(5).for_each(|part| load.fill(part));
        assert_eq!(whole, parts);
    }
}

#[test]
fn what_is_out_of_range_is_refused() {
    let refused = |pattern| Load::new(pattern, 10, 1).unwrap_err().to_string();
    assert_eq!(
        refused(Pattern::HotCold { writes: 1.0, pages: 0.2 }),
        "hot/cold: 1 of the writes: a share must be above 0 and below 1"
    );
    assert!(
        refused(Pattern::HotCold { writes: 0.5, pages: f64::NAN }).contains("NaN of the pages")
    );
    for exponent in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(refused(Pattern::Zipf { exponent }).starts_with("zipf: an exponent of"));
    }
    let few = Load::new(Pattern::Uniform, 1, 1).unwrap_err();
    assert_eq!(few, PatternError::TooFewPages { pages: 1 });
}
