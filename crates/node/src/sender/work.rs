//! Work of a sender: what is sent to one contract.

use std::time::Duration;

use superroot_outbox::Task;
use superroot_types::UnixSeconds;
use superroot_wire::chain::ContractStatus;

use super::failure::SenderFailure;
use crate::config::ContractPlace;
use crate::stage::StageName;

/// Words and names of a sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SenderWords {
    /// What has a sequence: `SuperRoot`.
    pub(crate) item: &'static str,
    /// Kind of contract: `SuperRootAnchor`.
    pub(crate) contract: &'static str,
    /// Setting with the contract.
    pub(crate) setting: &'static str,
    /// Gauge: newest sequence at the contract.
    pub(crate) sequence: &'static str,
    /// Counter: transactions, each fee once.
    pub(crate) sent: &'static str,
    /// Counter: steps that sent nothing.
    pub(crate) failures: &'static str,
}

pub(crate) trait ContractWork: Clone + Send + Sync + 'static {
    fn stage(&self) -> StageName;

    fn place(&self) -> ContractPlace;

    fn words(&self) -> SenderWords;

    /// Call data for the contract's least accepted sequence.
    fn next_call(&self) -> Vec<u8>;

    /// Pause from one finished task to the next.
    fn interval(&self) -> Duration;

    /// Pause where there is no task.
    fn idle(&self) -> Duration;

    /// Next task from a sequence on; `None` if none is due. Blocks.
    ///
    /// # Errors
    /// [`SenderFailure`] with the reason, for the log and the status.
    fn task(&self, now: UnixSeconds, next_sequence: u64) -> Result<Option<Task>, SenderFailure>;

    /// Shows the contract's progress.
    fn show(&self, next_sequence: u64);

    fn change(&self, change: impl FnOnce(&mut ContractStatus));
}
