//! Accounts of the ledger: 28 bytes, written with the CRC-32 of them in front.

use core::fmt;

use alloc::string::String;

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

    /// The checksum and the bytes.
    #[must_use]
    pub fn with_checksum(&self) -> [u8; 32] {
        let mut whole = [0; 32];
        let bytes = self.checksum().into_iter().chain(self.0);
        whole.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        whole
    }

    /// 64 hex digits, as ledgers and explorers write it.
    #[must_use]
    pub fn text(&self) -> String {
        const_hex::encode(self.with_checksum())
    }
}

impl fmt::Display for AccountId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

/// What each byte adds to a CRC-32 of IEEE 802.3.
const CRC_TABLE: [u32; 256] = crc_table();

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "evaluated at build time"
)]
const fn crc_table() -> [u32; 256] {
    let (mut table, mut byte) = ([0; 256], 0);
    while byte < table.len() {
        let (mut sum, mut bit) = (byte as u32, 0);
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}

/// CRC-32 of IEEE 802.3.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let [low, ..] = sum.to_le_bytes();
        let added = CRC_TABLE.get(usize::from(low ^ byte)).copied().unwrap_or(0); // always there
        (sum >> 8) ^ added
    };
    !bytes.iter().fold(u32::MAX, step)
}
