//! Calls of contracts, encoded as the ABI says: a selector, then words of 32 bytes.

use sha3::{Digest, Keccak256};

/// One argument.
#[derive(Clone, Debug)]
pub enum Arg {
    /// An address, as hex.
    Address(String),
    /// A number.
    Uint(u128),
    /// A number that may be below zero.
    Int(i128),
    /// Bytes of any number.
    Bytes(Vec<u8>),
    /// A list of addresses.
    Addresses(Vec<String>),
}

impl From<&str> for Arg {
    fn from(address: &str) -> Self {
        Self::Address(address.to_owned())
    }
}

impl From<u128> for Arg {
    fn from(number: u128) -> Self {
        Self::Uint(number)
    }
}

fn keccak(bytes: &[u8]) -> [u8; 32] {
    Keccak256::digest(bytes).into()
}

/// First topic of an event.
pub fn topic(signature: &str) -> String {
    const_hex::encode_prefixed(keccak(signature.as_bytes()))
}

/// A call of `name(types)`.
pub fn call(signature: &str, arguments: &[Arg]) -> Vec<u8> {
    let mut data = keccak(signature.as_bytes())[..4].to_vec();
    data.extend(encode(arguments));
    data
}

/// Arguments: fixed ones in place, lists behind them with an offset in place.
pub fn encode(arguments: &[Arg]) -> Vec<u8> {
    let (mut head, mut tail) = (Vec::new(), Vec::new());
    for argument in arguments {
        match argument {
            Arg::Address(address) => head.extend(address_word(address)),
            Arg::Uint(number) => head.extend(word(*number)),
            Arg::Int(number) => {
                let sign = if *number < 0 { 0xff } else { 0 };
                head.extend([sign; 16]);
                head.extend(number.to_be_bytes());
            }
            Arg::Bytes(bytes) => {
                head.extend(word((arguments.len() * 32 + tail.len()) as u128));
                tail.extend(word(bytes.len() as u128));
                tail.extend(bytes);
                tail.resize(tail.len().next_multiple_of(32), 0);
            }
            Arg::Addresses(addresses) => {
                head.extend(word((arguments.len() * 32 + tail.len()) as u128));
                tail.extend(word(addresses.len() as u128));
                tail.extend(addresses.iter().flat_map(|address| address_word(address)));
            }
        }
    }
    head.extend(tail);
    head
}

fn word(number: u128) -> [u8; 32] {
    let mut word = [0; 32];
    word[16..].copy_from_slice(&number.to_be_bytes());
    word
}

fn address_word(address: &str) -> [u8; 32] {
    let mut word = [0; 32];
    const_hex::decode_to_slice(address, &mut word[12..]).unwrap();
    word
}
