//! From a seed to everything that will happen in a run.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, OnceLock};

use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_collect::{CollectConfig, WatchFilter};
use superroot_source::{FinalityAsk, LiveConfig};
use superroot_types::{BlockNumber, Family};

use crate::blocks::{Mason, quarry};
use crate::dice::Dice;
use crate::history::{Growth, History};
use crate::ledgers;
use crate::nodes::{BODY_BYTES_MAX, Character, Fault, Role, SimNode, Spell, Tale, Time};

/// Rows of a log of one's own: Ethereum's rules, first numbers around the ends of twigs.
const ROWS: [(&str, u64, u64, u64); 4] = [
    ("sim-a", 900_001, 2_040, 12_000),
    ("sim-b", 900_002, 0, 2_000),
    ("sim-c", 900_003, 4_090, 1_000),
    ("sim-d", 900_004, 2_044, 12_000),
];

/// The build's rows, and those of the simulation after them.
pub(crate) fn registry() -> &'static ChainRegistry {
    static READ: OnceLock<ChainRegistry> = OnceLock::new();
    READ.get_or_init(|| {
        let mut file: toml::Table = superroot_chain::registry::ROWS.parse().unwrap();
        let rows = file["chain"].as_array_mut().unwrap();
        let ethereum = rows[0].as_table().unwrap().clone();
        for (slug, id, first, block_time_ms) in ROWS {
            let integer = |value: u64| toml::Value::Integer(value.try_into().unwrap());
            let from_first = |field: &str| {
                let mut entry = ethereum[field][0].as_table().unwrap().clone();
                entry.insert("from".into(), integer(first));
                toml::Value::Array(vec![entry.into()])
            };
            let mut row = ethereum.clone();
            row.insert("id".into(), integer(id));
            row.insert("name".into(), format!("{slug} of the simulation").into());
            row.insert("slug".into(), slug.into());
            row.insert("caip2".into(), format!("eip155:{id}").into());
            row.insert("aliases".into(), toml::Value::Array(Vec::new()));
            row.insert("block_time_ms".into(), integer(block_time_ms));
            row.insert("rules".into(), from_first("rules"));
            row.insert("encodings".into(), from_first("encodings"));
            rows.push(row.into());
        }
        for (slug, of, id, first) in ledgers::ROWS {
            let is_of = |row: &&toml::Value| row["slug"].as_str() == Some(of);
            let mut row = rows.iter().find(is_of).unwrap().as_table().unwrap().clone();
            let integer = |value: u64| toml::Value::Integer(value.try_into().unwrap());
            let mut rule = row["rules"][0].as_table().unwrap().clone();
            rule.insert("from".into(), integer(first));
            ledgers::rename(slug, &mut row);
            row.insert("id".into(), integer(id));
            row.insert("name".into(), format!("{slug} of the simulation").into());
            row.insert("slug".into(), slug.into());
            row.insert("aliases".into(), toml::Value::Array(Vec::new()));
            row.insert("rules".into(), toml::Value::Array(vec![rule.into()]));
            rows.push(row.into());
        }
        ChainRegistry::parse(&file.to_string()).unwrap()
    })
}

/// What is true of a chain's nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Fewer liars than must agree: nothing false is ever final.
    Sound,
    /// The chain takes final blocks back: it must be halted, or taken as it is afterwards.
    Broken,
    /// As many liars as must agree: what is held is one line, and no more can be asked.
    Captured,
}

/// One chain of a run.
pub(crate) struct ChainPlan {
    pub(crate) row: ChainSpec,
    pub(crate) fate: Fate,
    pub(crate) collect: CollectConfig,
    pub(crate) live: LiveConfig,
    /// Nodes that must agree.
    pub(crate) quorum: usize,
    pub(crate) nodes: Vec<Arc<SimNode>>,
    pub(crate) truth: Arc<Tale>,
    pub(crate) forged: Arc<Tale>,
}

/// A run.
pub(crate) struct Plan {
    pub(crate) chains: Vec<ChainPlan>,
    /// Steps with faults.
    pub(crate) steps: u64,
    /// Virtual time that they take together, about.
    pub(crate) lasts_ms: u64,
    /// Most bytes that all chains together have in hand.
    pub(crate) in_hand_bytes_max: usize,
}

/// How much fits into queues, batches and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rooms {
    /// As a seed had it before there were small ones.
    Ample,
    /// As the seed has it: of every other chain next to nothing fits, so that each room is full and
    /// empty again all the time.
    Drawn,
}

impl Plan {
    pub(crate) fn of(seed: u64, rooms: Rooms, time: &Arc<Time>) -> Self {
        let mut dice = Dice::new(seed, "plan");
        let count = dice.pick(&[1, 1, 1, 2, 2, 3]);
        let rows = dice.order(ROWS.len());
        let mut chains: Vec<ChainPlan> =
            rows[..count].iter().map(|row| chain(seed, ROWS[*row].0, time)).collect();
        let mut in_hand_bytes_max = LiveConfig::default().in_hand_bytes_max;
        if rooms == Rooms::Drawn {
            // of dice of their own: what happens on a chain is as in ample rooms
            // another ledger beside them, of half the seeds
            let mut other = Dice::new(seed, "ledgers");
            let slugs = ledgers::ROWS.map(|(slug, ..)| slug);
            if other.percent(50) {
                let slug = other.pick(&slugs);
                chains.push(chain(seed, slug, time));
            }
            let mut dice = Dice::new(seed, "rooms");
            if dice.percent(50) {
                in_hand_bytes_max = 4 * BODY_BYTES_MAX;
            }
            for chain in &mut chains {
                if dice.percent(30) {
                    chain.collect.body_wait_ms = 0;
                }
                if dice.percent(50) {
                    narrow(&mut chain.collect, &mut chain.live, &mut dice);
                }
            }
        }
        let mut dice = Dice::new(seed, "feed");
        for chain in &mut chains {
            chain.collect.feed_kept_seconds = dice.pick(&[1, 20, 86_400]);
        }
        let ends = chains.iter().map(|chain| chain.truth.history.end_ms());
        let lasts_ms = ends.max().unwrap_or_default();
        Self { steps: dice.between(20, 50), lasts_ms, chains, in_hand_bytes_max }
    }
}

fn chain(seed: u64, slug: &str, time: &Arc<Time>) -> ChainPlan {
    let row = registry().find(slug).unwrap().clone();
    let mut dice = Dice::new(seed, &format!("{slug} plan"));
    let depth = dice.between(1, 8);
    let is_other = row.family() != Family::Evm;
    let finality = match dice.below(10) {
        _ if is_other => FinalityAsk::Auto,
        0..6 => FinalityAsk::Finalized,
        6..8 => FinalityAsk::Confirmations(depth),
        _ => FinalityAsk::Latest,
    };
    // nodes of the other ledgers show final blocks alone
    let is_final_when_seen = is_other || finality == FinalityAsk::Latest;
    let growth = Growth {
        first: row.profile().first_number(),
        before: dice.between(1, 16),
        times: dice.between(8, 28),
        depth: if is_final_when_seen { 0 } else { depth },
        reorgs: if is_final_when_seen { 0 } else { dice.pick(&[0, 30, 60]) },
        strict: is_final_when_seen || finality != FinalityAsk::Finalized,
        block_ms: row.block_time_ms,
    };
    let fate = match dice.below(100) {
        0..76 => Fate::Sound,
        76..88 => Fate::Broken,
        _ => Fate::Captured,
    };
    let mut mason = Mason::new(&row, Dice::new(seed, &format!("{slug} blocks")));
    let base = History::sound(growth, &mut mason, &mut dice);
    let forged = Tale::new(base.other(growth, &mut mason, &mut dice));
    let truth = match fate {
        Fate::Broken => base.other(growth, &mut mason, &mut dice),
        Fate::Sound | Fate::Captured => base,
    };
    let truth = Tale::new(truth);
    let live = live_config(finality, &mut dice);
    let count = dice.between(1, 5) as usize;
    let quorum = (live.quorum as usize).min(count);
    let liars = match fate {
        Fate::Captured => dice.between(quorum as u64, count as u64) as usize,
        Fate::Sound | Fate::Broken => dice.below(quorum as u64) as usize,
    };
    let nodes = (0..count).map(|index| {
        let role = match (index < liars, fate) {
            (false, _) => Role::Honest,
            (true, Fate::Captured) => Role::Forger,
            (true, _) => dice.pick(&Role::LIARS),
        };
        let stubborn = index < liars && count - liars > quorum && dice.percent(50);
        let end_ms = truth.history.end_ms();
        let character = character(&row, role, stubborn, end_ms, &mut dice);
        Arc::new(SimNode {
            name: format!("{slug} node {index} {role:?}"),
            row: row.clone(),
            character,
            time: time.clone(),
            truth: truth.clone(),
            forged: forged.clone(),
            dice: Mutex::new(Dice::new(seed, &format!("{slug} node {index}"))),
        })
    });
    let nodes = nodes.collect();
    let collect = collect_config(&row, growth.first, &mut dice);
    ChainPlan { row, fate, collect, live, quorum, nodes, truth, forged }
}

fn character(
    row: &ChainSpec,
    role: Role,
    stubborn: bool,
    end_ms: u64,
    dice: &mut Dice,
) -> Character {
    let mut spells: Vec<Spell> = (0..dice.below(4))
        .map(|_| {
            let from_ms = dice.below(end_ms);
            let to_ms = from_ms + dice.below(end_ms / 2);
            let percent = dice.pick(&[100, 50, 20]);
            Spell { from_ms, to_ms, fault: dice.pick(&Fault::ALL), percent }
        })
        .collect();
    for _ in 0..dice.below(3) {
        let fault = dice.pick(&Fault::ALL);
        if fault != Fault::Stale {
            spells.push(Spell { from_ms: 0, to_ms: u64::MAX, fault, percent: 4 });
        }
    }
    let lags = dice.percent(30);
    Character {
        role,
        stubborn,
        lag_ms: if lags { dice.below(row.block_time_ms * 6) } else { 0 },
        latency_ms: dice.between(1, 60),
        no_batches: dice.percent(15),
        no_block_receipts: dice.percent(15),
        receipts_by_number: dice.percent(15),
        knows_branches: dice.percent(70),
        spells,
    }
}

fn live_config(finality: FinalityAsk, dice: &mut Dice) -> LiveConfig {
    LiveConfig {
        quorum: dice.between(1, 3) as u32,
        finality,
        timeout_ms: 2_000,
        tip_timeout_ms: dice.pick(&[1_000, 3_000]),
        tip_patience_ms: dice.pick(&[0, 100, 500]),
        fetch_timeout_ms: dice.pick(&[3_000, 10_000]),
        attempts_max: dice.between(1, 8) as u32,
        body_bytes_max: BODY_BYTES_MAX,
        batch_calls_max: dice.pick(&[1, 5, 50]),
        calls_per_second_max: dice.pick(&[10, 25, 1_000]),
        calls_in_flight_max: dice.pick(&[1, 2, 8]),
        wrong_pause_ms: 1_000,
        wrong_pause_max_ms: 10_000,
        seed: Some(dice.below(u64::MAX)),
        ..LiveConfig::default()
    }
}

fn collect_config(row: &ChainSpec, first: u64, dice: &mut Dice) -> CollectConfig {
    let start = dice.percent(30).then(|| BlockNumber(first + dice.below(12)));
    CollectConfig {
        blocks_per_step_max: dice.pick(&[1, 3, 8, 64]),
        step_bytes_max: dice.pick(&[40 << 10, 64 << 20]),
        fetches_max: dice.pick(&[1, 3, 16]),
        attempts_max: dice.between(1, 4) as u32,
        head_blocks_max: dice.pick(&[5, 512, 512]),
        body_wait_ms: 86_400_000,
        watch: watch(row, dice),
        start,
        ..CollectConfig::default()
    }
}

/// Room for next to nothing here and there; what is drawn as before stays as it was.
fn narrow(collect: &mut CollectConfig, live: &mut LiveConfig, dice: &mut Dice) {
    collect.blocks_per_step_max = dice.pick(&[1, 2, collect.blocks_per_step_max]);
    collect.step_bytes_max = dice.pick(&[1, 2 << 10, collect.step_bytes_max]);
    collect.fetches_max = dice.pick(&[1, 2, collect.fetches_max]);
    collect.attempts_max = dice.pick(&[1, collect.attempts_max]);
    collect.head_blocks_max = dice.pick(&[0, 1, 2, collect.head_blocks_max]);
    live.batch_calls_max = dice.pick(&[1, 2, live.batch_calls_max]);
    live.calls_in_flight_max = dice.pick(&[1, live.calls_in_flight_max]);
    live.attempts_max = dice.pick(&[1, live.attempts_max]);
}

/// Everything, nothing, or some addresses and topics that occur, and one that does not.
pub(crate) fn watch(row: &ChainSpec, dice: &mut Dice) -> WatchFilter {
    match dice.below(10) {
        0..4 => WatchFilter::All,
        4 => WatchFilter::nothing(),
        5..8 if row.family() != Family::Evm => WatchFilter::All,
        _ if row.family() != Family::Evm => WatchFilter::Some {
            addresses: BTreeSet::from([superroot_types::Address([0xee; 20])]),
            topics: BTreeSet::new(),
        },
        _ => {
            let (mut addresses, mut topics) = (BTreeSet::new(), BTreeSet::new());
            let quarry = quarry(row);
            for _ in 0..dice.between(1, 4) {
                let Some(log) = quarry.log_at(dice.below(u64::MAX)) else { continue };
                if dice.percent(50) {
                    addresses.insert(log.address);
                } else {
                    topics.insert(dice.pick(&log.topics));
                }
            }
            if dice.percent(30) {
                addresses.insert(superroot_types::Address([0xee; 20]));
            }
            WatchFilter::Some { addresses, topics }
        }
    }
}
