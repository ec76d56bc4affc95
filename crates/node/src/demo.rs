//! Simulated demo chains, determined by a seed: six EVM chains and one from each other family.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use superroot_chain::finality::finality_params;
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_proof::finality::FinalityParams;
use superroot_source::BlockSource;
use superroot_source::finality::{SimulatedBeacon, SimulatedHeimdall, SimulatedRollup};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_types::{Clock, Network, SystemClock, UnixSeconds};

use crate::follow::EvidenceSource;
use crate::origin::DEMO;

/// Demo chains with block times in seconds, and blocks at the start.
const CHAINS: [(&str, u64, u64); 14] = [
    ("ethereum", 2, SEALED),
    ("base", 1, SEALED),
    ("unichain", 1, SEALED),
    ("bnb", 1, 2 * FEW),
    ("polygon", 2, FEW),
    ("gnosis", 2, FEW),
    ("bitcoin", 20, FEW),
    ("solana", 1, FEW),
    ("polkadot", 3, FEW),
    ("tron", 2, 4 * FEW),
    ("aptos", 1, FEW),
    ("sui", 1, FEW),
    ("icp", 2, FEW),
    ("cosmoshub", 3, FEW),
];
/// Blocks past the first twig, so that one twig is sealed.
const SEALED: u64 = 2_120;
const ETHEREUM: &str = "ethereum";
/// Demo chains with registries on the simulated Ethereum.
const ROLLUPS: [&str; 2] = ["base", "unichain"];
const FEW: u64 = 64;
/// Newest blocks at the start with many transactions.
const BUSY: u64 = 120;
/// Blocks between head and finalized block.
const FINALITY_DEPTH: u64 = 8;

/// Oldest demo to continue, in days. Its chains are regenerated from the seed from the first block, which takes some
/// minutes for each day.
const DAYS_MAX: u64 = 3;
const DAY_SECONDS: u64 = 86_400;

/// Monotonic clock from the machine's first time: a changed clock or a sleeping machine makes no block.
#[derive(Debug)]
struct Steady {
    began_at: UnixSeconds,
    begun: Instant,
}

impl Steady {
    fn new() -> Self {
        Self { began_at: SystemClock.now(), begun: Instant::now() }
    }
}

impl Clock for Steady {
    fn now(&self) -> UnixSeconds {
        UnixSeconds(self.began_at.0.saturating_add(self.begun.elapsed().as_secs()))
    }
}

/// What a demo is asked to be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DemoFlags {
    pub(crate) seed: Option<u64>,
    pub(crate) reorgs: bool,
    pub(crate) contracts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DemoState {
    seed: u64,
    began_at: u64,
    reorgs: bool,
    /// Whether the folder's log has the chain with the contracts.
    #[serde(default)]
    contracts: bool,
}

impl DemoState {
    /// Opens the folder's demo, or begins a new one with the given seed, or with a random seed, so that two demos never
    /// share a log name by chance.
    pub(crate) fn open(data: &Path, flags: DemoFlags) -> anyhow::Result<Self> {
        let DemoFlags { seed, reorgs, contracts } = flags;
        let file = data.join(DEMO);
        if let Ok(text) = std::fs::read_to_string(&file) {
            let state = Self::read(&file, &text)?;
            if (state.seed, state.reorgs) != (seed.unwrap_or(state.seed), reorgs) {
                let Self { seed, reorgs, .. } = state;
                bail!(
                    "{} holds a demo of seed {seed} {} reorgs: use these, or another --data",
                    data.display(),
                    if reorgs { "with" } else { "without" }
                );
            }
            if state.contracts != contracts {
                bail!(
                    "{} holds a demo {} --contracts: start it so, or name another --data",
                    data.display(),
                    if state.contracts { "with" } else { "without" }
                );
            }
            let days = SystemClock.now().0.saturating_sub(state.began_at) / DAY_SECONDS;
            if days >= DAYS_MAX {
                bail!(
                    "{} holds a demo that began {days} days ago: all its blocks since then would have to \
                     be made up first. Begin a new one in another --data",
                    data.display()
                );
            }
            return Ok(state);
        }
        if data.join("db").exists() {
            bail!(
                "{} is missing, which names the demo of the data in {}: put it back, or name another --data",
                file.display(),
                data.display()
            );
        }
        let seed = seed.unwrap_or_else(|| rand::random::<u32>().into());
        let state = Self { seed, began_at: SystemClock.now().0, reorgs, contracts };
        std::fs::create_dir_all(data)
            .with_context(|| format!("cannot create {}", data.display()))?;
        std::fs::write(&file, serde_json::to_string(&state)?)
            .with_context(|| format!("cannot write {}", file.display()))?;
        Ok(state)
    }

    fn read(file: &Path, text: &str) -> anyhow::Result<Self> {
        serde_json::from_str(text).with_context(|| format!("{} is not a demo's", file.display()))
    }

    /// Fault in the folder's demo file; `None` if the file belongs to the demo with that log.
    pub(crate) fn fault(data: &Path, origin: &str) -> Option<String> {
        let file = data.join(DEMO);
        let read = std::fs::read_to_string(&file)
            .with_context(|| format!("cannot read {}", file.display()));
        match read.and_then(|text| Self::read(&file, &text)) {
            Ok(state) if state.origin() == origin => None,
            Ok(state) => {
                Some(format!("{DEMO} is of {}, and the data are of {origin}", state.origin()))
            }
            Err(error) => Some(format!("{error:#}")),
        }
    }

    /// Seed; together with the start time, the source for everything on the chains.
    pub(crate) const fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn origin(&self) -> String {
        format!("simulated/demo-{}", self.seed)
    }

    /// Clock for a demo's chains.
    pub(crate) fn clock() -> Arc<dyn Clock> {
        Arc::new(Steady::new())
    }

    pub(crate) fn chains(
        &self,
        clock: &Arc<dyn Clock>,
    ) -> anyhow::Result<Vec<(ChainSpec, DemoSource)>> {
        let make = |slug: &str, rollups: &[Arc<SimulatedChain>]| {
            let found = CHAINS.into_iter().find(|(known, ..)| *known == slug);
            let (_, block_time_seconds, blocks_at_start) = found.context("no demo chain")?;
            let row =
                ChainRegistry::builtin().find(slug).context("a demo chain has no row")?.clone();
            let row = row.as_simulated();
            let config = SimulatedConfig {
                seed: self.seed,
                genesis_time: UnixSeconds(
                    self.began_at.saturating_sub(blocks_at_start * block_time_seconds),
                ),
                block_time_seconds,
                finality_depth: FINALITY_DEPTH,
                reorgs: self.reorgs,
                quiet_until: blocks_at_start.saturating_sub(BUSY),
                transactions: None,
            };
            let chain = SimulatedChain::anchoring(&row, config, clock.clone(), rollups)?;
            anyhow::Ok((row, Arc::new(chain)))
        };
        let rollups = ROLLUPS.map(|slug| make(slug, &[]));
        let rollups: Vec<_> = rollups.into_iter().collect::<anyhow::Result<_>>()?;
        let held: Vec<_> = rollups.iter().map(|(_, chain)| chain.clone()).collect();
        let ethereum = make(ETHEREUM, &held)?;
        let chain = |(slug, ..): (&str, u64, u64)| {
            let rollup = rollups.iter().find(|(row, _)| row.slug == slug);
            let (row, blocks) = match (slug == ETHEREUM, rollup) {
                (true, _) => ethereum.clone(),
                (false, Some(rollup)) => rollup.clone(),
                (false, None) => make(slug, &[])?,
            };
            let finality = match finality_params(&row, Network::Simulated) {
                Some(FinalityParams::Beacon(params)) => {
                    let beacon = SimulatedBeacon::with(params, clock.clone());
                    let beacon = beacon.of_chain(blocks.clone());
                    Some(EvidenceSource::Consensus(Arc::new(beacon)))
                }
                Some(FinalityParams::Milestone(params)) => {
                    let heimdall = SimulatedHeimdall::new(params, clock.clone());
                    let heimdall = heimdall.of_chain(blocks.clone());
                    Some(EvidenceSource::Consensus(Arc::new(heimdall)))
                }
                Some(FinalityParams::Anchor(_)) => {
                    let ethereum = ethereum.1.clone();
                    let rollup = SimulatedRollup::new(row.id, ethereum, blocks.clone());
                    Some(EvidenceSource::Anchor(Arc::new(rollup)))
                }
                _ => None,
            };
            Ok((row, DemoSource { blocks, finality }))
        };
        CHAINS.into_iter().map(chain).collect()
    }
}

/// Blocks of a demo chain, and evidence besides.
pub(crate) struct DemoSource {
    pub(crate) blocks: Arc<dyn BlockSource>,
    pub(crate) finality: Option<EvidenceSource>,
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::*;

    /// A clock that began an hour ago, to which the machine's has been set days ahead since, or days back.
    fn set_to_another_day() -> [Steady; 2] {
        let (now, days) = (SystemClock.now().0, DAYS_MAX * DAY_SECONDS);
        let begun = Instant::now().checked_sub(Duration::from_secs(3_600)).unwrap();
        [now - days, now + days].map(|began_at| Steady { began_at: UnixSeconds(began_at), begun })
    }

    /// What it tells is when it began and what has passed since, and never less than before.
    #[test]
    fn a_steady_clock_goes_on_evenly_whatever_the_machine_is_set_to() {
        for clock in set_to_another_day() {
            let mut last = clock.now();
            assert!(last.0 >= clock.began_at.0 + 3_600, "{last:?} of {clock:?}");
            for _ in 0..1_000 {
                let least = clock.began_at.0 + clock.begun.elapsed().as_secs();
                let told = clock.now();
                let most = clock.began_at.0 + clock.begun.elapsed().as_secs();
                assert!((least..=most).contains(&told.0), "{told:?} is not {least} to {most}");
                assert!(told >= last, "{told:?} after {last:?}");
                last = told;
            }
        }
    }

    /// As many blocks stand as have had their time: no more for days that were skipped, no fewer for days
    /// gone back.
    #[tokio::test]
    async fn a_machine_that_is_set_to_another_day_makes_no_block() {
        let row = ChainRegistry::builtin().find("ethereum").unwrap().clone().as_simulated();
        for clock in set_to_another_day() {
            let genesis_time = UnixSeconds(clock.began_at.0 - 4 * 7_200);
            let config = SimulatedConfig {
                block_time_seconds: 7_200,
                ..SimulatedConfig::new(1, genesis_time)
            };
            let chain = SimulatedChain::new(&row, config, Arc::new(clock)).unwrap();
            assert_eq!(chain.fetch_tip().await.unwrap().head.number.0, 4);
        }
    }

    fn open(data: &Path, seed: Option<u64>, reorgs: bool) -> anyhow::Result<DemoState> {
        DemoState::open(data, DemoFlags { seed, reorgs, contracts: false })
    }

    #[test]
    fn a_demo_goes_on_where_it_was_and_refuses_another_seed() {
        let data = tempfile::tempdir().unwrap();
        let begun = open(data.path(), Some(7), true).unwrap();
        assert_eq!(open(data.path(), Some(7), true).unwrap(), begun);
        assert_eq!(open(data.path(), None, true).unwrap(), begun);
        let error = open(data.path(), Some(8), true).unwrap_err().to_string();
        assert!(error.contains("a demo of seed 7 with reorgs"), "{error}");
        assert!(open(data.path(), Some(7), false).is_err());
        let with_contracts = DemoFlags { seed: None, reorgs: true, contracts: true };
        let error = DemoState::open(data.path(), with_contracts).unwrap_err().to_string();
        assert!(error.contains("a demo without --contracts"), "{error}");
        let old = DemoState { began_at: begun.began_at - DAYS_MAX * DAY_SECONDS, ..begun };
        let file = data.path().join(DEMO);
        std::fs::write(&file, serde_json::to_string(&old).unwrap()).unwrap();
        let error = open(data.path(), None, true).unwrap_err().to_string();
        assert!(error.contains("began 3 days ago") && error.contains("another --data"), "{error}");
        std::fs::write(&file, "{}").unwrap();
        assert!(open(data.path(), Some(7), true).is_err());
    }

    #[test]
    fn demos_without_a_seed_are_of_different_logs() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [a, b] = folders.map(|data| open(data.path(), None, true).unwrap());
        assert_ne!(a.origin(), b.origin());
    }

    #[test]
    fn every_chain_of_the_demo_can_be_made() {
        let state = DemoState { seed: 1, began_at: 1_800_000_000, reorgs: true, contracts: false };
        let chains = state.chains(&DemoState::clock()).unwrap();
        let rows = ChainRegistry::builtin().rows().iter();
        let families: BTreeSet<u8> = rows.map(|row| row.family().byte()).collect();
        let shown: BTreeSet<u8> = chains.iter().map(|(row, _)| row.family().byte()).collect();
        assert_eq!(shown, families, "each family has a chain");
        assert!(superroot_proof::superroot::log_id(&state.origin()).is_ok());
    }
}
