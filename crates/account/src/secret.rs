//! Key text: generation, parsing and checking without the store.
//!
//! ```text
//! svc_live_ 9fK2...(43 characters)...Qz 0aB3dE
//! '-------' '-------------------------' '----'
//!  prefix    32 random bytes in base62   CRC-32 of all before, in base62
//! ```
//! Base62 is `0-9A-Za-z`, most significant digit first, at fixed width: 43 digits for 32 bytes, 6 for a CRC-32 (zlib's,
//! so every language can check a key offline). Scanners find keys by [`KEY_PATTERN`]; the checksum excludes chance
//! matches.

use core::fmt;

use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};
use superroot_types::Hash;
use zeroize::{Zeroize, Zeroizing};

use crate::{AccountError, Environment};

/// Regular expression that matches every key, and hardly anything else.
pub const KEY_PATTERN: &str = r"svc_(live|test)_[0-9A-Za-z]{49}";

/// Characters before the random part.
const PREFIX_CHARS: usize = 9;

/// The random part's characters.
const RANDOM_CHARS: usize = 43;

const CHECKSUM_CHARS: usize = 6;

/// Random characters that name a key; far too few for guessing the rest.
const NAMING_CHARS: usize = 8;

/// Characters of a key's public name, prefix included.
const KEY_PREFIX_CHARS: usize = PREFIX_CHARS + NAMING_CHARS;

const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Key text. Prints as `***` and is overwritten when dropped.
pub struct KeySecret(Zeroizing<String>);

impl KeySecret {
    /// Generates a key of 256 bits from system randomness.
    pub fn generate(environment: Environment) -> Result<Self, AccountError> {
        let mut bytes = Zeroizing::new([0_u8; 32]);
        SysRng.try_fill_bytes(&mut *bytes).map_err(|_| AccountError::Randomness)?;
        Ok(Self::of_bytes(environment, &bytes))
    }

    fn of_bytes(environment: Environment, bytes: &[u8; 32]) -> Self {
        let prefix = environment.key_prefix();
        let mut text = String::with_capacity(prefix.len() + RANDOM_CHARS + CHECKSUM_CHARS);
        text.push_str(prefix);
        push_base62(&mut text, bytes, RANDOM_CHARS);
        let checksum = crc32fast::hash(text.as_bytes());
        push_base62(&mut text, &checksum.to_be_bytes(), CHECKSUM_CHARS);
        Self(Zeroizing::new(text))
    }

    /// Returns the secret text, to be shown once.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// First characters, safe to show permanently.
    #[must_use]
    pub fn key_prefix(&self) -> String {
        let length = self.0.len() - RANDOM_CHARS - CHECKSUM_CHARS + NAMING_CHARS;
        self.0[..length].to_owned()
    }

    /// The key's stored hash.
    #[must_use]
    pub fn hash(&self) -> Hash {
        Hash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

impl fmt::Display for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// Contents of a key text with valid form and checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadKey {
    pub environment: Environment,
    /// SHA-256 of the whole text.
    pub hash: Hash,
}

/// Parses a key offline, without the store, so a typo costs nothing.
///
/// # Errors
/// [`AccountError::NotAKey`] with the fault: prefix, length, a character, or checksum.
///
/// ```
/// use superroot_account::{Environment, KeySecret, read_key};
/// let secret = KeySecret::generate(Environment::Test)?;
/// assert_eq!(read_key(secret.expose())?.hash, secret.hash());
/// assert_eq!(read_key("svc_test_").unwrap_err().to_string(), "not a key: length");
/// # Ok::<(), superroot_account::AccountError>(())
/// ```
pub fn read_key(text: &str) -> Result<ReadKey, AccountError> {
    let refuse = |why| Err(AccountError::NotAKey { why });
    let worlds = [Environment::Live, Environment::Test];
    let found = worlds.into_iter().find_map(|environment| {
        text.strip_prefix(environment.key_prefix()).map(|rest| (environment, rest))
    });
    let Some((environment, rest)) = found else { return refuse("prefix") };
    if rest.len() != RANDOM_CHARS + CHECKSUM_CHARS {
        return refuse("length");
    }
    if !rest.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return refuse("character");
    }
    let (body, claimed) = text.split_at(text.len() - CHECKSUM_CHARS);
    if checksum(crc32fast::hash(body.as_bytes())) != claimed.as_bytes() {
        return refuse("checksum");
    }
    Ok(ReadKey { environment, hash: Hash(Sha256::digest(text.as_bytes()).into()) })
}

/// SHA-256 of any text with the length of a key; `None` for other lengths.
pub(crate) fn hash_of_key_sized(text: &str) -> Option<Hash> {
    let is_sized = text.len() == PREFIX_CHARS + RANDOM_CHARS + CHECKSUM_CHARS;
    is_sized.then(|| Hash(Sha256::digest(text.as_bytes()).into()))
}

/// Most random characters in a stored text: enough to name a key, fewer than half a key.
const SHOWN_CHARS_MAX: usize = 16;

/// Whether a text contains more of a key than its name, also partly or mistyped: the rest could be guessed.
pub(crate) fn shows_key(text: &str) -> bool {
    let begins = ["svc_live_", "svc_test_"].iter().flat_map(|prefix| text.match_indices(prefix));
    begins.map(|(at, prefix)| &text.as_bytes()[at + prefix.len()..]).any(|rest| {
        let shown = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        shown > SHOWN_CHARS_MAX
    })
}

/// Cuts apparent keys in a text to their names, for answers and logs.
#[must_use]
pub fn without_keys(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = ["svc_live_", "svc_test_"].iter().filter_map(|of| rest.find(of)).min() {
        let (before, key) = rest.split_at(at);
        let is_of_key = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let length = key.bytes().take_while(is_of_key).count();
        let (key, after) = key.split_at(length);
        shown.push_str(before);
        shown.push_str(key.get(..KEY_PREFIX_CHARS).unwrap_or(key));
        if length > KEY_PREFIX_CHARS {
            shown.push('…');
        }
        rest = after;
    }
    shown.push_str(rest);
    shown
}

/// CRC at the end of a key. Not zeroised like [`push_base62`], for speed: a caller with the key knows the text anyway.
fn checksum(crc: u32) -> [u8; CHECKSUM_CHARS] {
    let mut left = crc;
    let mut digits = [DIGITS[0]; CHECKSUM_CHARS];
    for digit in digits.iter_mut().rev() {
        *digit = DIGITS[(left % 62) as usize];
        left /= 62;
    }
    digits
}

/// Appends a big-endian number in base62, `width` digits wide; the number must fit.
fn push_base62(out: &mut String, number: &[u8], width: usize) {
    let mut left = Zeroizing::new(number.to_vec());
    let mut digits = Zeroizing::new(vec![DIGITS[0]; width]);
    for digit in digits.iter_mut().rev() {
        let mut remainder = 0_u32;
        for byte in left.iter_mut() {
            let part = (remainder << 8) | u32::from(*byte);
            *byte = u8::try_from(part / 62).expect("the remainder is below 62, so below 256");
            remainder = part % 62;
        }
        *digit = DIGITS[remainder as usize];
        remainder.zeroize();
    }
    debug_assert!(left.iter().all(|byte| *byte == 0), "the number is wider than told");
    out.extend(digits.iter().map(|digit| char::from(*digit)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KNOWN: [(Environment, u8, &str); 3] = [
        (Environment::Live, 0xa5, "svc_live_dHMOUNLh0UTx6gmQ9MHQdRUvZdbXMLLlzChlYYN1shx3ff55D"),
        (Environment::Test, 0x00, "svc_test_00000000000000000000000000000000000000000001ysabI"),
        (Environment::Live, 0xff, "svc_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp144yjiy"),
    ];

    fn sample() -> KeySecret {
        KeySecret::of_bytes(Environment::Live, &[0xa5; 32])
    }

    fn why(text: &str) -> &'static str {
        match read_key(text) {
            Err(AccountError::NotAKey { why }) => why,
            other => panic!("{other:?}"),
        }
    }

    /// Computed with Python: int.from_bytes, divmod by 62, zlib.crc32.
    #[test]
    fn known_keys_come_out_as_another_language_makes_them() {
        for (environment, byte, expected) in KNOWN {
            assert_eq!(KeySecret::of_bytes(environment, &[byte; 32]).expose(), expected);
        }
    }

    #[test]
    fn a_key_has_the_published_form_and_leads_to_its_hash() {
        for environment in [Environment::Live, Environment::Test] {
            let secret = KeySecret::generate(environment).unwrap();
            let rest = secret.expose().strip_prefix(environment.key_prefix()).unwrap();
            assert_eq!(rest.len(), 49);
            assert!(rest.bytes().all(|byte| byte.is_ascii_alphanumeric()));
            let read = read_key(secret.expose()).unwrap();
            assert_eq!((read.environment, read.hash), (environment, secret.hash()));
            assert_eq!(secret.key_prefix(), secret.expose()[..17]);
        }
        assert!(KEY_PATTERN.contains("{49}") && KEY_PATTERN.starts_with("svc_(live|test)_"));
    }

    #[test]
    fn the_documents_hold_the_pattern_and_the_example_that_are_read() {
        let document = include_str!("../../../docs/accounts.md");
        assert!(document.contains(&format!("`{KEY_PATTERN}`")));
        let example = KNOWN[1].2;
        assert!(document.contains(example) && read_key(example).is_ok());
    }

    #[test]
    fn a_secret_prints_as_stars_and_no_two_are_alike() {
        let (a, b) = (sample(), KeySecret::generate(Environment::Live).unwrap());
        assert_eq!((format!("{a}"), format!("{a:?}")), ("***".to_owned(), "***".to_owned()));
        assert_ne!(a.hash(), b.hash());
    }

    #[test]
    fn what_is_no_key_is_told_by_what_is_wrong_with_it() {
        let secret = sample();
        let good = secret.expose();
        assert_eq!(why(""), "prefix");
        assert_eq!(why("Bearer x"), "prefix");
        assert_eq!(why(&good.to_uppercase()), "prefix");
        assert_eq!(why(&good[..57]), "length");
        assert_eq!(why(&format!("{good}0")), "length");
        assert_eq!(why(&format!("{} ", &good[..57])), "character");
        assert_eq!(why(&good.replace("svc_live_", "svc_test_")), "checksum");
        let wide = format!("svc_live_{}é", &"0".repeat(47));
        assert_eq!(why(&wide), "character"); // 49 bytes, and a character across any cut
    }

    #[test]
    fn no_single_typo_and_no_swap_of_neighbours_passes() {
        let secret = sample();
        let good = secret.expose().as_bytes();
        for place in 9..good.len() {
            for digit in DIGITS {
                let mut typo = good.to_vec();
                typo[place] = *digit;
                let passes = read_key(std::str::from_utf8(&typo).unwrap()).is_ok();
                assert_eq!(passes, typo == good, "{place}");
            }
            if place + 1 < good.len() && good[place] != good[place + 1] {
                let mut swapped = good.to_vec();
                swapped.swap(place, place + 1);
                assert_eq!(why(std::str::from_utf8(&swapped).unwrap()), "checksum");
            }
        }
    }

    proptest! {
        #[test]
        fn every_key_made_is_read_and_different_bytes_give_different_keys(
            a in any::<[u8; 32]>(),
            b in any::<[u8; 32]>(),
        ) {
            let (first, second) =
                (KeySecret::of_bytes(Environment::Test, &a), KeySecret::of_bytes(Environment::Test, &b));
            prop_assert_eq!(read_key(first.expose()).unwrap().hash, first.hash());
            prop_assert_eq!(first.expose() == second.expose(), a == b);
        }

        #[test]
        fn no_text_makes_reading_panic(text in "\\PC{0,80}", tail in "\\PC{0,49}") {
            let _ = read_key(&text);
            let text = format!("svc_live_{tail}");
            prop_assert!(read_key(&text).is_err());
        }
    }
}
