//! The server's first packet and the client's answer to it.

use crate::wire::{
    Fault,
    bytes::{Reader, put_string},
    reply,
};

/// Flags of `mysql_com.h` that say what a side can do.
pub(crate) mod capability {
    pub(crate) const LONG_PASSWORD: u32 = 1;
    pub(crate) const CONNECT_WITH_DB: u32 = 1 << 3;
    pub(crate) const LOCAL_FILES: u32 = 1 << 7;
    pub(crate) const PROTOCOL_41: u32 = 1 << 9;
    pub(crate) const SSL: u32 = 1 << 11;
    pub(crate) const TRANSACTIONS: u32 = 1 << 13;
    pub(crate) const SECURE_CONNECTION: u32 = 1 << 15;
    pub(crate) const MULTI_STATEMENTS: u32 = 1 << 16;
    pub(crate) const MULTI_RESULTS: u32 = 1 << 17;
    pub(crate) const PS_MULTI_RESULTS: u32 = 1 << 18;
    pub(crate) const PLUGIN_AUTH: u32 = 1 << 19;
    pub(crate) const PLUGIN_AUTH_LENENC_DATA: u32 = 1 << 21;
    pub(crate) const DEPRECATE_EOF: u32 = 1 << 24;
}

/// What this client can do, apart from TLS and naming a database, which not every login asks for.
const OURS: u32 = capability::LONG_PASSWORD
    | capability::LOCAL_FILES
    | capability::PROTOCOL_41
    | capability::TRANSACTIONS
    | capability::SECURE_CONNECTION
    | capability::MULTI_STATEMENTS
    | capability::MULTI_RESULTS
    | capability::PS_MULTI_RESULTS
    | capability::PLUGIN_AUTH
    | capability::PLUGIN_AUTH_LENENC_DATA
    | capability::DEPRECATE_EOF;

/// What a client cannot do without: the protocol of 4.1 and its passwords.
const NEEDED: u32 = capability::PROTOCOL_41 | capability::SECURE_CONNECTION;

/// `utf8mb4_general_ci`, which every server knows.
const CHARACTER_SET: u8 = 45;
/// The largest packet that either side sends, bytes.
const PACKET_BYTES_MAX: u32 = 1 << 30;
/// Bytes of a challenge before its terminating zero.
const CHALLENGE_BYTES: usize = 20;
/// The only version of the protocol that there ever was since MySQL 3.21.
const PROTOCOL_VERSION: u8 = 10;

/// What a server says first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    pub(crate) connection_id: u32,
    /// What both sides can do.
    pub(crate) capabilities: u32,
    /// What a password is scrambled with.
    pub(crate) challenge: Vec<u8>,
    /// The login method that the server proposes.
    pub(crate) plugin: Vec<u8>,
}

impl Greeting {
    pub(crate) fn parse(packet: &[u8]) -> Result<Self, Fault> {
        let mut reader = Reader::new(packet);
        match reader.u8()? {
            PROTOCOL_VERSION => {}
            0xff => return Err(reply::error(packet)),
            version => return Err(Fault::nonsense(format!("protocol version {version}"))),
        }
        let _version = reader.until_zero();
        let connection_id = reader.u32()?;
        let mut challenge = reader.take(8)?.to_vec();
        reader.u8()?;
        let mut theirs = u32::from(reader.u16()?);
        let (mut challenge_length, mut plugin) = (0, &b""[..]);
        if !reader.is_empty() {
            // Character set and status.
            reader.take(1 + 2)?;
            theirs |= u32::from(reader.u16()?) << 16;
            challenge_length = usize::from(reader.u8()?);
            // Ten unused bytes, the last four of which MariaDB uses for more capabilities.
            reader.take(10)?;
        }
        if theirs & NEEDED != NEEDED {
            return Err(Fault::nonsense("a server older than MySQL 4.1"));
        }
        challenge.extend_from_slice(reader.take(challenge_length.saturating_sub(8).max(13))?);
        challenge.resize(CHALLENGE_BYTES, 0);
        if theirs & capability::PLUGIN_AUTH != 0 {
            plugin = reader.until_zero();
        }
        Ok(Self {
            connection_id,
            capabilities: theirs & (OURS | capability::SSL | capability::CONNECT_WITH_DB),
            challenge,
            plugin: plugin.to_vec(),
        })
    }

    pub(crate) fn has(&self, capability: u32) -> bool {
        self.capabilities & capability != 0
    }
}

/// The start of an answer, all of it where TLS is asked for.
pub(crate) fn put_head(out: &mut Vec<u8>, capabilities: u32) {
    out.extend_from_slice(&capabilities.to_le_bytes());
    out.extend_from_slice(&PACKET_BYTES_MAX.to_le_bytes());
    out.push(CHARACTER_SET);
    out.extend_from_slice(&[0; 23]);
}

/// The answer: as whom, with what, where to.
pub(crate) fn put_answer(
    out: &mut Vec<u8>,
    capabilities: u32,
    user: &str,
    password: &[u8],
    database: Option<&str>,
    plugin: &[u8],
) {
    put_head(out, capabilities);
    out.extend_from_slice(user.as_bytes());
    out.push(0);
    // Without the longer form, a byte says how long the answer is.
    put_string(out, &password[..password.len().min(250)]);
    if let Some(database) = database.filter(|_| capabilities & capability::CONNECT_WITH_DB != 0) {
        out.extend_from_slice(database.as_bytes());
        out.push(0);
    }
    if capabilities & capability::PLUGIN_AUTH != 0 {
        out.extend_from_slice(plugin);
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn packet() -> Vec<u8> {
        let mut packet = vec![PROTOCOL_VERSION];
        packet.extend(b"9.7.4\0");
        packet.extend(77u32.to_le_bytes());
        packet.extend(b"12345678\0");
        packet.extend([0xff, 0xff, 45, 2, 0, 0xff, 0xff, 21]);
        packet.extend([0; 10]);
        packet.extend(b"abcdefghijkl\0caching_sha2_password\0");
        packet
    }

    #[test]
    fn a_greeting_is_understood() {
        let greeting = Greeting::parse(&packet()).unwrap();
        assert_eq!(greeting.connection_id, 77);
        assert_eq!(greeting.challenge, b"12345678abcdefghijkl");
        assert_eq!(greeting.plugin, b"caching_sha2_password");
        assert!(greeting.has(capability::SSL) && greeting.has(capability::DEPRECATE_EOF));
    }

    #[test]
    fn an_answer_has_its_parts_in_order() {
        let mut out = Vec::new();
        let all = OURS | capability::CONNECT_WITH_DB;
        put_answer(&mut out, all, "me", b"secret", Some("tpcc"), b"plugin");
        assert_eq!(&out[32..], b"me\0\x06secrettpcc\0plugin\0");
    }

    #[test]
    fn a_server_that_refuses_at_once_is_heard() {
        let refusal = Greeting::parse(b"\xff\x10\x04Too many connections");
        let Err(Fault::Server { code, message, .. }) = refusal else { panic!("{refusal:?}") };
        assert_eq!((code, message.as_str()), (1040, "Too many connections"));
    }

    proptest! {
        #[test]
        fn hostile_greetings_do_not_panic(at in 0usize..80, byte: u8, cut in 0usize..90) {
            let mut packet = packet();
            let length = packet.len();
            packet[at.min(length - 1)] = byte;
            let _answer = Greeting::parse(&packet[..cut.min(length)]);
        }
    }
}
