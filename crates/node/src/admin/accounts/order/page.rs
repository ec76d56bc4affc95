//! How much of a listing is shown.

use std::str::FromStr;

use clap::Args;
use serde::{Deserialize, Serialize};
use superroot_account::AccountId;

/// Where a listing begins, and how long it is.
#[derive(Clone, Copy, Debug, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Page {
    /// Begins behind this account.
    #[arg(long, value_name = "ACCOUNT")]
    pub(crate) after: Option<AccountId>,
    /// Rows at most, 1 to 1000.
    #[arg(long, value_name = "N", default_value = "100")]
    pub(crate) limit: Rows,
}

/// Rows that a listing has at most: 1 to 1,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "usize", into = "usize")]
pub(crate) struct Rows(usize);

impl Rows {
    /// Most that may be asked for; no listing has more.
    const MAX: usize = 1_000;

    /// How many.
    pub(crate) const fn get(self) -> usize {
        self.0
    }
}

impl TryFrom<usize> for Rows {
    type Error = String;

    fn try_from(rows: usize) -> Result<Self, String> {
        let refused = || format!("{rows} rows, expected 1 to {}", Self::MAX);
        (1..=Self::MAX).contains(&rows).then_some(Self(rows)).ok_or_else(refused)
    }
}

impl From<Rows> for usize {
    fn from(rows: Rows) -> Self {
        rows.0
    }
}

impl FromStr for Rows {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rows = text.parse::<usize>();
        rows.map_err(|_| format!("expected a number, 1 to {}", Self::MAX))?.try_into()
    }
}
