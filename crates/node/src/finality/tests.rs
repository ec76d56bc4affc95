//! Evidence of a source that lies: about a block, a number, a committee.

use std::sync::{Mutex, PoisonError};

use superroot_chain::ChainRegistry;
use superroot_collect::{CollectConfig, Collector};
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::check_conflict;
use superroot_source::finality::{NumberedStep, SimulatedBeacon};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{BlockSource, BoxFuture};
use superroot_store::MemoryStore;
use superroot_types::{Clock, ManualClock};

use super::*;

const GENESIS: UnixSeconds = UnixSeconds(1_000_000);

/// What a source says.
#[derive(Clone, Copy)]
enum BeaconAnswer {
    Truth,
    /// Another hash at the slot.
    OtherBlock,
    /// The block of an earlier slot under the number of the newest.
    OtherNumber(NewestFinal),
    /// Signed by a committee of another branch.
    OtherCommittee,
}

struct LyingBeacon {
    honest: SimulatedBeacon,
    forked: SimulatedBeacon,
    said: Mutex<BeaconAnswer>,
}

impl LyingBeacon {
    fn say(&self, said: BeaconAnswer) {
        *self.said.lock().unwrap() = said;
    }

    fn said(&self) -> BeaconAnswer {
        *self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FinalitySource for LyingBeacon {
    fn name(&self) -> &'static str {
        "lying"
    }

    fn fetch_newest(
        &self,
        held: NewestFinal,
    ) -> BoxFuture<'_, Result<ConsensusEvidence, FinalitySourceError>> {
        match self.said() {
            BeaconAnswer::Truth => self.honest.fetch_newest(held),
            BeaconAnswer::OtherBlock => {
                self.honest.fetch_newest(NewestFinal { hash: Hash([7; 32]), ..held })
            }
            BeaconAnswer::OtherNumber(other) => {
                self.honest.fetch_newest(NewestFinal { number: held.number, ..other })
            }
            BeaconAnswer::OtherCommittee => self.forked.fetch_newest(held),
        }
    }

    fn fetch_steps(
        &self,
        first: u64,
        count: u64,
    ) -> BoxFuture<'_, Result<Vec<NumberedStep>, FinalitySourceError>> {
        match self.said() {
            BeaconAnswer::OtherCommittee => self.forked.fetch_steps(first, count),
            _ => self.honest.fetch_steps(first, count),
        }
    }
}

struct World {
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    blocks: Collector,
    source: Arc<LyingBeacon>,
    evidence: FinalityCollector,
}

fn row() -> ChainSpec {
    ChainRegistry::builtin().find("ethereum").unwrap().clone()
}

/// A chain with final blocks, and evidence about the newest.
async fn world() -> World {
    let clock = Arc::new(ManualClock::at(UnixSeconds(GENESIS.0 + 12 * 80)));
    let chain = SimulatedChain::new(&row(), SimulatedConfig::new(7, GENESIS), clock.clone());
    let chain: Arc<dyn BlockSource> = Arc::new(chain.unwrap());
    let store = Arc::new(MemoryStore::new());
    let blocks = Collector::new(store.clone(), chain, row(), CollectConfig::default());
    // the newest final block is this far behind
    let params = BeaconParams::SIMULATED;
    let behind = SimulatedConfig::new(7, GENESIS).finality_depth * 12;
    let fork = params.period_of(params.slot_at(UnixSeconds(clock.now().0 - behind)) + 2);
    let beacon = || SimulatedBeacon::new(clock.clone());
    let source = Arc::new(LyingBeacon {
        honest: beacon(),
        forked: beacon().forked(fork),
        said: Mutex::new(BeaconAnswer::Truth),
    });
    let trust = SetTrust { pin: None, is_gated: true };
    let (network, own) = (Network::Simulated, store.clone());
    let evidence = FinalityCollector::new(&row(), network, source.clone(), own, trust).unwrap();
    let mut world = World { clock, store, blocks, source, evidence };
    world.follow().await;
    world.collect().await.unwrap();
    world.collect().await.unwrap();
    assert!(world.newest_evidence().is_some());
    assert!(world.halt().is_none());
    world
}

impl World {
    async fn follow(&mut self) {
        for _ in 0..20 {
            self.blocks.step(self.clock.now()).await.unwrap();
        }
    }

    async fn collect(&self) -> anyhow::Result<()> {
        self.evidence.collect(self.clock.now()).await
    }

    fn newest_evidence(&self) -> Option<ConsensusEvidence> {
        read::load_signed_to(&*self.store, row().key(), BlockNumber(1 << 40)).unwrap()
    }

    fn halt(&self) -> Option<String> {
        read::load_halt(&*self.store, row().key()).unwrap().map(|halt| halt.reason)
    }

    /// The contradiction that is kept, as anybody finds it.
    fn conflict(&self) -> Option<superroot_proof::finality::ConflictShown> {
        let conflict = read::load_conflict(&*self.store, row().key()).unwrap()?;
        let params = finality_params(&row(), Network::Simulated).unwrap();
        check_conflict(&params, &conflict, self.clock.now()).shown()
    }
}

#[tokio::test]
async fn a_committee_that_signs_two_blocks_of_a_slot_halts_the_chain_and_both_are_kept() {
    let world = world().await;
    let honest = world.newest_evidence().unwrap();
    world.source.say(BeaconAnswer::OtherBlock);
    world.collect().await.unwrap();
    let reason = world.halt().unwrap();
    assert!(reason.starts_with("signers_contradict_themselves"), "{reason}");
    assert!(reason.contains("/v5/light-client/1/conflict"), "{reason}");
    let shown = world.conflict().unwrap();
    assert_eq!(shown.hashes, [honest.hash, Hash([7; 32])]);
    assert_eq!(world.newest_evidence(), Some(honest));
}

#[tokio::test]
async fn a_committee_that_names_two_next_ones_halts_the_chain_and_both_steps_are_kept() {
    let mut world = world().await;
    world.clock.advance(192); // a period
    world.follow().await;
    world.source.say(BeaconAnswer::OtherCommittee);
    let error = world.collect().await.unwrap_err().to_string();
    assert!(error.contains("the signature is not that of the set"), "{error}");
    let reason = world.halt().unwrap();
    assert!(reason.starts_with("signers_contradict_themselves"), "{reason}");
    assert_eq!(world.conflict().unwrap().place, None);
}

#[tokio::test]
async fn a_false_number_is_no_contradiction() {
    let mut world = world().await;
    let older = world.evidence.newest_final().await.unwrap().unwrap();
    let before = world.newest_evidence();
    world.clock.advance(60);
    world.follow().await;
    world.source.say(BeaconAnswer::OtherNumber(older));
    let error = world.collect().await.unwrap_err().to_string();
    assert!(error.contains("evidence about another block than number"), "{error}");
    assert_eq!((world.halt(), world.newest_evidence()), (None, before));
    // the same number later, by an honest source
    world.source.say(BeaconAnswer::Truth);
    world.collect().await.unwrap();
    let newest = world.evidence.newest_final().await.unwrap().unwrap();
    assert_eq!(world.newest_evidence().map(|held| held.hash), Some(newest.hash));
}

#[test]
fn blocks_without_evidence_are_few_at_once_and_not_far_below() {
    for (signed, newest, expected) in [
        (None, 100, 100..101),
        (Some(99), 100, 100..101),
        (Some(100), 100, 101..101),
        (Some(10), 100, 11..75),
        (Some(10), 10_000, 5_904..5_968),
        (Some(9_990), 10_000, 9_991..10_001),
    ] {
        let got = unsigned_range(signed.map(BlockNumber), BlockNumber(newest));
        assert_eq!(got.start.0..got.end.0, expected, "{signed:?} {newest}");
    }
}
