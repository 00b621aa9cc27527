//! What lets a browser in.

use crate::failure::Failure;
use rand::Rng;
use std::fmt::{self, Write as _};

/// Random bytes in a token: as hard to guess as a key.
const RANDOM_BYTES: usize = 32;
/// A token that a person chose is not shorter than this.
const CHARACTERS_MIN: usize = 16;

/// A secret of this server and those that may look at it.
#[derive(Clone)]
pub(super) struct Token(String);

impl Token {
    /// The one that was chosen, or a random one.
    ///
    /// # Errors
    /// The chosen one is short, or has characters that a link cannot.
    pub(super) fn new(chosen: Option<&str>) -> Result<Self, Failure> {
        let Some(chosen) = chosen else {
            let mut bytes = [0; RANDOM_BYTES];
            rand::rng().fill_bytes(&mut bytes);
            let mut hex = String::new();
            for byte in bytes {
                // Writing to a string does not fail.
                let _ = write!(hex, "{byte:02x}");
            }
            return Ok(Self(hex));
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        match chosen.len() >= CHARACTERS_MIN && chosen.chars().all(is_plain) {
            true => Ok(Self(chosen.to_owned())),
            false => Err(Failure::usage(format!(
                "--token: {CHARACTERS_MIN} letters, digits, `-`, `_` or `.` are the least; without \
                 the option a random one is made"
            ))),
        }
    }

    /// For a link.
    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Whether `shown` is it, in a time that says nothing about where it differs.
    pub(super) fn is(&self, shown: &str) -> bool {
        let (own, shown) = (self.0.as_bytes(), shown.as_bytes());
        let differs = own.iter().zip(shown).fold(0, |differs, (a, b)| differs | (a ^ b));
        own.len() == shown.len() && std::hint::black_box(differs) == 0
    }
}

/// Not the secret.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_the_token_itself_is_it() {
        let token = Token::new(Some("abcdefgh-1234567")).unwrap();
        assert!(token.is("abcdefgh-1234567"));
        for other in ["", "a", "abcdefgh-1234568", "abcdefgh-12345678", "bbcdefgh-1234567"] {
            assert!(!token.is(other), "{other}");
        }
        assert_eq!(format!("{token:?}"), "Token", "it is in no log");
    }

    #[test]
    fn random_ones_differ_and_chosen_ones_are_long() {
        let [one, other] = [Token::new(None).unwrap(), Token::new(None).unwrap()];
        assert_eq!(one.text().len(), 2 * RANDOM_BYTES);
        assert!(!one.is(other.text()));
        for weak in ["", "short", "with spaces in its middle", "ümlaut-ümlaut-ümlaut"] {
            assert!(Token::new(Some(weak)).unwrap_err().to_string().contains("--token"), "{weak}");
        }
    }
}
