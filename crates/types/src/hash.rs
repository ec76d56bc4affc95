//! Hashes and addresses, written as full-width lower-case `0x` hex.

use core::fmt;
use core::str::FromStr;

/// Malformed hex text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseHexError {
    /// Prefix `0x` is missing.
    #[error("expected 0x-prefixed hex")]
    Prefix,
    /// Wrong number of digits.
    #[error("expected {expected} bytes of hex, got {got} digits")]
    Length {
        /// Expected bytes.
        expected: usize,
        /// Hex digits found.
        got: usize,
    },
    /// Character other than a hex digit.
    #[error("a character is not a hex digit")]
    Digit,
}

macro_rules! fixed_bytes {
    ($(#[$doc:meta])* $name:ident, $length:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(pub [u8; $length]);

        impl $name {
            /// All bytes zero.
            pub const ZERO: Self = Self([0; $length]);

            /// Returns the bytes.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $length] {
                &self.0
            }

            /// Whether every byte is zero.
            #[must_use]
            pub fn is_zero(&self) -> bool {
                self.0 == [0; $length]
            }
        }

        impl AsRef<[u8]> for $name {
            fn as_ref(&self) -> &[u8] {
                &self.0
            }
        }

        impl From<[u8; $length]> for $name {
            fn from(bytes: [u8; $length]) -> Self {
                Self(bytes)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(const_hex::Buffer::<$length, true>::new().format(&self.0))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseHexError;

            /// Reads `0x` and exactly the right number of hex digits, upper or lower case.
            fn from_str(text: &str) -> Result<Self, ParseHexError> {
                let digits = text.strip_prefix("0x").ok_or(ParseHexError::Prefix)?;
                if digits.len() != 2 * $length {
                    return Err(ParseHexError::Length { expected: $length, got: digits.len() });
                }
                let mut bytes = [0; $length];
                const_hex::decode_to_slice(digits, &mut bytes)
                    .map_err(|_| ParseHexError::Digit)?;
                Ok(Self(bytes))
            }
        }
    };
}

fixed_bytes!(
    /// 32-byte hash.
    Hash,
    32
);

fixed_bytes!(
    /// 20-byte account address (EVM family).
    Address,
    20
);

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn text_leads_back_to_the_bytes() {
        let hash = Hash([0xab; 32]);
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.to_string().to_uppercase().replace("0X", "0x").parse(), Ok(hash));
    }

    #[test]
    fn wrong_texts_are_told_apart() {
        assert_eq!("ab".parse::<Hash>(), Err(ParseHexError::Prefix));
        let got = ParseHexError::Length { expected: 32, got: 62 };
        assert_eq!(["0x", &"a".repeat(62)].concat().parse::<Hash>(), Err(got));
        assert_eq!(["0x", &"g".repeat(64)].concat().parse::<Hash>(), Err(ParseHexError::Digit));
        assert!(["0x0x", &"a".repeat(62)].concat().parse::<Hash>().is_err());
    }
}
