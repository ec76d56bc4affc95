//! Orders about subscriptions.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Payer, Tier};
use superroot_types::{Address, ChainId, Hash, UnixSeconds};

use super::Rows;
use super::value::{chain, payer, time, usdc, wallet};

/// Whose subscription it is.
#[derive(Clone, Debug, Args, Serialize, Deserialize)]
#[group(required = true, multiple = false)]
#[serde(deny_unknown_fields)]
pub(crate) struct Of {
    /// A wallet's: it lifts the account that proved the wallet last.
    #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
    wallet: Option<Address>,
    /// An account's own.
    #[arg(long, value_name = "ID")]
    account: Option<AccountId>,
}

impl Of {
    pub(crate) fn payer(&self) -> anyhow::Result<Payer> {
        match (self.wallet, self.account) {
            (Some(wallet), None) => Ok(Payer::Wallet(wallet)),
            (None, Some(account)) => Ok(Payer::Account(account)),
            _ => anyhow::bail!("expected either a wallet or an account"),
        }
    }
}

/// Orders about subscriptions.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum SubscriptionOrder {
    /// Lists subscriptions, wallets first.
    List {
        /// Begins behind this wallet or account.
        #[arg(long, value_name = "ADDRESS|ID", value_parser = payer)]
        after: Option<Payer>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: Rows,
    },
    /// One subscription with every step it took.
    Show {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Enters a payment that was seen on a chain, in a final block: thirty days of a tier for exactly its
    /// price. It counts once, however often it is entered.
    Pay {
        /// The wallet that is paid for.
        #[arg(long, value_name = "ADDRESS", value_parser = wallet)]
        wallet: Address,
        /// The tier it is for.
        #[arg(long)]
        tier: Tier,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// The chain, by id or name.
        #[arg(long, value_name = "CHAIN", value_parser = chain)]
        chain: ChainId,
        /// The transaction.
        #[arg(long, value_name = "HASH")]
        tx: Hash,
        /// Place of the log in the receipt.
        #[arg(long, value_name = "N")]
        log_index: u32,
        /// Time of its block.
        #[arg(long, value_name = "TIME", value_parser = time)]
        paid_at: UnixSeconds,
    },
    /// Gives periods of thirty days free of charge.
    Grant {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// The tier.
        #[arg(long)]
        tier: Tier,
        /// How many.
        #[arg(long, value_name = "N", default_value_t = 1)]
        periods: u16,
    },
    /// Notes that a part of what was paid was paid back; the time that it bought stays.
    Refund {
        /// Whose.
        #[command(flatten)]
        of: Of,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
    },
    /// Takes it away. Time goes on.
    Revoke {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
    /// Gives it back, with the time that is left.
    Reinstate {
        /// Whose.
        #[command(flatten)]
        of: Of,
    },
}

impl SubscriptionOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::List { .. } | Self::Show { .. } => None,
            Self::Pay { .. } => Some("enter_payment"),
            Self::Grant { .. } => Some("grant_periods"),
            Self::Refund { .. } => Some("refund"),
            Self::Revoke { .. } => Some("revoke_subscription"),
            Self::Reinstate { .. } => Some("reinstate_subscription"),
        }
    }
}
