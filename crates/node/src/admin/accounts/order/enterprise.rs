//! Orders about enterprises.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Grid, Month};

use super::value::{grid, usdc};

/// Orders about enterprises.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum EnterpriseOrder {
    /// Enters an agreement: limit, grids, fee and prices hold from the first second of its first month.
    ///
    /// It never changes, and holds until the next one begins: a month of an account has one at most. Its
    /// first month is the running one or later.
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
    /// Lets nothing be agreed after a month.
    End {
        /// The account.
        account: AccountId,
        /// The last month; the one before the running one at the earliest.
        #[arg(long, value_name = "MONTH")]
        last: Month,
    },
    /// The agreement in force with an account, those ahead and those before.
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
            Self::End { .. } => Some("end_enterprise"),
            Self::Show { .. } => None,
        }
    }
}
