//! Canister and subnet ids: up to 29 bytes, as text in groups of five letters and digits.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

const BYTES_MAX: usize = 29;
/// Base 32 of RFC 4648, lower case.
const DIGITS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";

/// Canister or subnet id. Text: base 32 of a CRC-32 and the bytes, with dashes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Vec<u8>);

/// Text or bytes that are no principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a principal in its own text")]
pub struct NoPrincipal;

impl Principal {
    /// Creates a principal from 0 to 29 bytes.
    ///
    /// # Errors
    /// `NoPrincipal` for more.
    pub fn from_slice(bytes: &[u8]) -> Result<Self, NoPrincipal> {
        if bytes.len() > BYTES_MAX { Err(NoPrincipal) } else { Ok(Self(bytes.to_vec())) }
    }

    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sum = crc32fast::hash(&self.0).to_be_bytes();
        let mut held = 0_u16;
        let mut bits = 0_u32;
        let mut written = 0_usize;
        let mut digit = |value: u16| {
            if written > 0 && written.is_multiple_of(5) {
                f.write_str("-")?;
            }
            written = written.saturating_add(1);
            let digit = DIGITS.get(usize::from(value & 31)).copied().unwrap_or(b'a');
            write!(f, "{}", char::from(digit))
        };
        for byte in sum.iter().chain(&self.0) {
            held = held << 8 | u16::from(*byte);
            bits = bits.saturating_add(8);
            while bits >= 5 {
                bits = bits.saturating_sub(5);
                digit(held >> bits)?;
            }
            held &= 0x1f;
        }
        if bits > 0 { digit(held << 5_u32.saturating_sub(bits)) } else { Ok(()) }
    }
}

impl FromStr for Principal {
    type Err = NoPrincipal;

    /// Reads lower-case text with dashes.
    fn from_str(text: &str) -> Result<Self, NoPrincipal> {
        let mut held = 0_u16;
        let mut bits = 0_u32;
        let mut bytes = Vec::new();
        // what is longer is no principal
        for letter in text.bytes().take(80).filter(|letter| *letter != b'-') {
            let value = DIGITS.iter().position(|digit| *digit == letter).ok_or(NoPrincipal)?;
            held = held << 5 | u16::try_from(value).map_err(|_| NoPrincipal)?;
            bits = bits.saturating_add(5);
            if bits >= 8 {
                bits = bits.saturating_sub(8);
                bytes.extend_from_slice(
                    held.checked_shr(bits).unwrap_or(0).to_be_bytes().get(1..).unwrap_or_default(),
                );
            }
            held &= 0xff;
        }
        let principal = bytes.get(4..).ok_or(NoPrincipal).and_then(Self::from_slice)?;
        // one text a principal: sum, dashes and the bits left over are what they must be
        if principal.to_string() == text { Ok(principal) } else { Err(NoPrincipal) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_principals_read_as_they_are_known() {
        for (text, bytes) in [
            ("ryjl3-tyaaa-aaaaa-aaaba-cai", "00000000000000020101"),
            ("aaaaa-aa", ""),
            ("2vxsx-fae", "04"),
            ("qhbym-qaaaa-aaaaa-aaafq-cai", "000000000000000b0101"),
        ] {
            let principal: Principal = text.parse().unwrap();
            assert_eq!(const_hex::encode(principal.as_slice()), bytes);
            assert_eq!(principal.to_string(), text);
        }
        for text in [
            "",
            "-",
            "aaaaa-ab",
            "aaaaaaa",
            "ryjl3tyaaaaaaaaaaabacai",
            "RYJL3-TYAAA-AAAAA-AAABA-CAI",
            "ryjl3-tyaaa-aaaaa-aaaba-cai-",
            "ryjl3-tyaaa-aaaaa-aaaba-ca1",
        ] {
            assert_eq!(text.parse::<Principal>(), Err(NoPrincipal), "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_principal_has_one_text(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            match Principal::from_slice(&bytes) {
                Ok(principal) => {
                    prop_assert!(bytes.len() <= 29);
                    prop_assert_eq!(principal.to_string().parse(), Ok(principal));
                }
                Err(NoPrincipal) => prop_assert!(bytes.len() > 29),
            }
        }

        #[test]
        fn any_text_is_a_principal_or_none(text: String, plain in "[a-z2-7-]{0,90}") {
            for text in [text, plain] {
                if let Ok(principal) = text.parse::<Principal>() {
                    prop_assert_eq!(principal.to_string(), text);
                }
            }
        }
    }
}
