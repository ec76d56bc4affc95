//! Accounts of the ledger: 28 bytes, written with the CRC-32 of them in front.

use core::fmt;

use alloc::string::{String, ToString};

/// Bytes of the hash.
const HASH_BYTES: usize = 28;

/// An account of the ledger: a SHA-224 of its owner and subaccount. Its text is the hex of a CRC-32 of
/// those 28 bytes, big-endian, and of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountId(pub [u8; HASH_BYTES]);

impl AccountId {
    /// Reads the 28 bytes, or the 32 with the checksum in front; `None` for another length or sum.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        if let Ok(hash) = bytes.try_into() {
            return Some(Self(hash));
        }
        let (sum, hash) = bytes.split_at_checked(4)?;
        let account = Self(hash.try_into().ok()?);
        (sum == account.checksum()).then_some(account)
    }

    /// The checksum in front of its text.
    #[must_use]
    pub fn checksum(&self) -> [u8; 4] {
        crc32(&self.0).to_be_bytes()
    }

    /// 64 hex digits, as ledgers and explorers write it.
    #[must_use]
    pub fn text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.checksum().iter().chain(&self.0).try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// CRC-32 of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(u32::MAX, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}
