//! One run: every stage over a disk, through storms and deaths, then calm until all has caught up.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use superroot_accumulate::prove::Prover;
use superroot_accumulate::{AccumulateProgress, Accumulator, recompute};
use superroot_collect::{CollectError, CollectStep, Collector};
use superroot_proof::hash::keccak256_joined;
use superroot_source::{Budget, LiveSource, Transport};
use superroot_store::{MemoryStore, ScanOrder, Store, Table, feed, read};
use superroot_types::{ErrorKind, Family, Hash, Sequence, UnixSeconds};
use tokio::time::timeout;

use crate::blocks::{GENESIS, quarry};
use crate::dice::Dice;
use crate::disk::{Death, Process};
use crate::laws::{ChainWitness, LogWitness, check_index_rows};
use crate::nodes::Time;
use crate::older::{Older, signer};
use crate::plan::{ChainPlan, Fate, Plan, Rooms, registry, watch};
use crate::served::{Client, Counts};
use crate::trial::Trial;

/// Name of the log.
const ORIGIN: &str = "simulated/sim";

/// Steps of one chain, one after the other, before the others have their turn.
const STEPS_IN_ROW: u32 = 3;

/// Looks at a chain within which it has caught up, once the faults are over.
const CALM_ROUNDS_MAX: u32 = 120;

/// What is broken on purpose, to see that the laws notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sabotage {
    Nothing,
    /// A commit is acknowledged and lost.
    LostCommit,
    /// Chains with as many liars as must agree are held against the truth.
    TrustInLiars,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// Over everything that happened, and everything on the disk at the end.
    pub(crate) digest: Hash,
    pub(crate) counts: Counts,
    pub(crate) super_roots: u64,
    pub(crate) final_blocks: u64,
    pub(crate) deaths: u64,
    pub(crate) halts: u64,
    pub(crate) undone: u64,
    pub(crate) sealed_twigs: u64,
    /// Stages that were behind their feed, and built anew.
    pub(crate) rebuilt: u64,
    /// Events that the index had in the end.
    pub(crate) events: u64,
    /// SuperRoots that came out again of an older copy.
    pub(crate) repeated: u64,
    /// Final blocks with each of [`Oddity::ALL`], and those of them without their whole body.
    pub(crate) odd: [u64; 6],
    pub(crate) withheld: [u64; 6],
}

/// A process: the stages over one handle to the disk.
struct Stages {
    process: Arc<Process>,
    collectors: Vec<Collector>,
    accumulator: Accumulator,
    prover: Prover,
}

impl Stages {
    fn open(disk: &Arc<MemoryStore>, plan: &Plan, sabotage: Sabotage) -> Self {
        let process = Process::on(disk.clone());
        if sabotage == Sabotage::LostCommit {
            process.loses(3);
        }
        let store: Arc<dyn Store> = process.clone();
        let rows = registry().proof_registry().clone();
        let accumulator = Accumulator::open(store.clone(), rows, ORIGIN).unwrap();
        let accumulator = accumulator.signed_by(vec![signer(ORIGIN)]).unwrap();
        let prover = Prover::new(store.clone(), accumulator.board());
        let budget = Budget::of(plan.in_hand_bytes_max);
        let collector = |chain: &ChainPlan| {
            let nodes = chain.nodes.iter().map(|node| node.clone() as Arc<dyn Transport>);
            let (row, live) = (chain.row.clone(), chain.live);
            let source = LiveSource::with_transports(&budget, &row, nodes.collect(), live).unwrap();
            let collect = chain.collect.clone();
            Collector::new(store.clone(), Arc::new(source), row, collect).within(&budget)
        };
        let collectors = plan.chains.iter().map(collector).collect();
        Self { process, collectors, accumulator, prover }
    }
}

/// A run on its way.
struct Run {
    plan: Plan,
    time: Arc<Time>,
    disk: Arc<MemoryStore>,
    stages: Stages,
    chains: Vec<ChainWitness>,
    log: LogWitness,
    trial: Trial,
    older: Older,
    dice: Dice,
    digest: Hash,
    is_loud: bool,
    sabotage: Sabotage,
    counts: Counts,
    deaths: u64,
    undone: u64,
    sealed_twigs: u64,
}

/// Runs a seed to its end; panics where a law is broken.
pub(crate) fn run(seed: u64, is_loud: bool) -> Outcome {
    run_in(seed, Rooms::Drawn, is_loud, Sabotage::Nothing)
}

/// As [`run`], in rooms that are ample whatever the seed says.
pub(crate) fn run_amply(seed: u64) -> Outcome {
    run_in(seed, Rooms::Ample, false, Sabotage::Nothing)
}

/// As [`run_amply`], with something broken.
pub(crate) fn run_sabotaged(seed: u64, sabotage: Sabotage) -> Outcome {
    run_in(seed, Rooms::Ample, false, sabotage)
}

fn run_in(seed: u64, rooms: Rooms, is_loud: bool, sabotage: Sabotage) -> Outcome {
    // made outside of the run's own time
    let rows = registry().rows().iter().filter(|row| row.slug.starts_with("sim-"));
    let rows = rows.filter(|row| row.family() == Family::Evm);
    rows.for_each(|row| _ = quarry(row));
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_time().start_paused(true).build().unwrap();
    runtime.block_on(async {
        let mut run = Run::begin(seed, rooms, is_loud, sabotage);
        run.storm().await;
        run.calm().await;
        run.end()
    })
}

impl Run {
    fn begin(seed: u64, rooms: Rooms, is_loud: bool, sabotage: Sabotage) -> Self {
        let time = Time::begin();
        let mut plan = Plan::of(seed, rooms, &time);
        if sabotage == Sabotage::TrustInLiars {
            plan.chains.iter_mut().for_each(|chain| chain.fate = Fate::Sound);
        }
        let disk = Arc::new(MemoryStore::new());
        let stages = Stages::open(&disk, &plan, sabotage);
        let chains: Vec<_> = plan.chains.iter().map(ChainWitness::new).collect();
        let trial = Trial::over(&disk, chains.iter().map(|chain| chain.key).collect(), seed);
        let mut run = Self {
            time,
            disk,
            stages,
            chains,
            log: LogWitness::default(),
            trial,
            older: Older::of(seed),
            dice: Dice::new(seed, "run"),
            digest: Hash::ZERO,
            is_loud,
            sabotage,
            counts: Counts::default(),
            deaths: 0,
            undone: 0,
            sealed_twigs: 0,
            plan,
        };
        run.tell_plan();
        run
    }

    fn tell_plan(&mut self) {
        for index in 0..self.plan.chains.len() {
            let chain = &self.plan.chains[index];
            let roles: Vec<_> = chain.nodes.iter().map(|node| node.character.role).collect();
            let told = format!(
                "{} is {:?}: quorum {} of {roles:?}, {:?}, {:?}, {:?}",
                chain.row.slug,
                chain.fate,
                chain.quorum,
                chain.live.finality,
                chain.collect,
                chain.live
            );
            self.tell(&told);
        }
    }

    /// Notes what happened; for people too, where one seed is replayed.
    fn tell(&mut self, what: &str) {
        let at = self.time.ms();
        if self.is_loud {
            eprintln!("{at:>9} ms  {what}");
        }
        self.digest = keccak256_joined(&[&self.digest.0, &at.to_be_bytes(), what.as_bytes()]);
    }

    fn now(&self) -> UnixSeconds {
        UnixSeconds(GENESIS + self.time.ms() / 1_000)
    }

    /// Steps while everything goes wrong.
    async fn storm(&mut self) {
        for _ in 0..self.plan.steps {
            let pause = self.dice.below(2 * self.plan.lasts_ms / self.plan.steps);
            tokio::time::sleep(Duration::from_millis(pause)).await;
            match self.dice.below(100) {
                0..66 => self.collect_some().await,
                66..86 => self.publish(),
                86..94 => {
                    let (commits, death) =
                        (self.dice.below(5), self.dice.pick(&[Death::Before, Death::After]));
                    self.tell(&format!("will die at commit {commits}, {death:?}"));
                    self.stages.process.dies_after(commits, death);
                }
                94..98 => self.reopen("killed"),
                _ => self.change_watch(),
            }
            self.check();
            self.older.look(&*self.disk);
        }
    }

    /// Another watch list for a chain: while it runs, or as after a change of configuration.
    fn change_watch(&mut self) {
        let index = self.dice.below(self.plan.chains.len() as u64) as usize;
        let chain = &mut self.plan.chains[index];
        chain.collect.watch = watch(&chain.row, &mut self.dice);
        let told = format!("{} now watches {:?}", chain.row.slug, chain.collect.watch);
        let watch = chain.collect.watch.clone();
        self.tell(&told);
        match self.dice.below(2) {
            0 => self.stages.collectors[index].set_watch(watch),
            _ => self.reopen("configured anew"),
        }
    }

    /// The process is gone with everything in its memory; another begins.
    fn reopen(&mut self, why: &str) {
        self.tell(why);
        self.deaths += 1;
        self.stages = Stages::open(&self.disk, &self.plan, self.sabotage);
    }

    /// Some chains at once, or all; now and then the process is killed meanwhile.
    async fn collect_some(&mut self) {
        let all = self.dice.percent(30);
        let chosen: Vec<bool> = self.chains.iter().map(|_| all || self.dice.percent(60)).collect();
        let killed_after = self.dice.percent(6).then(|| self.dice.below(3_000));
        self.collect(&chosen, killed_after).await;
    }

    async fn collect(&mut self, chosen: &[bool], killed_after: Option<u64>) {
        let start = self.now();
        let chosen_ones = self.stages.collectors.iter_mut().zip(chosen).enumerate();
        let steps = chosen_ones.filter(|(_, (_, chosen))| **chosen);
        let steps = join_all(steps.map(|(index, (collector, _))| async move {
            (index, steps_of(collector, start).await)
        }));
        let ended = match killed_after {
            Some(ms) => timeout(Duration::from_millis(ms), steps).await.ok(),
            None => Some(steps.await),
        };
        let Some(ended) = ended else { return self.reopen("killed while it collected") };
        for (index, steps) in ended {
            for step in steps {
                self.note(index, step);
            }
        }
        if self.stages.process.is_dead() {
            self.reopen("died");
        }
    }

    fn note(&mut self, index: usize, step: Result<CollectStep, CollectError>) {
        let slug = self.plan.chains[index].row.slug.clone();
        match step {
            Ok(step) => {
                let number =
                    |tip: Option<superroot_store::layout::BlockTip>| tip.map(|tip| tip.number.0);
                let told = format!(
                    "{slug}: {:?}, indexed {:?}, head {:?}, tip {} {}",
                    step.progress,
                    number(step.state.indexed),
                    number(step.state.head),
                    step.tip.finalized.number,
                    step.tip.head.number
                );
                self.tell(&told);
                if let superroot_collect::CollectProgress::Head { undone, .. } = step.progress {
                    self.undone += undone as u64;
                }
                self.chains[index].acknowledge(&*self.disk, &step.state);
            }
            Err(error) => {
                self.tell(&format!("{slug}: {error}"));
                self.judge(index, &error);
            }
        }
    }

    /// Whether a step may fail like this.
    fn judge(&mut self, index: usize, error: &CollectError) {
        match error {
            CollectError::FinalReorg { .. } | CollectError::Halted { .. } => {
                self.chains[index].halt();
            }
            CollectError::Store(_) => {
                assert!(self.stages.process.is_dead(), "the store failed: {error}");
            }
            error => {
                let goes_on = matches!(error.kind(), ErrorKind::Invalid | ErrorKind::Unavailable);
                assert!(goes_on, "{error}");
            }
        }
    }

    fn publish(&mut self) {
        let now = self.now();
        match self.stages.accumulator.step(now) {
            Ok(AccumulateProgress::Idle) => {}
            Ok(AccumulateProgress::Advanced { sequence, hash, sealed_twigs }) => {
                self.sealed_twigs += sealed_twigs as u64;
                self.tell(&format!("SuperRoot {sequence} is {hash}"));
            }
            Ok(waiting @ AccumulateProgress::Waiting { .. }) => {
                panic!("nothing is repeated: {waiting:?}")
            }
            Err(error) => {
                self.tell(&format!("accumulate: {error}"));
                assert!(self.stages.process.is_dead(), "the log failed: {error}");
                self.reopen("died");
            }
        }
    }

    /// Every law, and some proofs.
    fn check(&mut self) {
        for chain in &self.chains {
            chain.check(&*self.disk);
        }
        self.log.follow(&self.stages.prover, &*self.disk, &mut self.dice);
        self.trial.lag();
        self.trial.check();
        for _ in 0..2 {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let index = self.dice.below(self.chains.len() as u64) as usize;
        let mut client = Client {
            prover: &self.stages.prover,
            disk: &*self.disk,
            log: &self.log,
            chain: &self.chains[index],
            counts: &mut self.counts,
        };
        client.ask(&mut self.dice);
    }

    /// The faults are over: whoever is not lied to by most catches up in bounded time.
    async fn calm(&mut self) {
        self.reopen("calm");
        self.time.calm_down();
        let all = vec![true; self.chains.len()];
        for _ in 0..CALM_ROUNDS_MAX {
            tokio::time::sleep(Duration::from_millis(11_000)).await;
            self.collect(&all, None).await;
            if (0..self.chains.len()).all(|index| self.has_caught_up(index)) {
                break;
            }
        }
        self.check();
        for index in 0..self.chains.len() {
            let slug = &self.plan.chains[index].row.slug;
            assert!(self.has_caught_up(index), "{slug} does not catch up, though nothing is wrong");
        }
    }

    fn has_caught_up(&self, index: usize) -> bool {
        let (plan, chain) = (&self.plan.chains[index], &self.chains[index]);
        if chain.is_halted() || plan.fate == Fate::Captured {
            return true;
        }
        let Some(state) = read::load_chain_state(&*self.disk, chain.key).unwrap() else {
            return false;
        };
        let last = plan.truth.history.last();
        let is_at = |tip: Option<superroot_store::layout::BlockTip>, number: u64| {
            tip.map(|tip| tip.hash) == last.at(number).map(|block| block.hash)
        };
        let head = last.head().number;
        let is_near = head - last.finalized <= plan.collect.head_blocks_max;
        // a head is one node's word: who goes on lying may withhold it, and nothing more
        let lied_to = plan.nodes.iter().any(|node| node.character.stubborn);
        let follows_head = is_near && !lied_to;
        is_at(state.indexed, last.finalized) && (is_at(state.head, head) || !follows_head)
    }

    /// Everything is published, computed anew, asked for, and there after one more start.
    fn end(mut self) -> Outcome {
        self.publish();
        self.reopen("stopped");
        self.check();
        let latest = self.stages.prover.latest();
        for chain in &self.chains {
            let state = read::load_chain_state(&*self.disk, chain.key).unwrap();
            let indexed = state.as_ref().and_then(|state| state.indexed).map(|tip| tip.number);
            let anchored = latest.as_ref().and_then(|latest| latest.reference(chain.key));
            let anchored = anchored.map(|(_, reference)| reference.number);
            let contested = read::load_contested(&*self.disk, chain.key).unwrap();
            match contested.filter(|first| indexed >= Some(*first)) {
                None => assert_eq!(anchored, indexed),
                // up to what was taken back; more only where it was published before that
                Some(first) => {
                    let below = anchored.map_or(0, |number| number.0 + 1);
                    let start = state.as_ref().map_or(0, |state| state.start.0);
                    assert!(below >= first.0 || first.0 == start, "{anchored:?} below {first}");
                    assert!(anchored <= indexed);
                }
            }
        }
        self.trial.end();
        let published = feed::load_publications(&*self.disk, Sequence(0), usize::MAX).unwrap();
        assert!(published.into_iter().eq((0..).map(Sequence).zip(self.log.hashes.iter().copied())));
        (0..40).for_each(|_| self.ask());
        recompute(&*self.disk, &mut |_, _| {}).unwrap();
        let indexed = self.chains.iter().map(|chain| chain.check_index(&*self.disk)).sum();
        check_index_rows(&*self.disk, indexed);
        let states = self
            .chains
            .iter()
            .filter_map(|chain| read::load_chain_state(&*self.disk, chain.key).unwrap());
        let final_blocks = states.map(|state| state.block_count).sum();
        let repeated = self.older.catches_up(&*self.disk, ORIGIN);
        let (mut odd, mut withheld) = ([0; 6], [0; 6]);
        for chain in &self.chains {
            chain.count_odd(&*self.disk, &mut odd, &mut withheld);
        }
        Outcome {
            digest: digest(&*self.disk, self.digest),
            counts: self.counts,
            super_roots: self.log.hashes.len() as u64,
            final_blocks,
            deaths: self.deaths,
            halts: self.chains.iter().filter(|chain| chain.is_halted()).count() as u64,
            undone: self.undone,
            sealed_twigs: self.sealed_twigs,
            rebuilt: self.trial.rebuilt,
            events: self.trial.found,
            repeated,
            odd,
            withheld,
        }
    }
}

/// Steps of one chain up to the first that has nothing more to take.
async fn steps_of(
    collector: &mut Collector,
    now: UnixSeconds,
) -> Vec<Result<CollectStep, CollectError>> {
    let mut steps = Vec::new();
    for _ in 0..STEPS_IN_ROW {
        let step = collector.step(now).await;
        let goes_on = step.as_ref().is_ok_and(|step| {
            matches!(step.progress, superroot_collect::CollectProgress::Final { .. })
        });
        steps.push(step);
        if !goes_on {
            break;
        }
    }
    steps
}

/// Over every row of every table.
fn digest(disk: &dyn Store, begin: Hash) -> Hash {
    let mut digest = begin;
    for table in Table::ALL {
        for (key, value) in disk.scan(table, b"", None, usize::MAX, ScanOrder::Rising).unwrap() {
            let length = (key.len() as u64).to_be_bytes();
            digest = keccak256_joined(&[&digest.0, &[table.byte()], &length, &key, &value]);
        }
    }
    digest
}
