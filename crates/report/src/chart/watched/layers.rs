//! Series joined to as many points as a chart has room for.

use lab::record::Series;

/// More colours than these nobody tells apart: what is least is drawn as one.
const LAYERS_MAX: usize = 8;

/// A stretch of time that a point stands for.
#[derive(Clone, Debug)]
pub(super) struct Span {
    /// Start, seconds from the start of the ramp-up.
    pub(super) from_s: f64,
    /// End.
    pub(super) until_s: f64,
    /// Its samples.
    samples: std::ops::Range<usize>,
}

/// All stretches of a chart, in order.
pub(super) type Spans = Vec<Span>;

/// One colour of a chart.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) label: String,
    /// A value for each span; none for a gap.
    pub(super) values: Vec<Option<f64>>,
    /// Over all samples.
    pub(super) mean: f64,
}

impl Layer {
    /// What it is called in a legend.
    pub(super) fn name(&self) -> String {
        self.label.clone()
    }

    /// Its value in a span.
    pub(super) fn at(&self, index: usize) -> Option<f64> {
        self.values.get(index).copied().flatten()
    }
}

/// The axis in at most `limit` stretches of the same number of samples. The first sample says what
/// was before the load, and stands for no time.
pub(super) fn spans(at_s: &[f64], limit: usize) -> Spans {
    let samples = at_s.len().saturating_sub(1);
    let each = samples.div_ceil(limit.max(1)).max(1);
    let spans = (1..at_s.len()).step_by(each).map(|first| {
        let end = (first + each).min(at_s.len());
        Span { from_s: at_s[first - 1], until_s: at_s[end - 1], samples: first..end }
    });
    let sound = |span: &Span| span.from_s.is_finite() && span.until_s.is_finite();
    spans.filter(sound).collect()
}

/// The series that are not zero throughout, each with its mean in each span. Of too many in a
/// stack the least are added up.
pub(super) fn layers(series: &[&Series], spans: &Spans, stacked: bool) -> Vec<Layer> {
    let mut layers: Vec<Layer> = series.iter().map(|series| layer(series, spans)).collect();
    layers.retain(|layer| layer.values.iter().flatten().any(|value| *value > 0.0));
    if layers.len() <= LAYERS_MAX {
        return layers;
    }
    let mut means: Vec<f64> = layers.iter().map(|layer| layer.mean).collect();
    means.sort_by(|a, b| b.total_cmp(a));
    let least = means[LAYERS_MAX - 2];
    let (mut kept, rest): (Vec<Layer>, Vec<Layer>) =
        layers.into_iter().partition(|layer| layer.mean >= least);
    kept.truncate(LAYERS_MAX - 1);
    if stacked {
        kept.push(added(&rest, spans.len()));
    }
    kept
}

fn layer(series: &Series, spans: &Spans) -> Layer {
    let values = spans.iter().map(|span| {
        let samples = series.values.get(span.samples.clone()).unwrap_or_default();
        mean(samples)
    });
    Layer {
        label: series.label.clone(),
        values: values.collect(),
        mean: mean(&series.values).unwrap_or(0.0),
    }
}

fn mean(values: &[Option<f64>]) -> Option<f64> {
    let told = || values.iter().flatten().filter(|value| value.is_finite());
    let mean = told().sum::<f64>() / told().count() as f64;
    mean.is_finite().then_some(mean)
}

fn added(rest: &[Layer], spans: usize) -> Layer {
    let sum = |index: usize| {
        let told = rest.iter().filter_map(|layer| layer.at(index));
        told.reduce(|sum, value| sum + value)
    };
    Layer {
        label: "the rest".to_owned(),
        values: (0..spans).map(sum).collect(),
        mean: rest.iter().map(|layer| layer.mean).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(label: &str, values: &[Option<f64>]) -> Series {
        Series { label: label.into(), values: values.to_vec(), ..Series::default() }
    }

    #[test]
    fn samples_are_joined_and_gaps_are_no_zeros() {
        let spans = spans(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], 3);
        let ends: Vec<(f64, f64)> = spans.iter().map(|span| (span.from_s, span.until_s)).collect();
        assert_eq!(ends, [(0.0, 2.0), (2.0, 4.0), (4.0, 5.0)]);
        let told = series("a", &[None, Some(1.0), Some(3.0), None, Some(5.0), None]);
        let layer = layer(&told, &spans);
        assert_eq!(layer.values, [Some(2.0), Some(5.0), None]);
        assert_eq!(layer.mean, 3.0);
    }

    #[test]
    fn what_is_zero_is_not_drawn_and_the_least_of_many_are_drawn_as_one() {
        let spans = spans(&[0.0, 1.0], 10);
        let many: Vec<Series> = (0..12)
            .map(|index| series(&index.to_string(), &[None, Some(f64::from(index))]))
            .collect();
        let all: Vec<&Series> = many.iter().collect();
        let drawn = layers(&all, &spans, true);
        let labels: Vec<&str> = drawn.iter().map(|layer| layer.label.as_str()).collect();
        assert_eq!(labels, ["5", "6", "7", "8", "9", "10", "11", "the rest"]);
        assert_eq!(drawn[7].values, [Some(10.0)], "1 + 2 + 3 + 4, and no 0");
    }

    #[test]
    fn no_sample_has_no_span() {
        assert!(spans(&[], 3).is_empty() && spans(&[0.0], 3).is_empty());
    }
}
