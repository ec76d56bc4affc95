//! `superroot prove`: what is fetched, what is written, and what never is.

use crate::service::Answers;
use crate::world::{ETHEREUM, World};
use crate::*;
use superroot_proof::bundle::*;
use superroot_proof::hash::keccak256;
use superroot_proof::note::{KeyKind, Signer};
use superroot_types::*;
use superroot_wire::Shape;

const TRANSACTION: ProofSubject = ProofSubject::Transaction { tx_index: 3 };
const LOG: ProofSubject = ProofSubject::Log { tx_index: 3, log_index: 2 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 4 };

/// Hash of transaction 3 of block 4,099.
fn transaction_hash(world: &World) -> String {
    keccak256(&world.blocks[&(ETHEREUM, 4099)].transactions[3]).to_string()
}

fn answer(world: &World, subject: ProofSubject) -> serde_json::Value {
    body(&sealed(world, subject), Shape::V5)
}

fn prove(bench: &Bench, url: &str, args: &[&str]) -> Output {
    bench.run(&[&["prove", "--url", url], args].concat())
}

#[test]
fn every_kind_of_proof_is_fetched_verified_and_written() {
    let world = small_world();
    let (hash, root) = (transaction_hash(&world), world.root(1).to_string());
    let paths = [
        ("/v5/proof/1/4099", ProofSubject::Block),
        ("/v5/proof/1/latest", ProofSubject::Block),
        (&format!("/v5/proof/tx/1/{hash}"), TRANSACTION),
        ("/v5/proof/event/1/4099/3/2", LOG),
        (&format!("/v5/event/1/{hash}/2"), LOG),
        ("/v5/proof/absence/1/4099/4", ABSENCE),
    ];
    let add = |answers: Answers, (path, subject): &(&str, ProofSubject)| {
        answers.with(path, &answer(&world, *subject))
    };
    let url = paths.iter().fold(Answers::default(), add).serve();
    for (args, name) in [
        (&["block", "ethereum", "4099"][..], "ethereum-4099.srproof"),
        (&["block", "1", "latest"], "ethereum-4099.srproof"),
        (&["tx", "eip155:1", &hash], "ethereum-4099-tx3.srproof"),
        (&["event", "eth", "4099", "3", "2"], "ethereum-4099-tx3-log2.srproof"),
        (&["event-by-tx", "1", &hash, "2"], "ethereum-4099-tx3-log2.srproof"),
        (&["absence", "1", "4099", "4"], "ethereum-4099-no-tx4.srproof"),
    ] {
        let bench = Bench::new();
        let output = prove(&bench, &url, args);
        let command = format!("superroot verify {name} --superroot {root}");
        output.expect(0, &["✓ level 5", "wrote", name, &command, "other than this service"]);
        assert_eq!(bench.names(), [name], "{args:?}");
        bench.run(&["verify", name, "--superroot", &root]).expect(0, &["TRUE"]);
    }
}

/// The note is asked for without a word: who has the log's key needs nothing else then.
#[test]
fn a_proof_is_fetched_with_the_logs_note() {
    let (bench, world) = (Bench::new(), small_world());
    let key = Signer::new(world::ORIGIN, KeyKind::Log, &[1; 32]).unwrap();
    let vkey = key.verifier().to_string();
    let signed = sealed(&world, ProofSubject::Block).with_note(world.note_path(1, 2, &[key]));
    let path = "/v5/proof/1/4099?note=1";
    let url = Answers::default().with(path, &body(&signed, Shape::V5)).serve();
    let command = "superroot verify ethereum-4099.srproof --key VKEY";
    prove(&bench, &url, &["block", "1", "4099"]).expect(0, &[command]);
    bench.run(&["verify", "ethereum-4099.srproof", "--key", &vkey]).expect(0, &["TRUE"]);
}

#[test]
fn an_older_super_root_is_asked_for_and_given() {
    let world = small_world();
    let old = world.prove(ETHEREUM, 4099, ProofSubject::Block, true, 0);
    let root = world.root(0).to_string();
    let url = Answers::default()
        .with("/v5/proof/1/4099?sequence=0", &body(&old, Shape::V5))
        .with(&format!("/v5/proof/1/4099?root={root}"), &body(&old, Shape::V5))
        .with("/v5/proof/absence/1/4099/4?sequence=1", &answer(&world, ABSENCE))
        .serve();
    let bench = Bench::new();
    prove(&bench, &url, &["block", "1", "4099", "--sequence", "0"]).expect(0, &[&root]);
    prove(&bench, &url, &["block", "1", "4099", "--root", &root]).expect(0, &[&root]);
    prove(&bench, &url, &["absence", "1", "4099", "4", "--sequence", "1"]).expect(0, &["wrote"]);
    let both = ["block", "1", "4099", "--root", &root, "--sequence", "0"];
    prove(&bench, &url, &both).expect(2, &["cannot be used with"]);
}

#[test]
fn the_answer_can_be_kept_as_it_came() {
    let world = small_world();
    let mut said = answer(&world, TRANSACTION);
    said["remark"] = "not proven".into();
    let hash = transaction_hash(&world);
    let url = Answers::default().with(&format!("/v5/proof/tx/1/{hash}"), &said).serve();
    let bench = Bench::new();
    let args = ["tx", "1", &hash, "--form", "json", "-o", "my proof.json"];
    prove(&bench, &url, &args).expect(0, &["superroot verify 'my proof.json' --superroot"]);
    assert_eq!(bench.read("my proof.json"), said.to_string().as_bytes());
    let root = world.root(1).to_string();
    let verified = bench.run(&["verify", "my proof.json", "--superroot", &root]);
    verified.expect(0, &["not proven:", "- remark"]);
}

#[test]
fn a_false_proof_is_never_written() {
    let world = small_world();
    let mut bent = answer(&world, ProofSubject::Block);
    bent["twig"]["siblings"][3] = serde_json::json!(Hash([9; 32]));
    let mut lying = answer(&world, ProofSubject::Block);
    lying["blockNumber"] = 4098.into();
    let mut disagreeing = answer(&world, ProofSubject::Block);
    disagreeing["header"]["timestamp"] = "0x1".into();
    let short = sealed(&world, ProofSubject::Block).up_to(ProofLevel::Block);
    for (said, why) in [
        (bent, "✗ level 3"),
        (lying, "✗ level 2"),
        (disagreeing, "✗ body"),
        (body(&short, Shape::V5), "ends below level 5"),
    ] {
        let (bench, path) = (Bench::new(), "/v5/proof/1/4099");
        let url = Answers::default().with(path, &said).serve();
        let output = prove(&bench, &url, &["block", "1", "4099"]);
        output.expect(1, &["REFUSED", "nothing was written", why]);
        assert_eq!(bench.names(), Vec::<String>::new());
    }
}

/// A service can answer with a true proof of something else, and that is no answer.
#[test]
fn a_true_proof_of_something_else_is_never_written() {
    let (bench, world) = (Bench::new(), small_world());
    let (hash, other) = (transaction_hash(&world), world.root(0).to_string());
    let block = answer(&world, ProofSubject::Block);
    let url = Answers::default()
        .with("/v5/proof/1/4098", &block)
        .with("/v5/proof/10/4099", &block)
        .with("/v5/proof/1/latest", &answer(&world, ABSENCE))
        .with(&format!("/v5/proof/tx/1/{hash}"), &answer(&world, LOG))
        .with("/v5/proof/1/4099?sequence=0", &block)
        .with(&format!("/v5/proof/1/4099?root={other}"), &block)
        .serve();
    for (args, why) in [
        (&["block", "1", "4098"][..], "the proof is about block of block 4099"),
        (&["block", "10", "4099"], "the proof is about block of block 4099 of chain evm:1"),
        (&["block", "1", "latest"], "the proof is about absence at index 4"),
        (&["tx", "1", &hash], "the proof is about event at index 3"),
        (&["block", "1", "4099", "--sequence", "0"], "ends in SuperRoot 1"),
        (&["block", "1", "4099", "--root", &other], "ends in SuperRoot 1"),
    ] {
        prove(&bench, &url, args).expect(1, &["REFUSED: it holds, but", why]);
        assert_eq!(bench.names(), Vec::<String>::new(), "{args:?}");
    }
}

#[test]
fn what_the_service_refuses_is_told_with_what_to_do() {
    let url = Answers::default()
        .with_problem("/v5/proof/1/1", 404, "not_indexed", "block 1 was not collected\u{1b}[2J")
        .with_problem("/v5/proof/1/2", 409, "not_yet_anchored", "block 2 is not anchored yet")
        .with_problem("/v5/proof/1/2?sequence=0", 409, "not_yet_anchored", "it ends at 1")
        .with_problem("/v5/proof/1/3", 418, "unheard_of", "no detail")
        .with("/v5/proof/1/4", &serde_json::json!({ "hello": 1 }))
        .serve();
    let bench = Bench::new();
    let coverage = format!("{url}/api/v1/coverage/ethereum");
    let ask = |number| prove(&bench, &url, &["block", "1", number]);
    let gone = ask("1");
    gone.expect(2, &["404 not_indexed: block 1 was not collected", &coverage]);
    assert!(!gone.err.contains('\u{1b}'), "{gone:?}");
    ask("2").expect(2, &["409 not_yet_anchored", "--wait SECONDS", "12 s"]);
    let never = prove(&bench, &url, &["block", "1", "2", "--sequence", "0", "--wait", "600"]);
    never.expect(2, &["409 not_yet_anchored: it ends at 1"]);
    assert!(!never.err.contains("--wait"), "{never:?}");
    ask("3").expect(2, &["418 unheard_of: no detail"]);
    ask("4").expect(2, &["not judged: no proof: member chain_id"]);
    ask("5").expect(2, &["status 404 without a problem"]);
    let absent = prove(&bench, &url, &["absence", "1", "7", "0"]);
    absent.expect(2, &["status 404 without a problem"]);
    assert_eq!(bench.names(), Vec::<String>::new());
}

#[test]
fn what_cannot_be_asked_or_written_is_unusable() {
    let (bench, world) = (Bench::new(), small_world());
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let closed = format!("http://{closed}");
    prove(&bench, &closed, &["block", "1", "1"]).expect(2, &["error: no answer"]);
    prove(&bench, &closed, &["absence", "1", "1", "0"]).expect(2, &["error: no answer"]);
    prove(&bench, "ftp://host", &["block", "1", "1"]).expect(2, &["ftp://host"]);
    prove(&bench, "nonsense", &["absence", "1", "1", "0"]).expect(2, &["nonsense"]);
    prove(&bench, &closed, &["block", "nochain", "1"])
        .expect(2, &["no such chain", "--chains FILE"]);
    prove(&bench, &closed, &["block", "1", "0x1"]).expect(2, &["a block number or `latest`"]);
    prove(&bench, &closed, &["tx", "1", "0x12"]).expect(2, &["0x12"]);
    let url =
        Answers::default().with("/v5/proof/1/4099", &answer(&world, ProofSubject::Block)).serve();
    let nowhere = prove(&bench, &url, &["block", "1", "4099", "-o", "no/folder/x"]);
    nowhere.expect(2, &["cannot write no/folder/x"]);
    assert_eq!(bench.names(), Vec::<String>::new());
}

/// A path is what it was: only a file, or nothing, is replaced.
#[test]
fn what_is_no_file_is_written_to_and_stays_what_it_is() {
    let world = small_world();
    let proof = sealed(&world, ProofSubject::Block).encode();
    let url =
        Answers::default().with("/v5/proof/1/4099", &answer(&world, ProofSubject::Block)).serve();
    let bench = Bench::new();
    let to = |path: &str| prove(&bench, &url, &["block", "1", "4099", "-o", path]);
    std::os::unix::fs::symlink("target", bench.path("link")).unwrap();
    to("link").expect(0, &["superroot verify link --superroot"]);
    assert!(bench.path("link").is_symlink());
    assert_eq!(bench.read("target"), proof);
    let made = Command::new("mkfifo").arg(bench.path("fifo")).status().unwrap();
    assert!(made.success());
    let fifo = bench.path("fifo");
    let reader = std::thread::spawn(move || std::fs::read(fifo).unwrap());
    to("fifo").expect(0, &["bytes to fifo"]);
    assert_eq!(reader.join().unwrap(), proof);
    to("/dev/null").expect(0, &["bytes to /dev/null"]);
    to("/dev/full").expect(2, &["cannot write /dev/full"]);
    assert!(!std::fs::metadata("/dev/full").unwrap().is_file());
    assert_eq!(bench.names(), ["fifo", "link", "target"]);
}

/// `-` is standard output, as it is standard input of `verify`: the proof alone, and words elsewhere.
#[test]
fn a_dash_is_standard_output() {
    let world = small_world();
    let url = Answers::default()
        .with("/v5/proof/1/4099", &answer(&world, ProofSubject::Block))
        .with("/v5/proof/1/4100", &answer(&world, ProofSubject::Block))
        .serve();
    let (bench, root) = (Bench::new(), world.root(1).to_string());
    for path in ["-", "/dev/stdout"] {
        let output = bench.run_raw(&["prove", "--url", &url, "block", "1", "4099", "-o", path]);
        assert_eq!(output.stdout, sealed(&world, ProofSubject::Block).encode());
        assert!(String::from_utf8_lossy(&output.stderr).contains("level 5"), "{output:?}");
        let verified = bench.run_with(&["verify", "-", "--superroot", &root], &output.stdout);
        verified.expect(0, &["TRUE"]);
    }
    let refused = bench.run_raw(&["prove", "--url", &url, "block", "1", "4100", "-o", "-"]);
    assert_eq!((refused.status.code(), refused.stdout.len()), (Some(1), 0));
    assert_eq!(bench.names(), Vec::<String>::new());
}
