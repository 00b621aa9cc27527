//! Sweeps for other programs: JSON of the whole record, CSV with a row a step.

use super::{SWEEP_SCHEMA, SweepRecord};
use crate::{
    export::{ExportError, optional, parse_as, row},
    record::RunStatus,
};

/// The sweep in the schema [`SWEEP_SCHEMA`], indented, with a line feed at its end.
///
/// # Errors
/// A figure is infinite or not a number, which JSON cannot say.
pub fn json(sweep: &SweepRecord) -> Result<String, ExportError> {
    refuse_non_finite(sweep)?;
    let mut text = serde_json::to_string_pretty(sweep)?;
    text.push('\n');
    Ok(text)
}

/// [`json`] on one line.
pub(crate) fn compact(sweep: &SweepRecord) -> Result<String, ExportError> {
    refuse_non_finite(sweep)?;
    Ok(serde_json::to_string(sweep)?)
}

/// Reads what [`json`] wrote, in this version or an earlier one. Fields that this version does not
/// know are passed over.
///
/// # Errors
/// The text is no sweep, or one in a newer schema.
pub fn parse(text: &str) -> Result<SweepRecord, ExportError> {
    parse_as(text, SWEEP_SCHEMA)
}

/// One row a step, as RFC 4180 has it.
pub fn csv(sweep: &SweepRecord) -> String {
    let mut text = String::from(
        "sweep,run,connections,rate_per_s,status,headline,value,unit,ci95_low,ci95_high,\
         finished_per_s,failed,mean_ms,p50_ms,p95_ms,p99_ms,max_ms,client_cpu_us,client_cpus,\
         server_cpus,check,settled,waited_s,peak,knee\n",
    );
    for (index, step) in sweep.steps.iter().enumerate() {
        let figure = step.figure();
        let ci95 = step.interval();
        let status = match step.status {
            RunStatus::Complete => "complete",
            RunStatus::Partial { .. } => "partial",
        };
        let check = step.check_good.map(|good| if good { "good" } else { "bad" });
        let settling = step.settling.as_ref();
        let is_peak = sweep.peak.as_ref().is_some_and(|peak| peak.step == index);
        let is_knee = sweep.knee.as_ref().is_some_and(|knee| knee.step == index);
        row(
            &mut text,
            &[
                &sweep.id,
                &step.run,
                &step.connections,
                &optional(step.rate_per_s),
                &status,
                &optional(figure.map(|figure| &figure.name)),
                &optional(figure.map(|figure| figure.value)),
                &optional(figure.map(|figure| &figure.unit)),
                &optional(ci95.map(|(low, _)| low)),
                &optional(ci95.map(|(_, high)| high)),
                &step.finished_per_s,
                &step.failed,
                &step.response.mean_ms,
                &step.response.p50_ms,
                &step.response.p95_ms,
                &step.response.p99_ms,
                &step.response.max_ms,
                &optional(step.client_cpu_us),
                &step.client_cpus,
                &optional(step.server_cpus),
                &optional(check),
                &optional(settling.map(|settling| settling.settled)),
                &optional(settling.map(|settling| settling.waited_s)),
                &u8::from(is_peak),
                &u8::from(is_knee),
            ],
        );
    }
    text
}

/// Says that a figure is infinite or not a number, before JSON would silently write `null`.
fn refuse_non_finite(sweep: &SweepRecord) -> Result<(), ExportError> {
    let finite = |figures: &[f64]| figures.iter().all(|figure| figure.is_finite());
    let good = finite(&sweep.planned)
        && sweep.steps.iter().all(|step| {
            let figures = step.headline.iter().all(|figure| {
                let (low, high) = figure.ci95.unwrap_or_default();
                finite(&[figure.value, low, high])
            });
            let optional = [step.rate_per_s, step.client_cpu_us, step.server_cpus];
            figures && finite(&optional.map(Option::unwrap_or_default))
        });
    if good { Ok(()) } else { Err(ExportError::NotFinite("a figure of a sweep")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{export::document::undocumented, sweep::example};

    const SWEEP_1: &str = include_str!("../../tests/data/sweep-1.json");

    /// A file that an earlier version wrote must stay readable, and a changed schema be noticed.
    #[test]
    fn the_schema_is_the_one_that_is_documented() {
        let json = json(&example::sweep()).unwrap();
        assert_eq!(
            json, SWEEP_1,
            "the JSON of a sweep has changed. Fields may be added (with a default), never renamed: \
             then mend crates/lab/tests/data/sweep-1.json and docs/run-schema.md"
        );
        assert_eq!(parse(SWEEP_1).unwrap(), example::sweep());
    }

    #[test]
    fn every_field_is_documented() {
        assert_eq!(undocumented(SWEEP_1), Vec::<String>::new());
    }

    #[test]
    fn a_newer_schema_is_named() {
        let error = parse(&SWEEP_1.replace("myrig.sweep/1", "myrig.sweep/2")).unwrap_err();
        assert!(error.to_string().contains("myrig.sweep/2"), "{error}");
    }

    #[test]
    fn a_figure_that_is_no_number_is_refused() {
        let mut sweep = example::sweep();
        sweep.steps[1].headline[0].value = f64::INFINITY;
        assert!(json(&sweep).is_err());
    }

    #[test]
    fn a_table_has_a_row_a_step() {
        let csv = csv(&example::sweep());
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 4);
        let columns = lines[0].split(',').count();
        assert!(lines.iter().all(|line| line.split(',').count() == columns), "{csv}");
        // The third step is the peak, the second the knee.
        let marks: Vec<&str> = lines.iter().map(|line| &line[line.len() - 4..]).collect();
        assert_eq!(marks[1..], [",0,0", ",0,1", ",1,0"]);
    }
}
