//! Runs that are far from the others of their side.

use super::{Outlier, Sample};

/// Fewer runs have no middle that one of them could be far from.
const RUNS_MIN: usize = 4;
/// Modified z-score from which a value is called an outlier (B. Iglewicz and D. C. Hoaglin, "How to
/// Detect and Handle Outliers", ASQC 1993).
const FAR: f64 = 3.5;
/// Differences smaller than this, as logarithms, are no one's concern.
const NEAR: f64 = 0.01;

/// The outliers among the runs of one side, by their distance from the median in median absolute
/// deviations. They are named so that somebody looks; no value is ever dropped.
pub fn outliers(samples: &[Sample]) -> Vec<Outlier> {
    let logs: Vec<f64> = samples.iter().map(|sample| sample.value.ln()).collect();
    if logs.len() < RUNS_MIN {
        return Vec::new();
    }
    let middle = median(logs.clone());
    let distances: Vec<f64> = logs.iter().map(|log| (log - middle).abs()).collect();
    let typical = median(distances.clone());
    // Where half of the runs are equal, the mean distance takes the median's place.
    let scale = match typical > 0.0 {
        true => typical / 0.6745,
        false => 1.253_314 * distances.iter().sum::<f64>() / distances.len() as f64,
    };
    let far = |distance: f64| distance > NEAR && distance / scale > FAR;
    samples
        .iter()
        .zip(logs.iter().zip(&distances))
        .filter(|(_, (_, distance))| far(**distance))
        .map(|(sample, (log, distance))| Outlier {
            run: sample.run.clone(),
            why: format!(
                "{:+.1}% from the median of its side, {:.1} times the usual distance",
                (log - middle).exp_m1() * 100.0,
                distance / scale
            ),
        })
        .collect()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let half = values.len() / 2;
    match values.len() % 2 {
        0 => (values[half - 1] + values[half]) / 2.0,
        _ => values[half],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(values: &[f64]) -> Vec<Sample> {
        let sample = |(place, &value): (usize, &f64)| Sample {
            run: format!("run{place}"),
            value,
            ..Sample::default()
        };
        values.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn a_run_that_is_far_from_the_others_is_named() {
        let found = outliers(&samples(&[100.0, 101.0, 99.0, 100.5, 60.0]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].run, "run4");
        assert!(found[0].why.starts_with("-40.0% from the median"), "{}", found[0].why);
    }

    #[test]
    fn equal_runs_and_one_other_are_told_apart() {
        let found = outliers(&samples(&[5.0, 5.0, 5.0, 5.0, 5.0, 9.0]));
        assert_eq!(found.iter().map(|o| o.run.as_str()).collect::<Vec<_>>(), ["run5"]);
    }

    #[test]
    fn what_is_near_or_too_few_is_no_outlier() {
        assert_eq!(outliers(&samples(&[100.0, 100.0, 100.01, 100.5])), []);
        assert_eq!(outliers(&samples(&[1.0, 1.0, 50.0])), []);
        assert_eq!(outliers(&samples(&[7.0; 6])), []);
    }
}
