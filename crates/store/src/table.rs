//! Closed table set.

use core::fmt;

/// Single table list: byte, Rust name, name in messages and in the engine.
macro_rules! tables {
    ($($(#[$doc:meta])* $byte:literal $table:ident $name:literal,)*) => {
        /// Table: a separate key space, ordered by key bytes. The table byte is part of every row checksum and never
        /// changes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Table {
            $($(#[$doc])* $table = $byte,)*
        }

        impl Table {
            /// All tables, by byte.
            pub const ALL: [Self; [$($byte),*].len()] = [$(Self::$table),*];

            /// Name in messages and in the engine.
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
    /// Single facts about the store and its log.
    0 Meta "meta",
    /// Progress per chain.
    1 ChainState "chain_state",
    /// Verified blocks: header, hash, evidence.
    2 Block "block",
    /// Trie nodes for the blocks with indexed entries.
    3 Body "body",
    /// Transaction hash prefix to place.
    4 Transaction "transaction",
    /// Mini-MMR inner nodes.
    5 MiniMmrNode "mini_mmr_node",
    /// Mini-MMR twig leaves, and the index from twig to leaf.
    6 MiniMmrLeaf "mini_mmr_leaf",
    /// History log nodes.
    7 HistoryNode "history_node",
    /// `SuperRoot`s by sequence.
    8 SuperRoot "super_root",
    /// `SuperRoot` hash to sequence.
    9 SuperRootByHash "super_root_by_hash",
    /// Registries by root.
    10 Registry "registry",
    /// Refused blocks with reasons.
    11 Refused "refused",
    /// Final block ranges and their stored parts.
    12 Coverage "coverage",
    /// Retracted blocks: taken as final, but not final.
    13 Retraction "retraction",
    /// Chains halted until an operator clears them.
    14 Halt "halt",
    /// Backfilled twigs below a chain's run.
    15 Backfill "backfill",
    /// Watch lists by hash, and each chain's current list.
    16 Watch "watch",
    /// Accounts by id.
    17 Account "account",
    /// Account keys, by account and key id.
    18 AccountKey "account_key",
    /// SHA-256 key hash to account and id.
    19 KeyHash "key_hash",
    /// Wallets: claims and proven owners.
    20 Wallet "wallet",
    /// Nonces from used signed messages, until expiry; and the secret for new nonces.
    21 Challenge "challenge",
    /// Subscriptions and all their steps.
    22 Subscription "subscription",
    /// Request counts by hour, day and month.
    23 Usage "usage",
    /// Money ledger: immutable entries.
    24 Journal "journal",
    /// Invoices by account and month.
    25 Invoice "invoice",
    /// Operator actions with reasons.
    26 Audit "audit",
    /// Finality evidence bytes, keyed by the block agreed on.
    27 Evidence "evidence",
    /// Changes per chain, in order; and publications.
    28 Feed "feed",
    /// Progress per stage along the feed.
    29 Stage "stage",
    /// Signed notes: for the log by size; for a witness by the hash of the witnessed origin.
    30 Note "note",
    /// Events from stored blocks, in pages.
    31 Event "event",
    /// Event positions in a block by address, first topic, or both.
    32 EventPlace "event_place",
    /// Header blooms per twig, by bit; and a filter over names in its events.
    33 Bloom "bloom",
    /// Global event sequence over all chains, the source for streams.
    34 Stream "stream",
    /// Webhooks, stored with the accounts.
    35 Webhook "webhook",
    /// Key owners' watch settings, stored with the accounts.
    36 KeyWatch "key_watch",
    /// Exchange pools, their state after each block, and launches.
    37 Market "market",
    /// Legs of cross-chain orders, by id and by place.
    38 Order "order",
    /// Token metadata that nodes agree on; by chain and address, and by symbol.
    39 Token "token",
    /// Transactions that the service sends, one under way for each account; and the fees of a day.
    40 Outbox "outbox",
    /// Signatures of `SuperRoot`s for contracts, by sequence.
    41 EvmSignature "evm_signature",
    /// What a chain's own consensus signed about a block, keyed by the block.
    42 Signed "signed",
    /// Steps from a set of signers to the next, by the set's number.
    43 SetStep "set_step",
    /// Hashes of ancestors in a rollup's state, with proofs, keyed by the state's block.
    44 Ancestor "ancestor",
    /// Contradicting statements by one set, keyed by the chain.
    45 Conflict "conflict",
}

impl Table {
    /// Table byte in checksums and digests.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self as u8
    }

    /// Position in [`Table::ALL`].
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
