//! Tools for agents: at `/mcp`, and by `superroot mcp`, which verifies; asked by an unmodified client of the protocol.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::clients::installed;
use crate::support::{Service, http, operator, superroot};

fn demo() -> Service {
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "11"]);
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    Service::start(&mut command, "ready")
}

/// A call of one method, as its answer.
async fn ask(service: &Service, method: &str, params: Value) -> Value {
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = http()
        .post(format!("{}/mcp", service.url))
        .header("accept", "application/json, text/event-stream")
        .json(&request)
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), 200, "{method}");
    answer.json().await.unwrap()
}

async fn call(service: &Service, tool: &str, arguments: Value) -> Value {
    ask(service, "tools/call", json!({ "name": tool, "arguments": arguments })).await
}

/// Compiles the example's agent.
fn agent(work: &Path) -> Option<PathBuf> {
    let modules = installed("typescript", "installed.json")?.join("node_modules");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/clients/typescript");
    for file in ["package.json", "agent.ts"] {
        std::fs::copy(example.join(file), work.join(file)).unwrap();
    }
    std::os::unix::fs::symlink(&modules, work.join("node_modules")).unwrap();
    let mut compile = Command::new("node");
    compile.arg(modules.join("typescript/bin/tsc")).arg("agent.ts").current_dir(work);
    compile.args(["--target", "es2022", "--module", "nodenext", "--strict", "--skipLibCheck"]);
    let (code, said) = operator::run(&mut compile);
    assert_eq!(code, 0, "{said}");
    Some(work.join("agent.js"))
}

fn printed(agent: &Path, server: &str, hash: &str) -> Value {
    let mut command = Command::new("node");
    command.arg(agent).args([server, "ethereum", hash]).current_dir(agent.parent().unwrap());
    let home = agent.parent().unwrap().join("config");
    let text = operator::printed(command.env("XDG_CONFIG_HOME", home));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_asks_over_http_under_the_limits_of_each_route() {
    let service = demo();
    service.ready().await;
    let listed = ask(&service, "tools/list", json!({})).await;
    let tools = listed["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    for name in ["find", "prove_event", "verify", "price", "order", "logs", "gas", "status"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let proven =
        call(&service, "prove_block", json!({ "chain": "ethereum", "block": "latest" })).await;
    let result = &proven["result"];
    assert_eq!(result["isError"], false, "{proven}");
    let content = &result["structuredContent"];
    assert_eq!(content["verified_by"], "service");
    assert!(content["answer"].to_string().contains("note"), "a key anchors it: {content}");
    for proof in [content, &content["answer"]] {
        let verdict = call(&service, "verify", json!({ "proof": proof })).await;
        assert_eq!(verdict["result"]["structuredContent"]["answer"]["valid"], true, "{verdict}");
    }

    // a tier is the route's, not the tool's
    let price = json!({ "chain": "ethereum", "token": format!("0x{}", "11".repeat(20)) });
    let refused = call(&service, "price", price).await;
    assert_eq!(refused["result"]["isError"], true);
    let problem = &refused["result"]["structuredContent"]["problem"];
    assert!(matches!(problem["status"].as_u64(), Some(401 | 403)), "{refused}");

    for (tool, arguments, named) in [
        ("prove_block", json!({ "chain": "ethereum" }), "block"),
        ("prove_block", json!({ "chain": "ethereum", "block": 1, "url": "http://a" }), "url"),
        ("find", json!({ "hash": [] }), "hash"),
        ("verify", json!({ "proof": "text" }), "proof"),
        ("rm", json!({}), "rm"),
    ] {
        let refused = call(&service, tool, arguments).await;
        assert_eq!(refused["error"]["code"], -32602, "{refused}");
        assert!(refused["error"]["message"].as_str().unwrap().contains(named), "{refused}");
    }
    let malformed = http().post(format!("{}/mcp", service.url)).body("{").send().await.unwrap();
    assert!(malformed.status().is_client_error(), "{}", malformed.status());
    assert!(service.stop().success());
}

/// A call counts against the address of its caller, like a request to the route.
#[tokio::test(flavor = "multi_thread")]
async fn calls_and_requests_of_an_address_share_one_limit() {
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0", "--seed", "11"]);
    command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "12");
    let service = Service::start(&mut command, "ready");
    service.ready().await;
    let find = format!("/v5/find/0x{}", "22".repeat(32));
    let mut refused = 0;
    for _ in 0..8 {
        assert_ne!(service.get(&find).await.0, 429);
    }
    for _ in 0..8 {
        let hash = json!({ "hash": format!("0x{}", "22".repeat(32)) });
        let said = call(&service, "find", hash).await;
        let problem = &said["result"]["structuredContent"]["problem"];
        refused += usize::from(problem["code"] == "rate_limited");
    }
    assert!((4..8).contains(&refused), "{refused} of 8 after 8 requests, of 12 a minute");
    assert!(service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unmodified_agent_has_proofs_verified_on_its_own_machine() {
    let work = tempfile::tempdir().unwrap();
    let Some(agent) = agent(work.path()) else { return };
    let service = demo();
    service.ready().await;
    let screen = service.screen.lock().unwrap().clone();
    let hash = screen.split_once("/v5/proof/tx/ethereum/").unwrap().1;
    let hash = hash.split_whitespace().next().unwrap();

    let remote = printed(&agent, &format!("{}/mcp", service.url), hash);
    assert_eq!(remote["proven"]["structuredContent"]["verified_by"], "service", "{remote}");
    assert_eq!(remote["absent"]["isError"], true);
    assert!(remote["misspelt"]["refused"].as_str().unwrap().contains("hsh"), "{remote}");

    let program = env!("CARGO_BIN_EXE_superroot");
    let folder = work.path().join("proofs");
    let local = format!("{program} mcp --url {} --folder {}", service.url, folder.display());
    let unpinned = printed(&agent, &local, hash);
    let content = &unpinned["proven"]["structuredContent"];
    assert_eq!(
        (&content["verified"], &content["verified_by"]),
        (&false.into(), &"this machine".into())
    );
    // the newest SuperRoot as the trusted one
    let key = service.json("/v5/superroot").await["publication"]["keys"][0].clone();
    let mut pin = superroot();
    pin.args(["trust", "pin", "--url", &service.url, "--key", key.as_str().unwrap()]);
    let (code, said) = operator::run(pin.env("XDG_CONFIG_HOME", work.path().join("config")));
    assert_eq!(code, 0, "{said}");
    let pinned = printed(&agent, &local, hash);
    let content = &pinned["proven"]["structuredContent"];
    assert_eq!(content["verified"], true, "{pinned}");
    assert!(folder.join(content["file"].as_str().unwrap()).is_file(), "{content}");
    assert_eq!(pinned["status"]["structuredContent"]["verified_by"], "nobody");
    assert!(service.stop().success());
}
