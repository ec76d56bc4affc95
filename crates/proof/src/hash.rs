//! Hash functions: Keccak-256 for the commitment, SHA-256 for its history, and the ledgers' own.

use core::fmt;

use blake2::{Blake2b, digest::consts::U32};
use sha2::Sha256;
use sha3::{Digest, Keccak256, Sha3_256};
use superroot_types::Hash;

/// Keccak-256, the `H` of `docs/protocol.md`.
#[must_use]
pub fn keccak256(bytes: &[u8]) -> Hash {
    Hash(Keccak256::digest(bytes).into())
}

/// Keccak-256 over the joined parts.
#[must_use]
pub fn keccak256_joined(parts: &[&[u8]]) -> Hash {
    let mut hasher = Keccak256::new();
    for part in parts {
        hasher.update(part);
    }
    Hash(hasher.finalize().into())
}

/// SHA3-256 over the joined parts (Aptos).
#[must_use]
pub fn sha3_256_joined(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha3_256::new();
    for part in parts {
        hasher.update(part);
    }
    Hash(hasher.finalize().into())
}

/// SHA-256 over the joined parts.
#[must_use]
pub fn sha256_joined(parts: &[&[u8]]) -> Hash {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    Hash(hasher.finalize().into())
}

/// Incremental SHA-256, for parts that are not all in memory.
#[derive(Clone, Default)]
pub struct RunningSha256(Sha256);

impl RunningSha256 {
    /// Appends bytes.
    pub fn add(&mut self, part: &[u8]) -> &mut Self {
        self.0.update(part);
        self
    }

    /// Hash over all appended bytes.
    #[must_use]
    pub fn finish(self) -> Hash {
        Hash(self.0.finalize().into())
    }
}

impl fmt::Debug for RunningSha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunningSha256")
    }
}

/// Double SHA-256 over the joined parts (Bitcoin).
#[must_use]
pub fn sha256d(parts: &[&[u8]]) -> Hash {
    sha256_joined(&[&sha256_joined(parts).0])
}

/// BLAKE2b with 32-byte output (Polkadot, Sui).
#[must_use]
pub fn blake2b_256(bytes: &[u8]) -> Hash {
    blake2b_256_joined(&[bytes])
}

/// BLAKE2b with 32-byte output over the joined parts.
#[must_use]
pub fn blake2b_256_joined(parts: &[&[u8]]) -> Hash {
    let mut hasher = Blake2b::<U32>::new();
    for part in parts {
        hasher.update(part);
    }
    Hash(hasher.finalize().into())
}

/// Inner node in every Keccak tree: `H(01 ‖ left ‖ right)`.
#[must_use]
pub fn node(left: &Hash, right: &Hash) -> Hash {
    keccak256(&node_input(left, right))
}

/// `01 ‖ left ‖ right`, hashed in a single call for speed.
pub(crate) fn node_input(left: &Hash, right: &Hash) -> [u8; 65] {
    let mut input = [0x01; 65];
    input[1..33].copy_from_slice(&left.0);
    input[33..].copy_from_slice(&right.0);
    input
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_parts_hash_as_one_text() {
        assert_eq!(keccak256_joined(&[b"ab", b"", b"c"]), keccak256(b"abc"));
        let empty = "0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470";
        assert_eq!(keccak256(b""), empty.parse().unwrap());
        let empty = "0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256_joined(&[]), empty.parse().unwrap());
        let mut running = RunningSha256::default();
        running.add(b"ab").add(b"").add(b"c");
        assert_eq!(running.finish(), sha256_joined(&[b"abc"]));
        let hello = "0x9595c9df90075148eb06860365df33584b75bff782a510c6cd4883a419833d50";
        assert_eq!(sha256d(&[b"he", b"llo"]), hello.parse().unwrap());
        let empty = "0x0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8";
        assert_eq!(blake2b_256(b""), empty.parse().unwrap());
        let abc = "0xbddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319";
        assert_eq!(blake2b_256_joined(&[b"a", b"", b"bc"]), abc.parse().unwrap());
    }
}
