//! Replies: results, rows, errors.

use super::{Channel, Fault, bytes::Reader};
use crate::{
    cell::{Cell, Column},
    row::{Row, Rows},
};

/// What a statement without rows did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Rows changed, as the server counts them.
    pub affected_rows: u64,
    /// The last value that AUTO_INCREMENT gave, if it gave one.
    pub last_insert_id: Option<u64>,
}

/// How values are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// In words, as statements in words are answered.
    Text,
    /// By type, as prepared statements are answered.
    Binary,
}

/// `SERVER_MORE_RESULTS_EXISTS` of `mysql_com.h`.
const MORE_RESULTS: u16 = 0x0008;
/// Set in a column's flags where numbers have no sign (`UNSIGNED_FLAG`).
const UNSIGNED_FLAG: u16 = 32;
/// A packet that starts like the end of rows and is longer than this is a row.
const END_BYTES_MAX: usize = 0xff_fffe;
/// More columns than MySQL allows a table would only be somebody's attempt to use up memory.
const COLUMNS_MAX: u64 = 65_535;

/// What a server said when it was asked to prepare a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prepared {
    pub(crate) id: u32,
    pub(crate) parameters: u16,
}

/// Reads the whole reply to a statement. Of several result sets the last one with columns stays
/// in `rows`; `each` is shown every row, which is then forgotten.
pub(crate) async fn read(
    channel: &mut Channel,
    rows: &mut Rows,
    form: Form,
    mut each: Option<&mut dyn FnMut(Row<'_>)>,
) -> Result<Done, Fault> {
    rows.clear();
    let mut done = Done::default();
    loop {
        let head = channel.read().await?;
        let (result, status) = match head.first() {
            Some(0x00) => ok(head)?,
            Some(0xff) => return Err(error(head)),
            Some(0xfb) => return Err(Fault::WantsData),
            Some(_) => {
                let count = Reader::new(head).length()?;
                columns(channel, rows, count).await?;
                match &mut each {
                    Some(each) => each_row(channel, rows, form, *each).await?,
                    None => all_rows(channel, rows, form).await?,
                }
            }
            None => return Err(Fault::CUT),
        };
        done.affected_rows = done.affected_rows.saturating_add(result.affected_rows);
        done.last_insert_id = result.last_insert_id.or(done.last_insert_id);
        if status & MORE_RESULTS == 0 {
            return Ok(done);
        }
    }
}

/// Reads the definitions of columns.
async fn columns(channel: &mut Channel, rows: &mut Rows, count: u64) -> Result<(), Fault> {
    if count == 0 || count > COLUMNS_MAX {
        return Err(Fault::nonsense(format!("a result of {count} columns")));
    }
    rows.clear();
    for _column in 0..count {
        let definition = channel.read().await?;
        rows.columns.push(column(definition)?);
    }
    end_of_definitions(channel).await
}

/// Reads what older servers put behind the definitions of columns.
async fn end_of_definitions(channel: &mut Channel) -> Result<(), Fault> {
    if !channel.definitions_end() {
        return Ok(());
    }
    let packet = channel.read().await?;
    match packet.first() {
        Some(0xfe) => Ok(()),
        Some(0xff) => Err(error(packet)),
        _ => Err(Fault::nonsense("definitions of columns that do not end")),
    }
}

/// The six strings before a column's numbers (catalogue, schema, two names of the table, two of
/// the column) interest nobody here.
fn column(definition: &[u8]) -> Result<Column, Fault> {
    let mut reader = Reader::new(definition);
    for _name in 0..6 {
        reader.string()?;
    }
    // The length of what follows, the character set, the display width.
    reader.take(1 + 2 + 4)?;
    let kind = reader.u8()?;
    let flags = reader.u16()?;
    Ok(Column { kind, unsigned: flags & UNSIGNED_FLAG != 0, decimals: reader.u8()? })
}

async fn all_rows(
    channel: &mut Channel,
    rows: &mut Rows,
    form: Form,
) -> Result<(Done, u16), Fault> {
    loop {
        let packet = channel.read().await?;
        if let Some(end) = end(packet)? {
            return Ok(end);
        }
        row(packet, rows, form)?;
    }
}

async fn each_row(
    channel: &mut Channel,
    rows: &mut Rows,
    form: Form,
    each: &mut dyn FnMut(Row<'_>),
) -> Result<(Done, u16), Fault> {
    loop {
        let packet = channel.read().await?;
        if let Some(end) = end(packet)? {
            return Ok(end);
        }
        row(packet, rows, form)?;
        if let Some(row) = rows.first() {
            each(row);
        }
        rows.clear_rows();
    }
}

/// The end of rows, if this is it: since 5.7 it has the form of an OK packet, before it was one
/// of its own with only warnings and status.
fn end(packet: &[u8]) -> Result<Option<(Done, u16)>, Fault> {
    match packet.first() {
        None => Err(Fault::CUT),
        Some(0xff) => Err(error(packet)),
        Some(0xfe) if packet.len() == 5 => {
            Ok(Some((Done::default(), u16::from_le_bytes([packet[3], packet[4]]))))
        }
        Some(0xfe) if packet.len() <= END_BYTES_MAX => ok(packet).map(Some),
        Some(_) => Ok(None),
    }
}

/// What an OK packet says, and its status flags.
pub(crate) fn ok(packet: &[u8]) -> Result<(Done, u16), Fault> {
    let mut reader = Reader::new(packet);
    reader.u8()?;
    let affected_rows = reader.length()?;
    let last_insert_id = Some(reader.length()?).filter(|id| *id != 0);
    Ok((Done { affected_rows, last_insert_id }, reader.u16()?))
}

/// What an error packet says. One from before the login has no SQLSTATE.
pub(crate) fn error(packet: &[u8]) -> Fault {
    let mut reader = Reader::new(packet);
    let code = reader.u8().and_then(|_sign| reader.u16());
    let Ok(code) = code else { return Fault::CUT };
    let words = reader.rest();
    let (state, message) = match words.split_first_chunk::<6>() {
        Some(([b'#', state @ ..], message)) => (&state[..], message),
        _ => (&b"HY000"[..], words),
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Fault::Server { code, state: text(state), message: text(message) }
}

/// Reads the reply to a PREPARE. The definitions that follow it come again with each result.
pub(crate) async fn read_prepared(channel: &mut Channel) -> Result<Prepared, Fault> {
    let head = channel.read().await?;
    let mut reader = Reader::new(head);
    match reader.u8()? {
        0x00 => {}
        0xff => return Err(error(head)),
        _ => return Err(Fault::nonsense("neither a statement nor an error")),
    }
    let (id, columns, parameters) = (reader.u32()?, reader.u16()?, reader.u16()?);
    for definitions in [parameters, columns] {
        for _definition in 0..definitions {
            let definition = channel.read().await?;
            if definition.first() == Some(&0xff) {
                return Err(error(definition));
            }
        }
        if definitions > 0 {
            end_of_definitions(channel).await?;
        }
    }
    Ok(Prepared { id, parameters })
}

/// Reads a row.
fn row(packet: &[u8], rows: &mut Rows, form: Form) -> Result<(), Fault> {
    let mut reader = Reader::new(packet);
    match form {
        Form::Text => {
            for _column in 0..rows.columns.len() {
                match reader.string_or_null()? {
                    Some(text) => push_bytes(rows, text)?,
                    None => rows.cells.push(Cell::Null),
                }
            }
            Ok(())
        }
        Form::Binary => {
            if reader.u8()? != 0 {
                return Err(Fault::nonsense("a row that does not begin like one"));
            }
            // Two bits are unused before that of the first column.
            let nulls = reader.take((rows.columns.len() + 9) / 8)?;
            for index in 0..rows.columns.len() {
                let bit = index + 2;
                if nulls[bit / 8] & (1 << (bit % 8)) != 0 {
                    rows.cells.push(Cell::Null);
                } else {
                    value(&mut reader, rows, rows.columns[index])?;
                }
            }
            Ok(())
        }
    }
}

fn push_bytes(rows: &mut Rows, bytes: &[u8]) -> Result<(), Fault> {
    if rows.data.len() + bytes.len() > u32::MAX as usize {
        return Err(Fault::nonsense("a result of more than 4 GiB"));
    }
    rows.push_bytes(bytes);
    Ok(())
}

/// Reads a value of the binary form (`enum_field_types` of `field_types.h`).
fn value(reader: &mut Reader<'_>, rows: &mut Rows, column: Column) -> Result<(), Fault> {
    let signed = !column.unsigned;
    let cell = match column.kind {
        // TINY
        1 if signed => Cell::Int((reader.u8()? as i8).into()),
        1 => Cell::Int(reader.u8()?.into()),
        // SHORT, YEAR
        2 | 13 if signed => Cell::Int((reader.u16()? as i16).into()),
        2 | 13 => Cell::Int(reader.u16()?.into()),
        // LONG, INT24
        3 | 9 if signed => Cell::Int((reader.u32()? as i32).into()),
        3 | 9 => Cell::Int(reader.u32()?.into()),
        4 => Cell::Float(f32::from_bits(reader.u32()?)),
        5 => Cell::Double(f64::from_bits(reader.u64()?)),
        6 => Cell::Null,
        // LONGLONG
        8 if signed => Cell::Int(reader.u64()? as i64),
        8 => Cell::UInt(reader.u64()?),
        // TIMESTAMP, DATE, DATETIME
        7 | 10 | 12 => date(reader)?,
        11 => time(reader)?,
        // DECIMAL, VARCHAR, BIT, JSON to GEOMETRY and whatever is still to come
        0 | 15 | 16 | 242 | 243 | 245..=255 => return push_bytes(rows, reader.string()?),
        kind => return Err(Fault::nonsense(format!("a value of type {kind}"))),
    };
    rows.cells.push(cell);
    Ok(())
}

fn date(reader: &mut Reader<'_>) -> Result<Cell, Fault> {
    let length = reader.u8()?;
    let (mut year, mut month, mut day) = (0, 0, 0);
    let (mut hour, mut minute, mut second, mut micros) = (0, 0, 0, 0);
    if !matches!(length, 0 | 4 | 7 | 11) {
        return Err(Fault::nonsense("a date that is none"));
    }
    if length >= 4 {
        (year, month, day) = (reader.u16()?, reader.u8()?, reader.u8()?);
    }
    if length >= 7 {
        (hour, minute, second) = (reader.u8()?, reader.u8()?, reader.u8()?);
    }
    if length == 11 {
        micros = reader.u32()?;
    }
    Ok(Cell::Date { year, month, day, hour, minute, second, micros })
}

fn time(reader: &mut Reader<'_>) -> Result<Cell, Fault> {
    let length = reader.u8()?;
    let (mut negative, mut days, mut micros) = (false, 0, 0);
    let (mut hours, mut minute, mut second) = (0, 0, 0);
    if !matches!(length, 0 | 8 | 12) {
        return Err(Fault::nonsense("a time that is none"));
    }
    if length >= 8 {
        (negative, days) = (reader.u8()? != 0, reader.u32()?);
        (hours, minute, second) = (reader.u8()?, reader.u8()?, reader.u8()?);
    }
    if length == 12 {
        micros = reader.u32()?;
    }
    Ok(Cell::Time { negative, days, hours, minute, second, micros })
}
