//! Orders about keys.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, KeyId, Label, RoutePattern};
use superroot_types::{ChainId, UnixSeconds};

use super::value::{chain, label, time};

/// Orders about keys.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum KeyOrder {
    /// Lists the keys of an account, the newest first.
    List {
        /// The account.
        account: AccountId,
    },
    /// Makes a key, and shows it once.
    Create {
        /// The account.
        account: AccountId,
        /// What it is called.
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<Label>,
        /// A chain that it may ask about, by id or name; several between commas, or the flag several
        /// times. Every chain otherwise.
        #[arg(long = "chain", value_name = "CHAIN", value_delimiter = ',', value_parser = chain)]
        chains: Vec<ChainId>,
        /// A route that it may ask (`G1`, `/finality/:chain_id`, `/v5/proof/*`); may be given several
        /// times. Every route otherwise.
        #[arg(long = "route", value_name = "PATTERN")]
        routes: Vec<RoutePattern>,
        /// When it ends.
        #[arg(long, value_name = "TIME", value_parser = time)]
        expires: Option<UnixSeconds>,
    },
    /// Revokes a key: refused everywhere in under a second.
    Revoke {
        /// The account.
        account: AccountId,
        /// The key's id.
        key: KeyId,
    },
    /// Puts a new key in the place of one, and shows it once.
    Rotate {
        /// The account.
        account: AccountId,
        /// The key's id.
        key: KeyId,
        /// How long the old one is still served, in seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        grace: u64,
    },
    /// Whose key it is that comes on standard input, in force or not: for one that leaked.
    Find {
        /// The key itself; the command line has no flag for it, since others can read those.
        #[arg(skip)]
        text: String,
    },
}

impl KeyOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::List { .. } | Self::Find { .. } => None,
            Self::Create { .. } => Some("create_key"),
            Self::Revoke { .. } => Some("revoke_key"),
            Self::Rotate { .. } => Some("rotate_key"),
        }
    }
}
