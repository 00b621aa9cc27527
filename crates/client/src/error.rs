//! What can go wrong on a connection, sorted by what can be done about it.

/// What can be done about an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// The server gave the transaction up and would take it again.
    Retryable,
    /// The connection is gone.
    ConnectionLost,
    /// Trying again would not help.
    Fatal,
}

/// A connection that failed, or a statement on one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The server refused a statement or the login.
    #[error("{message} (error {code}, SQLSTATE {state})")]
    Server {
        /// The server's error number.
        code: u16,
        /// Five characters of SQLSTATE.
        state: String,
        /// The server's words.
        message: String,
    },
    /// No connection could be made.
    #[error("cannot connect to {endpoint}: {reason}")]
    Connect {
        /// The address that was tried.
        endpoint: String,
        /// Why, and the way out where there is one.
        reason: String,
    },
    /// The connection broke.
    #[error("connection to {endpoint} lost: {reason}")]
    Lost {
        /// The address it led to.
        endpoint: String,
        /// In words.
        reason: String,
    },
    /// A value was not what the statement should have returned.
    #[error("column {column} of a reply is {found}, expected {expected}")]
    UnexpectedValue {
        /// Position, from 0.
        column: usize,
        /// What was expected.
        expected: &'static str,
        /// What was there instead.
        found: String,
    },
    /// The data to load could not be had; the connection was broken off, so that the server
    /// does not take what it got for the whole.
    #[error("the data to load failed: {0}")]
    Data(String),
    /// The server and we did not understand each other.
    #[error("protocol error: {0}")]
    Protocol(String),
}

/// Rolled back by the server with an invitation to try again: deadlock, lock wait timeout,
/// record changed (MariaDB snapshot isolation), NOWAIT and SKIP LOCKED refusals, certification
/// failure of group replication, write conflict and schema change of TiDB.
const RETRYABLE: [u16; 10] = [1213, 1205, 1020, 3572, 3101, 1180, 9007, 8002, 8022, 8028];

/// The server says goodbye in an error packet: shutdown, network errors and killed connections.
const LOST: [u16; 10] = [1053, 1077, 1079, 1158, 1159, 1160, 1161, 1927, 3169, 4031];

impl Error {
    /// What can be done about it.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Server { code, .. } if RETRYABLE.contains(code) => ErrorClass::Retryable,
            Self::Server { code, .. } if LOST.contains(code) => ErrorClass::ConnectionLost,
            Self::Connect { .. } | Self::Lost { .. } => ErrorClass::ConnectionLost,
            Self::Server { .. }
            | Self::UnexpectedValue { .. }
            | Self::Data(_)
            | Self::Protocol(_) => ErrorClass::Fatal,
        }
    }

    /// The server's error number, or the one that MySQL's own client library uses for the case
    /// (`errmsg.h`: 2000 unknown, 2003 cannot connect, 2013 lost connection, 2027 malformed
    /// packet).
    pub fn code(&self) -> u16 {
        match self {
            Self::Server { code, .. } => *code,
            Self::Connect { .. } => 2003,
            Self::Lost { .. } => 2013,
            Self::Data(_) => 2000,
            Self::UnexpectedValue { .. } | Self::Protocol(_) => 2027,
        }
    }

    /// True when the server has no room for one more connection (1040, 1203, 1226).
    pub fn is_too_many_connections(&self) -> bool {
        matches!(self, Self::Server { code: 1040 | 1203 | 1226, .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(code: u16) -> Error {
        Error::Server { code, state: "HY000".into(), message: "words".into() }
    }

    #[test]
    fn deadlocks_and_their_kin_can_be_tried_again() {
        for code in [1213, 1205, 1020, 9007] {
            assert_eq!(server(code).class(), ErrorClass::Retryable, "{code}");
        }
    }

    #[test]
    fn a_server_that_says_goodbye_is_a_lost_connection() {
        for code in [1053, 1927, 3169] {
            assert_eq!(server(code).class(), ErrorClass::ConnectionLost, "{code}");
        }
    }

    #[test]
    fn everything_else_is_fatal_and_keeps_its_number() {
        for code in [1064, 1146, 1045, 1114] {
            assert_eq!(server(code).class(), ErrorClass::Fatal, "{code}");
            assert_eq!(server(code).code(), code);
        }
    }

    #[test]
    fn a_failed_server_connection_is_shown_with_number_and_state() {
        assert_eq!(server(1146).to_string(), "words (error 1146, SQLSTATE HY000)");
    }
}
