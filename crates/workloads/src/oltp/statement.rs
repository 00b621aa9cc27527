//! The statements, as sysbench writes them.

use super::data_set::Schema;
use client::Value;
use std::fmt::Write;

/// Statements that belong together: sysbench 1.0 draws a table for each group of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Group {
    PointSelect,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    DeleteInsert,
    Insert,
    Delete,
}

impl Group {
    /// The statements that one of the group's count sends.
    pub(super) fn statements(self) -> &'static [Form] {
        match self {
            Self::PointSelect => &[Form::PointSelect],
            Self::SimpleRange => &[Form::SimpleRange],
            Self::SumRange => &[Form::SumRange],
            Self::OrderRange => &[Form::OrderRange],
            Self::DistinctRange => &[Form::DistinctRange],
            Self::IndexUpdate => &[Form::IndexUpdate],
            Self::NonIndexUpdate => &[Form::NonIndexUpdate],
            Self::DeleteInsert => &[Form::Delete, Form::Insert],
            Self::Insert => &[Form::Insert],
            Self::Delete => &[Form::Delete],
        }
    }
}

/// A statement but for its table and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    PointSelect,
    SimpleRange,
    SumRange,
    OrderRange,
    DistinctRange,
    IndexUpdate,
    NonIndexUpdate,
    Delete,
    Insert,
}

impl Form {
    /// Forms that there are.
    pub(super) const COUNT: usize = 9;

    /// Whether it returns rows.
    pub(super) fn reads(self) -> bool {
        !matches!(self, Self::IndexUpdate | Self::NonIndexUpdate | Self::Delete | Self::Insert)
    }

    /// What stands before and after the table's number, `?` for each value.
    fn parts(self) -> (&'static str, &'static str) {
        match self {
            Self::PointSelect => ("SELECT c FROM sbtest", " WHERE id=?"),
            Self::SimpleRange => ("SELECT c FROM sbtest", " WHERE id BETWEEN ? AND ?"),
            Self::SumRange => ("SELECT SUM(k) FROM sbtest", " WHERE id BETWEEN ? AND ?"),
            Self::OrderRange => ("SELECT c FROM sbtest", " WHERE id BETWEEN ? AND ? ORDER BY c"),
            Self::DistinctRange => {
                ("SELECT DISTINCT c FROM sbtest", " WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::IndexUpdate => ("UPDATE sbtest", " SET k=k+1 WHERE id=?"),
            Self::NonIndexUpdate => ("UPDATE sbtest", " SET c=? WHERE id=?"),
            Self::Delete => ("DELETE FROM sbtest", " WHERE id=?"),
            Self::Insert => ("INSERT INTO sbtest", " (id, k, c, pad) VALUES (?, ?, ?, ?)"),
        }
    }

    /// The statement for preparing.
    pub(super) fn prepared(self, table: u32) -> String {
        let (before, after) = self.parts();
        format!("{before}{table}{after}")
    }

    /// Writes the statement with its values into `sql`, whose memory is used again. The scripts
    /// of 0.5 leave it to the server to add up the end of a range.
    pub(super) fn write(self, sql: &mut String, schema: Schema, table: u32, values: &[Value<'_>]) {
        sql.clear();
        let (before, after) = self.parts();
        let mut pieces = after.split('?');
        push(sql, format_args!("{before}{table}{}", pieces.next().unwrap_or_default()));
        for (at, piece) in pieces.enumerate() {
            match (values, schema) {
                ([Value::Int(from), Value::Int(until)], Schema::V0_5) if at == 1 => {
                    push(sql, format_args!("{from}+{}", until - from));
                }
                _ => values.get(at).into_iter().for_each(|value| push_value(sql, value)),
            }
            sql.push_str(piece);
        }
    }
}

/// Our strings are digits and dashes, so nothing in them needs an escape.
fn push_value(sql: &mut String, value: &Value<'_>) {
    match value {
        Value::Int(number) => push(sql, format_args!("{number}")),
        Value::Bytes(text) => {
            sql.push('\'');
            sql.push_str(&String::from_utf8_lossy(text));
            sql.push('\'');
        }
        // No statement here takes another sort.
        _ => sql.push_str("NULL"),
    }
}

fn push(sql: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = sql.write_fmt(arguments);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form, schema: Schema, values: &[Value<'_>]) -> String {
        let mut sql = "left over".to_owned();
        form.write(&mut sql, schema, 7, values);
        sql
    }

    #[test]
    fn statements_are_those_of_sysbench() {
        let prepared = |form: Form| form.prepared(12);
        assert_eq!(prepared(Form::PointSelect), "SELECT c FROM sbtest12 WHERE id=?");
        assert_eq!(
            prepared(Form::DistinctRange),
            "SELECT DISTINCT c FROM sbtest12 WHERE id BETWEEN ? AND ? ORDER BY c"
        );
        assert_eq!(
            prepared(Form::Insert),
            "INSERT INTO sbtest12 (id, k, c, pad) VALUES (?, ?, ?, ?)"
        );
    }

    #[test]
    fn values_are_written_where_the_marks_are() {
        let v1 = |form, values: &[Value<'_>]| written(form, Schema::V1_0, values);
        assert_eq!(v1(Form::IndexUpdate, &[5.into()]), "UPDATE sbtest7 SET k=k+1 WHERE id=5");
        let insert = v1(Form::Insert, &[Value::Int(-3), 2.into(), "1-2".into(), "3".into()]);
        assert_eq!(insert, "INSERT INTO sbtest7 (id, k, c, pad) VALUES (-3, 2, '1-2', '3')");
        let update = v1(Form::NonIndexUpdate, &["1-2".into(), 9.into()]);
        assert_eq!(update, "UPDATE sbtest7 SET c='1-2' WHERE id=9");
    }

    #[test]
    fn the_end_of_a_range_is_added_up_by_whom_the_version_says() {
        let range = |schema| written(Form::SumRange, schema, &[5.into(), 104.into()]);
        let head = "SELECT SUM(k) FROM sbtest7 WHERE id BETWEEN 5 AND ";
        assert_eq!(range(Schema::V1_0), format!("{head}104"));
        assert_eq!(range(Schema::V0_5), format!("{head}5+99"));
    }
}
