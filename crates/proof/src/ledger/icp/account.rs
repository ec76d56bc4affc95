//! Ledger accounts: 28 bytes, written after their CRC-32.

use core::fmt;

use alloc::string::String;

/// Hash length in bytes.
const HASH_BYTES: usize = 28;

/// Ledger account: SHA-224 over owner and subaccount. The text form is hex over a big-endian CRC-32 and the 28 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IcpAccount(pub [u8; HASH_BYTES]);

impl IcpAccount {
    /// Reads 28 bytes, or 32 with a leading checksum; `None` for another length or checksum.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Option<Self> {
        if let Ok(hash) = bytes.try_into() {
            return Some(Self(hash));
        }
        let (sum, hash) = bytes.split_at_checked(4)?;
        let account = Self(hash.try_into().ok()?);
        (sum == account.checksum()).then_some(account)
    }

    /// Leading checksum in the text form.
    #[must_use]
    pub fn checksum(&self) -> [u8; 4] {
        crc32(&self.0).to_be_bytes()
    }

    /// Checksum and bytes.
    #[must_use]
    pub fn with_checksum(&self) -> [u8; 32] {
        let mut whole = [0; 32];
        let bytes = self.checksum().into_iter().chain(self.0);
        whole.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte);
        whole
    }

    /// 64 hex digits, as in ledgers and explorers.
    #[must_use]
    pub fn text(&self) -> String {
        const_hex::encode(self.with_checksum())
    }
}

impl fmt::Display for IcpAccount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text())
    }
}

const CRC_TABLE: [u32; 256] = crc_table();

#[allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "evaluated at build time"
)]
const fn crc_table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut sum = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 1 == 1 { (sum >> 1) ^ 0xedb8_8320 } else { sum >> 1 };
            bit += 1;
        }
        table[byte] = sum;
        byte += 1;
    }
    table
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        let [low, ..] = sum.to_le_bytes();
        let added = CRC_TABLE.get(usize::from(low ^ byte)).copied().unwrap_or(0); // always there
        (sum >> 8) ^ added
    };
    !bytes.iter().fold(u32::MAX, step)
}
