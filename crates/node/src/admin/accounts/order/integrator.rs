//! Orders about integrators.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Label, Month, Tier};
use superroot_billing::Interval;

use super::Page;
use super::value::{label, usdc};

/// How often an integrator pays, as a word.
#[derive(Clone, Copy, Debug, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Every {
    /// Each month.
    #[value(alias = "monthly")]
    Month,
    /// Each year.
    #[value(alias = "yearly")]
    Year,
}

impl From<Every> for Interval {
    fn from(every: Every) -> Self {
        match every {
            Every::Month => Self::Monthly,
            Every::Year => Self::Yearly,
        }
    }
}

/// Orders about integrators.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum IntegratorOrder {
    /// Enters an agreement: limit, tier and fee hold from the first second of its first month.
    /// Sub-accounts stay.
    ///
    /// It never changes, and holds until the next one begins: a month of an account has one at most. Its
    /// first month is the running one or later.
    Agree {
        /// The account.
        account: AccountId,
        /// How often it pays.
        #[arg(long, value_enum, default_value = "month")]
        every: Every,
        /// The fee, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        fee: u64,
        /// The tier whose routes it has.
        #[arg(long, default_value = "builder")]
        tier: Tier,
        /// The first month; the running one otherwise.
        #[arg(long, value_name = "MONTH")]
        from: Option<Month>,
        /// The last month; open otherwise.
        #[arg(long, value_name = "MONTH")]
        until: Option<Month>,
    },
    /// Lets nothing be agreed after a month. What of a yearly fee is not used up is an operator's credit
    /// note.
    End {
        /// The account.
        account: AccountId,
        /// The last month; the one before the running one at the earliest.
        #[arg(long, value_name = "MONTH")]
        last: Month,
    },
    /// The agreement in force with an account, those ahead and those before; its part of what it charged in
    /// a month, and the availability measured.
    Show {
        /// The account.
        account: AccountId,
        /// The month; the running one otherwise.
        #[arg(long)]
        month: Option<Month>,
    },
    /// Opens a sub-account, and shows its first key once.
    Open {
        /// The integrator.
        account: AccountId,
        /// What it is called, and its first key.
        #[arg(long, value_name = "TEXT", value_parser = label)]
        label: Option<Label>,
    },
    /// Lists the sub-accounts.
    SubAccounts {
        /// The integrator.
        account: AccountId,
        /// Where the list begins.
        #[command(flatten)]
        page: Page,
    },
    /// Enters what it charged a sub-account in the running month: the sub-account owes it and has it
    /// on its invoice, the integrator's part is owed to that.
    Charge {
        /// The integrator.
        account: AccountId,
        /// The sub-account.
        sub_account: AccountId,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
}

impl IntegratorOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::Agree { .. } => Some("agree_integrator"),
            Self::End { .. } => Some("end_integrator"),
            Self::Open { .. } => Some("open_sub_account"),
            Self::Charge { .. } => Some("charge"),
            Self::Show { .. } | Self::SubAccounts { .. } => None,
        }
    }
}
