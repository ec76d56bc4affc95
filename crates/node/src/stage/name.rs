//! The names of all stages.

use std::fmt;

/// Every stage of the service; what its metrics are labelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StageName {
    /// Collects one chain, and works on what an operator orders of it.
    Chain,
    /// Reports how the nodes of one chain fare.
    ChainNodes,
    /// Publishes SuperRoots.
    Publish,
    /// Looks at accounts that other processes have changed.
    AccountRefresh,
    /// Writes what was counted.
    AccountFlush,
    /// Forgets old counts.
    AccountPrune,
    /// Closes months that are over.
    AccountClose,
    /// Enters what wallets paid before somebody proved them.
    AccountPayments,
    /// Notes each minute whether the service answers.
    Availability,
    /// Measures the data folder.
    StoreSize,
    /// Folds what was measured into its buckets.
    MetricsUpkeep,
    /// Shows the chains at the terminal.
    Screen,
}

impl StageName {
    /// All of them.
    pub(crate) const ALL: [Self; 12] = [
        Self::Chain,
        Self::ChainNodes,
        Self::Publish,
        Self::AccountRefresh,
        Self::AccountFlush,
        Self::AccountPrune,
        Self::AccountClose,
        Self::AccountPayments,
        Self::Availability,
        Self::StoreSize,
        Self::MetricsUpkeep,
        Self::Screen,
    ];

    /// The value of the label `stage`.
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Chain => "chain",
            Self::ChainNodes => "chain_nodes",
            Self::Publish => "publish",
            Self::AccountRefresh => "account_refresh",
            Self::AccountFlush => "account_flush",
            Self::AccountPrune => "account_prune",
            Self::AccountClose => "account_close",
            Self::AccountPayments => "account_payments",
            Self::Availability => "availability",
            Self::StoreSize => "store_size",
            Self::MetricsUpkeep => "metrics_upkeep",
            Self::Screen => "screen",
        }
    }
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
