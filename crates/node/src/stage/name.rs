//! The names of all stages.

use std::fmt;

use clap::ValueEnum;

/// Every stage of the service; what its metrics are labelled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum StageName {
    /// Collects one chain, and works on what an operator orders of it.
    Chain,
    /// Reports how the nodes of one chain fare.
    ChainNodes,
    /// Indexes the events of one chain.
    Events,
    /// Builds the blooms of the twigs of one chain.
    Blooms,
    /// Finds launches on one chain.
    Launches,
    /// Writes what happens into the log of streams, and hands it out.
    Streams,
    /// Publishes SuperRoots.
    Publish,
    /// Asks peers for the newest note of the log that they have seen.
    Marks,
    /// Asks one witness to cosign the newest note.
    Witness,
    /// Looks at accounts that other processes have changed.
    AccountRefresh,
    /// Writes what was counted.
    AccountFlush,
    /// Notes beside the chains how much of them there is.
    AccountBond,
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

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("none is skipped").get_name())
    }
}
