//! The closed set of tables.

use core::fmt;

/// A table: its own key space, ordered by key bytes. The discriminant is part of every row's
/// checksum and never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Table {
    /// Single facts about the store and the log it holds.
    Meta = 0,
    /// How far each chain has come.
    ChainState = 1,
    /// Verified blocks: header, hash, evidence.
    Block = 2,
    /// Trie nodes of the blocks whose entries are indexed.
    Body = 3,
    /// Transaction hash prefix to place.
    Transaction = 4,
    /// Inner nodes of the Mini-MMRs.
    MiniMmrNode = 5,
    /// Twig leaves of the Mini-MMRs, and the way back from a twig to its leaf.
    MiniMmrLeaf = 6,
    /// Nodes of the history log.
    HistoryNode = 7,
    /// `SuperRoot`s by sequence.
    SuperRoot = 8,
    /// `SuperRoot` hash to sequence.
    SuperRootByHash = 9,
    /// Registries by their root.
    Registry = 10,
    /// Blocks that were refused, and why.
    Refused = 11,
    /// Runs of final blocks, and how much of them is held.
    Coverage = 12,
    /// Blocks that were taken as final and are not.
    Retraction = 13,
    /// Chains that are halted until somebody has looked.
    Halt = 14,
    /// Twigs below a chain's run that are being filled.
    Backfill = 15,
    /// Watch lists by their hash, and the one a chain is collected under.
    Watch = 16,
    /// Accounts by id.
    Account = 17,
    /// Keys of each account, by account and key id.
    AccountKey = 18,
    /// SHA-256 of a key to its account and id.
    KeyHash = 19,
    /// Wallets: who claims and who has proven them.
    Wallet = 20,
    /// Messages to sign that were handed out, until they are used or too old.
    Challenge = 21,
    /// Subscriptions, and every step they took.
    Subscription = 22,
    /// Requests counted, by hour, day and month.
    Usage = 23,
    /// The ledger of money: entries, never changed.
    Journal = 24,
    /// Invoices by account and month.
    Invoice = 25,
    /// What operators did, and why.
    Audit = 26,
}

impl Table {
    /// Every table, in order of its byte.
    pub const ALL: [Self; 27] = [
        Self::Meta,
        Self::ChainState,
        Self::Block,
        Self::Body,
        Self::Transaction,
        Self::MiniMmrNode,
        Self::MiniMmrLeaf,
        Self::HistoryNode,
        Self::SuperRoot,
        Self::SuperRootByHash,
        Self::Registry,
        Self::Refused,
        Self::Coverage,
        Self::Retraction,
        Self::Halt,
        Self::Backfill,
        Self::Watch,
        Self::Account,
        Self::AccountKey,
        Self::KeyHash,
        Self::Wallet,
        Self::Challenge,
        Self::Subscription,
        Self::Usage,
        Self::Journal,
        Self::Invoice,
        Self::Audit,
    ];

    /// The byte that stands for the table in checksums and digests.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Place in [`Table::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
    }

    /// The word used in messages, and the engine's name for the table.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Meta => "meta",
            Self::ChainState => "chain_state",
            Self::Block => "block",
            Self::Body => "body",
            Self::Transaction => "transaction",
            Self::MiniMmrNode => "mini_mmr_node",
            Self::MiniMmrLeaf => "mini_mmr_leaf",
            Self::HistoryNode => "history_node",
            Self::SuperRoot => "super_root",
            Self::SuperRootByHash => "super_root_by_hash",
            Self::Registry => "registry",
            Self::Refused => "refused",
            Self::Coverage => "coverage",
            Self::Retraction => "retraction",
            Self::Halt => "halt",
            Self::Backfill => "backfill",
            Self::Watch => "watch",
            Self::Account => "account",
            Self::AccountKey => "account_key",
            Self::KeyHash => "key_hash",
            Self::Wallet => "wallet",
            Self::Challenge => "challenge",
            Self::Subscription => "subscription",
            Self::Usage => "usage",
            Self::Journal => "journal",
            Self::Invoice => "invoice",
            Self::Audit => "audit",
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_stands_where_its_byte_says_and_has_its_own_name() {
        let mut names = std::collections::BTreeSet::new();
        for (place, table) in Table::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(table.byte()), place);
            assert_eq!(table.index(), place);
            assert!(names.insert(table.name()), "{table} names two tables");
        }
    }
}
