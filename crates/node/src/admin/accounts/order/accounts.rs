//! Orders about accounts, their keys and what they may do.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, KeyId, Label, RoutePattern, Tier};
use superroot_types::{Address, ChainId, UnixSeconds};

use super::value::{chain, grid, label, rows, rows_of_order, time, wallet};

/// Where a listing begins, and how long it is.
#[derive(Clone, Copy, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Begins behind this account.
    #[arg(long, value_name = "ACCOUNT")]
    pub(crate) after: Option<AccountId>,
    /// Rows at most, 1 to 1000.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
    #[serde(deserialize_with = "rows_of_order")]
    pub(crate) limit: usize,
}

/// Orders about accounts.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AccountOrder {
    /// Lists accounts, in order of their ids.
    List(Page),
    /// Everything about one account but its keys.
    Show {
        /// The account.
        account: AccountId,
    },
    /// Opens an account, and shows its first key once.
    Open {
        /// A wallet that it claims.
        #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
        wallet: Option<Address>,
    },
    /// Closes an account: its keys are refused everywhere in under a second.
    Close {
        /// The account.
        account: AccountId,
    },
    /// Opens a closed account again.
    Reopen {
        /// The account.
        account: AccountId,
    },
}

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

/// Orders about tiers.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum TierOrder {
    /// What each tier gives and costs.
    List,
    /// Gives an account a tier beside its subscription.
    Grant {
        /// The account.
        account: AccountId,
        /// The tier.
        tier: Tier,
        /// Requests a minute, where other than the tier's.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// A grid that is open, where other than the tier's; may be given several times.
        #[arg(long = "grid", value_name = "GRID", value_parser = grid)]
        grids: Vec<Grid>,
        /// When it ends; for good otherwise.
        #[arg(long, value_name = "TIME", value_parser = time)]
        until: Option<UnixSeconds>,
    },
    /// Takes back what was granted.
    Withdraw {
        /// The account.
        account: AccountId,
    },
}

/// Orders about usage.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum UsageOrder {
    /// Requests of callers without a key: today, in this month, and the routes that they ask most.
    Keyless,
}

/// Orders about the log of acts.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AuditOrder {
    /// Lists what operators did, oldest first.
    List {
        /// The first, by its number.
        #[arg(long, value_name = "N", default_value_t = 0)]
        from: u64,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// Reads the log of acts and the ledger whole and checks that nothing was changed or removed.
    Check,
}
