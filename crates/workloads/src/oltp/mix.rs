//! What a transaction consists of: the counts that all scripts share.

use super::{kind::Kind, statement::Group};
use serde::Serialize;

/// How many statements of each sort a transaction has. The scripts of one statement look at
/// theirs only: `oltp_update_index` at the index updates, `oltp_update_non_index` at the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Mix {
    /// One row by its key.
    pub point_selects: u32,
    /// A range of rows.
    pub simple_ranges: u32,
    /// The sum over a range.
    pub sum_ranges: u32,
    /// A range, sorted.
    pub order_ranges: u32,
    /// The distinct values of a range, sorted.
    pub distinct_ranges: u32,
    /// Updates of the indexed column.
    pub index_updates: u32,
    /// Updates of a column that has no index.
    pub non_index_updates: u32,
    /// A row deleted and written anew.
    pub delete_inserts: u32,
    /// Rows of a range.
    pub range_size: u32,
    /// False to leave out all ranges.
    pub range_selects: bool,
}

impl Default for Mix {
    /// What sysbench does when it is told nothing: 18 statements.
    fn default() -> Self {
        Self {
            point_selects: 10,
            simple_ranges: 1,
            sum_ranges: 1,
            order_ranges: 1,
            distinct_ranges: 1,
            index_updates: 1,
            non_index_updates: 1,
            delete_inserts: 1,
            range_size: 100,
            range_selects: true,
        }
    }
}

/// The most statements of one sort.
const COUNT_MAX: u32 = 100_000;

impl Mix {
    /// Four reads and a write: the mix of the white paper.
    pub const WHITE_PAPER: Self = Self {
        point_selects: 4,
        simple_ranges: 0,
        sum_ranges: 0,
        order_ranges: 0,
        distinct_ranges: 0,
        index_updates: 1,
        non_index_updates: 0,
        delete_inserts: 0,
        range_size: 100,
        range_selects: false,
    };

    /// The groups of statements of a transaction, in their order; groups of none are left out.
    pub(super) fn groups(&self, kind: Kind) -> Vec<(Group, u32)> {
        let ranges = |count| if self.range_selects { count } else { 0 };
        let reads = [
            (Group::PointSelect, self.point_selects),
            (Group::SimpleRange, ranges(self.simple_ranges)),
            (Group::SumRange, ranges(self.sum_ranges)),
            (Group::OrderRange, ranges(self.order_ranges)),
            (Group::DistinctRange, ranges(self.distinct_ranges)),
        ];
        let writes = [
            (Group::IndexUpdate, self.index_updates),
            (Group::NonIndexUpdate, self.non_index_updates),
            (Group::DeleteInsert, self.delete_inserts),
        ];
        let all: Vec<(Group, u32)> = match kind {
            Kind::ReadOnly => reads.into(),
            Kind::ReadWrite => reads.into_iter().chain(writes).collect(),
            Kind::WriteOnly => writes.into(),
            // sysbench sends one, whatever the count says.
            Kind::PointSelect => vec![(Group::PointSelect, 1)],
            Kind::UpdateIndex => vec![(Group::IndexUpdate, self.index_updates)],
            Kind::UpdateNonIndex => vec![(Group::NonIndexUpdate, self.non_index_updates)],
            Kind::Insert => vec![(Group::Insert, 1)],
            Kind::Delete => vec![(Group::Delete, 1)],
        };
        all.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// Says whether a transaction of `kind` can be made from these counts.
    ///
    /// # Errors
    /// A sentence that names the option at fault.
    pub fn validate(&self, kind: Kind) -> Result<(), String> {
        for (option, count) in [
            ("--point-selects", self.point_selects),
            ("--simple-ranges", self.simple_ranges),
            ("--sum-ranges", self.sum_ranges),
            ("--order-ranges", self.order_ranges),
            ("--distinct-ranges", self.distinct_ranges),
            ("--index-updates", self.index_updates),
            ("--non-index-updates", self.non_index_updates),
            ("--delete-inserts", self.delete_inserts),
        ] {
            if count > COUNT_MAX {
                return Err(format!("{option} {count}: give a number from 0 to {COUNT_MAX}"));
            }
        }
        if self.range_size == 0 {
            return Err("--range-size 0: a range has at least 1 row".into());
        }
        if self.groups(kind).is_empty() {
            return Err(format!(
                "{kind}: all counts are 0, so that a transaction would have no statement; raise \
                 {}",
                match kind {
                    Kind::ReadOnly => "--point-selects or a range",
                    Kind::UpdateIndex => "--index-updates",
                    Kind::UpdateNonIndex => "--non-index-updates",
                    _ => "--index-updates, for one",
                }
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statements(kind: Kind, mix: Mix) -> u32 {
        mix.groups(kind).iter().map(|(group, count)| count * group.statements().len() as u32).sum()
    }

    #[test]
    fn the_scripts_have_as_many_statements_as_those_of_sysbench() {
        let of = |kind| statements(kind, Mix::default());
        // BEGIN and COMMIT come on top: 16, 20 and 6.
        assert_eq!([Kind::ReadOnly, Kind::ReadWrite, Kind::WriteOnly].map(of), [14, 18, 4]);
        for kind in [Kind::PointSelect, Kind::UpdateIndex, Kind::UpdateNonIndex, Kind::Insert] {
            assert_eq!(of(kind), 1, "{kind}");
        }
    }

    #[test]
    fn the_white_papers_transaction_is_four_reads_and_a_write() {
        let groups = Mix::WHITE_PAPER.groups(Kind::ReadWrite);
        assert_eq!(groups, [(Group::PointSelect, 4), (Group::IndexUpdate, 1)]);
    }

    #[test]
    fn a_transaction_without_statements_is_refused() {
        let none = Mix { point_selects: 0, range_selects: false, ..Mix::default() };
        assert!(none.validate(Kind::ReadOnly).expect_err("empty").contains("--point-selects"));
        assert_eq!(none.validate(Kind::ReadWrite), Ok(()));
        let none = Mix { index_updates: 0, ..Mix::default() };
        assert!(none.validate(Kind::UpdateIndex).expect_err("empty").contains("--index-updates"));
        let flat = Mix { range_size: 0, ..Mix::default() };
        assert!(flat.validate(Kind::ReadOnly).expect_err("flat").starts_with("--range-size 0"));
    }
}
