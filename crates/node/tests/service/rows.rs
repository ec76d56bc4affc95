//! Rows of one's own: what enters a log, which of them are followed, and who verifies without them.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Service, superroot};
use serde_json::Value;

const ROW: &str = r#"
[[chain]]
id = 31337
name = "Anvil"
slug = "anvil"
family = "evm"
caip2 = "eip155:31337"
aliases = []
encodings = [{ from = 0, name = "ethereum" }]
evidence = "node_quorum"
block_time_ms = 1000
rules = [{ from = 0, code = 0x0001 }]
"#;

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

/// Code and text of a command that ends by itself; one that does not is ended, and has no code.
fn run(args: &[&str]) -> (i32, String) {
    let mut command = superroot();
    command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed().as_secs() > 90 {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&text).into_owned())
}

#[track_caller]
fn refused(args: &[&str], texts: &[&str]) {
    let (code, text) = run(args);
    assert_eq!(code, 2, "{args:?}: {text}");
    for expected in texts {
        assert!(text.contains(expected), "{args:?}: no {expected:?} in {text}");
    }
}

/// No row leaves a log again, so one that came by mistake must not enter unasked.
#[tokio::test(flavor = "multi_thread")]
async fn rows_and_rules_enter_a_standing_log_only_when_told_to_and_are_announced() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data").display().to_string();
    let args = ["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data", &data];
    let start = |more: &[&str]| {
        let mut command = superroot();
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "100").args(args).args(more);
        Service::start(&mut command, "ready")
    };
    start(&[]).stop();
    let rows = write(work.path(), "rows.toml", ROW);
    let with = [&args[..], &["--chains", &rows]].concat();
    refused(&with, &["row 27, eip155:31337", "for good", "--append-rows"]);
    let sequence = |root: &Value| root["sequence"].as_u64().unwrap();
    let service = start(&["--chains", &rows, "--append-rows"]);
    assert!(service.shows("appends  row 27, eip155:31337"));
    assert!(service.shows("from the next SuperRoot on the log keeps it for good"));
    let before = sequence(&service.json("/v5/superroot").await);
    let begun = Instant::now();
    while sequence(&service.json("/v5/superroot").await) == before {
        assert!(begun.elapsed().as_secs() < 50, "{}", service.screen.lock().unwrap());
        // a stranger has a hundred requests a minute
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    service.stop();
    let service = start(&["--chains", &rows]);
    assert!(!service.screen.lock().unwrap().contains("appends"), "it stands now");
    service.stop();
    let withdrawn = ROW.replace("code = 0x0001 }", "code = 0x0001 }, { from = 500, code = 0 }");
    let rows = write(work.path(), "withdrawn.toml", &withdrawn);
    let with = [&args[..], &["--chains", &rows]].concat();
    refused(&with, &["rule 0x0000 from 500 on in row 27, eip155:31337", "--append-rows"]);
}

/// A chain of the build is withdrawn without a build of one's own: its proofs end for good, and
/// what stands below goes on being proven.
#[tokio::test(flavor = "multi_thread")]
async fn a_chain_of_the_build_is_withdrawn_by_a_table_of_the_file() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data").display().to_string();
    let args = ["demo", "--listen", "127.0.0.1:0", "--seed", "9", "--data", &data];
    let start = |more: &[&str]| {
        let mut command = superroot();
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "100").args(args).args(more);
        Service::start(&mut command, "ready")
    };
    start(&[]).stop();
    let tables = "[[withdraw]]\nchain = \"base\"\nfrom = 1500\n";
    let rows = write(work.path(), "rows.toml", tables);
    let with = [&args[..], &["--chains", &rows]].concat();
    refused(&with, &["rule 0x0000 from 1500 on in row", "eip155:8453", "--append-rows"]);
    let service = start(&["--chains", &rows, "--append-rows"]);
    assert!(service.screen.lock().unwrap().contains("appends  rule 0x0000 from 1500 on"));
    let begun = Instant::now();
    while service.get("/v5/proof/base/1500").await.0 != 410 {
        assert!(begun.elapsed().as_secs() < 60, "the next SuperRoot withdraws it");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(service.shows("not followed  Base: withdrawn from block 1500 on"));
    let held = |chain: &Value| chain["head"]["number"].as_u64().unwrap();
    let (base, other) = (service.chain(8453).await, service.chain(130).await);
    assert_eq!(base["state"], "withdrawn", "{base}");
    assert_eq!(base["why"], "it is withdrawn from block 1500 on");
    assert_ne!(other["state"], "not_followed");
    while held(&service.chain(130).await) < held(&other) + 2 {
        assert!(begun.elapsed().as_secs() < 60, "the others go on");
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    assert_eq!(
        held(&service.chain(8453).await),
        held(&base),
        "and nothing more of it is collected"
    );
    for (path, expected) in [
        ("/v5/proof/base/1499", 200),
        ("/v5/proof/base/1501", 410),
        ("/v5/proof/unichain/1500", 200),
    ] {
        let (status, body) = service.get(path).await;
        assert_eq!(status, expected, "{path}: {}", String::from_utf8_lossy(&body));
    }
    let problem = service.get("/v5/proof/base/latest").await;
    assert_eq!(problem.0, 410, "{}", String::from_utf8_lossy(&problem.1));
    let (_, text) = run(&["audit", "--url", &service.url, "--samples", "0"]);
    assert!(text.contains("  withdrawn: evm:8453 from block 1500\n"), "{text}");
    for _ in 0..2 {
        let (code, text) = run(&["resume", "base", "--data", &data, "--chains", &rows]);
        assert_eq!(code, 0, "{text}");
        assert!(text.contains("withdrawn  Base is withdrawn from block 1500 on"), "{text}");
        assert!(!text.contains("halts again"), "{text}");
    }
    service.stop();
    // once it stands, a start without it is one that would take it back
    refused(&args, &["a rule was changed or removed", "eip155:8453"]);
    let nodes = "[[endpoint]]\nchain = \"base\"\nurl = \"http://127.0.0.1:9\"\n";
    let nodes = write(work.path(), "nodes.toml", nodes);
    let live = work.path().join("live").display().to_string();
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &live, "--endpoints", &nodes];
    let with = [&serve[..], &["--chains", &rows, "--chain", "base"]].concat();
    refused(&with, &["--chain: Base is withdrawn from block 1500 on"]);
}

/// What is asked for by name and cannot be followed is a mistake in the configuration, and not a
/// chain that is quiet.
#[test]
fn a_chain_that_is_asked_for_by_name_and_has_no_node_is_refused_with_its_field() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data").display().to_string();
    let rows = write(work.path(), "rows.toml", ROW);
    let file = |name: &str, text: &str| write(work.path(), name, text);
    let only = file("only.toml", "[[endpoint]]\nchain = \"base\"\nurl = \"http://127.0.0.1:9\"\n");
    let live = file("live.toml", "[live]\nchains = [\"base\", \"gnosis\"]\n");
    let section = file("section.toml", "[chain.gnosis]\nquorum = 1\n");
    let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &data, "--endpoints", &only];
    for (more, text) in [
        (&["--chain", "base", "gnosis"][..], "--chain: Gnosis has no endpoint"),
        (&["--config", &live], "live.chains: Gnosis has no endpoint"),
        (&["--config", &section], "[chain.gnosis]: Gnosis has no endpoint"),
        (&["--chains", &rows], "--chains: row 27 (Anvil) has no endpoint"),
    ] {
        refused(&[&serve[..], more].concat(), &[text]);
        assert!(!work.path().join("data").exists(), "nothing was begun");
    }
}

#[test]
fn check_config_shows_the_nodes_of_the_file_that_serve_would_ask() {
    let work = tempfile::tempdir().unwrap();
    let entry = |chain: &str| {
        format!("[[endpoint]]\nchain = \"{chain}\"\nurl = \"http://127.0.0.1:9/k\"\n")
    };
    let text = entry("base") + &entry("icp");
    let nodes = write(work.path(), "nodes.toml", &text);
    let (code, text) = run(&["check-config", "--endpoints", &nodes]);
    assert_eq!(code, 0, "{text}");
    for line in
        ["# base: http://127.0.0.1:9/***", "# ethereum: none", "# icp: http://127.0.0.1:9/***"]
    {
        assert!(text.lines().any(|one| one == line), "no {line:?} in {text}");
    }
    let checked = text.lines().find(|line| line.starts_with("# base: 2026-11-28, Denim ("));
    assert!(checked.is_some(), "the rules of base were checked at no date in {text}");
    let missing = work.path().join("missing.toml").display().to_string();
    refused(&["check-config", "--endpoints", &missing], &["cannot read the endpoints"]);
}

/// What `serve` would refuse is refused before, with row and field; nothing is asked for that.
#[test]
fn check_config_refuses_what_serve_refuses() {
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data").display().to_string();
    let node = "endpoints = [\"http://127.0.0.1:9\", \"http://127.0.0.1:9/x\"]\n";
    let own = |chain: &str, more: &str| {
        format!("[live]\nchains = [\"{chain}\"]\n[chain.{chain}]\n{node}{more}\n")
    };
    for (index, (text, expected)) in [
        (own("bitcoin", "finality = \"finalized\""), "chain.bitcoin.finality is \"finalized\""),
        (own("base", "finality = 0"), "chain.base.finality is 0, expected 1 to 1048576"),
        (
            own("base", "quorum = 2"),
            "chain.base.quorum is 2, expected at most 1, the number of its nodes' operators",
        ),
        (
            own("bitcoin", "") + "[source]\nfinality = \"latest\"\n",
            "set chain.bitcoin.finality for it alone: source.finality is \"latest\"",
        ),
        ("[source]\nfinality = 0\n".to_owned(), "source.finality is 0, expected 1 to 1048576"),
        ("[live]\nchains = [\"atlantis\"]\n".to_owned(), "live.chains: \"atlantis\": no such"),
        ("[chain.base]\nendpoints = []\n".to_owned(), "[chain.base]: Base has no endpoint"),
    ]
    .into_iter()
    .enumerate()
    {
        let file = write(work.path(), &format!("{index}.toml"), &text);
        refused(&["check-config", "--config", &file], &[expected]);
        let serve = ["serve", "--listen", "127.0.0.1:0", "--data", &data, "--config", &file];
        refused(&serve, &[expected]);
        assert!(!work.path().join("data").exists(), "nothing was begun");
    }
    let good = own("bitcoin", "finality = 3\nquorum = 1") + "[source]\nfinality = \"finalized\"\n";
    let file = write(work.path(), "good.toml", &good);
    let (code, text) = run(&["check-config", "--config", &file]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("one node is believed"), "what serve says of it is said: {text}");
}

/// Nobody listens there, and nobody waits for that to change.
#[test]
fn recording_from_a_dead_port_is_refused_at_once() {
    let work = tempfile::tempdir().unwrap();
    let folder = work.path().join("out").display().to_string();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let args = ["record", "--chain", "base", "--url", &url, "--numbers", "7", "--output", &folder];
    let begun = Instant::now();
    let asked = format!("no node of Base can be asked: {url} (cannot be reached");
    refused(&args, &[&asked, "refused"]);
    assert!(begun.elapsed().as_secs() < 5, "{:?}", begun.elapsed());
}
