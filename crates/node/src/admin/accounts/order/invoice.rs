//! Orders about invoices.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::{AccountId, Month};

use super::Rows;
use super::value::usdc;

/// Orders about invoices.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum InvoiceOrder {
    /// Lists invoices of an account, newest month first.
    List {
        /// The account.
        account: AccountId,
        /// Begins before this month.
        #[arg(long, value_name = "MONTH")]
        before: Option<Month>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: Rows,
    },
    /// What a month comes to: the invoice where it is closed, else a draft.
    Show {
        /// The account.
        account: AccountId,
        /// The month; the running one otherwise.
        month: Option<Month>,
        /// As what it is printed.
        #[arg(long, value_enum, default_value = "lines")]
        form: Form,
    },
    /// Closes a month of an account that is over, and those before it that are still open. The service
    /// does this by itself an hour after its end.
    Close {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
    },
    /// Takes back a part of a closed invoice by a credit note, which stands on the invoice of the running
    /// month; --why is printed. What an integrator charged a sub-account is taken back on the
    /// sub-account's; the integrator keeps its part.
    Correct {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
    /// Gives back, by a credit note, what a month's availability missed of what was promised.
    RefundAvailability {
        /// The account.
        account: AccountId,
        /// The month.
        month: Month,
    },
    /// Notes that an account has paid what it owes, or a part of it.
    Paid {
        /// The account.
        account: AccountId,
        /// How much, in USDC.
        #[arg(long, value_name = "AMOUNT", value_parser = usdc)]
        usdc: u64,
        /// What it is entered once under.
        #[arg(long, value_name = "TEXT")]
        reference: String,
    },
}

/// As what an invoice is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Form {
    /// A table.
    Lines,
    /// RFC 4180.
    Csv,
    /// A page to print.
    Html,
}

impl InvoiceOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::List { .. } | Self::Show { .. } => None,
            Self::Close { .. } => Some("close_month"),
            Self::Correct { .. } => Some("correct_invoice"),
            Self::RefundAvailability { .. } => Some("refund_availability"),
            Self::Paid { .. } => Some("enter_receipt"),
        }
    }
}
