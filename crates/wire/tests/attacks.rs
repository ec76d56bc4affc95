//! Answers that carry a true proof and try to say more, less or something else than it shows.

use crate::fixture;

use fixture::*;
use serde_json::{Value, json};
use superroot_proof::bundle::*;
use superroot_types::*;
use superroot_wire::*;
use world::World;

fn answer(world: &World, name: &str, level: ProofLevel) -> Value {
    let mut proofs = proofs(world).into_iter();
    let (_, bundle) = proofs.find(|(other, _)| *other == name).unwrap();
    let bundle = bundle.up_to(level);
    let facts = verify(&bundle, &Policy::strict(&world.registry)).unwrap().into_inner();
    render(&bundle, &facts, Shape::V5)
}

fn check(body: &Value, world: &World) -> Result<CheckedBody, CheckError> {
    check_body(body.to_string().as_bytes(), &Policy::strict(&world.registry), None)
}

/// A reader takes what stands in `transaction` or `header` as proven, so nothing else may stand
/// there: least of all where this build reads no fields out of the bytes itself.
#[test]
fn nothing_is_smuggled_into_a_proven_object() {
    let world = log();
    let smuggled = [
        ("event_open_both", "/transaction", "from"),
        ("event_open_both", "/transaction", "value"),
        ("event_open_both", "/transaction", "to"),
        ("event_open_both", "/receipt", "contractAddress"),
        ("event_open_both", "/receipt", "gasUsed"),
        ("event_open_both", "/receipt", "transactionHash"),
        ("event_open_both", "/receipt/logs/0", "removed"),
        ("event_open_both", "/event", "amountUsd"),
        ("event_open_both", "/bloom", "inBlock"),
        ("event_open_both", "/block/header", "requestsHash"),
        ("event_open_both", "/block/header", "totalDifficulty"),
        ("event_open_both", "/block/blockReference", "lagSeconds"),
        ("event_open_both", "/block/superRoot", "publishedAt"),
        ("event_open_both", "/block/registry", "name"),
        ("event_sealed", "/block/miniMmr", "leaves"),
        ("event_sealed", "/block/twig", "sealedAt"),
        ("event_sealed", "/block", "transaction"),
    ];
    for (name, at, member) in smuggled {
        let body = answer(&world, name, ProofLevel::SuperRoot);
        for spelled in [Case::Camel.spell(member), Case::Snake.spell(member)] {
            let mut bent = body.clone();
            bent.pointer_mut(at).unwrap()[&spelled] = json!("0x01");
            let error = check(&bent, &world).unwrap_err();
            let is_told =
                matches!(&error, CheckError::Disagreement(at) if at.member.ends_with(&spelled));
            assert!(is_told, "{at} {spelled}: {error}");
        }
    }
    let mut counted = answer(&world, "event_sealed", ProofLevel::SuperRoot);
    counted["event"]["logIndexInBlock"] = json!(17);
    assert_eq!(check(&counted, &world).unwrap().unproven, ["event.logIndexInBlock"]);
    // what the service says of a log's transaction is its word, where the proof does not hold the transaction
    let mut named = answer(&world, "event_sealed", ProofLevel::SuperRoot);
    let logs = named["receipt"]["logs"].as_array_mut().unwrap();
    assert!(logs.len() > 1);
    logs.iter_mut().for_each(|log| log["transactionHash"] = json!("0x01"));
    assert_eq!(check(&named, &world).unwrap().unproven, ["receipt.logs.transactionHash"]);
    let mut named = answer(&world, "event_open_both", ProofLevel::SuperRoot);
    named["receipt"]["logs"][0]["transactionHash"] = json!("0x01");
    assert!(check(&named, &world).unwrap_err().is_false());
}

/// A proof that ends early binds less of its statement, and its answer says so.
#[test]
fn what_no_hash_reaches_is_called_not_proven() {
    let world = log();
    let unproven = |name, level| {
        let mut paths = check(&answer(&world, name, level), &world).unwrap().unproven;
        paths.sort_unstable();
        paths
    };
    let word = ["chainId", "family", "network", "origin"];
    let below = |path: &str| word.map(|name| format!("{path}{name}"));
    for level in [ProofLevel::Twig, ProofLevel::MiniMmr] {
        assert_eq!(unproven("block_sealed", level), ["network", "origin"]);
    }
    assert_eq!(unproven("block_sealed", ProofLevel::Block), word);
    let both = [below("block.").to_vec(), below("").to_vec()].concat();
    assert_eq!(unproven("transaction_sealed", ProofLevel::Block), both);
    let entry =
        ["blockNumber", "chainId", "family", "network", "origin", "transaction.blockNumber"];
    assert_eq!(unproven("transaction_sealed", ProofLevel::Entry), entry);
    for name in ["block_sealed", "transaction_sealed", "event_open_both", "absence_open"] {
        assert_eq!(unproven(name, ProofLevel::SuperRoot), Vec::<String>::new());
    }
}

/// A recorded log that calls itself live is believed in nothing: below level 5 the origin is a word,
/// at level 5 it must hash to the SuperRoot's log id.
#[test]
fn a_log_is_not_relabelled() {
    let world = log();
    for level in ProofLevel::ALL {
        let mut body = answer(&world, "block_sealed", level);
        body["origin"] = json!("example.org/live");
        body["network"] = json!("live");
        match check(&body, &world) {
            Err(error) => assert_eq!(error.step(), Some(ProofStep::Level(ProofLevel::SuperRoot))),
            Ok(checked) => {
                assert!(checked.facts.level < ProofLevel::SuperRoot);
                assert!(checked.unproven.contains(&"network".to_owned()));
            }
        }
    }
}

/// Names that only look like a member's are nobody's: they are never read, and called not proven.
#[test]
fn look_alike_names_are_not_read() {
    let world = log();
    let body = answer(&world, "transaction_sealed", ProofLevel::SuperRoot);
    for name in
        ["bl\u{43e}ckNumber", "blockNumber\u{200b}", "BlockNumber", "blocknumber", " chainId"]
    {
        let mut bent = body.clone();
        bent[name] = json!(7);
        let checked = check(&bent, &world).unwrap();
        assert_eq!(checked.facts.statement.number, BlockNumber(4100), "{name}");
        assert_eq!(checked.unproven.len(), 1, "{name}: {:?}", checked.unproven);
        assert!(checked.unproven[0].is_ascii(), "{name}");
    }
    for name in ["block_number", "chain_id", "transaction_hash", "super_root_hash"] {
        let mut bent = body.clone();
        bent[name] = json!(7);
        assert!(check(&bent, &world).unwrap_err().is_false(), "{name}");
    }
}

/// Every way of writing a number that another reader may take for another one.
#[test]
fn numbers_are_plain_integers() {
    let world = log();
    let text = answer(&world, "transaction_sealed", ProofLevel::SuperRoot).to_string();
    let good = r#""blockNumber":4100"#;
    assert_eq!(text.matches(good).count(), 2);
    let policy = Policy::strict(&world.registry);
    for number in [
        "4100.0",
        "4.1e3",
        "41e2",
        "\"4100\"",
        "\"0x1004\"",
        "-4100",
        "4100.0000000000000001",
        "9007199254745092",
        "18446744073709555716",
        "340282366920938463463374607431768215556",
        "1e400",
        "04100",
        "[4100]",
        "true",
    ] {
        let bent = text.replacen(good, &format!(r#""blockNumber":{number}"#), 1);
        assert!(check_body(bent.as_bytes(), &policy, None).is_err(), "{number}");
        let bent = text.replace(good, &format!(r#""blockNumber":{number}"#));
        assert!(check_body(bent.as_bytes(), &policy, None).is_err(), "{number}");
    }
}

/// The binary form of one proof under the members of another.
#[test]
fn two_proofs_in_one_answer_are_refused() {
    let world = log();
    let policy = Policy::strict(&world.registry);
    let proofs = proofs(&world);
    let blob = |bundle: &Bundle| Value::from(const_hex::encode_prefixed(bundle.encode()));
    for (name, bundle) in &proofs {
        for (other_name, other) in proofs.iter().filter(|(other, _)| other != name) {
            let facts = verify(bundle, &policy).unwrap();
            for shape in [Shape::V5, Shape::KvBlock, Shape::Blob] {
                let mut body = render(bundle, &facts, shape);
                body["proof_blob"] = blob(other);
                let error = check(&body, &world).unwrap_err();
                assert!(error.is_false(), "{other_name} under {name}: {error}");
            }
        }
    }
}

/// Absence at a neighbouring place may follow from the same nodes; then the answer is one about that
/// place, and every reader of its facts can tell. Only the caller knows which place it asked for.
#[test]
fn an_absence_is_about_the_place_that_its_facts_name() {
    let world = log();
    let body = answer(&world, "absence_sealed", ProofLevel::SuperRoot);
    assert_eq!(body["transactionIndex"], 200);
    for tx_index in 0..400_u32 {
        let mut bent = body.clone();
        bent["transactionIndex"] = json!(tx_index);
        let Ok(checked) = check(&bent, &world) else { continue };
        assert_eq!(checked.facts.statement.subject, ProofSubject::Absence { tx_index });
        // the block has transactions 0 to 3: no altered answer ever says that one is not there
        assert!(tx_index >= 4, "{tx_index}");
    }
    let mut receipts_alone = body;
    receipts_alone.as_object_mut().unwrap().remove("siblings");
    let error = check(&receipts_alone, &world).unwrap_err();
    assert_eq!(error.to_string(), "statement: the transaction trie is missing");
}
