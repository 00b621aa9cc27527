//! Commands, written into a packet.

use super::bytes::put_string;
use crate::value::Value;

/// `enum_server_command` of `my_command.h`.
const COM_QUIT: u8 = 0x01;
const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;
const COM_STMT_EXECUTE: u8 = 0x17;

/// `enum_field_types` of `field_types.h`.
const TYPE_DOUBLE: u8 = 5;
const TYPE_NULL: u8 = 6;
const TYPE_LONGLONG: u8 = 8;
const TYPE_DATETIME: u8 = 12;
const TYPE_VAR_STRING: u8 = 253;
/// Says of a parameter's type that the number has no sign.
const UNSIGNED: u8 = 0x80;

pub(crate) fn quit(out: &mut Vec<u8>) {
    out.push(COM_QUIT);
}

pub(crate) fn query(out: &mut Vec<u8>, sql: &str) {
    out.push(COM_QUERY);
    out.extend_from_slice(sql.as_bytes());
}

pub(crate) fn prepare(out: &mut Vec<u8>, sql: &str) {
    out.push(COM_STMT_PREPARE);
    out.extend_from_slice(sql.as_bytes());
}

/// The number of `values` is the statement's.
pub(crate) fn execute(out: &mut Vec<u8>, statement: u32, values: &[Value<'_>]) {
    out.push(COM_STMT_EXECUTE);
    out.extend_from_slice(&statement.to_le_bytes());
    // No cursor; the number of iterations is always 1.
    out.extend_from_slice(&[0, 1, 0, 0, 0]);
    if values.is_empty() {
        return;
    }
    let nulls = out.len();
    out.resize(nulls + values.len().div_ceil(8), 0);
    // The types follow each time: what the server remembers of the last time costs more to keep
    // track of than they cost to send.
    out.push(1);
    for (index, value) in values.iter().enumerate() {
        let (kind, sign) = match value {
            Value::Null => {
                out[nulls + index / 8] |= 1 << (index % 8);
                (TYPE_NULL, 0)
            }
            Value::Int(_) => (TYPE_LONGLONG, 0),
            Value::UInt(_) => (TYPE_LONGLONG, UNSIGNED),
            Value::Double(_) => (TYPE_DOUBLE, 0),
            Value::Bytes(_) => (TYPE_VAR_STRING, 0),
            Value::DateTime { .. } => (TYPE_DATETIME, 0),
        };
        out.extend_from_slice(&[kind, sign]);
    }
    for value in values {
        put_value(out, value);
    }
}

fn put_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match *value {
        Value::Null => {}
        Value::Int(value) => out.extend_from_slice(&value.to_le_bytes()),
        Value::UInt(value) => out.extend_from_slice(&value.to_le_bytes()),
        Value::Double(value) => out.extend_from_slice(&value.to_le_bytes()),
        Value::Bytes(bytes) => put_string(out, bytes),
        Value::DateTime { year, month, day, hour, minute, second } => {
            out.push(7);
            out.extend_from_slice(&year.to_le_bytes());
            out.extend_from_slice(&[month, day, hour, minute, second]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_execute_packet_is_laid_out_as_the_protocol_says() {
        let mut out = Vec::new();
        let moment = Value::utc(0);
        execute(&mut out, 7, &[Value::Int(-2), Value::Null, Value::Bytes(b"ab"), moment]);
        let mut expected = vec![0x17, 7, 0, 0, 0, 0, 1, 0, 0, 0];
        expected.extend([0b10, 1]);
        expected.extend([8, 0, 6, 0, 253, 0, 12, 0]);
        expected.extend((-2i64).to_le_bytes());
        expected.extend([2, b'a', b'b']);
        expected.extend([7, 0xb2, 0x07, 1, 1, 0, 0, 0]);
        assert_eq!(out, expected);
    }

    #[test]
    fn a_statement_without_parameters_sends_no_types() {
        let mut out = Vec::new();
        execute(&mut out, 1, &[]);
        assert_eq!(out, [0x17, 1, 0, 0, 0, 0, 1, 0, 0, 0]);
    }

    #[test]
    fn the_ninth_null_has_a_byte_of_its_own() {
        let mut out = Vec::new();
        execute(&mut out, 1, &[Value::Null; 9]);
        assert_eq!(out[10..13], [0xff, 1, 1]);
        assert_eq!(out.len(), 13 + 18);
    }
}
