//! Proving who one is: the methods of MySQL and MariaDB.
//!
//! The arithmetic of each is a library's; here is who says what when. The server proposes a
//! method in its greeting, may switch to another once, and ends with an OK packet.

use super::{Refused, greeting::Greeting};
use crate::{
    target::Secret,
    wire::{Channel, Fault, reply},
};
use mysql_common::{crypto, packets::AuthPlugin};
use std::panic::catch_unwind;

/// First bytes of a server's packets (`mysql_com.h`).
const OK: u8 = 0x00;
const MORE: u8 = 0x01;
const SWITCH: u8 = 0xfe;
const ERROR: u8 = 0xff;
/// What `caching_sha2_password` says of a password that it remembers, or does not.
const REMEMBERED: u8 = 3;
const SAY_IT_ALL: u8 = 4;
/// Asks `caching_sha2_password` and `sha256_password` for a key to encrypt with.
const ASK_FOR_KEY: u8 = 2;
const ASK_FOR_KEY_SHA256: u8 = 1;

const SHA256_PASSWORD: &[u8] = b"sha256_password";

/// What is sent before the server has said anything about a method.
pub(super) fn first_answer(greeting: &Greeting, password: &Secret) -> (Vec<u8>, Vec<u8>) {
    match AuthPlugin::from_bytes(&greeting.plugin) {
        AuthPlugin::CachingSha2Password => {
            let plugin = AuthPlugin::CachingSha2Password;
            (scramble(&plugin, password, &greeting.challenge), plugin.as_bytes().to_vec())
        }
        // Whatever else the server proposes it will ask for by a switch.
        _ => {
            let plugin = AuthPlugin::MysqlNativePassword;
            (scramble(&plugin, password, &greeting.challenge), plugin.as_bytes().to_vec())
        }
    }
}

/// Goes on until the server is satisfied or refuses.
pub(super) async fn prove(
    channel: &mut Channel,
    plugin: Vec<u8>,
    challenge: Vec<u8>,
    password: &Secret,
) -> Result<(), Refused> {
    let mut proof = Proof { plugin, challenge, password, has_switched: false };
    loop {
        // A few packets a connection: copies of them cost nothing that counts.
        let packet = channel.read().await?.to_vec();
        let (first, rest) = packet.split_first().ok_or(Fault::CUT)?;
        match *first {
            OK => return Ok(()),
            ERROR => return Err(reply::error(&packet).into()),
            SWITCH if !proof.has_switched => {
                proof.switch(rest);
                let answer = proof.answer(channel.is_private())?;
                channel.put(|out| out.extend_from_slice(&answer));
            }
            MORE => proof.more(channel, rest)?,
            // Early servers sent MariaDB's salt without the byte that goes before it.
            b'P' if proof.plugin == b"parsec" => proof.more(channel, &packet)?,
            _ => return Err(Fault::nonsense("a login that goes on like none").into()),
        }
    }
}

struct Proof<'a> {
    plugin: Vec<u8>,
    challenge: Vec<u8>,
    password: &'a Secret,
    has_switched: bool,
}

impl Proof<'_> {
    fn switch(&mut self, rest: &[u8]) {
        self.has_switched = true;
        let end = rest.iter().position(|byte| *byte == 0).unwrap_or(rest.len());
        self.plugin = rest[..end].to_vec();
        let challenge = rest.get(end + 1..).unwrap_or_default();
        // The zero at its end is no part of a challenge of 20 bytes.
        self.challenge = match challenge {
            [challenge @ .., 0] if challenge.len() == 20 => challenge.to_vec(),
            challenge => challenge.to_vec(),
        };
        if rest.is_empty() {
            self.plugin = b"mysql_old_password".to_vec();
        }
    }

    /// What a method sends first.
    fn answer(&self, is_private: bool) -> Result<Vec<u8>, Refused> {
        let plugin = AuthPlugin::from_bytes(&self.plugin);
        match &plugin {
            AuthPlugin::CachingSha2Password
            | AuthPlugin::MysqlNativePassword
            | AuthPlugin::Ed25519 => Ok(scramble(&plugin, self.password, &self.challenge)),
            // Its salt is asked for by saying nothing.
            AuthPlugin::MariadbParsec { .. } => Ok(Vec::new()),
            AuthPlugin::Other(name) if name.as_ref() == SHA256_PASSWORD => {
                Ok(self.first_of_sha256(is_private))
            }
            _ => Err(Refused::Plugin(self.name())),
        }
    }

    fn name(&self) -> String {
        String::from_utf8_lossy(&self.plugin).into_owned()
    }

    fn first_of_sha256(&self, is_private: bool) -> Vec<u8> {
        let password = self.password.expose().as_bytes();
        match (password.is_empty(), is_private) {
            (true, _) => vec![0],
            (false, true) => [password, &[0]].concat(),
            (false, false) => vec![ASK_FOR_KEY_SHA256],
        }
    }

    /// The server says more than yes or no.
    fn more(&self, channel: &mut Channel, said: &[u8]) -> Result<(), Refused> {
        match AuthPlugin::from_bytes(&self.plugin) {
            AuthPlugin::CachingSha2Password => match said {
                [REMEMBERED] => {}
                [SAY_IT_ALL] if channel.is_private() => self.say_it_all(channel),
                [SAY_IT_ALL] => channel.put(|out| out.push(ASK_FOR_KEY)),
                key => self.encrypt(channel, key)?,
            },
            AuthPlugin::MariadbParsec { .. } => {
                let mut plugin = AuthPlugin::from_bytes(b"parsec").into_owned();
                plugin.read_add_data(said).ok_or_else(|| Fault::nonsense("a salt that is none"))?;
                let signature = scramble(&plugin, self.password, &self.challenge);
                channel.put(|out| out.extend_from_slice(&signature));
            }
            _ if self.plugin == SHA256_PASSWORD => self.encrypt(channel, said)?,
            _ => return Err(Fault::nonsense("more than a login of this kind takes").into()),
        }
        Ok(())
    }

    fn say_it_all(&self, channel: &mut Channel) {
        channel.put(|out| {
            out.extend_from_slice(self.password.expose().as_bytes());
            out.push(0);
        });
    }

    /// The password under the server's key. The library trusts the key to be one.
    fn encrypt(&self, channel: &mut Channel, key: &[u8]) -> Result<(), Refused> {
        if self.challenge.is_empty() {
            return Err(Fault::nonsense("a challenge that is none").into());
        }
        if !key.starts_with(b"-----BEGIN ") {
            return Err(Fault::nonsense("a key that is none").into());
        }
        let mut secret = [self.password.expose().as_bytes(), &[0]].concat();
        for (byte, mask) in secret.iter_mut().zip(self.challenge.iter().cycle()) {
            *byte ^= mask;
        }
        let encrypted = catch_unwind(|| crypto::encrypt(&secret, key))
            .map_err(|_panic| Fault::nonsense("a key that is none"))?;
        channel.put(|out| out.extend_from_slice(&encrypted));
        Ok(())
    }
}

/// A method's answer to a challenge; nothing where there is no password.
fn scramble(plugin: &AuthPlugin<'_>, password: &Secret, challenge: &[u8]) -> Vec<u8> {
    // The library trusts challenges to be as long as they should.
    let answer = catch_unwind(|| plugin.gen_data(Some(password.expose()), challenge));
    answer.ok().flatten().map_or_else(Vec::new, |answer| answer.to_vec())
}
