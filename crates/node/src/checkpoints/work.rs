//! Roots of days for the registry contract.

use std::sync::Arc;
use std::time::Duration;

use superroot_account::usage::UsageCheckpoint;
use superroot_account::{AccountError, AccountService, Day};
use superroot_api::{ContractKind, StatusBoard};
use superroot_outbox::Task;
use superroot_types::UnixSeconds;
use superroot_wire::chain::ContractStatus;

use super::contract;
use crate::config::ContractPlace;
use crate::sender::{ContractWork, SenderFailure, SenderWords};
use crate::stage::StageName;

/// Seconds from the end of a day until its root is fixed: all counts are written by then.
const SETTLED_SECONDS: u64 = 3_600;
/// Pause between checkpoints: after days without the service there are several.
const INTERVAL: Duration = Duration::from_secs(1);
/// Pause until the next look whether a day is over.
const IDLE: Duration = Duration::from_secs(60);
/// Seconds since the end of the newest day at the contract.
const BEHIND: &str = "superroot_node_checkpoint_behind_seconds";

#[derive(Clone)]
pub(super) struct WriteCheckpoints {
    place: ContractPlace,
    accounts: Arc<AccountService>,
    status: Arc<StatusBoard>,
}

impl WriteCheckpoints {
    pub(super) fn new(
        place: ContractPlace,
        accounts: Arc<AccountService>,
        status: Arc<StatusBoard>,
    ) -> Self {
        metrics::gauge!(BEHIND).set(0.0);
        Self { place, accounts, status }
    }

    /// Checkpoint with a sequence, fixed now if the day is over; `None` before.
    fn checkpoint(
        &self,
        now: UnixSeconds,
        sequence: u64,
    ) -> Result<Option<UsageCheckpoint>, SenderFailure> {
        let checkpoints = self.accounts.checkpoints();
        let unreadable = |error: AccountError| SenderFailure::Held(error.to_string());
        let newest = checkpoints.newest().map_err(unreadable)?;
        let is_here = |one: &UsageCheckpoint| one.contract == self.place.contract;
        let day = match newest {
            Some(newest) if is_here(&newest) && sequence <= newest.sequence => {
                return checkpoints.of_sequence(sequence).map_err(unreadable);
            }
            Some(newest) if is_here(&newest) && sequence == newest.sequence + 1 => {
                newest.day.next()
            }
            // a new contract goes on where the one before it ended
            Some(newest) if !is_here(&newest) && sequence == 0 => newest.day.next(),
            None if sequence == 0 => Day::of(settled(now)).days_before(1),
            newest => {
                let fixed = newest.filter(is_here).map_or(0, |newest| newest.sequence + 1);
                return Err(SenderFailure::Held(format!(
                    "the contract has {sequence} checkpoints, and {fixed} are fixed here: another service writes them, or \
                     the accounts of this folder are older"
                )));
            }
        };
        let Some(day) = day.filter(|day| day.end() <= settled(now)) else { return Ok(None) };
        let fixed = checkpoints.fix(day, self.place.contract, sequence).map_err(unreadable)?;
        tracing::info!(
            "the usage of {day} is fixed: {} accounts, root {}",
            fixed.usage.accounts,
            fixed.usage.root()
        );
        Ok(Some(fixed))
    }
}

const fn settled(now: UnixSeconds) -> UnixSeconds {
    UnixSeconds(now.0.saturating_sub(SETTLED_SECONDS))
}

impl ContractWork for WriteCheckpoints {
    fn stage(&self) -> StageName {
        StageName::UsageCheckpoints
    }

    fn place(&self) -> ContractPlace {
        self.place
    }

    fn words(&self) -> SenderWords {
        SenderWords {
            item: "usage checkpoint",
            contract: "SubscriptionRegistry",
            setting: "registry.contracts",
            sequence: "superroot_node_checkpoint_sequence",
            sent: "superroot_node_checkpoint_sent_total",
            failures: "superroot_node_checkpoint_failures_total",
        }
    }

    fn next_call(&self) -> Vec<u8> {
        contract::next()
    }

    fn interval(&self) -> Duration {
        INTERVAL
    }

    fn idle(&self) -> Duration {
        IDLE
    }

    fn task(&self, now: UnixSeconds, next_sequence: u64) -> Result<Option<Task>, SenderFailure> {
        let checkpoint = self.checkpoint(now, next_sequence)?;
        Ok(checkpoint.map(|checkpoint| Task {
            sequence: checkpoint.sequence,
            to: self.place.contract,
            data: contract::write(&checkpoint),
            gas_limit: contract::WRITE_GAS,
        }))
    }

    fn show(&self, next_sequence: u64) {
        let newest = self.accounts.checkpoints().newest().ok().flatten();
        let fixed = newest.map_or(0, |newest| newest.sequence + 1);
        let behind = fixed.saturating_sub(next_sequence);
        if let Some(newest) = newest {
            let done = newest.day.days_before(u32::try_from(behind).unwrap_or(u32::MAX));
            let end = done.map_or(0, |day| day.end().0);
            let seconds = self.accounts.now().0.saturating_sub(end);
            metrics::gauge!(BEHIND).set(seconds as f64);
        }
        self.change(|view| view.behind = behind);
    }

    fn change(&self, change: impl FnOnce(&mut ContractStatus)) {
        let place = (ContractKind::Registry, self.place.chain.id, self.place.contract);
        self.status.update_contract(place, change);
    }
}
