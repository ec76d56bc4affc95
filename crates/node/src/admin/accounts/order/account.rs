//! Orders about accounts.

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use superroot_account::AccountId;
use superroot_types::Address;

use super::Page;
use super::value::wallet;

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

impl AccountOrder {
    /// What it is called in the journal, where it changes something.
    pub(super) const fn changes(&self) -> Option<&'static str> {
        match self {
            Self::List(_) | Self::Show { .. } => None,
            Self::Open { .. } => Some("open_account"),
            Self::Close { .. } => Some("close_account"),
            Self::Reopen { .. } => Some("reopen_account"),
        }
    }
}
