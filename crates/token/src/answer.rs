//! Metadata query of a token contract, and the decoding of its answer.
//!
//! One call runs creation code that is never deployed: the code calls the token three times and returns the results as
//! deployed code. All three facts belong to one block, a failing call is not a node error, and at most
//! [`RETURNED_BYTES_MAX`] bytes of each result leave the node.
//!
//! ```text
//! answer      decimals ‖ symbol ‖ name, each [`PART_BYTES`] long:
//! part        whether it succeeded:32 ‖ bytes returned:32 ‖ the first of them, zeros behind
//! ```

use alloy_primitives::{Address, U256, hex};
use superroot_dex::TOKEN_DECIMALS_MAX;
use superroot_types::{first_chars, plain};

/// Most returned bytes read per call.
const RETURNED_BYTES_MAX: usize = 288;
const PART_BYTES: usize = 64 + RETURNED_BYTES_MAX;
/// Most characters of a symbol; a longer one is dropped.
const SYMBOL_CHARS_MAX: usize = 32;
const NAME_CHARS_MAX: usize = 64;
/// Gas of each of the three calls.
const PART_GAS: u32 = 300_000;
/// Total gas: three calls, plus the answer as code at 200 a byte (EIP-2).
pub(crate) const GAS: u64 = 2_000_000;
/// Memory offset of call inputs, behind the answer.
const SCRATCH: u16 = 0x500;

/// `decimals()`, `symbol()`, `name()` (EIP-20).
const SELECTORS: [[u8; 4]; 3] = [hex!("313ce567"), hex!("95d89b41"), hex!("06fdde03")];

/// Metadata claimed by a token contract.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Sanitised symbol, 1 to 32 characters.
    pub symbol: Option<String>,
    /// Sanitised name, 1 to 64 characters.
    pub name: Option<String>,
    /// Decimal places, 0 to 36.
    pub decimals: Option<u8>,
}

#[must_use]
pub fn question(token: Address) -> Vec<u8> {
    let mut code = Vec::new();
    for (place, selector) in SELECTORS.iter().enumerate() {
        let part = place * PART_BYTES;
        let [succeeded, length, bytes] = [part, part + 32, part + 64].map(push_offset);
        let scratch = push_2(SCRATCH);
        let most = push_2(RETURNED_BYTES_MAX as u16);
        let gas = PART_GAS.to_be_bytes();
        code.extend([0x63].iter().chain(selector)); // PUSH4 selector
        code.extend(hex!("60e01b")); // into the highest four bytes: PUSH1 224 SHL
        code.extend([&scratch[..], &hex!("52")].concat()); // MSTORE
        code.extend(hex!("600060006004")); // nothing is copied out; four bytes in
        code.extend(scratch);
        code.extend([0x73].iter().chain(token.as_slice())); // PUSH20 token
        code.extend([0x62].iter().chain(&gas[1..])); // PUSH3 gas
        code.push(0xfa); // STATICCALL
        code.extend([&succeeded[..], &hex!("52")].concat()); // MSTORE
        code.extend([&hex!("3d"), &length[..], &hex!("52")].concat()); // RETURNDATASIZE, MSTORE
        // the lesser of size and most: size ^ ((size ^ most) * (most < size))
        code.extend([&hex!("3d"), &most[..], &hex!("10")].concat()); // LT
        code.extend([&hex!("3d"), &most[..], &hex!("18")].concat()); // XOR
        code.extend(hex!("023d18")); // MUL, RETURNDATASIZE, XOR
        code.extend([&hex!("6000"), &bytes[..], &[0x3e]].concat()); // RETURNDATACOPY
    }
    code.extend(push_offset(SELECTORS.len() * PART_BYTES));
    code.extend(hex!("6000f3")); // RETURN
    code
}

const fn push_2(value: u16) -> [u8; 3] {
    let [high, low] = value.to_be_bytes();
    [0x61, high, low]
}

fn push_offset(offset: usize) -> [u8; 3] {
    push_2(u16::try_from(offset).expect("three parts end before 65,536"))
}

/// Decodes an answer to [`question`]; `None` if the answer has another form.
#[must_use]
pub fn decode(answer: &[u8]) -> Option<Metadata> {
    let mut parts = answer.chunks_exact(PART_BYTES);
    let [decimals, symbol, name] = [parts.next()?, parts.next()?, parts.next()?];
    if parts.next().is_some() || !parts.remainder().is_empty() {
        return None;
    }
    Some(Metadata {
        decimals: returned(decimals).and_then(number),
        symbol: returned(symbol).and_then(text).and_then(|text| harmless(&text, SYMBOL_CHARS_MAX)),
        name: returned(name).and_then(text).and_then(|text| harmless(&text, NAME_CHARS_MAX)),
    })
}

/// Returned bytes of a call and their full length; `None` if the call failed.
fn returned(part: &[u8]) -> Option<(&[u8], usize)> {
    let (succeeded, rest) = part.split_at_checked(32)?;
    let (length, bytes) = rest.split_at_checked(32)?;
    let length = word(length)?;
    (word(succeeded)? == 1).then(|| (&bytes[..length.min(bytes.len())], length))
}

/// Converts a word to `usize`; `None` if the word does not fit.
fn word(bytes: &[u8]) -> Option<usize> {
    usize::try_from(U256::from_be_slice(bytes.get(..32)?)).ok()
}

fn number((bytes, _): (&[u8], usize)) -> Option<u8> {
    u8::try_from(word(bytes)?).ok().filter(|decimals| *decimals <= TOKEN_DECIMALS_MAX)
}

/// Decodes an ABI string, or one zero-padded word as old contracts (MKR) return.
fn text((bytes, length): (&[u8], usize)) -> Option<String> {
    let raw = if length == 32 {
        let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
        bytes.get(..end)?
    } else {
        let offset = word(bytes)?;
        let start = offset.checked_add(32)?;
        let text_length = word(bytes.get(offset..)?)?;
        bytes.get(start..start.checked_add(text_length)?)?
    };
    String::from_utf8(raw.to_vec()).ok()
}

/// Sanitises a text; `None` if the text is empty or longer than `chars_max`.
fn harmless(text: &str, chars_max: usize) -> Option<String> {
    let text = plain(text.trim());
    let is_whole = first_chars(&text, chars_max).len() == text.len();
    (!text.is_empty() && is_whole).then_some(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn part(succeeded: bool, returned: &[u8], length: usize) -> Vec<u8> {
        let mut part = vec![0; PART_BYTES];
        part[31] = succeeded.into();
        part[32..64].copy_from_slice(&U256::from(length).to_be_bytes::<32>());
        let kept = returned.len().min(RETURNED_BYTES_MAX);
        part[64..64 + kept].copy_from_slice(&returned[..kept]);
        part
    }

    fn string(text: &[u8]) -> Vec<u8> {
        let mut bytes = U256::from(32).to_be_bytes::<32>().to_vec();
        bytes.extend(U256::from(text.len()).to_be_bytes::<32>());
        bytes.extend(text);
        bytes.resize(bytes.len().next_multiple_of(32), 0);
        bytes
    }

    fn of(decimals: &[u8], symbol: &[u8], name: &[u8]) -> Metadata {
        let parts = [decimals, symbol, name].map(|bytes| part(true, bytes, bytes.len()));
        decode(&parts.concat()).unwrap()
    }

    fn digits(number: u64) -> Vec<u8> {
        U256::from(number).to_be_bytes::<32>().to_vec()
    }

    #[test]
    fn a_usual_token_says_all_three() {
        let said = of(&digits(6), &string(b"USDC"), &string(b"USD Coin"));
        let expected = Metadata {
            symbol: Some("USDC".to_owned()),
            name: Some("USD Coin".to_owned()),
            decimals: Some(6),
        };
        assert_eq!(said, expected);
    }

    #[test]
    fn texts_of_one_word_are_read_as_old_contracts_mean_them() {
        let mut maker = b"MKR".to_vec();
        maker.resize(32, 0);
        assert_eq!(of(&digits(18), &maker, &maker).symbol.as_deref(), Some("MKR"));
        assert_eq!(of(&digits(18), &[0; 32], &maker).symbol, None);
    }

    #[test]
    fn what_is_missing_wrong_or_too_much_is_nothing() {
        let good = string(b"A");
        assert_eq!(of(&[], &[], &[]), Metadata::default(), "an account without code");
        assert_eq!(of(&digits(37), &good, &good).decimals, None);
        assert_eq!(of(&[0xff; 32], &good, &good).decimals, None);
        assert_eq!(of(&digits(6), &string(&[0xff, 0xfe]), &good).symbol, None, "not UTF-8");
        assert_eq!(of(&digits(6), &string(&[b'A'; 33]), &good).symbol, None);
        assert_eq!(of(&digits(6), &string(b""), &good).symbol, None);
        let huge = string(&vec![b'A'; 10_000_000]);
        assert_eq!(of(&digits(6), &good, &huge).name, None);
        let failed = [part(false, &digits(6), 32), part(false, &good, 96), part(true, &good, 96)];
        let said = decode(&failed.concat()).unwrap();
        assert_eq!((said.decimals, said.symbol, said.name.as_deref()), (None, None, Some("A")));
        for length in [0, PART_BYTES * 3 - 1, PART_BYTES * 3 + 1, PART_BYTES * 4] {
            assert_eq!(decode(&vec![0; length]), None);
        }
    }

    #[test]
    fn marks_that_turn_writing_are_spelled_out() {
        let said = of(&digits(6), &string("U\u{202e}C\n".as_bytes()), &string(b"\x1b[31m"));
        assert_eq!(said.symbol.as_deref(), Some(r"U\u{202e}C"));
        assert_eq!(said.name.as_deref(), Some(r"\u{1b}[31m"));
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_panic(
            words in proptest::collection::vec((any::<[u8; 32]>(), 0_u8..4), 33), cut in 0_usize..3,
        ) {
            // mostly small numbers, where offsets and lengths stand
            let narrow = |(mut word, keep): ([u8; 32], u8)| {
                word[..32 - usize::from(keep)].fill(0);
                word
            };
            let mut answer: Vec<u8> = words.into_iter().flat_map(narrow).collect();
            answer.truncate(answer.len() - cut);
            if let Some(said) = decode(&answer) {
                prop_assert!(said.symbol.is_none_or(|symbol| symbol.chars().count() <= SYMBOL_CHARS_MAX));
            }
        }
    }
}
