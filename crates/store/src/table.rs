//! The closed set of tables.

use core::fmt;

/// One list of all tables: byte, name in Rust, name in messages and in the engine.
macro_rules! tables {
    ($($(#[$doc:meta])* $byte:literal $table:ident $name:literal,)*) => {
        /// A table: its own key space, ordered by key bytes. Its byte is part of every row's
        /// checksum and never changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Table {
            $($(#[$doc])* $table = $byte,)*
        }

        impl Table {
            /// Every table, in order of its byte.
            pub const ALL: [Self; [$($byte),*].len()] = [$(Self::$table),*];

            /// The word used in messages, and the engine's name for the table.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$table => $name,)*
                }
            }
        }
    };
}

tables! {
    /// Single facts about the store and the log it holds.
    0 Meta "meta",
    /// How far each chain has come.
    1 ChainState "chain_state",
    /// Verified blocks: header, hash, evidence.
    2 Block "block",
    /// Trie nodes of the blocks whose entries are indexed.
    3 Body "body",
    /// Transaction hash prefix to place.
    4 Transaction "transaction",
    /// Inner nodes of the Mini-MMRs.
    5 MiniMmrNode "mini_mmr_node",
    /// Twig leaves of the Mini-MMRs, and the way back from a twig to its leaf.
    6 MiniMmrLeaf "mini_mmr_leaf",
    /// Nodes of the history log.
    7 HistoryNode "history_node",
    /// `SuperRoot`s by sequence.
    8 SuperRoot "super_root",
    /// `SuperRoot` hash to sequence.
    9 SuperRootByHash "super_root_by_hash",
    /// Registries by their root.
    10 Registry "registry",
    /// Blocks that were refused, and why.
    11 Refused "refused",
    /// Runs of final blocks, and how much of them is held.
    12 Coverage "coverage",
    /// Blocks that were taken as final and are not.
    13 Retraction "retraction",
    /// Chains that are halted until somebody has looked.
    14 Halt "halt",
    /// Twigs below a chain's run that are being filled.
    15 Backfill "backfill",
    /// Watch lists by their hash, and the one a chain is collected under.
    16 Watch "watch",
    /// Accounts by id.
    17 Account "account",
    /// Keys of each account, by account and key id.
    18 AccountKey "account_key",
    /// SHA-256 of a key to its account and id.
    19 KeyHash "key_hash",
    /// Wallets: who claims and who has proven them.
    20 Wallet "wallet",
    /// Nonces of messages that were signed and used, until they are too old; and the secret of new ones.
    21 Challenge "challenge",
    /// Subscriptions, and every step they took.
    22 Subscription "subscription",
    /// Requests counted, by hour, day and month.
    23 Usage "usage",
    /// The ledger of money: entries, never changed.
    24 Journal "journal",
    /// Invoices by account and month.
    25 Invoice "invoice",
    /// What operators did, and why.
    26 Audit "audit",
    /// Why blocks are final: the bytes of evidence, under the block that it is about.
    27 Evidence "evidence",
    /// What changed of each chain, in order; and what was published.
    28 Feed "feed",
    /// How far each stage over the feed has come.
    29 Stage "stage",
    /// Signed notes: of the log by size; of a witness by the hash of the origin that it witnesses.
    30 Note "note",
    /// Events of the blocks held, in pages.
    31 Event "event",
    /// Which events of a block have an address, a first topic, or both.
    32 EventPlace "event_place",
    /// Blooms of the headers of a twig, by bit; and a filter of what its events name.
    33 Bloom "bloom",
    /// What happened, in one line over all chains: what streams are made of.
    34 Stream "stream",
    /// Webhooks, beside the accounts.
    35 Webhook "webhook",
    /// What the owners of keys watch, beside the accounts.
    36 KeyWatch "key_watch",
    /// Pools of exchanges, what was in force in each after each block, and launches.
    37 Market "market",
    /// Legs of orders across chains, by id and by place.
    38 Order "order",
    /// What tokens say of themselves, as nodes agree; by chain and address, and by symbol.
    39 Token "token",
}

impl Table {
    /// The byte that stands for the table in checksums and digests.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Place in [`Table::ALL`].
    pub(crate) const fn index(self) -> usize {
        self as usize
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
