//! Block parts that no node sends in a recomputable form.

use core::fmt;

use superroot_types::BlockNumber;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnprovablePart {
    /// Transactions and receipts.
    Body,
    Receipts,
    /// Transactions and receipts of a block with an entry of this type.
    BodyWith(u8),
    /// Transactions of a block with a transaction as long as an inner tree node, 64 bytes: for ledgers with
    /// transactions as leaves of a binary tree.
    BodyWithNodeSized,
    /// Receipts of a block with a header that settles other blocks.
    ReceiptsIfSettled,
}

impl UnprovablePart {
    /// Reads a part name: `body`, `receipts`, `body with 0x7f`, `body with 64 bytes`, `receipts if settled`.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "body" => Some(Self::Body),
            "receipts" => Some(Self::Receipts),
            "body with 64 bytes" => Some(Self::BodyWithNodeSized),
            "receipts if settled" => Some(Self::ReceiptsIfSettled),
            _ => {
                let digits =
                    name.strip_prefix("body with 0x").filter(|digits| digits.len() == 2)?;
                u8::from_str_radix(digits, 16).ok().map(Self::BodyWith)
            }
        }
    }
}

impl fmt::Display for UnprovablePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Body => f.write_str("body"),
            Self::Receipts => f.write_str("receipts"),
            Self::BodyWith(tx_type) => write!(f, "body with {tx_type:#04x}"),
            Self::BodyWithNodeSized => f.write_str("body with 64 bytes"),
            Self::ReceiptsIfSettled => f.write_str("receipts if settled"),
        }
    }
}

/// Block range with a part never verified and excluded from the extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnprovableRange {
    pub from_number: u64,
    /// Last block number; `None` for no end.
    pub to_number: Option<u64>,
    pub what: UnprovablePart,
    /// Reason for people; at most 200 bytes.
    pub why: String,
}

impl UnprovableRange {
    /// Whether the range includes the number.
    #[must_use]
    pub fn holds_at(&self, number: BlockNumber) -> bool {
        self.from_number <= number.0 && self.to_number.is_none_or(|to| number.0 <= to)
    }
}
