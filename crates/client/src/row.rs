//! Rows that come back.

use crate::{
    cell::{Cell, Column, parse_cents},
    error::Error,
};

/// The rows of a reply. A connection keeps one such and fills it again and again, so that a reply
/// costs no memory once the largest has been seen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    pub(crate) columns: Vec<Column>,
    /// Row by row.
    pub(crate) cells: Vec<Cell>,
    /// What the strings among the cells point into.
    pub(crate) data: Vec<u8>,
}

impl Rows {
    /// Number of rows.
    pub fn len(&self) -> usize {
        // A reply without columns has no rows.
        self.cells.len().checked_div(self.columns.len()).unwrap_or(0)
    }

    /// True where there is no row.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// The row at `index`, counted from 0.
    pub fn get(&self, index: usize) -> Option<Row<'_>> {
        let from = index.checked_mul(self.columns.len())?;
        let cells = self.cells.get(from..from.checked_add(self.columns.len())?)?;
        (!cells.is_empty()).then_some(Row { columns: &self.columns, cells, data: &self.data })
    }

    /// The first row, if there is any.
    pub fn first(&self) -> Option<Row<'_>> {
        self.get(0)
    }

    /// The rows in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        // A chunk of nothing is no chunk; there are no cells to cut then.
        self.cells.chunks_exact(self.columns.len().max(1)).map(|cells| Row {
            columns: &self.columns,
            cells,
            data: &self.data,
        })
    }

    /// Forgets rows and columns and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.columns.clear();
        self.clear_rows();
    }

    /// Forgets the rows.
    pub(crate) fn clear_rows(&mut self) {
        self.cells.clear();
        self.data.clear();
    }

    /// Appends a string to the data.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        let from = self.data.len() as u32;
        self.data.extend_from_slice(bytes);
        self.cells.push(Cell::Bytes { from, until: self.data.len() as u32 });
    }
}

/// One row of a reply, lent by its [`Rows`]. Columns are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row<'a> {
    columns: &'a [Column],
    cells: &'a [Cell],
    data: &'a [u8],
}

impl<'a> Row<'a> {
    /// Number of columns.
    pub fn len(&self) -> usize {
        self.cells.len()
    }

    /// True for a row without columns, which no statement returns.
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    /// True where the column is NULL or does not exist.
    pub fn is_null(&self, column: usize) -> bool {
        matches!(self.cells.get(column), None | Some(Cell::Null))
    }

    /// The column's bytes where it came as text or binary string.
    pub fn bytes(&self, column: usize) -> Option<&'a [u8]> {
        match self.cells.get(column) {
            Some(Cell::Bytes { from, until }) => self.data.get(*from as usize..*until as usize),
            _ => None,
        }
    }

    /// The column as text, whatever its type; none for NULL.
    pub fn text(&self, column: usize) -> Option<String> {
        let bytes = self.bytes(column).unwrap_or_default();
        self.cells.get(column)?.text(bytes, *self.columns.get(column)?)
    }

    /// The column as a whole number, of either protocol.
    ///
    /// # Errors
    /// [`Error::UnexpectedValue`] where it is NULL, missing or no whole number.
    pub fn int(&self, column: usize) -> Result<i64, Error> {
        let number = match self.cells.get(column) {
            Some(Cell::Int(value)) => Some(*value),
            Some(Cell::UInt(value)) => i64::try_from(*value).ok(),
            _ => self.parsed(column),
        };
        number.ok_or_else(|| self.unexpected(column, "a whole number"))
    }

    /// The column as a number with a fraction.
    ///
    /// # Errors
    /// [`Error::UnexpectedValue`] where it is NULL, missing or no number.
    pub fn double(&self, column: usize) -> Result<f64, Error> {
        let number = match self.cells.get(column) {
            Some(Cell::Int(value)) => Some(*value as f64),
            Some(Cell::UInt(value)) => Some(*value as f64),
            Some(Cell::Float(value)) => Some((*value).into()),
            Some(Cell::Double(value)) => Some(*value),
            _ => self.parsed(column),
        };
        number.ok_or_else(|| self.unexpected(column, "a number"))
    }

    /// A DECIMAL column as a whole number of hundredths, the exact form of an amount of money.
    /// Further digits of the fraction must be zero.
    ///
    /// # Errors
    /// [`Error::UnexpectedValue`] where it is NULL, missing or not such a number.
    pub fn cents(&self, column: usize) -> Result<i64, Error> {
        match self.cells.get(column) {
            Some(Cell::Int(value)) => value.checked_mul(100),
            Some(Cell::UInt(value)) => i64::try_from(*value).ok().and_then(|v| v.checked_mul(100)),
            _ => self.bytes(column).and_then(parse_cents),
        }
        .ok_or_else(|| self.unexpected(column, "an amount"))
    }

    fn parsed<T: std::str::FromStr>(&self, column: usize) -> Option<T> {
        std::str::from_utf8(self.bytes(column)?).ok()?.parse().ok()
    }

    fn unexpected(&self, column: usize, expected: &'static str) -> Error {
        let found = match self.cells.get(column) {
            None => "missing".to_owned(),
            Some(Cell::Bytes { .. }) => format!("'{}'", self.text(column).unwrap_or_default()),
            Some(_) => self.text(column).unwrap_or_else(|| "NULL".to_owned()),
        };
        Error::UnexpectedValue { column, expected, found }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn rows() -> Rows {
        let column = Column { kind: 253, unsigned: false, decimals: 0 };
        let mut rows = Rows { columns: vec![column; 2], ..Rows::default() };
        rows.cells.push(Cell::Int(-7));
        rows.push_bytes(b"12.50");
        rows.cells.push(Cell::Null);
        rows.push_bytes(b"x");
        rows
    }

    #[test]
    fn rows_are_lent_in_order() {
        let rows = rows();
        assert_eq!((rows.len(), rows.iter().len()), (2, 2));
        let (first, second) = (rows.first().unwrap(), rows.get(1).unwrap());
        assert_eq!((first.int(0).unwrap(), first.cents(1).unwrap()), (-7, 1250));
        assert_eq!((first.double(0).unwrap(), first.double(1).unwrap()), (-7.0, 12.5));
        assert!(second.is_null(0) && second.bytes(1) == Some(b"x"));
        assert_eq!(rows.get(2), None);
        assert_eq!(rows.get(usize::MAX), None);
    }

    #[test]
    fn what_was_not_expected_is_shown() {
        let rows = rows();
        let second = rows.get(1).unwrap();
        let found = |error: Error| error.to_string();
        assert!(found(second.int(0).unwrap_err()).contains("is NULL"));
        assert!(found(second.int(1).unwrap_err()).contains("is 'x'"));
        assert!(found(second.int(2).unwrap_err()).contains("is missing"));
    }

    #[test]
    fn a_reply_without_columns_has_no_rows() {
        let none = Rows::default();
        assert_eq!((none.len(), none.iter().count(), none.first()), (0, 0, None));
    }
}
