//! Orders about tiers.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, Tier};
use superroot_types::UnixSeconds;

use super::value::{grid, time};

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

impl TierOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::List => None,
            Self::Grant { .. } => Some("grant"),
            Self::Withdraw { .. } => Some("withdraw"),
        }
    }
}
