//! Groups for other programs: JSON of the whole record, CSV with a row a member.

use super::{GROUP_SCHEMA, GroupRecord};
use crate::{
    export::{ExportError, optional, parse_as, row},
    record::RunStatus,
};

/// The group in the schema [`GROUP_SCHEMA`], indented, with a line feed at its end.
///
/// # Errors
/// A figure is infinite or not a number, which JSON cannot say.
pub fn json(group: &GroupRecord) -> Result<String, ExportError> {
    refuse_non_finite(group)?;
    Ok(serde_json::to_string_pretty(group)? + "\n")
}

/// [`json`] on one line.
pub(crate) fn compact(group: &GroupRecord) -> Result<String, ExportError> {
    refuse_non_finite(group)?;
    Ok(serde_json::to_string(group)?)
}

/// Reads what [`json`] wrote, in this version or an earlier one. Fields that this version does not
/// know are passed over.
///
/// # Errors
/// The text is no group, or one in a newer schema.
pub fn parse(text: &str) -> Result<GroupRecord, ExportError> {
    parse_as(text, GROUP_SCHEMA)
}

/// One row a member, as RFC 4180 has it.
pub fn csv(group: &GroupRecord) -> String {
    let mut text = String::from(
        "group,instance,run,size,place,connections,status,headline,value,unit,ci95_low,\
         ci95_high,finished_per_s,failed,mean_ms,p50_ms,p95_ms,p99_ms,max_ms,client_cpu_us,\
         client_cpus,server_cpus,check\n",
    );
    for member in &group.members {
        let run = &member.run;
        let (figure, ci95) = (run.figure(), run.interval());
        let status = match run.status {
            RunStatus::Complete => "complete",
            RunStatus::Partial { .. } => "partial",
        };
        row(
            &mut text,
            &[
                &group.id,
                &member.name,
                &run.run,
                &member.server.size,
                &member.server.place,
                &run.connections,
                &status,
                &optional(figure.map(|figure| &figure.name)),
                &optional(figure.map(|figure| figure.value)),
                &optional(figure.map(|figure| &figure.unit)),
                &optional(ci95.map(|(low, _)| low)),
                &optional(ci95.map(|(_, high)| high)),
                &run.finished_per_s,
                &run.failed,
                &run.response.mean_ms,
                &run.response.p50_ms,
                &run.response.p95_ms,
                &run.response.p99_ms,
                &run.response.max_ms,
                &optional(run.client_cpu_us),
                &run.client_cpus,
                &optional(run.server_cpus),
                &optional(run.check_good.map(|good| if good { "good" } else { "bad" })),
            ],
        );
    }
    text
}

/// Says that a figure is infinite or not a number, before JSON would silently write `null`.
fn refuse_non_finite(group: &GroupRecord) -> Result<(), ExportError> {
    let of_members = group.members.iter().flat_map(|member| &member.run.headline);
    let finite = of_members.chain(&group.headline).all(|figure| {
        let (low, high) = figure.ci95.unwrap_or_default();
        [figure.value, low, high].iter().all(|value| value.is_finite())
    });
    let others = group.members.iter().all(|member| {
        [member.run.client_cpu_us, member.run.server_cpus]
            .iter()
            .all(|value| value.unwrap_or_default().is_finite())
    });
    if finite && others { Ok(()) } else { Err(ExportError::NotFinite("a figure of a group")) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{export::document::undocumented, group::example};

    const GROUP_1: &str = include_str!("../../tests/data/group-1.json");

    /// A file that an earlier version wrote must stay readable, and a changed schema be noticed.
    #[test]
    fn the_schema_is_the_one_that_is_documented() {
        let json = json(&example::group()).unwrap();
        assert_eq!(
            json, GROUP_1,
            "the JSON of a group has changed. Fields may be added (with a default), never renamed: \
             then mend crates/lab/tests/data/group-1.json and docs/run-schema.md"
        );
        assert_eq!(parse(GROUP_1).unwrap(), example::group());
        assert_eq!(undocumented(GROUP_1), Vec::<String>::new());
    }

    #[test]
    fn a_newer_schema_is_named() {
        let error = parse(&GROUP_1.replace("myrig.group/1", "myrig.group/2")).unwrap_err();
        assert!(error.to_string().contains("myrig.group/2"), "{error}");
    }

    #[test]
    fn a_figure_that_is_no_number_is_refused() {
        let mut group = example::group();
        group.headline[0].value = f64::INFINITY;
        assert!(json(&group).is_err());
    }

    #[test]
    fn a_table_has_a_row_a_member() {
        let csv = csv(&example::group());
        let lines: Vec<&str> = csv.lines().collect();
        assert_eq!(lines.len(), 3);
        assert!(lines[1].contains(",a,") && lines[1].contains("\"4 cores, 8 GB\""), "{csv}");
    }
}
