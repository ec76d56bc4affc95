//! Twenty real nodes at a block a second, for minutes: nothing is left out, and every proof holds.

use std::time::{Duration, Instant};

use crate::support::Service;
use crate::support::anvil::{Anvil, Mining, creation_code, quantity, rows};
use crate::support::contract::{call, encode};
use crate::support::world::{World, anchored, no_gap, same_blocks};
use serde_json::{Value, json};
use superroot_chain::{Registry, registry};
use superroot_proof::bundle::Policy;
use superroot_types::Hash;

/// Chains of the test's own; the log has a slot for each.
const OWN_CHAINS: std::ops::Range<u64> = 31_337..31_355;
/// Chains of the build that have Ethereum's rules, so that anvil can stand for them.
const BUILTIN_CHAINS: [u64; 2] = [1, 56];
/// Events sent to each chain a second.
const EVENTS_PER_SECOND: u64 = 2;

/// How long it goes, in seconds.
fn seconds() -> u64 {
    let seconds = std::env::var("SUPERROOT_ANVIL_SECONDS").ok();
    seconds.and_then(|text| text.parse().ok()).unwrap_or(600)
}

/// A chain with a token whose transfers are the events.
struct Chain {
    node: Anvil,
    token: String,
    account: String,
    /// Transfers whose proof was not asked for yet, oldest first.
    sent: std::collections::VecDeque<String>,
}

impl Chain {
    async fn start(chain_id: u64) -> Option<Self> {
        let node = Anvil::start(chain_id, Mining::EverySecond, 1)?;
        let account = node.account().await;
        let supply = encode(&[1_000_000_000_u128.into()]);
        let code = [creation_code("v2-core", "ERC20"), supply].concat();
        let hash = node.send(None, &code).await;
        node.mine(1).await;
        let token = node.receipt(&hash).await["contractAddress"].as_str().unwrap().to_owned();
        Some(Self { node, token, account, sent: std::collections::VecDeque::new() })
    }

    async fn emit(&mut self) {
        let to = self.account.as_str().into();
        let data = call("transfer(address,uint256)", &[to, 1_u128.into()]);
        self.sent.push_back(self.node.send(Some(&self.token), &data).await);
    }
}

/// What was asked of the service, and how it went.
#[derive(Default)]
struct Tally {
    blocks: u64,
    events: u64,
    lags: Vec<u64>,
}

/// Verifies a proof that the service gave, and that it leads to the SuperRoot that the service names.
async fn verified(service: &Service, policy: &Policy<'_>, path: &str) -> Value {
    let body = service.json(path).await;
    let hash: Hash = body["superRootHash"].as_str().unwrap().parse().unwrap();
    let checked = superroot_wire::check_body(body.to_string().as_bytes(), policy, Some(&hash));
    checked.unwrap_or_else(|error| panic!("{path}: {error}"));
    body
}

impl Tally {
    /// The newest anchored block, and every event that is anchored by now.
    async fn look(&mut self, service: &Service, policy: &Policy<'_>, chain: &mut Chain) {
        let id = chain.node.chain_id;
        let Some(newest) = service.anchored(id).await else { return };
        self.lags.push(chain.node.head().await.saturating_sub(newest));
        let block = verified(service, policy, &format!("/v5/proof/{id}/{newest}")).await;
        assert_eq!(block["blockHash"], chain.node.hash_at(newest).await);
        self.blocks += 1;
        while let Some(hash) = chain.sent.front() {
            let receipt = chain.node.call("eth_getTransactionReceipt", json!([hash])).await;
            if receipt.is_null() || quantity(&receipt["blockNumber"]) > newest {
                return;
            }
            let path = format!("/v5/event/{id}/{hash}/0");
            let event = verified(service, policy, &path).await;
            assert_eq!(event["event"]["data"], receipt["logs"][0]["data"]);
            self.events += 1;
            chain.sent.pop_front();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_nodes_are_followed_for_minutes_without_a_gap() {
    if std::env::var_os("SUPERROOT_TEST_ALL").is_none() {
        eprintln!("SKIPPED: it takes minutes, set SUPERROOT_TEST_ALL");
        return;
    }
    let mut chains = Vec::new();
    for id in OWN_CHAINS.chain(BUILTIN_CHAINS) {
        let Some(chain) = Chain::start(id).await else { return };
        chains.push(chain);
    }
    let text = format!("{}\n{}", registry::ROWS, rows(OWN_CHAINS));
    let registry = Registry::parse(&text).unwrap();
    let policy = Policy::strict(registry.proof_registry());
    let nodes: Vec<&Anvil> = chains.iter().map(|chain| &chain.node).collect();
    let world = World::of(&nodes);
    let service = world.serve(&[("SUPERROOT__COLLECT__POLL_INTERVAL_MS", "250")]);
    let (begun, mut tally, mut second) = (Instant::now(), Tally::default(), 0);
    let load_before = service.load().0;
    while begun.elapsed() < Duration::from_secs(seconds()) {
        for chain in &mut chains {
            for _ in 0..EVENTS_PER_SECOND {
                chain.emit().await;
            }
        }
        let index = second % chains.len();
        tally.look(&service, &policy, &mut chains[index]).await;
        second += 1;
        let next = Duration::from_secs(second as u64);
        tokio::time::sleep(next.saturating_sub(begun.elapsed())).await;
    }
    let elapsed = begun.elapsed().as_secs_f64();
    let (cpu, memory) = service.load();
    let nodes_load = chains.iter().map(|chain| chain.node.load());
    let (nodes_cpu, nodes_memory) =
        nodes_load.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let mut block_count = 0;
    for chain in &mut chains {
        let id = chain.node.chain_id;
        anchored(&service, id, chain.node.head().await - 3).await;
        tally.look(&service, &policy, chain).await;
        same_blocks(&service, &chain.node).await;
        no_gap(&service, id).await;
        block_count += service.anchored(id).await.unwrap() + 1;
    }
    tally.lags.sort_unstable();
    let lag = |share: f64| tally.lags[((tally.lags.len() - 1) as f64 * share) as usize];
    eprintln!(
        "{} chains, {elapsed:.0} s, {block_count} blocks anchored without a gap; verified: {} block \
         and {} event proofs; head to anchored p50 {} p99 {} blocks; service {:.1} % of one core, \
         {memory:.0} MiB; nodes {:.1} %, {nodes_memory:.0} MiB",
        chains.len(),
        tally.blocks,
        tally.events,
        lag(0.5),
        lag(0.99),
        (cpu - load_before) / elapsed * 100.0,
        nodes_cpu / elapsed * 100.0,
    );
}
