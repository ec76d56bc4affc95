//! Finality that a reader checks: evidence over HTTP, a set pinned once, and the check in another process, offline.

use std::path::Path;

use futures_util::FutureExt;
use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_chain::finality::{finality_params, signing_row};
use superroot_chain::ledger::sui::simulated_members;
use superroot_proof::finality::beacon::BeaconParams;
use superroot_proof::finality::checkpoint::Committee;
use superroot_proof::finality::{
    FinalityParams, FinalityProof, FinalityQuestion, FinalitySet, ProofFile, Verdict, check,
};
use superroot_proof::hash::keccak256;
use superroot_source::finality::{FinalitySource, SimulatedBeacon};
use superroot_types::{BlockNumber, Clock, Hash, Network, SystemClock};

use crate::support::{Service, operator, superroot};

fn demo() -> Service {
    demo_with(&[])
}

fn demo_with(settings: &[(&str, &str)]) -> Service {
    let mut command = superroot();
    command.envs(settings.iter().copied());
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
    verify_as(home, file, "consensus")
}

/// As [`verify`], with another class demanded.
fn verify_as(home: &Path, file: &str, class: &str) -> (i32, Value) {
    let json = |words: &[&str]| {
        let (code, screen) = run(home, words);
        (code, serde_json::from_str::<Value>(&screen).unwrap_or_else(|_| panic!("{screen}")))
    };
    let (_, said) = json(&["verify", file, "--json"]);
    let root = said["super_root"]["super_root_hash"].as_str().unwrap().to_owned();
    json(&["verify", file, "--json", "--superroot", &root, "--finality", class])
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

    // epochs of 32 blocks: the header of an epoch's first is a set
    last_set(&service, "bnb", 3).await;
    let set = service.json("/v5/light-client/bnb/sets/0").await;
    let header = set["set"].as_str().unwrap();
    let pin_header = ["pin", "bnb", "--network", "simulated", "--header", header];
    let pinned = done(home, &command(&pin_header));
    assert!(pinned.contains(set["id"].as_str().unwrap()), "{pinned}");

    // the first set held: whichever signs, steps lead there
    let first = last_set(&service, "ethereum", 1).await["firstSet"].to_string();
    let set = service.json(&format!("/v5/light-client/ethereum/sets/{first}")).await;
    let (number, said_set) = (set["number"].to_string(), set.clone());
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
    prove("bnb", "104", "bnb.srproof");
    // rollups, by Ethereum's set: headers alone, and over an ancestor's hash
    prove("base", "2040", "base.srproof");
    prove("unichain", "1800", "unichain.srproof");
    let pin_rollup = ["pin", "base", "--network", "simulated", "--header", "0x00"];
    let (code, screen) = run(home, &command(&pin_rollup));
    assert!(code == 2 && screen.contains("pin that chain, ethereum"), "{screen}");
    let (status, problem) = service.answer("/v5/light-client/base").await;
    assert!(status == 404 && problem.to_string().contains("chain evm:1"), "{problem}");
    let (status, problem) = service.answer("/v5/proof/solana/2060?evidence=1").await;
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
    let (code, said) = verify(home, "bnb.srproof");
    let finality = &said["finality"];
    assert_eq!((code, finality["kind"].as_str()), (0, Some("vote")), "{said}");
    assert_eq!((&finality["number"], &finality["steps"]), (&104.into(), &3.into()), "{said}");
    let by = finality["by"].as_str().unwrap();
    assert_eq!(by, "3 of 4 validators of epoch 3", "{said}");
    for (file, chain, number) in
        [("base.srproof", "Base", 2_040), ("unichain.srproof", "Unichain", 1_800)]
    {
        let (code, said) = verify_as(home, file, "l1_anchored");
        let finality = &said["finality"];
        assert_eq!((code, &finality["evidence_kind"]), (0, &"l1_anchored".into()), "{said}");
        assert_eq!((&finality["kind"], &finality["number"]), (&"anchor".into(), &number.into()));
        assert_eq!(finality["pin"], said_set["id"], "{finality}");
        assert!(
            finality["behind_seconds"].as_u64().is_some_and(|behind| behind > 40),
            "{finality}"
        );
        // what it is not
        let (code, said) = verify(home, file);
        assert_eq!((code, &said["error"]["step"]), (2, &"finality".into()), "{said}");
        let root = said["super_root"]["super_root_hash"].as_str().unwrap();
        let screen = done(home, &["verify", file, "--superroot", root]);
        let words = [
            "final on Ethereum by 31 of 32",
            "your pin of Ethereum's period",
            "behind the head of",
            chain,
        ];
        assert!(words.iter().all(|words| screen.contains(words)), "{screen}");
    }
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
    // a set that moved on still knows the earlier ones by their ids: a step in the file names the signers
    last_set(&service, "bnb", 3).await;
    let header = service.json("/v5/light-client/bnb/sets/0").await;
    let header = ["--header", header["set"].as_str().unwrap(), "--number", "0"];
    done(home, &[&["trust", "light-client", "pin", "bnb"][..], &network, &header].concat());
    let (code, screen) = run(
        home,
        &[
            &["trust", "light-client", "pin", "bnb"][..],
            &network,
            &header[..2],
            &["--number", "32"],
        ]
        .concat(),
    );
    assert!(code == 1 && screen.contains("block 0, not 32"), "{screen}");
    done(home, &[&update[..], &["bnb"], &network].concat());
    let prove = ["prove", "block", "bnb", "40", "--url", &url, "--evidence", "--wait", "60"];
    done(home, &[&prove[..], &["-o", "early.srproof"]].concat());
    let (code, said) = verify(home, "early.srproof");
    let finality = &said["finality"];
    assert_eq!((code, finality["kind"].as_str()), (0, Some("vote")), "{said}");
    assert!(finality["by"].as_str().unwrap().contains("epoch 1"), "{said}");
    let passed = home.join("config/superroot/light-clients/simulated-bnb.passed");
    let kept = std::fs::read_to_string(&passed).unwrap();
    let bent: String =
        kept.lines().map(|line| format!("{}\n", line.replace("0x", "0x7"))).collect();
    for (text, expected) in [(String::new(), 2), (bent, 2), ("garbage\n".to_owned(), 2)] {
        std::fs::write(&passed, &text).unwrap();
        let (code, screen) =
            run(home, &["verify", "early.srproof", "--finality", "consensus", "--json"]);
        assert_eq!(code, expected, "{text}: {screen}");
    }
    // a file that is not a set
    let file = home.join("config/superroot/light-clients/simulated-sui.set");
    std::fs::write(&file, b"garbage").unwrap();
    let (code, screen) = run(home, &[&update[..], &["sui"], &network].concat());
    assert!(code == 2 && screen.contains("no trusted set"), "{screen}");
    service.kill();
}

/// Id of the committee of an epoch of the simulated Sui, whose keys everybody knows.
fn committee_id(epoch: u64) -> Hash {
    Committee::read(&[&epoch.to_le_bytes()[..], &simulated_members(epoch)].concat()).unwrap().id()
}

/// Number and id of the committee of the simulated Ethereum's period now, whose keys everybody knows.
fn ethereum_pin() -> String {
    let of = BeaconParams::SIMULATED;
    let period = of.period_of(of.slot_at(SystemClock.now()));
    let beacon = SimulatedBeacon::new(std::sync::Arc::new(SystemClock));
    let steps = beacon.fetch_steps(period - 1, 1).now_or_never().unwrap().unwrap();
    let set = FinalitySet::named_by(&FinalityParams::Beacon(of), &steps[0].1).unwrap();
    format!("{period}:{}", set.id())
}

/// Asks until there is an answer.
async fn answered(service: &Service, path: &str) -> Value {
    for _ in 0..300 {
        let (status, answer) = service.answer(path).await;
        if status == 200 {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    panic!("no answer to {path}")
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_claims_what_its_own_bytes_show_by_the_pinned_set_and_no_more() {
    let pin = format!("129:{}", committee_id(129));
    let ethereum = ethereum_pin();
    let false_pin = format!("0:0x{}", "77".repeat(32));
    let service = demo_with(&[
        ("SUPERROOT__CHAIN__SUI__PINNED_SET", &pin),
        ("SUPERROOT__CHAIN__BNB__PINNED_SET", &false_pin),
        ("SUPERROOT__CHAIN__ETHEREUM__PINNED_SET", &ethereum),
    ]);
    service.ready().await;
    last_set(&service, "sui", 131).await;
    let said = answered(&service, "/v5/proof/sui/2100?evidence=1").await;
    let finality = &said["finality"];
    assert_eq!(finality["evidenceKind"], "consensus", "{finality}");
    assert_eq!(
        (&finality["kind"], &finality["checkable"]),
        (&"checkpoint".into(), &"consensus".into())
    );
    assert_eq!(finality["target"]["number"], 2_100);
    assert_eq!(
        (&finality["set"]["number"], &finality["set"]["from"], &finality["set"]["start"]),
        (&131.into(), &"configured".into(), &129.into())
    );
    assert_eq!(finality["set"]["id"], committee_id(131).to_string());
    assert!(finality["trust"].as_str().unwrap().contains("stake"), "{finality}");
    // an older set than the pinned one is not followed
    let said = answered(&service, "/v5/proof/sui/2060?evidence=1").await;
    assert_eq!(said["finality"]["evidenceKind"], "node_quorum");
    // without evidence the answer shows nothing of it, and says that it could
    let said = answered(&service, "/v5/proof/sui/2100").await;
    assert_eq!(said["finality"]["evidenceKind"], "node_quorum");
    assert_eq!(
        (&said["finality"]["checkable"], &said["finality"]["set"]),
        (&"consensus".into(), &Value::Null)
    );
    assert_eq!(
        answered(&service, "/v5/proof/solana/2060").await["finality"]["checkable"],
        Value::Null
    );
    let said = answered(&service, "/v5/proof/base/2060").await;
    assert_eq!(said["finality"]["checkable"], "l1_anchored", "{}", said["finality"]);
    // a class, or a stronger one
    answered(&service, "/v5/proof/sui/2100?finality=l1_anchored").await;
    // a rollup, by Ethereum's set
    let said = answered(&service, "/v5/proof/unichain/1800?finality=l1_anchored").await;
    let finality = &said["finality"];
    assert_eq!(finality["evidenceKind"], "l1_anchored", "{finality}");
    assert_eq!(
        (&finality["kind"], &finality["set"]["from"]),
        (&"anchor".into(), &"configured".into())
    );
    assert!(
        finality["target"]["number"].as_u64().is_some_and(|target| target >= 2_048),
        "{finality}"
    );
    // nothing of Ethereum is final here without its signers
    for _ in 0..3 {
        let said = service.json("/finality/ethereum").await;
        let (indexed, shown) = (&said["indexed"], &said["checkable"]["number"]);
        assert!(indexed.as_u64().unwrap() <= shown.as_u64().unwrap(), "{said}");
        tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    }
    let said = service.json("/finality/base").await;
    assert_eq!(said["checkable"]["kind"], "anchor", "{said}");
    // asked for by its name
    let said = answered(&service, "/v5/proof/icp/2053?finality=consensus").await;
    assert_eq!(said["finality"]["set"]["from"], "built_in", "{}", said["finality"]);
    assert!(said["finalityProof"].is_string(), "{said}");
    for (path, status, code) in [
        ("/v5/proof/base/2060?finality=consensus", 404, "not_provable"),
        // no pin, a false one, and an older set than the pinned one
        ("/v5/proof/bitcoin/2050?finality=consensus", 404, "not_provable"),
        ("/v5/proof/bnb/104?finality=consensus", 409, "not_final"),
        ("/v5/proof/sui/2060?finality=consensus", 404, "not_provable"),
        ("/v5/light-client/sui/conflict", 404, "not_found"),
        ("/v5/proof/ethereum/100?evidence=1&form=calldata", 400, "invalid_parameter"),
        ("/v5/proof/sui/2100?finality=sure", 400, "invalid_parameter"),
    ] {
        let (got, problem) = service.answer(path).await;
        assert_eq!((got, problem["code"].as_str()), (status, Some(code)), "{path}: {problem}");
    }
    answered(&service, "/v5/proof/base/2060?finality=node_quorum").await;

    // the same in a batch and in a blob
    let items = serde_json::json!({ "items": [
        { "chain": "sui", "block": 2_100, "finality": "consensus" },
        { "chain": "icp", "block": 2_053, "evidence": true },
        { "chain": "sui", "block": 2_100 },
    ] });
    let (_, batch) = service.post("/v5/proof/batch", "", &items).await;
    let has_evidence = |item: &Value| item["finalityProof"].is_string();
    let found: Vec<_> = batch["items"].as_array().unwrap().iter().map(has_evidence).collect();
    assert_eq!(found, [true, true, false], "{batch}");
    let blob = answered(&service, "/api/v5/proof/blob/sui/2100?evidence=1").await;
    let proof = const_hex::decode(blob["finality_proof"].as_str().unwrap()).unwrap();
    let evidence = FinalityProof::decode(&proof).unwrap().evidence.encode();
    assert_eq!(blob["l6_finality_commitment"], keccak256(&evidence).to_string(), "{blob}");

    // over all chains: the bytes of the answer show what it claims, by a set with the id that it names
    let mut shown = Vec::new();
    for row in ChainRegistry::builtin().rows() {
        let signing = signing_row(row);
        // a rollup's newest blocks have none yet
        let is_rollup = signing.key() != row.key();
        let number = match row.slug.as_str() {
            _ if is_rollup => "2040",
            "icp" => "2053",
            _ => "latest",
        };
        let path = format!("/v5/proof/{}/{number}?evidence=1&level=2", row.slug);
        let (status, said) = service.answer(&path).await;
        let finality = &said["finality"];
        let kind = finality["evidenceKind"].as_str().unwrap_or_default();
        if status != 200 || !["consensus", "l1_anchored"].contains(&kind) {
            continue;
        }
        assert_eq!(kind == "l1_anchored", signing.key() != row.key(), "{}", row.slug);
        let params = finality_params(row, Network::Simulated).unwrap();
        let bytes = said["finalityProof"].as_str().unwrap();
        let proof = FinalityProof::decode(&const_hex::decode(bytes).unwrap()).unwrap();
        let set = format!("/v5/light-client/{}/sets/{}", signing.slug, finality["set"]["number"]);
        let set = service.json(&set).await;
        let set = const_hex::decode(set["set"].as_str().unwrap()).unwrap();
        let set = FinalitySet::decode(&params, &set).unwrap();
        assert_eq!(finality["set"]["id"], set.id().to_string());
        let number = BlockNumber(said["blockNumber"].as_u64().unwrap());
        let hash: Hash = said["blockHash"].as_str().unwrap().parse().unwrap();
        let asked = FinalityQuestion { rule: row.rule_at(number).unwrap(), number, hash };
        let verdict = check(&params, &set, &proof, asked, SystemClock.now());
        assert!(matches!(verdict, Verdict::Shown(_)), "{}: {verdict:?}", row.slug);
        shown.push(row.slug.clone());
    }
    // the pin of the other chain is false: nothing follows from it
    assert!(shown.contains(&"icp".to_owned()) && !shown.contains(&"bnb".to_owned()), "{shown:?}");
    assert!(shown.contains(&"base".to_owned()), "{shown:?}");
    service.kill();
}

/// Number of a chain's newest final block.
async fn indexed(service: &Service, chain: &str) -> u64 {
    service.json(&format!("/finality/{chain}")).await["indexed"].as_u64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn final_blocks_of_chains_with_pinned_signers_are_those_that_the_signers_show() {
    const CHAINS: [&str; 3] = ["bnb", "cosmos", "sui"];
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let start = |pins: &[(String, String)]| {
        let mut command = operator::demo(&data);
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.envs(pins.iter().cloned());
        Service::start(&mut command, "ready")
    };
    let service = start(&[]);
    service.ready().await;
    let mut pins = Vec::new();
    for chain in CHAINS {
        let newest = last_set(&service, chain, 1).await["newest"].clone();
        let pin = format!("{}:{}", newest["number"], newest["id"].as_str().unwrap());
        pins.push((format!("SUPERROOT__CHAIN__{}__PINNED_SET", chain.to_uppercase()), pin));
    }
    assert!(service.stop().success());
    // as with nodes alone, each chain goes on; and its newest final block has evidence
    let service = start(&pins);
    service.ready().await;
    for chain in CHAINS {
        let before = indexed(&service, chain).await;
        for _ in 0..600 {
            if indexed(&service, chain).await > before + 4 {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        }
        let said = service.json(&format!("/finality/{chain}")).await;
        let (indexed, shown) = (&said["indexed"], &said["checkable"]["number"]);
        assert!(indexed.as_u64().unwrap() > before + 4, "{said}");
        assert!(shown.as_u64().unwrap() >= indexed.as_u64().unwrap(), "{said}");
        let path = format!("/v5/proof/{chain}/{before}?finality=consensus");
        assert_eq!(answered(&service, &path).await["finality"]["evidenceKind"], "consensus");
    }
    assert!(service.stop().success());
    // signers that nobody knows: nothing is final any more
    let others = pins.iter().map(|(name, pin)| {
        let number = pin.split(':').next().unwrap();
        (name.clone(), format!("{number}:0x{}", "77".repeat(32)))
    });
    let service = start(&others.collect::<Vec<_>>());
    service.ready().await;
    let mut held = Vec::new();
    for chain in CHAINS {
        held.push(indexed(&service, chain).await);
    }
    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
    for (chain, held) in CHAINS.into_iter().zip(held) {
        assert_eq!(indexed(&service, chain).await, held, "{chain}");
        let said = service.json(&format!("/finality/{chain}")).await["why"].to_string();
        assert!(said.contains("nothing follows from the pinned set of signers"), "{said}");
    }
    service.kill();
}

/// Number of a chain's newest block with evidence, once its signers are known.
async fn checkable(service: &Service, chain: &str) -> (u64, Value) {
    for _ in 0..900 {
        // 503 before the first block
        let said = service.answer(&format!("/finality/{chain}")).await.1["checkable"].clone();
        let (status, client) = service.answer(&format!("/v5/light-client/{chain}")).await;
        let first = client["firstSet"].as_u64().filter(|_| status == 200);
        let is_known = first.is_some_and(|first| Some(first) <= said["set"].as_u64());
        if let Some(number) = said["number"].as_u64().filter(|_| is_known) {
            return (number, client["firstSet"].clone());
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    panic!("no evidence of {chain}");
}

#[tokio::test(flavor = "multi_thread")]
async fn blocks_of_further_chains_are_shown_final_offline() {
    const KINDS: [(&str, &str); 6] = [
        ("gnosis", "beacon"),
        ("polygon", "milestone"),
        ("cosmoshub", "commit"),
        ("tron", "producers"),
        ("polkadot", "grandpa"),
        ("aptos", "ledger_info"),
    ];
    let work = tempfile::tempdir().unwrap();
    let home = work.path();
    let service = demo();
    service.ready().await;
    let url = service.url.clone();
    let simulated = ["--network", "simulated", "--url", url.as_str()];
    let mut proven = Vec::new();
    for (chain, kind) in KINDS {
        let (number, first) = checkable(&service, chain).await;
        let set = service.json(&format!("/v5/light-client/{chain}/sets/{first}")).await;
        let (first, id) = (first.to_string(), set["id"].as_str().unwrap());
        let which = ["pin", chain, "--number", first.as_str(), "--id", id];
        done(home, &[&command(&which)[..], &simulated].concat());
        let (number, file) = (number.to_string(), format!("{chain}.srproof"));
        let words = ["prove", "block", chain, &number, "--url", &url, "--evidence", "-o", &file];
        done(home, &[&words[..], &["--wait", "60"]].concat());
        proven.push((file, kind, number, set["id"].clone()));
    }
    service.kill();
    // another reader, who pinned nothing
    let other = tempfile::tempdir().unwrap();
    for (file, kind, number, id) in proven {
        let (code, said) = verify(home, &file);
        let finality = &said["finality"];
        assert_eq!((code, finality["kind"].as_str()), (0, Some(kind)), "{file}: {said}");
        assert_eq!(finality["pin"], id, "{finality}");
        assert_eq!(said["statement"]["block_number"].to_string(), number, "{said}");
        std::fs::copy(home.join(&file), other.path().join(&file)).unwrap();
        let (code, said) = verify(other.path(), &file);
        assert_eq!((code, &said["finality"]["shown"]), (2, &Value::Bool(false)), "{said}");
    }
}
