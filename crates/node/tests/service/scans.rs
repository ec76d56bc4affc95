//! Scans as a client takes them: asked of a service, checked by the binary in another process.

use std::path::Path;

use serde_json::{Value, json};

use crate::logs::Searched;
use crate::support::{superroot, verify};

const FILE: &str = "application/octet-stream";

/// The JSON of a page.
async fn page(searched: &Searched, path: &str) -> Value {
    let (status, body) = searched.get(path, "application/json").await;
    assert_eq!(status, 200, "{path}: {}", String::from_utf8_lossy(&body));
    serde_json::from_slice(&body).unwrap()
}

/// Runs `superroot prove` with the key in the environment: exit code and what it printed.
fn prove(searched: &Searched, folder: &Path, args: &[&str]) -> (i32, String) {
    let mut command = superroot();
    command.current_dir(folder).env("SUPERROOT_API_KEY", &searched.key);
    let output = command.args(["prove", "--url", &searched.service.url]).args(args).output();
    let output = output.unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap(), String::from_utf8(text).unwrap())
}

/// SuperRoot hash of that sequence, told by another answer.
async fn super_root(searched: &Searched, sequence: &Value) -> String {
    let page = searched.service.json(&format!("/v5/superroot/{sequence}")).await;
    page["superRootHash"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_absent_by_headers_is_proven_by_the_scan_named() {
    let (searched, work) = (Searched::start().await, tempfile::tempdir().unwrap());
    let anchored = searched.service.anchored(1).await.unwrap();
    let (mut checked, mut possible) = (0, 0);
    for nobody in 0..40 {
        let address = format!("0x{nobody:040x}");
        let asked = json!({ "address": address, "chain_ids": [1], "from_block": anchored - 40,
            "to_block": anchored });
        let result = searched.blooms(&asked).await["results"][0].clone();
        if result["answer"] != "absent" || result["evidence"] != "header_blooms" {
            assert_eq!(result["scan_proof"], Value::Null, "{result}");
            possible += 1;
            continue;
        }
        let path = result["scan_proof"].as_str().unwrap();
        let body = page(&searched, path).await;
        assert_eq!((&body["answer"], &body["nextFromBlock"]), (&json!("absent"), &Value::Null));
        assert_eq!(body["fromBlock"], result["scanned"]["from"]);
        assert_eq!(body["toBlock"], result["scanned"]["to"]);
        let (status, bytes) = searched.get(path, FILE).await;
        assert_eq!(status, 200);
        let file = work.path().join("absence.srscan");
        std::fs::write(&file, &bytes).unwrap();
        let sequence = superroot_proof::scan::Scan::decode(&bytes).unwrap();
        let preimage = sequence.last.super_root().unwrap().preimage.clone();
        let sequence = superroot_proof::superroot::SuperRoot::decode(&preimage).unwrap().sequence;
        let root = super_root(&searched, &json!(sequence)).await;
        let (code, screen) = verify(&file, &root);
        assert_eq!(code, 0, "{screen}");
        assert!(screen.contains(&format!("TRUE: there is no event of {address}")), "{screen}");
        assert!(screen.contains("SIMULATED") && screen.contains("consensus"), "{screen}");
        // a bit of a header, and it shows nothing any more
        let mut bent = bytes;
        bent[300] ^= 1;
        std::fs::write(&file, &bent).unwrap();
        assert_eq!(verify(&file, &root).0, 1);
        checked += 1;
        if checked == 3 {
            return;
        }
    }
    assert!(checked > 0, "all of {possible} are possible");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_complete_search_is_proven_to_be_complete() {
    let (searched, work) = (Searched::start().await, tempfile::tempdir().unwrap());
    let anchored = searched.service.anchored(1).await.unwrap();
    let blocks = format!("chain=1&fromBlock={}&toBlock={anchored}", anchored - 12);
    let range = format!("{blocks}&limit=1000");
    let all = searched.found(&format!("{range}&finality=anchored")).await;
    let address = all["logs"][0]["address"].as_str().unwrap();
    let file = work.path().join("logs.json");
    let check = async |body: &Value| {
        std::fs::write(&file, body.to_string()).unwrap();
        let root = super_root(&searched, &body["completeness"]["sequence"]).await;
        verify(&file, &root)
    };
    for query in [
        "",
        "&order=desc",
        &format!("&address={address}"),
        &format!("&topic0=0x{}", "ab".repeat(32)),
    ] {
        let body = searched.found(&format!("{range}{query}&complete=1")).await;
        let plain = searched.found(&format!("{range}{query}&finality=anchored")).await;
        assert_eq!(body["logs"], plain["logs"], "{query}");
        let logs = body["logs"].as_array().unwrap();
        assert_eq!(body["completeness"]["eventCount"], logs.len());
        let (code, screen) = check(&body).await;
        assert_eq!(code, 0, "{query}: {screen}");
        assert!(screen.contains("logs[].finality") || logs.is_empty(), "{screen}");
        if !logs.is_empty() {
            let mut bent = body.clone();
            bent["logs"].as_array_mut().unwrap().pop();
            let (code, screen) = check(&bent).await;
            assert_eq!(code, 1, "{query}: {screen}");
        }
    }
    // a page of it says what comes first, and how many there are
    let short = searched.found(&format!("{blocks}&complete=1&limit=3")).await;
    assert_eq!(short["logs"].as_array().unwrap().len(), 3);
    assert!(short["nextCursor"].is_string());
    assert_eq!(check(&short).await.0, 0);
    for (query, parameter) in [
        (format!("chain=1&fromBlock={}&toBlock={anchored}", anchored - 64), "toBlock"),
        (format!("{range}&finality=head"), "finality"),
        (format!("{range}&partial=1"), "partial"),
    ] {
        let path = format!("/v5/logs?{query}&complete=1");
        let (status, body) = searched.get(&path, "application/json").await;
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((status, &body["parameter"]), (400, &json!(parameter)), "{query}: {body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_binary_fetches_what_it_checks_in_another_process() {
    let (searched, work) = (Searched::start().await, tempfile::tempdir().unwrap());
    let anchored = searched.service.anchored(1).await.unwrap();
    let from = (anchored - 12).to_string();
    let range = ["--chain", "1", "--from", &from, "--to", &anchored.to_string()].map(str::to_owned);
    let range: Vec<&str> = range.iter().map(String::as_str).collect();
    let found = searched
        .found(&format!("chain=1&fromBlock={from}&toBlock={anchored}&finality=anchored&limit=1000"))
        .await;
    let event = &found["logs"][0];
    let (address, topic) =
        (event["address"].as_str().unwrap(), event["topics"][0].as_str().unwrap());
    let logs = found["logs"].as_array().unwrap();
    let count = |passes: &dyn Fn(&Value) -> bool| logs.iter().filter(|one| passes(one)).count();
    let of_address = count(&|one| one["address"] == address);
    let both = count(&|one| one["address"] == address && one["topics"][0] == topic);
    for (args, expected) in [
        (vec!["events-of", address], of_address),
        (vec!["events-of", address, "--topic0", topic], both),
    ] {
        let output = [&args[..], &range, &["-o", "events.srscan"]].concat();
        let (code, screen) = prove(&searched, work.path(), &output);
        assert_eq!(code, 0, "{screen}");
        let file = work.path().join("events.srscan");
        let bytes = std::fs::read(&file).unwrap();
        let scan = superroot_proof::scan::Scan::decode(&bytes).unwrap();
        let preimage = &scan.last.super_root().unwrap().preimage;
        let root = superroot_proof::superroot::SuperRoot::decode(preimage).unwrap();
        let hash = super_root(&searched, &json!(root.sequence)).await;
        let (code, screen) = verify(&file, &hash);
        assert_eq!(code, 0, "{screen}");
        let words = match expected {
            1 => "TRUE: the one event shown is the only one".to_owned(),
            count => format!("TRUE: the {count} events shown are all"),
        };
        assert!(screen.contains(&words), "{words}: {screen}");
        assert_eq!(verify(&file, &format!("0x{}", "ab".repeat(32))).0, 1);
    }
    let args = [&["absence-of", address][..], &range].concat();
    let (code, screen) = prove(&searched, work.path(), &args);
    assert_eq!(code, 2, "{screen}");
    assert!(screen.contains("There are events"), "{screen}");
    let nobody = "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee";
    let args = [&["absence-of", nobody][..], &range, &["-o", "absence.srscan"]].concat();
    let (code, screen) = prove(&searched, work.path(), &args);
    assert_eq!(code, 0, "{screen}");
    assert!(screen.contains("superroot verify absence.srscan"), "{screen}");
}
