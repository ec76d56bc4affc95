//! Stage names.

use std::fmt;

use clap::ValueEnum;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum StageName {
    Chain,
    ChainNodes,
    /// Collects what a chain's own consensus signed.
    Finality,
    Events,
    Blooms,
    Launches,
    Streams,
    /// Merges the watches of all keys.
    Watches,
    /// Starts and stops the senders of webhooks.
    Webhooks,
    Publish,
    /// Asks peers for their newest log note.
    Marks,
    /// Asks one witness to cosign the newest note.
    Witness,
    /// Publishes to one anchor contract.
    Anchor,
    /// Writes usage checkpoints to the registry contract.
    UsageCheckpoints,
    /// Refreshes accounts changed by other processes.
    AccountRefresh,
    AccountFlush,
    /// Notes the accounts' commit count in the chains' store.
    AccountBond,
    AccountPrune,
    AccountClose,
    /// Counts proven sales of registry contracts.
    Payments,
    /// Counts passes by their proven transfers.
    Passes,
    /// Enters wallet payments made before the wallet was proven.
    AccountPayments,
    /// Notes each minute whether the service answers.
    Availability,
    StoreSize,
    /// Reloads a changed TLS certificate.
    Certificate,
    /// Folds metric samples into buckets.
    MetricsUpkeep,
    Screen,
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_possible_value().expect("none is skipped").get_name())
    }
}
