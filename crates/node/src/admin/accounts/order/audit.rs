//! Orders about the log of acts.

use clap::Subcommand;
use serde::{Deserialize, Serialize};

use super::Rows;

/// Orders about the log of acts.
#[derive(Clone, Debug, Subcommand, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum AuditOrder {
    /// Lists what operators did, oldest first.
    List {
        /// The first, by its number.
        #[arg(long, value_name = "N", default_value_t = 0)]
        from: u64,
        /// Rows at most, 1 to 1000.
        #[arg(long, value_name = "N", default_value = "100")]
        limit: Rows,
    },
    /// Reads the log of acts and the ledger whole and checks that nothing was changed or removed.
    Check,
}
