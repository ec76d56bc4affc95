//! `vectors/`: answers about SuperRoots, good and bad, and answers whose members contradict the proof
//! in them. Written anew by `make vectors`.

use crate::same_in_file;
use crate::world::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use superroot_chain::ChainRegistry;
use superroot_proof::bundle::*;
use superroot_types::*;
use superroot_wire::superroot::*;
use superroot_wire::{Case, CheckError, Shape, check_json, render};

/// A proof that one SuperRoot extends another: one that holds where `refused_at` is `null`.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Extension {
    /// What it is, or what was done to it.
    name: String,
    /// Why it must be refused, or what it shows.
    reason: String,
    /// `body` where it is malformed or its members contradict each other, `consistency` where it
    /// does not hold between the two hashes.
    refused_at: Option<String>,
    /// Hash of the earlier SuperRoot, which the verifier trusts.
    trusted_from: Hash,
    /// Hash of the later SuperRoot that is to be believed.
    claimed_to: Hash,
    /// The answer.
    body: Value,
}

/// An answer of which one member is not what it was.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Smuggled {
    /// The member that was changed or added, as a JSON pointer, and the proof's kind.
    name: String,
    /// Why it must be refused.
    reason: String,
    /// `body`: the proof itself holds. `encoding`: no proof can be read out of it. Else the step of
    /// the proof, for a member that is a part of it.
    refused_at: String,
    /// SuperRoot hash that the verifier trusts.
    trusted: Hash,
    /// The answer.
    body: Value,
}

fn refused_at(body: &Value, from: &Hash, to: &Hash) -> Option<String> {
    match parse_consistency(body) {
        Err(_) => Some("body".to_owned()),
        Ok((answer, _)) => answer.verify(from, to).err().map(|_| "consistency".to_owned()),
    }
}

fn of_strength(full: &Full, strength: Strength) -> Value {
    let proof = match strength {
        Strength::Full => return rendered(full),
        Strength::History => Consistency::History(Box::new(full.history.clone())),
        Strength::Upgrade => Consistency::Upgrade(Box::new(full.history.upgrade.clone())),
    };
    render_consistency(&proof.into(), Case::Camel)
}

fn rendered(full: &Full) -> Value {
    let Full { proof, appended } = full.clone();
    let proof = Consistency::Full(Box::new(proof));
    render_consistency(&ConsistencyAnswer { proof, appended: Some(appended) }, Case::Camel)
}

fn good_extensions(world: &World) -> Vec<Extension> {
    let mut all = Vec::new();
    for (from, to) in [(0, 1), (1, 3), (2, 3)] {
        let full = world.consistency(from, to);
        for strength in Strength::ALL {
            all.push(Extension {
                name: format!("{strength}, {from} to {to}"),
                reason: "it holds".to_owned(),
                refused_at: None,
                trusted_from: world.root(from),
                claimed_to: world.root(to),
                body: of_strength(&full, strength),
            });
        }
    }
    all
}

/// Collects lies about SuperRoots 1 and 3.
struct Lies<'a> {
    world: &'a World,
    all: Vec<Extension>,
}

impl Lies<'_> {
    fn add(&mut self, name: &str, reason: &str, (from, to): (usize, usize), body: Value) {
        let (trusted_from, claimed_to) = (self.world.root(from), self.world.root(to));
        let refused = refused_at(&body, &trusted_from, &claimed_to);
        let refused = refused.unwrap_or_else(|| panic!("{name} was accepted"));
        let (name, reason, refused_at) = (name.to_owned(), reason.to_owned(), Some(refused));
        self.all.push(Extension { name, reason, refused_at, trusted_from, claimed_to, body });
    }
}

fn hostile_extensions(world: &World) -> Vec<Extension> {
    let mut lies = Lies { world, all: Vec::new() };
    let full = world.consistency(1, 3);
    for strength in Strength::ALL {
        let body = of_strength(&full, strength);
        let named = |what: &str| format!("{strength}: {what}");
        let other = "the client's own SuperRoot is another";
        lies.add(&named("another earlier one"), other, (2, 3), body.clone());
        lies.add(&named("another later one"), "the later one is another", (1, 2), body.clone());
        lies.add(&named("backwards"), "it shows the other direction", (3, 1), body.clone());
        for (what, at, reason) in [
            ("history path of zeros", "/inclusionPath/0", "the path leads to another root"),
            ("history slot's path of zeros", "/toHistory/siblings/2", "it leads to another root"),
        ] {
            let mut bent = body.clone();
            *bent.pointer_mut(at).unwrap() = json!(Hash::ZERO);
            lies.add(&named(what), reason, (1, 3), bent);
        }
        let mut long = body.clone();
        long["inclusionPath"].as_array_mut().unwrap().push(json!(Hash([1; 32])));
        lies.add(&named("path too long"), "index and count fix its length", (1, 3), long);
        let mut without = body.clone();
        without["inclusionPath"].as_array_mut().unwrap().pop();
        lies.add(&named("path too short"), "index and count fix its length", (1, 3), without);
        let mut relabelled = body.clone();
        relabelled["to"]["superRootHash"] = json!(Hash([7; 32]));
        lies.add(&named("relabelled"), "the hash is not that of its parts", (1, 3), relabelled);
    }
    counts(&mut lies, &full);
    let mut weak = of_strength(&full, Strength::History);
    weak["strength"] = json!("full");
    lies.add("history called full", "what full needs is not there", (1, 3), weak);
    let mut unknown = of_strength(&full, Strength::Full);
    unknown["strength"] = json!("fuller");
    lies.add("unknown strength", "there are three strengths", (1, 3), unknown);
    blobs(&mut lies, &full);
    lies.all
}

/// A history of another length than its SuperRoot's sequence.
fn counts(lies: &mut Lies<'_>, full: &Full) {
    for (name, leaf_count) in [("one less", 2), ("one more", 4), ("none", 0)] {
        let mut bent = full.history.clone();
        bent.upgrade.opening.history.leaf_count = LeafCount(leaf_count);
        let body = render_consistency(&Consistency::History(Box::new(bent)).into(), Case::Camel);
        let reason = "SuperRoot n commits to exactly n entries of history";
        lies.add(&format!("history leaf count {name}"), reason, (1, 3), body);
    }
    let mut bent = full.history.clone();
    bent.from_opening.history.leaf_count = LeafCount(2);
    let body = render_consistency(&Consistency::History(Box::new(bent)).into(), Case::Camel);
    let reason = "SuperRoot n commits to exactly n entries of history";
    lies.add("earlier history leaf count one more", reason, (1, 3), body);
}

/// What strength full alone shows: that no block was rewritten.
fn blobs(lies: &mut Lies<'_>, full: &Full) {
    let mut with = |name: &str, reason: &str, bend: &dyn Fn(&mut Full)| {
        let mut bent = full.clone();
        bend(&mut bent);
        let body = rendered(&bent);
        lies.add(&format!("full: {name}"), reason, (1, 3), body);
    };
    with("a bridge left out", "each open twig of the earlier one is bridged", &|bent| {
        bent.bridges.pop();
    });
    with("a bridge twice", "each open twig has one bridge", &|bent| {
        let again = bent.bridges[0].clone();
        bent.bridges.push(again);
    });
    with("another leaf in a bridge", "the folds give other roots", &|bent| {
        bent.bridges[0].leaf = Hash([9; 32]);
    });
    with("another sibling in a bridge", "the folds give other roots", &|bent| {
        bent.bridges[0].siblings[4] = Hash([9; 32]);
    });
    with("an appended twig left out", "the runs say which twigs were sealed", &|bent| {
        bent.appended.pop();
    });
    with("an appended twig twice", "no twig is sealed twice", &|bent| {
        let again = bent.appended[0];
        bent.appended.push(again);
    });
    with("another appended twig", "the Mini-MMR grows to another root", &|bent| {
        bent.appended[0].twig_root = Hash([9; 32]);
    });
    with("a Mini-MMR path too long", "the counts fix its length", &|bent| {
        bent.mini_mmr_paths[0].push(Hash([1; 32]));
    });
    with("a path for an empty Mini-MMR", "it did not grow", &|bent| {
        bent.mini_mmr_paths[8].push(Hash([1; 32]));
    });
    with("another reference", "it is not behind the SuperRoot", &|bent| {
        bent.to.references[0].1.number.0 += 1;
    });
    with("the later blob twice", "the earlier blob is that of the earlier SuperRoot", &|bent| {
        let later = bent.to.clone();
        bent.from = later;
    });
}

fn smuggled() -> Vec<Smuggled> {
    let rows = ChainRegistry::builtin().proof_registry();
    let policy = Policy::strict(rows);
    let mut world = World::of(rows.clone());
    world.extend(ETHEREUM, 0..=2049, |number| if number == 5 || number > 2047 { 4 } else { 0 });
    let trusted = world.publish(1_700_000_000);
    let tx = ProofSubject::Transaction { tx_index: 3 };
    let log = ProofSubject::Log { tx_index: 3, log_index: 2 };
    let mut all = Vec::new();
    for (kind, subject, number, changed, added) in [
        (
            "sealed block",
            ProofSubject::Block,
            5,
            SEALED_BLOCK,
            &["/twig/sealedAt", "/miniMmr/leaves"],
        ),
        (
            "open block",
            ProofSubject::Block,
            2049,
            OPEN_BLOCK,
            &["/blockReference/lag", "/header/x"],
        ),
        ("transaction", tx, 5, TRANSACTION, &["/transaction/from", "/receipt/contractAddress"]),
        ("event", log, 2049, EVENT, &["/event/amountUsd", "/bloom/inBlock"]),
    ] {
        let bundle = world.prove(ETHEREUM, number, subject, true, 0);
        let facts = verify_anchored(&bundle, &policy, &trusted).unwrap();
        let body = render(&bundle, &facts, Shape::V5);
        check_json(&body, &policy, Some(&trusted)).unwrap();
        let mut add = |pointer: &str, reason: &str, body: Value| {
            let refused_at = match check_json(&body, &policy, Some(&trusted)) {
                Err(CheckError::Disagreement(_)) => "body".to_owned(),
                Err(CheckError::Unusable(_)) => "encoding".to_owned(),
                Err(CheckError::Proof(error)) => error.step.to_string(),
                other => panic!("{kind} {pointer}: {other:?}"),
            };
            let (name, reason) = (format!("{kind} {pointer}"), reason.to_owned());
            all.push(Smuggled { name, reason, refused_at, trusted, body });
        };
        for (pointer, value) in changed {
            let mut bent = body.clone();
            let member = bent.pointer_mut(pointer);
            let member = member.unwrap_or_else(|| panic!("{kind} has no {pointer}"));
            let value: Value = serde_json::from_str(value).unwrap();
            assert_ne!(*member, value, "{kind} {pointer} is that already");
            *member = value;
            add(pointer, "the member says something else than the proof", bent);
        }
        for pointer in added {
            let mut bent = body.clone();
            let (parent, name) = pointer.rsplit_once('/').unwrap();
            let parent = bent.pointer_mut(parent).unwrap_or_else(|| panic!("{kind} {pointer}"));
            parent[name] = json!("0x01");
            add(pointer, "a member among the proven ones that nothing proves", bent);
        }
    }
    all
}

/// Members that follow from the proof, each with a value that does not.
type Changed = &'static [(&'static str, &'static str)];

const ZEROS: &str = "\"0x0000000000000000000000000000000000000000000000000000000000000000\"";
const SEALED_BLOCK: Changed = &[
    ("/chainId", "10"),
    ("/blockNumber", "6"),
    ("/blockHash", ZEROS),
    ("/header/timestamp", "\"0x1\""),
    ("/header/stateRoot", ZEROS),
    ("/proofKind", "\"transaction\""),
    ("/proofLevel", "4"),
    ("/numberBound", "false"),
    ("/network", "\"live\""),
    ("/twig/index", "1"),
    ("/twig/slot", "6"),
    ("/miniMmr/family", "\"bitcoin\""),
    ("/superRoot/sequence", "1"),
    ("/superRoot/timestamp", "1"),
    ("/superRoot/index", "1"),
    ("/superRootHash", ZEROS),
    ("/siblings/0", ZEROS),
];
const OPEN_BLOCK: Changed = &[
    ("/blockReference/chainId", "10"),
    ("/superRoot/index", "0"),
    ("/superRoot/treeRoot", ZEROS),
    ("/twig/slot", "0"),
];
const TRANSACTION: Changed = &[
    ("/transactionIndex", "2"),
    ("/transactionsRoot", ZEROS),
    ("/receiptRoot", ZEROS),
    ("/rawTransaction", "\"0x02\""),
    ("/rawReceipt", "\"0x02\""),
    ("/receipt/status", "\"0x0\""),
    ("/receipt/cumulativeGasUsed", "\"0x1\""),
    ("/receipt/logs/0/data", "\"0x\""),
    ("/superRootHash", ZEROS),
    ("/block/blockNumber", "6"),
    ("/block/twig/slot", "6"),
];
const EVENT: Changed = &[
    ("/event/address", "\"0x0000000000000000000000000000000000000000\""),
    ("/event/topics/0", ZEROS),
    ("/event/data", "\"0x\""),
    ("/event/logIndex", "1"),
    ("/blockNumber", "5"),
    ("/block/blockHash", ZEROS),
];

#[test]
fn every_good_extension_holds_and_every_hostile_one_is_refused() {
    let world = World::sample();
    let good = same_in_file("protocol/consistency.json", &good_extensions(&world), |one| &one.name);
    let hostile =
        same_in_file("hostile/consistency.json", &hostile_extensions(&world), |one| &one.name);
    assert!(hostile.len() >= 35, "{}", hostile.len());
    for one in good.iter().chain(&hostile) {
        let found = refused_at(&one.body, &one.trusted_from, &one.claimed_to);
        assert_eq!(found, one.refused_at, "{}", one.name);
    }
}

#[test]
fn every_body_that_contradicts_its_proof_is_refused() {
    let vectors = same_in_file("hostile/bodies.json", &smuggled(), |one| &one.name);
    assert!(vectors.len() >= 40, "{}", vectors.len());
}
