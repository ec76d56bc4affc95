//! Publication of the newest SuperRoot to an anchor contract.

use std::sync::Arc;
use std::time::Duration;

use superroot_accumulate::load_evm_signature;
use superroot_accumulate::prove::Prover;
use superroot_api::{ContractKind, StatusBoard};
use superroot_outbox::{OutboxError, Task};
use superroot_store::Store;
use superroot_types::UnixSeconds;
use superroot_wire::chain::ContractStatus;

use super::contract;
use crate::config::ContractPlace;
use crate::sender::{ContractWork, SenderFailure, SenderParts, SenderWords};
use crate::stage::StageName;

/// Number of SuperRoots missing at the contract.
const BEHIND: &str = "superroot_node_anchor_behind_entries";
/// Bounds of the pause until the next look for a newer SuperRoot.
const LOOK_MIN: Duration = Duration::from_secs(5);
const LOOK_MAX: Duration = Duration::from_secs(60);

#[derive(Clone)]
pub(super) struct PublishToAnchor {
    place: ContractPlace,
    store: Arc<dyn Store>,
    prover: Prover,
    status: Arc<StatusBoard>,
    interval: Duration,
}

impl PublishToAnchor {
    pub(super) fn new(place: ContractPlace, parts: &SenderParts, interval: Duration) -> Self {
        let label = place.chain.id.0.to_string();
        metrics::gauge!(BEHIND, "chain" => label).set(0.0);
        let (store, prover) = (parts.store.clone(), parts.prover.clone());
        Self { place, store, prover, status: parts.status.clone(), interval }
    }
}

impl ContractWork for PublishToAnchor {
    fn stage(&self) -> StageName {
        StageName::Anchor
    }

    fn place(&self) -> ContractPlace {
        self.place
    }

    fn words(&self) -> SenderWords {
        SenderWords {
            item: "SuperRoot",
            contract: "SuperRootAnchor",
            setting: "anchor.contracts",
            sequence: "superroot_node_anchor_sequence",
            sent: "superroot_node_anchor_sent_total",
            failures: "superroot_node_anchor_failures_total",
        }
    }

    fn next_call(&self) -> Vec<u8> {
        contract::next()
    }

    fn interval(&self) -> Duration {
        self.interval
    }

    fn idle(&self) -> Duration {
        self.interval.clamp(LOOK_MIN, LOOK_MAX)
    }

    fn task(&self, _: UnixSeconds, _: u64) -> Result<Option<Task>, SenderFailure> {
        let Some(newest) = self.prover.latest() else { return Ok(None) };
        let sequence = newest.super_root.sequence;
        let signature = load_evm_signature(&*self.store, sequence).map_err(OutboxError::Store)?;
        let Some(signature) = signature else {
            let why =
                format!("SuperRoot {sequence} is not signed for contracts (log.evm_key_file)");
            return Err(SenderFailure::Held(why));
        };
        Ok(Some(Task {
            sequence: sequence.0,
            to: self.place.contract,
            data: contract::publish(&newest.super_root, &signature),
            gas_limit: contract::PUBLISH_GAS,
        }))
    }

    fn show(&self, next_sequence: u64) {
        let newest = self.prover.latest().map_or(0, |newest| newest.super_root.sequence.0 + 1);
        let behind = newest.saturating_sub(next_sequence);
        let label = self.place.chain.id.0.to_string();
        metrics::gauge!(BEHIND, "chain" => label).set(behind as f64);
        self.change(|view| view.behind = behind);
    }

    fn change(&self, change: impl FnOnce(&mut ContractStatus)) {
        let place = (ContractKind::Anchor, self.place.chain.id, self.place.contract);
        self.status.update_contract(place, change);
    }
}
