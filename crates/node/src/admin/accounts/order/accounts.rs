//! Commands on accounts, keys and permissions.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, KeyId, Label, RoutePattern, Tier};
use superroot_types::{Address, ChainId, UnixSeconds};

use super::value::{chain, grid, label, rows, rows_of_order, time, wallet};

/// A list's page.
#[derive(Clone, Copy, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListPage {
    /// Start after this account.
    #[arg(long, value_name = "ACCOUNT")]
    pub(crate) after: Option<AccountId>,
    /// Most rows, 1 to 1000.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
    #[serde(deserialize_with = "rows_of_order")]
    pub(crate) limit: usize,
}

/// Account commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AccountCommand {
    /// List accounts, in order of ids.
    List(ListPage),
    /// Show everything about one account except keys.
    Show {
        /// Account.
        account: AccountId,
    },
    /// Open an account, and show the first key once.
    Open {
        /// Wallet claimed by the account.
        #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
        wallet: Option<Address>,
    },
    /// Close an account: all keys are refused everywhere in under a second.
    Close {
        /// Account.
        account: AccountId,
    },
    /// Reopen a closed account.
    Reopen {
        /// Account.
        account: AccountId,
    },
}

/// Key commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ApiKeyCommand {
    /// List an account's keys, newest first.
    List {
        /// Account.
        account: AccountId,
    },
    /// Create a key, and show the key once.
    Create {
        /// Account.
        account: AccountId,
        /// Key label.
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<Label>,
        /// Chain allowed for the key, by id or name; separate several by commas, or repeat the flag. Default: every
        /// chain.
        #[arg(long = "chain", value_name = "CHAIN", value_delimiter = ',', value_parser = chain)]
        chains: Vec<ChainId>,
        /// Route allowed for the key (`G1`, `/finality/:chain_id`, `/v5/proof/*`); may be repeated. Default: every
        /// route.
        #[arg(long = "route", value_name = "PATTERN")]
        routes: Vec<RoutePattern>,
        /// Expiry time.
        #[arg(long, value_name = "TIME", value_parser = time)]
        expires: Option<UnixSeconds>,
    },
    /// Revoke a key: refused everywhere in under a second.
    Revoke {
        /// Account.
        account: AccountId,
        /// Key id.
        key: KeyId,
    },
    /// Replace a key by a new one, and show the new key once.
    Rotate {
        /// Account.
        account: AccountId,
        /// Key id.
        key: KeyId,
        /// Time for which the old key is still served, in seconds.
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        grace: u64,
    },
    /// Find the account for a key on standard input, in force or not, for example after a leak.
    Find {
        /// Key text. The command line has no flag for the key, because other users can read flags.
        #[arg(skip)]
        text: String,
    },
}

/// Tier commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum TierCommand {
    /// List features and prices for each tier.
    List,
    /// Grant an account a tier in addition to any subscription.
    Grant {
        /// Account.
        account: AccountId,
        /// Tier.
        tier: Tier,
        /// Requests per minute, if different from the tier's.
        #[arg(long, value_name = "N")]
        limit: Option<u32>,
        /// Open grid, if different from the tier's; may be repeated.
        #[arg(long = "grid", value_name = "GRID", value_parser = grid)]
        grids: Vec<Grid>,
        /// The grant's end. Default: permanent.
        #[arg(long, value_name = "TIME", value_parser = time)]
        until: Option<UnixSeconds>,
    },
    /// Withdraw a grant.
    Withdraw {
        /// Account.
        account: AccountId,
    },
}

/// Usage commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum UsageCommand {
    /// Show keyless requests: today, this month, and the most requested routes.
    Keyless,
}

/// Audit log commands.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AuditCommand {
    /// List operator actions, oldest first.
    List {
        /// The first action's number.
        #[arg(long, value_name = "N", default_value_t = 0)]
        from: u64,
        /// Most rows, 1 to 1000.
        #[arg(long, value_name = "N", default_value_t = 100, value_parser = rows)]
        #[serde(deserialize_with = "rows_of_order")]
        limit: usize,
    },
    /// Read the whole audit log and ledger, and check that nothing was changed or removed.
    Check,
}
