//! Orders about enterprises.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, Month};

use super::value::{grid, usdc};

/// Orders about enterprises.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum EnterpriseOrder {
    /// Enters an agreement. The one there is, of whatever model, ends: months from the first of this
    /// one on are billed by this one alone, months before it must be closed, and the answer says what
    /// was replaced. Limit and grids are in force at once; fee and prices from the first month.
    Agree {
        /// The account.
        account: AccountId,
        /// Requests a minute.
        #[arg(long, value_name = "N")]
        limit: u32,
        /// A grid that is open; may be given several times. All otherwise.
        #[arg(long = "grid", value_name = "GRID", value_parser = grid)]
        grids: Vec<Grid>,
        /// Fee of a month, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        monthly_fee: u64,
        /// Price of a million billing tokens, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        million_tokens: u64,
        /// Billing tokens free of charge in a month.
        #[arg(long, value_name = "N", default_value_t = 0)]
        free_tokens: u64,
        /// Availability promised, in millionths: 999000 is 99.9%.
        #[arg(long, value_name = "MILLIONTHS")]
        availability: Option<u32>,
        /// The first month; the running one otherwise.
        #[arg(long, value_name = "MONTH")]
        from: Option<Month>,
        /// The last month; open otherwise.
        #[arg(long, value_name = "MONTH")]
        until: Option<Month>,
    },
    /// The agreement with an account.
    Show {
        /// The account.
        account: AccountId,
    },
}

impl EnterpriseOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Agree { .. } => Some("agree_enterprise"),
            Self::Show { .. } => None,
        }
    }
}
