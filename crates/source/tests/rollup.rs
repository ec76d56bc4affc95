//! Rollups' blocks in contracts on Ethereum: a real outbox, simulated registries, nodes over HTTP, and all that must be
//! refused. Data is found through `SUPERROOT_DATA` alone.

use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;

use alloy_primitives::Bytes;
use alloy_rlp::Decodable;
use axum::extract::State;
use axum::{Json, Router};
use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_chain::finality::{HISTORY_STEP, finality_params, history_numbers};
use superroot_proof::finality::anchor::{
    AnchorBody, AnchorContract, AnchorForm, AnchorParams, ContractProof, EthereumPart, GameBlock,
    OutboxProof, holds_root, output_root, send_root_slot,
};
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::{
    ConsensusEvidence, FinalityKind, FinalityParams, FinalityProof, FinalityQuestion, FinalitySet,
    FinalityShown, LinkHeader, LinkHeaders, Refusal, Verdict, check, check_evidence,
};
use superroot_proof::hash::keccak256;
use superroot_proof::ledger::evm::{self, HISTORY_BLOCKS, HISTORY_CONTRACT, Layout, StateNodes};
use superroot_proof::registry::HashRule;
use superroot_source::finality::{
    AnchorSource, ClaimedAnchor, FinalitySource, NewestFinal, RollupNodes, SimulatedBeacon,
    SimulatedRollup,
};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_source::{BlockAt, BlockParts, BlockSource};
use superroot_types::{
    Address, BlockNumber, ChainId, ChainKey, Family, Hash, ManualClock, Network, UnixSeconds,
};

const RULE: HashRule = HashRule::Evm(Layout::Ethereum);
const NOW: UnixSeconds = UnixSeconds(1_796_000_000);
const ETHEREUM: ChainKey = ChainKey { family: Family::Evm, id: ChainId(1) };

fn data(name: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no proof of a rollup was read");
        return None;
    };
    let file = std::path::Path::new(&folder).join(format!("finality/{name}.json.gz"));
    let mut text = String::new();
    let bytes = std::fs::read(file).unwrap();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn hex(value: &Value) -> Vec<u8> {
    const_hex::decode(value.as_str().unwrap()).unwrap()
}

fn hash(value: &Value) -> Hash {
    value.as_str().unwrap().parse().unwrap()
}

/// Nodes of a proof as one RLP list.
fn nodes(value: &Value) -> StateNodes {
    let nodes = Vec::<Bytes>::decode(&mut &hex(value)[..]).unwrap();
    StateNodes(nodes.iter().map(|node| node.to_vec()).collect())
}

/// A block of Ethereum as signed by the simulated committee, whose set is the other.
async fn signed(block: NewestFinal) -> (ConsensusEvidence, FinalitySet) {
    let beacon = SimulatedBeacon::new(Arc::new(ManualClock::at(NOW)));
    let evidence = beacon.fetch_newest(block).await.unwrap();
    let params = FinalityParams::Beacon(BeaconParams::SIMULATED);
    let period = evidence.signer(&params).unwrap();
    let steps = beacon.fetch_steps(period - 1, 1).await.unwrap();
    (evidence, FinalitySet::named_by(&params, &steps[0].1).unwrap())
}

/// Evidence about a rollup's block, and all that it is checked with.
struct Anchored {
    params: FinalityParams,
    set: FinalitySet,
    body: AnchorBody,
    block: (BlockNumber, Hash),
}

impl Anchored {
    fn evidence(&self) -> ConsensusEvidence {
        let (number, hash) = self.block;
        ConsensusEvidence { kind: FinalityKind::Anchor, number, hash, body: self.body.encode() }
    }

    fn check(&self, evidence: &ConsensusEvidence) -> Verdict<FinalityShown> {
        check_evidence(&self.params, &self.set, evidence, NOW)
    }

    fn refusal(&self, body: &AnchorBody) -> Refusal {
        let evidence = ConsensusEvidence { body: body.encode(), ..self.evidence() };
        match self.check(&evidence) {
            Verdict::Refusal(why) => why,
            other => panic!("{other:?}"),
        }
    }

    /// Every byte (or every so many) changed, cut, doubled: nothing is shown.
    fn refuses_every_change(&self, stride: usize) {
        let bytes = self.evidence().encode();
        let flip = |at: usize| {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            changed
        };
        let others = [bytes[..bytes.len() - 1].to_vec(), [&bytes[..], &bytes].concat(), vec![]];
        for changed in (0..bytes.len()).step_by(stride).map(flip).chain(others) {
            let evidence = ConsensusEvidence::decode(&changed);
            let shown = evidence.and_then(|evidence| self.check(&evidence).shown());
            assert!(shown.is_none(), "{}", const_hex::encode(&changed[..64.min(changed.len())]));
        }
    }
}

async fn outbox() -> Option<Anchored> {
    let ethereum = data("arbitrum/sepolia_outbox_9567705")?;
    let arbitrum = data("arbitrum/sepolia_l2_207673361").unwrap();
    let params = FinalityParams::Anchor(AnchorParams {
        chain: ChainId(421_614),
        ethereum: ETHEREUM,
        beacon: BeaconParams::SIMULATED,
        ethereum_rule: RULE,
        rule: RULE,
        contract: AnchorForm::Outbox,
        contracts: vec![AnchorContract {
            from: BlockNumber(9_000_000),
            address: ethereum["account"].as_str().unwrap().parse().unwrap(),
        }],
        history_blocks: 0,
    });
    let block = NewestFinal {
        number: BlockNumber(9_567_705),
        hash: hash(&ethereum["blockHash"]),
        timestamp: UnixSeconds(NOW.0 - 100),
    };
    let (evidence, set) = signed(block).await;
    let link = LinkHeaders::from_iter([hex(&ethereum["rlpBlockHeader"])]);
    let outbox = nodes(&ethereum["rlpAccountProof"]);
    let proof = OutboxProof { outbox, word: nodes(&ethereum["rlpStorageProof"]) };
    let body = AnchorBody {
        ethereum: EthereumPart { block: (block.number, block.hash), signed: evidence.body, link },
        header: hex(&arbitrum["rlpBlockHeader"]),
        proof: ContractProof::Outbox(proof),
    };
    let set = set.signing_for(&params);
    let block = (BlockNumber(207_673_361), hash(&arbitrum["blockHash"]));
    assert_eq!(hash(&ethereum["slot"]), send_root_slot(&hash(&arbitrum["sendRoot"])));
    Some(Anchored { params, set, body, block })
}

#[tokio::test]
async fn the_outbox_of_arbitrum_sepolia_holds_its_block_and_no_other() {
    let Some(case) = outbox().await else { return };
    let Verdict::Shown(shown) = case.check(&case.evidence()) else { panic!() };
    assert_eq!((shown.number(), shown.hash()), (Some(case.block.0), case.block.1));
    assert!(shown.by().contains("Ethereum's block 9567705"), "{}", shown.by());
    assert!(case.evidence().encode().len() < 9_000, "{}", case.evidence().encode().len());
    case.refuses_every_change(11);
    let AnchorBody { ethereum, proof, .. } = case.body.clone();
    let ContractProof::Outbox(proof) = proof else { panic!() };
    // trie nodes twice, too few, none
    let doubled = |nodes: &StateNodes| StateNodes([&nodes.0[..1], &nodes.0[..]].concat());
    for outbox in
        [doubled(&proof.outbox), StateNodes(proof.outbox.0[1..].to_vec()), StateNodes(vec![])]
    {
        let proof = ContractProof::Outbox(OutboxProof { outbox, ..proof.clone() });
        let body = AnchorBody { proof, ..case.body.clone() };
        assert_eq!(case.refusal(&body), Refusal::Branch { part: "outbox" });
    }
    // the slot under another account's storage
    let word = proof.outbox.clone();
    let swapped = ContractProof::Outbox(OutboxProof { word, ..proof });
    let body = AnchorBody { proof: swapped, ..case.body.clone() };
    assert_eq!(case.refusal(&body), Refusal::Branch { part: "send root" });
    // a header whose number the link does not have, and none at all
    let mut shifted = ethereum.clone();
    shifted.block.0 = BlockNumber(shifted.block.0.0 + 1);
    let body = AnchorBody { ethereum: shifted, ..case.body.clone() };
    assert!(matches!(case.refusal(&body), Refusal::Number { .. }));
    let empty = EthereumPart { link: LinkHeaders::default(), ..ethereum };
    let body = AnchorBody { ethereum: empty, ..case.body.clone() };
    assert_eq!(case.refusal(&body), Refusal::Encoding { part: "header of Ethereum" });
    // an address of another chain or time
    let FinalityParams::Anchor(params) = &case.params else { panic!() };
    let check = |contracts: Vec<AnchorContract>| {
        let params = FinalityParams::Anchor(AnchorParams { contracts, ..params.clone() });
        check_evidence(&params, &case.set, &case.evidence(), NOW)
    };
    let own = params.contracts[0];
    let later = AnchorContract { from: BlockNumber(9_567_706), ..own };
    assert!(matches!(check(vec![later]), Verdict::Refusal(Refusal::Order { .. })));
    let other = AnchorContract { from: BlockNumber(9_567_000), address: HISTORY_CONTRACT };
    assert!(matches!(check(vec![own, other]), Verdict::Refusal(Refusal::Branch { .. })));
    assert!(
        check(vec![own, AnchorContract { from: BlockNumber(9_567_706), ..other }])
            .shown()
            .is_some()
    );
    // an Ethereum's own set is none of the rollup's
    let FinalitySet::Anchor(set) = case.set.clone() else { panic!() };
    let own = FinalitySet::Beacon(set.0);
    assert_eq!(
        check_evidence(&case.params, &own, &case.evidence(), NOW),
        Verdict::Refusal(Refusal::Kind)
    );
}

#[test]
fn a_real_output_root_is_that_of_its_header() {
    let Some(json) = data("opstack/op_anchors_slot") else { return };
    let header = hex(&json["encodedBlockArray"]);
    let read = evm::Header::decode(Layout::Ethereum, &header).unwrap();
    let claimed = hash(&json["dstL2StateRootProofParams"]["storageValue"]);
    assert_eq!(output_root(&read, &keccak256(&header)), Some(claimed));
}

// --- simulated registries ---

/// A simulated Ethereum with two rollups, at one time.
struct Chains {
    ethereum: Arc<SimulatedChain>,
    rollups: Vec<(ChainId, Arc<SimulatedChain>)>,
}

const GENESIS: UnixSeconds = UnixSeconds(NOW.0 - 3_000);

impl Chains {
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at(NOW));
        let config = |seconds| SimulatedConfig {
            block_time_seconds: seconds,
            quiet_until: 1 << 20,
            ..SimulatedConfig::new(5, GENESIS)
        };
        let row = |slug| ChainRegistry::builtin().find(slug).unwrap().clone().as_simulated();
        let rollups: Vec<_> = ["base", "unichain"]
            .map(|slug| {
                let chain = SimulatedChain::new(&row(slug), config(1), clock.clone()).unwrap();
                (row(slug).id, Arc::new(chain))
            })
            .into();
        let held: Vec<_> = rollups.iter().map(|(_, chain)| chain.clone()).collect();
        let ethereum = SimulatedChain::anchoring(&row("ethereum"), config(2), clock, &held);
        Self { ethereum: Arc::new(ethereum.unwrap()), rollups }
    }

    fn source(&self, index: usize) -> SimulatedRollup {
        let (id, rollup) = self.rollups[index].clone();
        SimulatedRollup::new(id, self.ethereum.clone(), rollup)
    }

    fn params(&self, index: usize) -> FinalityParams {
        let (_, row) = ChainRegistry::builtin()
            .by_key(ChainKey { family: Family::Evm, id: self.rollups[index].0 })
            .unwrap();
        finality_params(row, Network::Simulated).unwrap()
    }

    /// Newest anchored block of a rollup in the state after a block of Ethereum.
    async fn anchored(&self, index: usize, number: u64) -> Option<Anchored> {
        let (header, timestamp) = header(&self.ethereum, number).await;
        let block =
            NewestFinal { number: BlockNumber(number), hash: keccak256(&header), timestamp };
        let claimed = self.source(index).fetch_contract(block).await.unwrap()?;
        let ClaimedAnchor { proof, blocks } = claimed;
        let at = match blocks[..] {
            [GameBlock::Number(number)] => number.0,
            // blocks are a second apart
            [GameBlock::Time(time)] => time.0 - GENESIS.0,
            _ => panic!("{blocks:?}"),
        };
        let (evidence, set) = signed(block).await;
        let (own, _) = self::header(&self.rollups[index].1, at).await;
        let link = LinkHeaders::from_iter([header]);
        let params = self.params(index);
        let set = set.signing_for(&params);
        let own_block = (BlockNumber(at), keccak256(&own));
        let ethereum =
            EthereumPart { block: (block.number, block.hash), signed: evidence.body, link };
        let body = AnchorBody { ethereum, header: own, proof };
        Some(Anchored { params, set, body, block: own_block })
    }
}

async fn header(chain: &SimulatedChain, number: u64) -> (Vec<u8>, UnixSeconds) {
    let at = BlockAt::Number(BlockNumber(number));
    let block = chain.fetch_block(at, BlockParts::Header, &[]).await.unwrap().unwrap();
    let superroot_chain::UntrustedBlock::Evm(block) = block.block else { panic!() };
    let header = superroot_chain::ledger::evm::encode::header(&block.block, Layout::Ethereum);
    (header.unwrap(), UnixSeconds(block.block.timestamp))
}

#[tokio::test]
async fn registries_hold_output_roots_and_super_roots() {
    let chains = Chains::new();
    assert!(chains.anchored(0, 3).await.is_none(), "no game was won yet");
    let mut kept = Vec::new();
    for index in [0, 1] {
        let case = chains.anchored(index, 1_400).await.unwrap();
        let Verdict::Shown(shown) = case.check(&case.evidence()) else {
            panic!("{:?}", case.check(&case.evidence()))
        };
        assert_eq!((shown.number(), shown.hash()), (Some(case.block.0), case.block.1));
        assert!(case.block.0.0 > 1_000);
        case.refuses_every_change(3);
        kept.push(case);
    }
    // one rollup's game is no evidence of another
    let [base, unichain] = &kept[..] else { panic!() };
    let other = AnchorBody { proof: unichain.body.proof.clone(), ..base.body.clone() };
    assert_eq!(base.refusal(&other), Refusal::Branch { part: "registry" });
    // a block whose root the game does not hold
    let (header, _) = header(&chains.rollups[0].1, base.block.0.0 - 1).await;
    let block = (BlockNumber(base.block.0.0 - 1), keccak256(&header));
    let body = AnchorBody { header, ..base.body.clone() };
    let before = Anchored { params: base.params.clone(), set: base.set.clone(), body, block };
    assert_eq!(before.refusal(&before.body), Refusal::Branch { part: "output root" });
    // code that is not the game's
    let ContractProof::Registry(mut proof) = base.body.proof.clone() else { panic!() };
    proof.code.push(0);
    let body = AnchorBody { proof: ContractProof::Registry(proof), ..base.body.clone() };
    assert_eq!(base.refusal(&body), Refusal::Branch { part: "code of the game" });
}

#[test]
fn a_super_root_is_searched_by_chain() {
    let word = |number: u64| [&[0; 24][..], &number.to_be_bytes()].concat();
    let roots = [[7_u8; 32], [8; 32], [9; 32]];
    let preimage = [
        &[1][..],
        &77_u64.to_be_bytes(),
        &word(10),
        &roots[0],
        &word(130),
        &roots[1],
        &word(8_453),
        &roots[2],
    ]
    .concat();
    let code = |claim: Hash, preimage: &[u8]| {
        [&[0x36; 118][..], &claim.0, &[0; 32], &9_u32.to_be_bytes(), preimage, &[5; 124]].concat()
    };
    let own = code(keccak256(&preimage), &preimage);
    for (id, root) in [10, 130, 8_453].into_iter().zip(roots) {
        assert!(holds_root(&own, ChainId(id), &Hash(root)));
        assert!(!holds_root(&own, ChainId(id + 1), &Hash(root)));
        assert!(!holds_root(&own, ChainId(id), &Hash([6; 32])));
        // a preimage of another claim holds nothing
        assert!(!holds_root(&code(Hash([1; 32]), &preimage), ChainId(id), &Hash(root)));
    }
    // what stands behind the claimed chains is none of them
    let longer = [&preimage[..], &word(480), &[3; 32]].concat();
    assert!(!holds_root(&code(keccak256(&preimage), &longer), ChainId(480), &Hash([3; 32])));
    let other_version = [&[2], &preimage[1..]].concat();
    let code = code(keccak256(&other_version), &other_version);
    assert!(!holds_root(&code, ChainId(10), &Hash(roots[0])));
}

#[tokio::test]
async fn links_lead_over_ancestors_in_the_rollups_own_state() {
    let chains = Chains::new();
    let case = chains.anchored(0, 1_400).await.unwrap();
    let source = chains.source(0);
    let at = case.block.0;
    assert!(at.0.is_multiple_of(HISTORY_STEP));
    let proof = source.fetch_history(at).await.unwrap().unwrap();
    let (header, _) = header(&chains.rollups[0].1, at.0).await;
    for ancestor in history_numbers(at) {
        let (below, _) = self::header(&chains.rollups[0].1, ancestor.0).await;
        let slot = proof.slot(ancestor).unwrap();
        let link = LinkHeader { header: header.clone(), ancestor: Some(slot.clone()) };
        let whole = |link: LinkHeaders| FinalityProof {
            evidence: case.evidence(),
            link,
            steps: Vec::new(),
        };
        let asked = FinalityQuestion { rule: RULE, number: ancestor, hash: keccak256(&below) };
        let shown = |proof: &FinalityProof, asked| {
            check(&case.params, &case.set, proof, asked, NOW).shown()
        };
        let linked = whole(LinkHeaders { headers: vec![link.clone()] });
        let found = shown(&linked, asked).unwrap();
        assert_eq!((found.number(), found.hash()), (Some(ancestor), asked.hash));
        // and the parent of that
        let parent = evm::Header::decode(Layout::Ethereum, &below).unwrap().parent_hash;
        let two = LinkHeaders { headers: vec![link.clone(), LinkHeader::from(below)] };
        let number = BlockNumber(ancestor.0 - 1);
        assert!(shown(&whole(two), FinalityQuestion { number, hash: parent, ..asked }).is_some());
        // another number, another slot's word, a chain without the contract
        assert!(shown(&linked, FinalityQuestion { number, ..asked }).is_none());
        let mut bent = slot;
        bent.number = BlockNumber(bent.number.0 + 1);
        let bent = LinkHeader { header: header.clone(), ancestor: Some(bent) };
        assert!(shown(&whole(LinkHeaders { headers: vec![bent] }), asked).is_none());
        assert!(linked.link.follow(RULE, 0, case.block).is_err());
        assert!(linked.link.follow(RULE, at.0 - ancestor.0 - 1, case.block).is_err());
        let encoded = linked.link.encode();
        assert_eq!(LinkHeaders::decode(&encoded), Some(linked.link.clone()));
        for index in (0..encoded.len()).step_by(29) {
            let mut changed = encoded.clone();
            changed[index] ^= 4;
            let link = LinkHeaders::decode(&changed);
            assert!(link.is_none_or(|link| shown(&whole(link), asked).is_none()), "{index}");
        }
    }
}

// --- nodes over HTTP ---

type Answers = Arc<dyn Fn(&str, &Value) -> Value + Send + Sync>;

async fn answer(State(answers): State<Answers>, Json(asked): Json<Value>) -> Json<Value> {
    let method = asked["method"].as_str().unwrap();
    let result = answers(method, &asked["params"]);
    let mut body = json!({ "jsonrpc": "2.0", "id": asked["id"] });
    match result.get("error") {
        Some(error) => body["error"] = error.clone(),
        None => body["result"] = result,
    }
    Json(body)
}

async fn serve(answers: Answers) -> String {
    let listener =
        tokio::net::TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.unwrap();
    let address = listener.local_addr().unwrap();
    let app = Router::new().fallback(answer).with_state(answers);
    tokio::spawn(async move { axum::serve(listener, app).await });
    format!("http://{address}/secret-key")
}

fn proof_json(account: &StateNodes, words: &[(Hash, &StateNodes)]) -> Value {
    let list = |nodes: &StateNodes| {
        nodes.0.iter().map(|node| format!("0x{}", const_hex::encode(node))).collect::<Vec<_>>()
    };
    let word = |(value, nodes): &(Hash, &StateNodes)| {
        let digits = const_hex::encode(value.0);
        let value = format!("0x{}", digits.trim_start_matches('0'));
        json!({ "key": "0x0", "value": value, "proof": list(nodes) })
    };
    let words: Vec<_> = words.iter().map(word).collect();
    json!({ "accountProof": list(account), "storageProof": words, "balance": "0x0" })
}

#[tokio::test]
async fn nodes_are_asked_for_the_outbox_and_its_last_root() {
    let Some(case) = outbox().await else { return };
    let FinalityParams::Anchor(params) = case.params.clone() else { panic!() };
    let ContractProof::Outbox(proof) = case.body.proof.clone() else { panic!() };
    let OutboxProof { outbox, word } = proof.clone();
    let header = evm::Header::decode(Layout::Ethereum, &case.body.header).unwrap();
    let send_root = Hash(header.extra_data.try_into().unwrap());
    let block = case.block.1;
    let address = params.contracts[0].address;
    let on_ethereum: Answers = Arc::new(move |method, asked| match method {
        "eth_getLogs" => {
            assert_eq!(asked[0]["address"], json!(address));
            // the last root is two questions back
            match asked[0]["toBlock"] == json!("0x91fdd9") {
                true => json!([]),
                false => json!([{ "topics": [Hash([1; 32]), send_root, block] }]),
            }
        }
        "eth_getProof" => {
            assert_eq!((&asked[0], &asked[2]), (&json!(address), &json!("0x91fdd9")));
            assert_eq!(asked[1], json!([send_root_slot(&send_root)]));
            proof_json(&outbox, &[(block, &word)])
        }
        other => panic!("{other}"),
    });
    let on_rollup: Answers = Arc::new(move |method, asked| {
        assert_eq!((method, &asked[0]), ("eth_getBlockByHash", &json!(block)));
        json!({ "number": "0xc60d811" })
    });
    let (ethereum, rollup) = (serve(on_ethereum).await, serve(on_rollup).await);
    let nodes = RollupNodes::new(params.clone(), (&ethereum, "l1"), Some((&rollup, "l2"))).unwrap();
    let at = case.body.ethereum.block;
    let at = NewestFinal { number: at.0, hash: at.1, timestamp: NOW };
    let claimed = nodes.fetch_contract(at).await.unwrap().unwrap();
    assert_eq!(claimed.blocks, [GameBlock::Number(case.block.0)]);
    assert_eq!(claimed.proof, ContractProof::Outbox(proof));
    // before the contract nobody is asked
    let early = NewestFinal { number: BlockNumber(1), ..at };
    assert!(nodes.fetch_contract(early).await.unwrap().is_none());
    let alone = RollupNodes::new(params, (&ethereum, "l1"), None).unwrap();
    assert!(alone.fetch_contract(at).await.unwrap_err().to_string().contains("role proofs"));
    assert!(alone.fetch_history(BlockNumber(64)).await.unwrap().is_none());
}

#[tokio::test]
async fn nodes_are_asked_for_the_registrys_game_and_for_ancestors() {
    let chains = Chains::new();
    let case = chains.anchored(0, 1_400).await.unwrap();
    let FinalityParams::Anchor(params) = case.params.clone() else { panic!() };
    let ContractProof::Registry(proof) = case.body.proof.clone() else { panic!() };
    let registry = params.contracts[0].address;
    let game = Address(*keccak256(&proof.code).0.last_chunk().unwrap());
    let held = proof.clone();
    let on_ethereum: Answers = Arc::new(move |method, asked| {
        let is_registry = asked[0] == json!(registry);
        assert!(is_registry || asked[0] == json!(game));
        match method {
            "eth_getCode" => json!(format!("0x{}", const_hex::encode(&held.code))),
            "eth_getProof" if is_registry => {
                let word = Hash(*[&[0; 12][..], &game.0].concat().first_chunk().unwrap());
                proof_json(&held.registry, &[(word, &held.word)])
            }
            "eth_getProof" => proof_json(&held.game, &[]),
            other => panic!("{other}"),
        }
    });
    let at = case.block.0;
    let history = chains.source(0).fetch_history(at).await.unwrap().unwrap();
    let kept = history.clone();
    let on_rollup: Answers = Arc::new(move |method, asked| {
        assert_eq!((method, &asked[0]), ("eth_getProof", &json!(HISTORY_CONTRACT)));
        if asked[2] != json!(format!("{:#x}", at.0)) {
            return json!({ "error": { "code": -32000, "message": "distance to target block" } });
        }
        let words: Vec<_> = kept.words.iter().map(|(_, word)| (Hash([1; 32]), word)).collect();
        proof_json(&kept.account, &words)
    });
    let (ethereum, rollup) = (serve(on_ethereum).await, serve(on_rollup).await);
    let nodes = RollupNodes::new(params, (&ethereum, "l1"), Some((&rollup, "l2"))).unwrap();
    let block = case.body.ethereum.block;
    let block = NewestFinal { number: block.0, hash: block.1, timestamp: NOW };
    let claimed = nodes.fetch_contract(block).await.unwrap().unwrap();
    assert_eq!(claimed.proof, ContractProof::Registry(proof));
    assert_eq!(claimed.blocks, [GameBlock::Number(at)]);
    assert_eq!(nodes.fetch_history(at).await.unwrap().unwrap(), history);
    assert_eq!(history.words.len(), history_numbers(at).len());
    assert!(history.words.iter().all(|(number, _)| at.0 - number.0 <= HISTORY_BLOCKS));
    let error = nodes.fetch_history(BlockNumber(at.0 + 512)).await.unwrap_err().to_string();
    assert!(
        error.starts_with("l2: eth_getProof: distance") && !error.contains("secret"),
        "{error}"
    );
}
