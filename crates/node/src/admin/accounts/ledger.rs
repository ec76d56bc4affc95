//! Orders about the journal of money: they only look.

use std::str::FromStr;

use clap::Subcommand;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_account::{AccountId, Month};

use super::order::Rows;
use super::{Desk, shown};

/// Orders about the journal.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum LedgerOrder {
    /// Lists the movements of an account's money, oldest month first, and what they come to.
    List {
        /// Whose.
        #[arg(long, value_name = "ID")]
        account: AccountId,
        /// Begins behind this entry, such as 2026-02/17.
        #[arg(long, value_name = "ENTRY")]
        after: Option<EntryAt>,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: Rows,
    },
}

/// Where an entry stands: its month and its number there.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EntryAt {
    month: Month,
    number: u32,
}

impl FromStr for EntryAt {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split_once('/');
        let parts = parts.and_then(|(month, number)| {
            Some(Self { month: month.parse().ok()?, number: number.parse().ok()? })
        });
        parts.ok_or_else(|| "expected a month and a number such as 2026-02/17".to_owned())
    }
}

impl Desk<'_> {
    pub(super) fn ledger(&self, order: &LedgerOrder) -> anyhow::Result<Value> {
        let LedgerOrder::List { account, after, limit } = order;
        self.service.accounts().account(*account)?; // a typo has no entries, and must not look so
        let after = after.map(|at| (at.month, at.number));
        let entries = self.billing.entries(*account, after, limit.get())?;
        let next = entries.last().filter(|_| entries.len() == limit.get());
        Ok(json!({
            "owes_usdc": shown::usdc(self.billing.owes_usdc_e6(*account)?),
            "entries": entries.iter().map(shown::entry).collect::<Vec<_>>(),
            "next_after": next.map(|last| format!("{}/{}", last.month, last.number)),
        }))
    }
}
