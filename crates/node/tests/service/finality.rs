//! Finality that a reader checks: evidence over HTTP, a set pinned once, and the check in another process, offline.

use std::path::Path;

use serde_json::Value;
use superroot_proof::finality::ProofFile;

use crate::support::{Service, operator, superroot};

fn demo() -> Service {
    let mut command = superroot();
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "11"]);
    Service::start(&mut command, "ready")
}

/// `superroot trust light-client` with these words.
fn command<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [&["trust", "light-client"][..], words].concat()
}

/// A command of a reader with a configuration of his own.
fn run(home: &Path, words: &[&str]) -> (i32, String) {
    let mut command = superroot();
    operator::run(command.args(words).current_dir(home).env("XDG_CONFIG_HOME", home.join("config")))
}

fn done(home: &Path, words: &[&str]) -> String {
    let (code, screen) = run(home, words);
    assert_eq!(code, 0, "{words:?}: {screen}");
    screen
}

/// What `verify` says of a file, with its own SuperRoot as the trusted one: finality alone is looked at here.
fn verify(home: &Path, file: &str) -> (i32, Value) {
    let json = |words: &[&str]| {
        let (code, screen) = run(home, words);
        (code, serde_json::from_str::<Value>(&screen).unwrap_or_else(|_| panic!("{screen}")))
    };
    let (_, said) = json(&["verify", file, "--json"]);
    let root = said["super_root"]["super_root_hash"].as_str().unwrap().to_owned();
    json(&["verify", file, "--json", "--superroot", &root, "--finality", "consensus"])
}

/// Waits for as many sets of a chain.
async fn last_set(service: &Service, chain: &str, least: u64) -> Value {
    for _ in 0..600 {
        let said = service.json(&format!("/v5/light-client/{chain}")).await;
        if said["lastSet"].as_u64().is_some_and(|last| last >= least) {
            return said;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    panic!("no set {least} of {chain}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_checks_finality_offline_from_sets_that_he_pinned_once() {
    let work = tempfile::tempdir().unwrap();
    let home = work.path();
    let service = demo();
    service.ready().await;
    let url = service.url.clone();
    let url = url.as_str();
    // epochs of 16 checkpoints from 2048 on: three have ended
    last_set(&service, "sui", 131).await;
    last_set(&service, "bitcoin", 1).await;

    // without --id nothing is pinned; with another id it is refused
    let pin = |chain, number| {
        command(&["pin", chain, "--network", "simulated", "--url", url, "--number", number])
    };
    let shown = done(home, &pin("sui", "129"));
    assert!(shown.contains("Nothing is pinned"), "{shown}");
    let listed = done(home, &command(&["list"]));
    assert!(listed.contains("no set of signers"), "{listed}");
    let set = service.json("/v5/light-client/sui/sets/129").await;
    let id = set["id"].as_str().unwrap();
    let false_id = format!("0x{}", "7".repeat(64));
    let (code, screen) = run(home, &[&pin("sui", "129")[..], &["--id", &false_id]].concat());
    assert!(code == 1 && screen.contains("REFUSED"), "{screen}");
    done(home, &[&pin("sui", "129")[..], &["--id", id]].concat());
    let set = service.json("/v5/light-client/bitcoin/sets/1").await;
    done(home, &[&pin("bitcoin", "1")[..], &["--id", set["id"].as_str().unwrap()]].concat());

    let set = last_set(&service, "ethereum", 1).await["newest"].clone();
    let number = set["number"].to_string();
    let words =
        ["trust", "light-client", "pin", "ethereum", "--network", "simulated", "--url", url];
    done(home, &[&words[..], &["--number", &number, "--id", set["id"].as_str().unwrap()]].concat());

    // proofs of the newest blocks that have evidence
    let prove = |chain: &'static str, number: &'static str, file: &'static str| {
        let words = [
            "prove",
            "block",
            chain,
            number,
            "--url",
            url,
            "--evidence",
            "--wait",
            "60",
            "-o",
            file,
        ];
        done(home, &words);
    };
    prove("sui", "2108", "sui.srproof");
    prove("bitcoin", "2055", "bitcoin.srproof");
    prove("icp", "2053", "icp.srproof");
    prove("ethereum", "2101", "ethereum.srproof");
    let (status, problem) = service.answer("/v5/proof/base/2060?evidence=1").await;
    assert_eq!((status, problem["code"].as_str()), (404, Some("not_provable")), "{problem}");
    let (status, problem) = service.answer("/v5/light-client/sui/sets/5").await;
    assert_eq!((status, problem["code"].as_str()), (404, Some("not_found")), "{problem}");
    let json = service.json("/v5/proof/sui/2108?evidence=1&set=129").await;
    assert!(json["finalityProof"].as_str().unwrap().len() > 2_000, "{json}");
    assert_eq!(json["finality"]["evidenceKind"], "node_quorum", "what the service checked");
    std::fs::write(home.join("sui.json"), json.to_string()).unwrap();
    service.kill();

    // from here on there is no network
    let (code, said) = verify(home, "sui.srproof");
    let finality = &said["finality"];
    assert_eq!((code, &finality["shown"]), (0, &Value::Bool(true)), "{said}");
    assert_eq!(
        (finality["pin"].as_str(), finality["kind"].as_str()),
        (Some(id), Some("checkpoint"))
    );
    assert_eq!((&finality["number"], &finality["steps"]), (&2_108.into(), &2.into()), "{said}");
    assert_eq!(verify(home, "sui.json").1["finality"]["steps"], 2);
    let (code, said) = verify(home, "bitcoin.srproof");
    assert_eq!((code, said["finality"]["by"].as_str().is_some()), (0, true), "{said}");
    let (code, said) = verify(home, "ethereum.srproof");
    assert_eq!((code, said["finality"]["kind"].as_str()), (0, Some("beacon")), "{said}");
    assert_ne!(
        said["finality"]["target_hash"], said["finality"]["block_hash"],
        "by its descendants"
    );
    let (code, said) = verify(home, "icp.srproof");
    assert_eq!((code, said["finality"]["from"].as_str()), (0, Some("builtin")), "{said}");
    assert!(said["not_shown"].to_string().contains("block's number"), "{said}");

    // a byte of the evidence, the link or the steps that is another
    let file = std::fs::read(home.join("sui.srproof")).unwrap();
    let proof = ProofFile::decode(&file).unwrap();
    let length = proof.finality.unwrap().encode().len();
    for back in (1..length).step_by(length / 40) {
        let mut bent = file.clone();
        bent[file.len() - back] ^= 0x10;
        std::fs::write(home.join("bent.srproof"), &bent).unwrap();
        let (code, screen) =
            run(home, &["verify", "bent.srproof", "--finality", "consensus", "--json"]);
        assert_ne!(code, 0, "{back} from the end: {screen}");
    }

    // without a pin nothing is shown, and nothing is false
    done(home, &command(&["remove", "sui", "--network", "simulated"]));
    let (code, said) = verify(home, "sui.srproof");
    assert_eq!((code, &said["finality"]["shown"]), (2, &Value::Bool(false)), "{said}");
    assert_eq!(said["error"]["step"], "finality");
    let words = ["verify", "sui.srproof", "--superroot"];
    let root = said["super_root"]["super_root_hash"].as_str().unwrap();
    let (code, screen) = run(home, &[&words[..], &[root]].concat());
    assert!(code == 0 && screen.contains("not shown"), "{screen}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pinned_set_is_moved_on_by_steps_that_are_each_checked() {
    let work = tempfile::tempdir().unwrap();
    let home = work.path();
    let service = demo();
    service.ready().await;
    let url = service.url.clone();
    last_set(&service, "sui", 131).await;
    let set = service.json("/v5/light-client/sui/sets/129").await;
    let id = set["id"].as_str().unwrap();
    let network = ["--network", "simulated"];
    let pin = ["trust", "light-client", "pin", "sui", "--url", &url, "--number", "129", "--id", id];
    done(home, &[&pin[..], &network].concat());
    let update = ["trust", "light-client", "update", "--url", &url];
    let moved = done(home, &[&update[..], &network].concat());
    assert!(moved.contains("moved") && moved.contains("Sui"), "{moved}");
    let shown = done(home, &[&["trust", "light-client", "show", "sui"][..], &network].concat());
    assert!(shown.contains(id), "it still names what was pinned: {shown}");
    let listed = done(home, &["trust", "light-client", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let set = &listed["sets"][0];
    assert!(set["number"].as_u64().unwrap() >= 131 && set["pin"] == id, "{listed}");
    // a file that is not a set
    let file = home.join("config/superroot/light-clients/simulated-sui.set");
    std::fs::write(&file, b"garbage").unwrap();
    let (code, screen) = run(home, &[&update[..], &["sui"], &network].concat());
    assert!(code == 2 && screen.contains("no trusted set"), "{screen}");
    service.kill();
}
