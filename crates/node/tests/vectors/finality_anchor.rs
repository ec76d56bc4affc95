//! Rollups' blocks in registries on a simulated Ethereum.

use std::sync::Arc;

use futures_util::FutureExt;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::evm::encode;
use superroot_chain::{ChainRegistry, UntrustedBlock};
use superroot_proof::finality::anchor::*;
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::*;
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{Layout, StateNodes};
use superroot_proof::registry::HashRule;
use superroot_source::finality::{
    AnchorSource, FinalitySource, NewestFinal, SimulatedBeacon, SimulatedRollup,
};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{BlockAt, BlockParts, BlockSource};
use superroot_types::{BlockNumber, ManualClock, Network, UnixSeconds};

use crate::finality::{Case, NOW};

const GENESIS: UnixSeconds = UnixSeconds(NOW.0 - 3_000);
/// Block of Ethereum, and a block of the rollup with an ancestor's hash in its state.
const AT: u64 = 1_400;

/// A chain of so many seconds a block, with these rollups.
fn chain(slug: &str, seconds: u64, rollups: &[Arc<SimulatedChain>]) -> Arc<SimulatedChain> {
    let row = ChainRegistry::builtin().find(slug).unwrap().clone().as_simulated();
    let config = SimulatedConfig {
        block_time_seconds: seconds,
        quiet_until: 1 << 20,
        ..SimulatedConfig::new(5, GENESIS)
    };
    let clock = Arc::new(ManualClock::at(NOW));
    Arc::new(SimulatedChain::anchoring(&row, config, clock, rollups).unwrap())
}

fn header(chain: &SimulatedChain, number: u64) -> (Vec<u8>, UnixSeconds) {
    let at = BlockAt::Number(BlockNumber(number));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let block = runtime.block_on(chain.fetch_block(at, BlockParts::Header, &[])).unwrap().unwrap();
    let UntrustedBlock::Evm(block) = block.block else { unreachable!() };
    let header = encode::header(&block.block, Layout::Ethereum).unwrap();
    (header, UnixSeconds(block.block.timestamp))
}

/// Claims of an output root (Base) and of a super root (Unichain), and links over ancestors.
pub(crate) fn cases() -> Vec<Case> {
    let slugs = ["base", "unichain"];
    let rollups = slugs.map(|slug| chain(slug, 1, &[]));
    let ethereum = chain("ethereum", 2, &rollups);
    let of_rollup = |index: usize| of_rollup(slugs[index], &ethereum, &rollups[index]);
    [of_rollup(0), of_rollup(1)].concat()
}

fn of_rollup(
    slug: &str,
    ethereum: &Arc<SimulatedChain>,
    rollup: &Arc<SimulatedChain>,
) -> Vec<Case> {
    let row = ChainRegistry::builtin().find(slug).unwrap();
    let params = finality_params(row, Network::Simulated).unwrap();
    let source = SimulatedRollup::new(row.id, ethereum.clone(), rollup.clone());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (own, timestamp) = header(ethereum, AT);
    let block = NewestFinal { number: BlockNumber(AT), hash: keccak256(&own), timestamp };
    let claimed = runtime.block_on(source.fetch_contract(block)).unwrap().unwrap();
    let number = match claimed.blocks[..] {
        [GameBlock::Number(number)] => number,
        [GameBlock::Time(time)] => BlockNumber(time.0 - GENESIS.0),
        _ => unreachable!(),
    };
    let beacon = SimulatedBeacon::new(Arc::new(ManualClock::at(NOW)));
    let signed = beacon.fetch_newest(block).now_or_never().unwrap().unwrap();
    let committees = FinalityParams::Beacon(BeaconParams::SIMULATED);
    let period = signed.signer(&committees).unwrap();
    let steps = beacon.fetch_steps(period - 3, 3).now_or_never().unwrap().unwrap();
    let set = FinalitySet::named_by(&params, &steps[0].1).unwrap();
    let (target, _) = header(rollup, number.0);
    let hash = keccak256(&target);
    let link = LinkHeaders::from_iter([own]);
    let body = AnchorBody {
        ethereum: EthereumPart { block: (block.number, block.hash), signed: signed.body, link },
        header: target.clone(),
        proof: claimed.proof,
    };
    let steps: Vec<_> = steps.into_iter().skip(1).map(|(_, step)| step).collect();
    let history = runtime.block_on(source.fetch_history(number)).unwrap().unwrap();
    let proof_of = |body: &AnchorBody| FinalityProof {
        evidence: ConsensusEvidence {
            kind: FinalityKind::Anchor,
            number,
            hash,
            body: body.encode(),
        },
        link: LinkHeaders::default(),
        steps: steps.clone(),
    };
    let proof = proof_of(&body);
    let rule = HashRule::Evm(Layout::Ethereum);
    let mut good = Case::new(params, rule, &set, &proof);
    if slug != "base" {
        good = good.but(&format!("an ancestor's game, of {slug}"), "a super root holds it", |_| {});
    }
    let bent = |name: &str, reason: &str, change: &dyn Fn(&mut AnchorBody)| {
        let mut changed = body.clone();
        change(&mut changed);
        let finality = proof_of(&changed).encode();
        good.but(&format!("{name}, of {slug}"), reason, |case| case.finality = finality)
    };
    let registry = |change: fn(&mut RegistryProof)| {
        move |body: &mut AnchorBody| match &mut body.proof {
            ContractProof::Registry(proof) => change(proof),
            ContractProof::Outbox(_) => unreachable!(),
        }
    };
    let (ancestor, _) = history.words[3];
    let over = LinkHeader { header: target, ancestor: history.slot(ancestor) };
    let linked = LinkHeaders { headers: vec![over] };
    let (below, _) = header(rollup, ancestor.0);
    let to_ancestor = |case: &mut Case, number: u64| {
        case.finality = FinalityProof { link: linked.clone(), ..proof.clone() }.encode();
        (case.number, case.hash) = (number, keccak256(&below));
    };
    vec![
        good.clone(),
        good.but(
            &format!("an ancestor by the history contract, of {slug}"),
            "its state holds it",
            |case| {
                to_ancestor(case, ancestor.0);
            },
        ),
        good.but(
            &format!("another number by the contract, of {slug}"),
            "it names its own",
            |case| {
                to_ancestor(case, ancestor.0 + 1);
            },
        ),
        good.but_proof(
            &format!("no step, of {slug}"),
            "the set is of an earlier period",
            |proof| {
                proof.steps.clear();
            },
        ),
        bent(
            "code of another game",
            "its hash is not the account's",
            &registry(|proof| proof.code[130] ^= 1),
        ),
        bent(
            "the registry's slot missing",
            "nothing names the game",
            &registry(|proof| {
                proof.word = StateNodes(Vec::new());
            }),
        ),
        bent(
            "a node twice",
            "each leads to the next",
            &registry(|proof| {
                let first = proof.registry.0[0].clone();
                proof.registry.0.insert(0, first);
            }),
        ),
        bent(
            "the game's account for the registry's",
            "another key leads there",
            &registry(|proof| {
                proof.registry = proof.game.clone();
            }),
        ),
        bent("no header of Ethereum", "the state has no root", &|body| {
            body.ethereum.link = LinkHeaders::default();
        }),
        bent("another number of Ethereum", "the header has its own", &|body| {
            body.ethereum.block.0 = BlockNumber(AT + 1);
        }),
    ]
}
