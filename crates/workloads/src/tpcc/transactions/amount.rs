//! Amounts of money in their digits, as DECIMAL parameters are sent.

use client::Value;

/// Room for the digits of any number of cents, a point and a sign.
const LENGTH_MAX: usize = 22;

/// An amount of money as a DECIMAL literal, without memory of its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Amount {
    /// Right-aligned.
    digits: [u8; LENGTH_MAX],
    from: usize,
}

impl Amount {
    pub(crate) fn of_cents(cents: i64) -> Self {
        let (mut digits, mut from) = ([b'0'; LENGTH_MAX], LENGTH_MAX);
        let mut rest = cents.unsigned_abs();
        let mut push = |byte| {
            from -= 1;
            digits[from] = byte;
        };
        for position in 0.. {
            if position == 2 {
                push(b'.');
            }
            if position > 2 && rest == 0 {
                break;
            }
            push(b'0' + (rest % 10) as u8);
            rest /= 10;
        }
        if cents < 0 {
            push(b'-');
        }
        Self { digits, from }
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.digits[self.from..]).unwrap_or_default()
    }
}

impl<'a> From<&'a Amount> for Value<'a> {
    fn from(amount: &'a Amount) -> Self {
        Self::Bytes(&amount.digits[amount.from..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_are_written_with_two_digits() {
        for (cents, text) in [
            (-1005, "-10.05"),
            (7, "0.07"),
            (-7, "-0.07"),
            (0, "0.00"),
            (100, "1.00"),
            (i64::MIN, "-92233720368547758.08"),
        ] {
            assert_eq!(Amount::of_cents(cents).as_str(), text);
        }
    }

    proptest! {
        #[test]
        fn any_amount_is_written_as_the_formatter_would(cents: i64) {
            let (sign, size) = (if cents < 0 { "-" } else { "" }, cents.unsigned_abs());
            let expected = format!("{sign}{}.{:02}", size / 100, size % 100);
            let amount = Amount::of_cents(cents);
            prop_assert_eq!(amount.as_str(), expected);
        }
    }
}
