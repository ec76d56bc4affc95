//! What of a chain's blocks no node sends in a form that can be recomputed.

use core::fmt;

use superroot_types::BlockNumber;

/// The part of a block that cannot be recomputed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnprovablePart {
    /// Transactions and receipts.
    Body,
    /// Receipts.
    Receipts,
    /// Transactions and receipts of a block that has an entry of this type.
    BodyWith(u8),
    /// Transactions of a block that has one as long as an inner node of its tree, 64 bytes: ledgers
    /// whose transactions are the leaves of a binary tree.
    BodyWithNodeSized,
    /// Receipts of a block whose header settles the results of other blocks.
    ReceiptsIfSettled,
}

impl UnprovablePart {
    /// The part of that name: `body`, `receipts`, `body with 0x7f`, `body with 64 bytes`,
    /// `receipts if settled`.
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

/// Blocks of which a part is never verified: it is left out of their extent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprovable {
    /// First block number.
    pub from_number: u64,
    /// Last block number; `None` for no end.
    pub to_number: Option<u64>,
    /// The part.
    pub what: UnprovablePart,
    /// Why, for people; at most 200 bytes.
    pub why: String,
}

impl Unprovable {
    /// Whether the block of that number is among them.
    #[must_use]
    pub fn holds_at(&self, number: BlockNumber) -> bool {
        self.from_number <= number.0 && self.to_number.is_none_or(|to| number.0 <= to)
    }
}
