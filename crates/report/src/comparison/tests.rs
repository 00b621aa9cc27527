use super::*;
use lab::comparison::{Better, Difference, Measured, Metric, Options, Sample, compare};

fn comparison() -> Comparison {
    let metric = |name: &str, unit: &str, better, judged| Metric {
        name: name.to_owned(),
        unit: unit.to_owned(),
        better,
        judged,
    };
    let side = |values: &[f64], first: u32| -> Vec<Sample> {
        let sample = |(order, &value): (u32, &f64)| Sample {
            run: format!("2026-{order}"),
            value,
            order,
            ..Sample::default()
        };
        (first..).zip(values).map(sample).collect()
    };
    let measured = |metric, from: &[f64], to: &[f64]| Measured {
        metric,
        baseline: side(from, 0),
        variant: side(to, 5),
        pairs: Vec::new(),
    };
    let higher = metric("tpmC", "1/min", Better::Higher, true);
    let lower = metric("p95", "ms", Better::Lower, true);
    let not = metric("server CPUs", "processors", Better::Lower, false);
    let tpmc = [12_340.0, 12_410.0, 12_290.0, 12_350.0, 12_380.0];
    let slower = [11_590.0, 11_640.0, 11_480.0, 11_610.0, 9_800.0];
    let measured = [
        measured(higher, &tpmc, &slower),
        measured(lower, &[12.1, 12.4, 12.0, 12.2, 12.3], &[12.2, 12.1, 12.5, 12.3, 12.0]),
        measured(not, &[1.9, 1.8, 1.9, 1.9, 1.8], &[1.7, 1.7, 1.6, 1.7, 1.7]),
    ];
    let mut comparison = compare(
        ("label:main", "label:feature"),
        &measured,
        Design::Independent,
        &Options::default(),
    );
    comparison.caveats.push("1 of 10 runs: was throttled: 2026-9.".to_owned());
    comparison.differences.push(Difference {
        name: "sync_binlog".to_owned(),
        baseline: "1".to_owned(),
        variant: "0".to_owned(),
    });
    comparison
}

#[test]
fn a_comparison_fits_a_terminal_of_eighty_columns() {
    let style = Style { colour: false, width: 80 };
    let text = text(&comparison(), false, style);
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn markdown_folds_away_what_is_not_judged() {
    insta::assert_snapshot!(markdown(&comparison()));
}

#[test]
fn all_metrics_are_shown_when_asked_for() {
    let style = Style { colour: false, width: 100 };
    let text = text(&comparison(), true, style);
    assert!(text.contains("server CPUs") && !text.contains("--all"), "{text}");
}
