//! `superroot verify` and `superroot inspect`: exit codes, and what people and programs read.

use crate::world::{self, ETHEREUM};
use crate::*;
use serde_json::{Value, json};
use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::superroot::log_id;
use superroot_types::*;
use superroot_wire::{Shape, batch_item, join_batch, render};

const SUBJECTS: [ProofSubject; 4] = [
    ProofSubject::Block,
    ProofSubject::Transaction { tx_index: 3 },
    ProofSubject::Log { tx_index: 3, log_index: 2 },
    ProofSubject::Absence { tx_index: 4 },
];

fn verify(bench: &Bench, body: &[u8], flags: &[&str]) -> Output {
    let file = bench.write("proof", body);
    bench.run(&[&["verify", &file], flags].concat())
}

#[test]
fn a_true_proof_is_true_in_every_form() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    for subject in SUBJECTS {
        let bundle = sealed(&world, subject);
        let mut forms = vec![bundle.encode()];
        forms.extend(Shape::ALL.map(|shape| body(&bundle, shape).to_string().into_bytes()));
        for form in forms {
            let output = verify(&bench, &form, &["--superroot", &root]);
            let lines = ["✓ level 2", "✓ level 3", "✓ level 4", "✓ level 5", "✓ anchor", &root];
            output.expect(0, &lines);
            output.expect(0, &["TRUE", "Not shown:", "canonicity", "finality", "publication"]);
            output.expect(0, &["block 4099 of Ethereum (evm:1)", "SIMULATED", world::ORIGIN]);
            assert!(!output.out.contains('\u{1b}'), "colour without a terminal");
        }
    }
}

/// The form for contracts names no log: the flag, the key or the trust store does. Under another log it leads to
/// another SuperRoot.
#[test]
fn a_proof_for_contracts_is_verified_as_bytes_and_as_text() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    for bundle in [sealed(&world, SUBJECTS[2]), sealed(&world, SUBJECTS[0]), open(&world)] {
        let bytes = bundle.to_calldata().unwrap();
        let text = format!("0x{}\n", const_hex::encode(&bytes));
        for form in [&bytes[..], text.as_bytes()] {
            let trusted = ["--superroot", &root, "--origin"];
            let by = |origin| verify(&bench, form, &[&trusted[..], &[origin]].concat());
            by(world::ORIGIN).expect(0, &["✓ level 5", "✓ anchor", &root, "TRUE", "SIMULATED"]);
            by("another.example.org").expect(1, &["FALSE", "anchor"]);
            verify(&bench, form, &["--superroot", &root]).expect(2, &["--origin ORIGIN"]);
            let cut = &form[..form.len() - 3];
            let cut = verify(&bench, cut, &[&trusted[..], &[world::ORIGIN]].concat());
            cut.expect(2, &["cannot read", "no proof in the form for contracts"]);
        }
        let file = bench.write("proof", &bytes);
        bench.run(&["inspect", &file]).expect(2, &["a proof for contracts", "superroot verify"]);
    }
}

/// Without the row nobody knows how the chain's blocks are hashed: the proof is neither true nor false.
#[test]
fn a_proof_of_a_chain_without_a_row_is_not_judged_and_the_flag_for_rows_is_named() {
    let (bench, world) = (Bench::new(), small_world());
    let mut bundle = sealed(&world, ProofSubject::Block);
    bundle.statement.chain = ChainKey { family: Family::Evm, id: ChainId(424_242) };
    let bytes = bundle.encode();
    let output = verify(&bench, &bytes, &["--superroot", &world.root(1).to_string()]);
    output.expect(2, &["evm:424242", "no row", "nothing was judged", "--chains FILE"]);
    assert!(!format!("{output:?}").contains("FALSE"), "{output:?}");
    let output = verify(&bench, &bytes, &["--json"]);
    output.expect(2, &["statement", "--chains FILE"]);
    assert_eq!(output.json()["valid"], false);
}

#[test]
fn levels_show_what_the_statement_is_about() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    let check =
        |subject| verify(&bench, &sealed(&world, subject).encode(), &["--superroot", &root]);
    let hash = keccak256(&world.blocks[&(ETHEREUM, 4099)].transactions[3]).to_string();
    let transaction = check(SUBJECTS[1]);
    transaction.expect(0, &["✓ level 1", "transaction hash", &hash, "succeeded", "log count"]);
    let topic = format!("topics 1          {}", Hash([2; 32]));
    let address = Address([3; 20]).to_string();
    check(SUBJECTS[2]).expect(0, &["log 2 of the 3", &topic, &address, &hash]);
    check(SUBJECTS[3]).expect(0, &["✓ level 1", "no leaf at index 4 in the tries of the header"]);
    let block = check(ProofSubject::Block);
    block.expect(0, &["- level 1", "a block's proof has no level 1"]);
    block.expect(0, &["1700004099 (2023-11-14T23:21:39Z)", "number            4099"]);
}

#[test]
fn an_open_twig_has_no_level_4() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    let output = verify(&bench, &open(&world).encode(), &["--superroot", &root]);
    output.expect(0, &["- level 4", "not on this way", "✓ level 5", "committed to      70"]);
    let report = verify(&bench, &open(&world).encode(), &["--superroot", &root, "--json"]).json();
    assert_eq!(report["levels"][3]["ok"], Value::Null);
    assert_eq!((&report["valid"], &report["levels"][4]["ok"]), (&json!(true), &json!(true)));
}

type Bend = fn(&mut Bundle);

fn sealed_place(bundle: &mut Bundle) -> &mut SealedPlace {
    match &mut twig(bundle).place {
        Some(TwigPosition::Sealed(sealed)) => sealed,
        other => panic!("not sealed: {other:?}"),
    }
}

fn twig(bundle: &mut Bundle) -> &mut TwigProof {
    bundle.block.as_mut().unwrap().twig.as_mut().unwrap()
}

fn entry(bundle: &mut Bundle) -> &mut TrieProofs {
    match bundle.entry.as_mut().unwrap() {
        EntryProof::Evm(tries) => tries,
        other => panic!("no tries: {other:?}"),
    }
}

/// One part bent, the step that must be named, the levels that hold below it.
const BENT: [(&str, &str, &[u64], Bend); 11] = [
    ("statement: origin", "statement", &[], |bundle| bundle.origin = "a b".to_owned()),
    ("header", "block", &[], |bundle| bundle.block.as_mut().unwrap().header[40] ^= 1),
    ("block hash", "block", &[], |bundle| bundle.block.as_mut().unwrap().block_hash.0[0] ^= 1),
    ("number", "block", &[], |bundle| bundle.statement.number.0 += 1),
    ("transaction trie", "entry", &[2], |bundle| {
        entry(bundle).transaction.as_mut().unwrap()[0][9] ^= 1;
    }),
    ("receipt trie", "entry", &[2], |bundle| entry(bundle).receipt.as_mut().unwrap()[0][9] ^= 1),
    ("log index", "entry", &[2], |bundle| {
        bundle.statement.subject = ProofSubject::Log { tx_index: 3, log_index: 3 };
    }),
    ("twig", "twig", &[1, 2], |bundle| twig(bundle).siblings[5].0[7] ^= 1),
    ("Mini-MMR", "mini_mmr", &[1, 2, 3], |bundle| sealed_place(bundle).root.0[7] ^= 1),
    ("SuperRoot path", "super_root", &[1, 2, 3, 4], |bundle| {
        sealed_place(bundle).super_root.as_mut().unwrap().siblings[3].0[7] ^= 1;
    }),
    ("registry", "super_root", &[1, 2, 3, 4], |bundle| {
        let proof = sealed_place(bundle).super_root.as_mut().unwrap();
        proof.registry.siblings[3].0[7] ^= 1;
    }),
];

#[test]
fn a_false_proof_names_the_step_that_failed() {
    let (bench, world) = (Bench::new(), small_world());
    let good = sealed(&world, SUBJECTS[2]);
    for (part, step, held, bend) in BENT {
        let mut bundle = good.clone();
        bend(&mut bundle);
        let report = verify(&bench, &bundle.encode(), &["--json"]);
        assert_eq!(report.code, 1, "{part}: {report:?}");
        let report = report.json();
        assert_eq!((&report["valid"], &report["exit"]), (&json!(false), &json!(1)), "{part}");
        assert_eq!(report["error"]["step"], step, "{part}");
        assert!(!report["error"]["reason"].as_str().unwrap().is_empty(), "{part}");
        for level in report["levels"].as_array().unwrap() {
            let failed = level["name"] == step;
            let held = held.contains(&level["level"].as_u64().unwrap());
            let expected = if failed { json!(false) } else { json!(held.then_some(true)) };
            assert_eq!(level["ok"], expected, "{part}: {level}");
        }
        let text = verify(&bench, &bundle.encode(), &["--superroot", &world.root(1).to_string()]);
        text.expect(1, &["FALSE: ", "- anchor"]);
        assert!(!text.out.contains("TRUE") && !text.out.contains("Not shown"), "{part}: {text:?}");
    }
}

#[test]
fn a_false_proof_tells_got_and_expected() {
    let (bench, world) = (Bench::new(), small_world());
    let mut bundle = sealed(&world, ProofSubject::Block);
    let good = twig(&mut bundle).root;
    twig(&mut bundle).root.0[0] ^= 1;
    let bad = twig(&mut bundle).root;
    let words = format!("twig root comes out as {good}, expected {bad}");
    verify(&bench, &bundle.encode(), &[]).expect(1, &["✗ level 3", "FALSE: twig: ", &words]);
}

#[test]
fn the_anchor_is_the_readers_own() {
    let (bench, world) = (Bench::new(), small_world());
    let file = sealed(&world, ProofSubject::Block).encode();
    let (root, other) = (world.root(1).to_string(), world.root(0).to_string());
    let words = format!("the SuperRoot is {root}, --superroot says {other}");
    verify(&bench, &file, &["--superroot", &other])
        .expect(1, &["✗ anchor", "FALSE: anchor", &words]);
    let unanchored = verify(&bench, &file, &[]);
    unanchored.expect(2, &["✓ level 5", "not anchored to anything you trust", "NOT ANCHORED"]);
    assert!(!unanchored.out.contains("TRUE"), "{unanchored:?}");
    for malformed in ["0x12", "", &root[2..]] {
        verify(&bench, &file, &["--superroot", malformed]).expect(2, &["--superroot"]);
    }
    // what is pinned is held against it as well, so a store that is named has to be there
    let both = ["--superroot", &root, "--trust-store", "trust.toml"];
    verify(&bench, &file, &both).expect(2, &["trust.toml"]);
}

/// A refusal that somebody has saved is no proof that is wrong: what it says is said again.
#[test]
fn a_saved_refusal_is_repeated() {
    let bench = Bench::new();
    let detail = "block 33 of chain evm:1 is not final yet";
    let body =
        json!({ "status": 409, "code": "not_final", "title": "Not final", "detail": detail });
    let output = verify(&bench, body.to_string().as_bytes(), &[]);
    output.expect(2, &["is a refusal of the service, not an answer", detail]);
    assert!(!format!("{output:?}").contains("holds no proof"), "{output:?}");
}

#[test]
fn a_proof_that_ends_below_level_5_is_anchored_to_nothing() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    for level in [ProofLevel::Entry, ProofLevel::Block, ProofLevel::Twig, ProofLevel::MiniMmr] {
        let file = sealed(&world, SUBJECTS[1]).up_to(level).encode();
        let output = verify(&bench, &file, &["--superroot", &root]);
        output.expect(2, &["NOT ANCHORED", "ends below level 5", "- level 5"]);
    }
    let alone = sealed(&world, SUBJECTS[1]).up_to(ProofLevel::Entry).encode();
    let output = verify(&bench, &alone, &[]);
    output.expect(2, &["under a root that only the proof names", "chain and number are a claim"]);
}

#[test]
fn the_trust_store_is_an_anchor() {
    let (bench, world) = (Bench::new(), small_world());
    let file = sealed(&world, ProofSubject::Block).encode();
    let store = |hash: Hash, sequence: u64| {
        let (hash, sequence) = (hash.to_string(), sequence.to_string());
        let pin = ["--superroot", &hash, "--sequence", &sequence, "--origin", world::ORIGIN];
        bench
            .run(&[&["trust", "--trust-store", "new.toml", "pin"], &pin[..]].concat())
            .expect(0, &[]);
        let text = bench.read("new.toml");
        std::fs::remove_file(bench.path("new.toml")).unwrap();
        text
    };
    let named = ["--trust-store", "trust.toml"];
    bench.write("trust.toml", store(world.root(1), 1));
    verify(&bench, &file, &named).expect(0, &["✓ anchor", "pinned in your trust store trust.toml"]);
    let report = verify(&bench, &file, &[&named[..], &["--json"]].concat()).json();
    assert_eq!(report["anchored"], json!({ "by": "trust_store", "file": "trust.toml" }));
    bench.write("trust.toml", store(world.root(0), 0));
    verify(&bench, &file, &named)
        .expect(2, &["NOT ANCHORED", "SuperRoot 1 of simulated/world is not pinned"]);
    bench.write("trust.toml", store(world.root(0), 1));
    let words = format!("pinned is {}", world.root(0));
    verify(&bench, &file, &named).expect(1, &["FALSE: anchor", &words]);
    bench.write("trust.toml", "[[log]]\norigin = 7");
    verify(&bench, &file, &named).expect(2, &["error: the trust store is malformed"]);
    let report = verify(&bench, &file, &[&named[..], &["--json"]].concat());
    assert_eq!((report.code, &report.json()["error"]["step"]), (2, &json!("trust_store")));
    verify(&bench, &file, &["--trust-store", "none.toml"]).expect(2, &["none.toml"]);
}

#[test]
fn what_is_no_proof_is_unusable() {
    let (bench, world) = (Bench::new(), small_world());
    let good = sealed(&world, ProofSubject::Block).encode();
    let large = vec![b' '; 17 << 20];
    let cases: [(&str, &[u8], &str); 9] = [
        ("empty", b"", "is empty"),
        ("text", b"hello", "not JSON"),
        ("binary", &[0xff; 64], "not JSON"),
        ("magic alone", b"SRPROOF", "holds no proof"),
        ("cut short", &good[..good.len() - 1], "holds no proof"),
        ("a byte too many", &[&good[..], &[0]].concat(), "holds no proof"),
        ("other JSON", br#"{"a":1}"#, "member chain_id, chainId or proof_blob is missing"),
        ("a list", b"[1]", "holds no proof"),
        ("17 MiB", &large, "more than 16777216 bytes"),
    ];
    for (what, bytes, why) in cases {
        verify(&bench, bytes, &[]).expect(2, &["error: proof", why]);
        let report = verify(&bench, bytes, &["--json"]);
        assert_eq!(report.code, 2, "{what}");
        let report = report.json();
        assert_eq!((&report["valid"], &report["exit"]), (&json!(false), &json!(2)), "{what}");
        assert_eq!(report["error"]["step"], "file", "{what}");
        assert!(report["error"]["reason"].as_str().unwrap().contains(why), "{what}: {report}");
    }
    bench.run(&["verify", "no/such/file"]).expect(2, &["no/such/file"]);
    bench.run(&["verify", "."]).expect(2, &["error: cannot read ."]);
    bench.run(&["verify"]).expect(2, &["FILE"]);
}

#[test]
fn standard_input_is_read_for_a_dash() {
    let (bench, world) = (Bench::new(), small_world());
    let (file, root) = (open(&world).encode(), world.root(1).to_string());
    bench.run_with(&["verify", "-", "--superroot", &root], &file).expect(0, &["TRUE"]);
    bench.run_with(&["verify", "-"], b"").expect(2, &["standard input is empty"]);
    bench.run_with(&["verify", "-"], &vec![b' '; 17 << 20]).expect(2, &["standard input has more"]);
}

#[test]
fn the_report_for_programs_has_its_shape() {
    let (bench, world) = (Bench::new(), small_world());
    let (bundle, root) = (sealed(&world, SUBJECTS[2]), world.root(1));
    let flags = ["--superroot", &root.to_string(), "--json"];
    let report = verify(&bench, &bundle.encode(), &flags).json();
    let names: Vec<_> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let expected = "anchored error exit finality levels network not_shown origin statement super_root unproven valid";
    assert_eq!(names.join(" "), expected);
    assert_eq!((&report["valid"], &report["exit"]), (&json!(true), &json!(0)));
    let network = (&report["network"], &report["origin"], &report["error"]);
    assert_eq!(network, (&json!("simulated"), &json!(world::ORIGIN), &Value::Null));
    assert_eq!(report["anchored"], json!({ "by": "superroot", "super_root_hash": root }));
    let statement = json!({
        "kind": "event", "chain": "Ethereum (evm:1)", "family": "evm", "chain_id": 1,
        "block_number": 4099, "transaction_index": 3, "log_index": 2, "block_bound": true,
        "sentence": "log 2 of transaction 3 of block 4099 of Ethereum (evm:1)",
    });
    assert_eq!(report["statement"], statement);
    let super_root = &world.published[1].blob.super_root;
    let expected = json!({
        "super_root_hash": root, "log_id": super_root.log_id, "sequence": 1,
        "timestamp": 1_700_000_012, "tree_root": super_root.tree_root,
    });
    assert_eq!(report["super_root"], expected);
    let levels = report["levels"].as_array().unwrap();
    let names: Vec<_> = levels.iter().map(|level| level["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["entry", "block", "twig", "mini_mmr", "super_root"]);
    let block_hash = world.blocks[&(ETHEREUM, 4099)].hash();
    assert_eq!(levels[1]["shown"]["block_hash"], json!(block_hash));
    assert_eq!(levels[0]["shown"]["data"], json!(format!("0x{}", "03".repeat(40))));
    let twig = (&levels[2]["shown"]["twig_index"], &levels[2]["shown"]["slot"]);
    assert_eq!(twig, (&json!(2), &json!(3)));
    let leaf = (&levels[3]["shown"]["leaf_index"], &levels[3]["shown"]["leaf_count"]);
    assert_eq!(leaf, (&json!(0), &json!(1)));
}

#[test]
fn a_body_that_says_more_than_its_proof_is_told_apart() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    let mut answer = body(&sealed(&world, SUBJECTS[1]), Shape::V5);
    answer["finality"] = json!({ "status": "final" });
    answer["remark"] = json!("trust me");
    let output = verify(&bench, answer.to_string().as_bytes(), &["--superroot", &root]);
    output.expect(0, &["Said by the service, not proven:", "- finality", "- remark"]);
    let flags = ["--superroot", &root, "--json"];
    let report = verify(&bench, answer.to_string().as_bytes(), &flags).json();
    let mut unproven = report["unproven"].as_array().unwrap().clone();
    unproven.sort_by_key(Value::to_string);
    assert_eq!(unproven, [json!("finality"), json!("remark")]);
    answer["transactionHash"] = json!(Hash([7; 32]));
    let output = verify(&bench, answer.to_string().as_bytes(), &["--superroot", &root]);
    output.expect(1, &["✓ level 5", "✗ body", "FALSE: body: member transactionHash says"]);
    let report = verify(&bench, answer.to_string().as_bytes(), &flags).json();
    assert_eq!((&report["error"]["step"], &report["exit"]), (&json!("body"), &json!(1)));
}

fn batch(bundles: &[&Bundle]) -> Value {
    let facts: Vec<_> = bundles
        .iter()
        .map(|bundle| superroot_proof::bundle::verify(bundle, &Policy::strict(registry())).unwrap())
        .collect();
    let items: Vec<_> = bundles
        .iter()
        .zip(&facts)
        .map(|(bundle, facts)| batch_item(render(bundle, facts, Shape::V5).to_string().as_bytes()))
        .collect();
    serde_json::from_slice(&join_batch(&items)).unwrap()
}

#[test]
fn a_batch_is_checked_item_by_item() {
    let (bench, world) = (Bench::new(), small_world());
    let root = world.root(1).to_string();
    let (entry, block) = (sealed(&world, SUBJECTS[2]), open(&world));
    let mut answer = batch(&[&entry, &block]);
    let check =
        |answer: &Value, flags: &[&str]| verify(&bench, answer.to_string().as_bytes(), flags);
    check(&answer, &["--superroot", &root]).expect(0, &["item 0", "item 1", "2 true, 0 false"]);
    let report = check(&answer, &["--superroot", &root, "--json"]).json();
    assert_eq!((&report["valid"], &report["exit"]), (&json!(true), &json!(0)));
    assert_eq!(report["items"][1]["statement"]["chain_id"], 10);
    check(&answer, &[]).expect(2, &["0 true, 0 false, 2 not anchored"]);
    answer["told"] = json!("anything");
    let flags = ["--superroot", root.as_str()];
    check(&answer, &flags).expect(0, &["of the batch, not proven: told", "2 true, 0 false"]);
    assert_eq!(
        check(&answer, &[&flags[..], &["--json"]].concat()).json()["unproven"],
        json!(["told"])
    );
    answer["items"][1]["twig"]["slot"] = json!(66);
    check(&answer, &["--superroot", &root]).expect(1, &["✗ body", "1 true, 1 false"]);
    answer["items"][1]["origin"] = Value::Null;
    check(&answer, &["--superroot", &root]).expect(2, &["1 true, 0 false, 1 not anchored"]);
    answer["items"][0]["siblings"][0] = json!(9999);
    check(&answer, &["--superroot", &root]).expect(2, &["holds no proof", "items[0]"]);
    answer["items"] = json!([]);
    check(&answer, &[]).expect(2, &["a batch without items"]);
}

/// The world as a log of that origin, and a proof under it.
fn under_origin(origin: &str) -> (Bundle, Hash) {
    let mut world = small_world();
    world.published[1].blob.super_root.log_id = log_id(origin).unwrap();
    let mut bundle = open(&world);
    bundle.origin = origin.to_owned();
    (bundle, world.root(1))
}

#[test]
fn the_network_is_printed_as_the_origin_names_it() {
    let bench = Bench::new();
    for (origin, words, word) in [
        ("log.example.org", "Network    live", "live"),
        ("recorded/ethereum", "RECORDED", "recorded"),
        ("simulated/demo", "SIMULATED", "simulated"),
    ] {
        let (bundle, root) = under_origin(origin);
        let root = root.to_string();
        verify(&bench, &bundle.encode(), &["--superroot", &root]).expect(0, &[words, origin]);
        let flags = ["--superroot", &root, "--json"];
        assert_eq!(verify(&bench, &bundle.encode(), &flags).json()["network"], word);
    }
}

#[test]
fn an_origin_cannot_write_to_the_terminal() {
    let (bundle, root) = under_origin("log\u{1b}[2J\u{202e}");
    let output = verify(&Bench::new(), &bundle.encode(), &["--superroot", &root.to_string()]);
    output.expect(0, &[r"log\u{1b}[2\u{4a}\u{202e}"]);
    assert!(!output.out.contains('\u{1b}') && !output.out.contains('\u{202e}'));
}

#[test]
fn colours_are_for_those_who_want_them() {
    let (mut bench, world) = (Bench::new(), small_world());
    let file = sealed(&world, ProofSubject::Block).encode();
    bench.env.push(("CLICOLOR_FORCE", "1"));
    assert!(verify(&bench, &file, &[]).out.contains("\u{1b}["));
    let report = verify(&bench, &file, &["--json"]);
    assert!(!report.out.contains('\u{1b}'), "JSON has no colours");
    bench.env = vec![("NO_COLOR", "1")];
    assert!(!verify(&bench, &file, &[]).out.contains('\u{1b}'));
}

#[test]
fn inspecting_judges_nothing() {
    let (bench, world) = (Bench::new(), small_world());
    let mut bundle = sealed(&world, SUBJECTS[1]);
    twig(&mut bundle).siblings[0].0[0] ^= 1; // false, and still shown
    let file = bench.write("proof", bundle.encode());
    let output = bench.run(&["inspect", &file]);
    let root = world.root(1).to_string();
    output.expect(
        0,
        &["Claimed", "transaction 3 of block 4099", "Nothing of this was verified", &root],
    );
    assert!(!output.out.contains('✓') && !output.out.contains("TRUE"), "{output:?}");
    let report = bench.run(&["inspect", &file, "--json"]).json();
    assert_eq!((&report["verified"], &report["network"]), (&json!(false), &json!("simulated")));
    assert_eq!(report["statement"]["transaction_index"], 3);
    let parts = report["parts"].as_array().unwrap();
    let levels: Vec<_> = parts.iter().map(|part| part["level"].as_u64().unwrap()).collect();
    assert_eq!(levels, [1, 1, 2, 3, 4, 5]);
    assert_eq!(report["binary_bytes"], bundle.encode().len());
    let open = bench.write("open", body(&open(&world), Shape::V5).to_string());
    bench.run(&["inspect", &open]).expect(0, &["block reference", "committed to      70"]);
    let garbage = bench.write("garbage", b"nothing");
    bench.run(&["inspect", &garbage]).expect(2, &["error: not JSON"]);
    bench.run(&["inspect", "missing"]).expect(2, &["missing"]);
}

#[test]
fn a_batch_is_inspected_item_by_item() {
    let (bench, world) = (Bench::new(), small_world());
    let (entry, block) = (sealed(&world, SUBJECTS[2]), open(&world));
    let mut answer = batch(&[&entry, &block]);
    let inspect = |answer: &Value, flags: &[&str]| {
        let file = bench.write("batch", answer.to_string());
        bench.run(&[&["inspect", &file], flags].concat())
    };
    let shown = ["--- item 0 ---", "log 2 of transaction 3", "--- item 1 ---", "block 67"];
    inspect(&answer, &[]).expect(0, &shown);
    let report = inspect(&answer, &["--json"]).json();
    assert_eq!(
        (&report["verified"], &report["items"][1]["verified"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(report["items"][0]["statement"]["log_index"], 2);
    answer["items"][1]["origin"] = Value::Null;
    inspect(&answer, &[]).expect(2, &["log 2 of transaction 3", "member origin"]);
    let report = inspect(&answer, &["--json"]);
    assert!(report.json()["items"][1]["error"].as_str().unwrap().contains("origin"), "{report:?}");
    answer["items"][0]["siblings"][0] = json!(9999);
    inspect(&answer, &[]).expect(2, &["items[0]"]);
}

/// A document of ten megabytes with millions of small values would be a hundred times as large in memory.
#[test]
fn a_file_of_countless_values_is_refused_within_the_memory_of_a_small_machine() {
    let bench = Bench::new();
    let objects = "{\"a\":{}},".repeat(1_100_000);
    let file = bench.write("countless.json", format!("[{objects}0]"));
    // of the binary itself and its threads some 100 MiB are data
    let limited = |kib: u32, file: &str| {
        let script = format!("ulimit -d {kib} && exec \"$0\" verify \"$1\"");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-c", &script, env!("CARGO_BIN_EXE_superroot"), file]);
        let output = shell.current_dir(bench.folder.path()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, said) = limited(256 << 10, &file);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("more than 262144 values"), "{said}");
    let (code, said) = limited(1 << 10, &file);
    assert_ne!(code, Some(2), "no limit was set: {said}");
}

/// What a reader meets first: the command as the README has it prints each line that the README shows.
#[test]
fn the_readme_shows_what_its_command_prints() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = std::fs::read_to_string(root.join("README.md")).unwrap();
    let (_, from) = readme.split_once("--bin superroot -- verify ").unwrap();
    let (command, rest) = from.split_once("\n```").unwrap();
    let (file, trusted) = command.split_once(" \\\n  --superroot ").unwrap();
    let file = root.join(file).display().to_string();
    let printed = Bench::new().run(&["verify", &file, "--superroot", trusted]);
    assert_eq!(printed.code, 0, "{printed:?}");
    let shown = rest.split("```").nth(1).unwrap().trim();
    assert!(shown.lines().count() >= 6, "{shown}");
    for line in shown.lines() {
        assert!(printed.out.lines().any(|one| one == line), "not printed: {line}\n{}", printed.out);
    }
}
