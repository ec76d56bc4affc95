//! Transaction hash: SHA-256 over packed CBOR with numbered fields and variants.

use alloc::vec::Vec;

use superroot_types::Hash;

use super::account::IcpAccount;
use super::transaction::{Operation, Transaction};
use crate::hash::sha256_joined;

const UNSIGNED: u8 = 0;
const BYTES: u8 = 2;
const TEXT: u8 = 3;
const MAP: u8 = 5;
const NULL: u8 = 0xf6;

/// Transaction hash, as in the ledger and explorers. Two transactions with equal operation, memo and time have equal
/// hashes.
#[must_use]
pub fn transaction_hash(transaction: &Transaction) -> Hash {
    let Transaction { operation, memo, created_at_nanos, icrc1_memo } = transaction;
    let mut out = PackedBits(Vec::with_capacity(256));
    out.head(MAP, if icrc1_memo.is_some() { 4 } else { 3 });
    out.field(0).operation(operation);
    out.field(1).head(UNSIGNED, *memo);
    out.field(2).wrapped_or_null(*created_at_nanos);
    if let Some(memo) = icrc1_memo {
        out.field(3).head(BYTES, length(memo));
        out.0.extend_from_slice(memo);
    }
    sha256_joined(&[&out.0])
}

struct PackedBits(Vec<u8>);

impl PackedBits {
    /// Item head: major type and a number in the shortest form.
    fn head(&mut self, major: u8, number: u64) {
        let major = major << 5;
        let bytes = number.to_be_bytes();
        let (info, bytes) = match number {
            0..24 => (bytes.last().copied().unwrap_or(0), None),
            24..0x100 => (24, bytes.get(7..)),
            0x100..0x1_0000 => (25, bytes.get(6..)),
            0x1_0000..0x1_0000_0000 => (26, bytes.get(4..)),
            _ => (27, Some(bytes.as_slice())),
        };
        self.0.push(major | info);
        self.0.extend_from_slice(bytes.unwrap_or_default());
    }

    fn field(&mut self, number: u64) -> &mut Self {
        self.head(UNSIGNED, number);
        self
    }

    /// Tokens and times are records with a single number.
    fn wrapped(&mut self, number: u64) {
        self.head(MAP, 1);
        self.field(0).head(UNSIGNED, number);
    }

    fn wrapped_or_null(&mut self, number: Option<u64>) {
        match number {
            Some(number) => self.wrapped(number),
            None => self.0.push(NULL),
        }
    }

    fn account(&mut self, account: &IcpAccount) {
        let mut text = const_hex::Buffer::<32>::new();
        let text = text.format(&account.with_checksum()).as_bytes();
        self.head(TEXT, length(text));
        self.0.extend_from_slice(text);
    }

    /// Map from a variant to its fields; an absent spender has no field.
    fn operation(&mut self, operation: &Operation) {
        self.head(MAP, 1);
        match operation {
            Operation::Burn { from, amount_e8s, spender } => {
                self.field(0).head(MAP, if spender.is_some() { 3 } else { 2 });
                self.field(0).account(from);
                self.field(1).wrapped(*amount_e8s);
                if let Some(spender) = spender {
                    self.field(2).account(spender);
                }
            }
            Operation::Mint { to, amount_e8s } => {
                self.field(1).head(MAP, 2);
                self.field(0).account(to);
                self.field(1).wrapped(*amount_e8s);
            }
            Operation::Transfer { from, to, amount_e8s, fee_e8s, spender } => {
                self.field(2).head(MAP, if spender.is_some() { 5 } else { 4 });
                self.field(0).account(from);
                self.field(1).account(to);
                self.field(2).wrapped(*amount_e8s);
                self.field(3).wrapped(*fee_e8s);
                if let Some(spender) = spender {
                    self.field(4).account(spender);
                }
            }
            Operation::Approve {
                from,
                spender,
                allowance_e8s,
                expected_allowance_e8s,
                expires_at_nanos,
                fee_e8s,
            } => {
                self.field(3).head(MAP, 6);
                self.field(0).account(from);
                self.field(1).account(spender);
                self.field(2).wrapped(*allowance_e8s);
                self.field(3).wrapped_or_null(*expected_allowance_e8s);
                self.field(4).wrapped_or_null(*expires_at_nanos);
                self.field(5).wrapped(*fee_e8s);
            }
        }
    }
}

fn length(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}
