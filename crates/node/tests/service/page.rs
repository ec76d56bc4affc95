//! The page at `/`, as it is served: its verifier over `vectors/` by node, and the page in headless Chromium.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{Service, http, operator};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page");
const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors");

/// The first of these programs that is at hand; `None`, said loudly, where none is.
fn program(names: &[&str]) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&folders)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)));
    let found = all.into_iter().find(|program| program.is_file());
    if found.is_none() {
        eprintln!("SKIPPED: {} is not at hand", names[0]);
    }
    found
}

/// What drives the browser, where `make page` puts it; `None`, said loudly, where it is not at hand.
fn playwright() -> Option<PathBuf> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let target =
        target.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"));
    let folder = target.join("page/node_modules/playwright-core");
    if !folder.is_dir() {
        eprintln!("SKIPPED: playwright-core is not at hand, run `make page` (it wants npm)");
        return None;
    }
    Some(std::path::absolute(folder).unwrap())
}

/// A demo, and the hash of a transaction of it whose proof can be had.
async fn demo(data: &Path) -> (Service, String) {
    let mut command = operator::demo(data);
    command.args(["--seed", "9"]).env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
    let service = Service::start(&mut command, "ready");
    service.ready().await;
    assert!(service.shows("/v5/proof/tx/ethereum/0x"));
    let screen = service.screen.lock().unwrap().clone();
    let hash = screen.split_once("/v5/proof/tx/ethereum/").unwrap().1;
    (service, hash.split_whitespace().next().unwrap().to_owned())
}

/// Path of a module that another imports: `../noble/sha2.js` of `verify/hash.js` is `noble/sha2.js`.
fn resolved(importer: &str, path: &str) -> String {
    let mut folders: Vec<&str> = importer.split('/').collect();
    folders.pop();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => assert!(folders.pop().is_some(), "{path} of {importer}"),
            part => folders.push(part),
        }
    }
    folders.join("/")
}

/// Names of the scripts that the page loads, and those that they load.
async fn scripts(service: &Service, folder: &Path) -> Vec<String> {
    let mut names = vec!["page.js".to_owned()];
    let mut read = 0;
    while let Some(name) = names.get(read).cloned() {
        read += 1;
        let (status, text) = service.get(&format!("/web/{name}")).await;
        assert_eq!(status, 200, "{name}");
        let file = folder.join(&name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, &text).unwrap();
        let text = String::from_utf8(text).unwrap().replace('\'', "\"");
        for imported in text.split("from \".").skip(1) {
            let imported = imported.split_once('"').unwrap().0;
            let imported = resolved(&name, &format!(".{imported}"));
            if !names.contains(&imported) {
                names.push(imported);
            }
        }
    }
    names
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{said}");
    eprintln!("{said}");
}

/// The browser's verifier and `superroot verify` read the same vectors: neither may take what the other refuses.
#[tokio::test(flavor = "multi_thread")]
async fn the_served_verifier_refuses_every_vector_at_its_step() {
    let Some(node) = program(&["node", "nodejs"]) else { return };
    let work = tempfile::tempdir().unwrap();
    let (service, hash) = demo(&work.path().join("data")).await;
    let modules = work.path().join("modules");
    std::fs::create_dir(&modules).unwrap();
    std::fs::write(modules.join("package.json"), r#"{"type":"module"}"#).unwrap();
    let names = scripts(&service, &modules).await;
    assert!(names.iter().any(|name| name == "chains.js"), "{names:?}");

    let noted = work.path().join("noted");
    std::fs::create_dir(&noted).unwrap();
    let page = service.json("/v5/superroot").await;
    let references = page["blockReferences"].as_array().unwrap();
    let anchored =
        references.iter().filter_map(|one| Some((&one["chainId"], one["number"].as_u64()?)));
    let mut proofs = vec![("transaction-1".to_owned(), format!("tx/ethereum/{hash}"))];
    for (chain, number) in anchored {
        proofs.push((format!("block-{chain}"), format!("{chain}/{number}")));
        if matches!(chain.as_u64(), Some(1 | 21_000_000)) {
            proofs.push((format!("absence-{chain}"), format!("absence/{chain}/{number}/4000")));
            for index in 0..3 {
                let path = format!("event/{chain}/{number}/{index}/0");
                proofs.push((format!("event-{chain}-{index}"), path));
            }
        }
    }
    for (name, path) in proofs {
        let url = format!("{}/v5/proof/{path}?note=1", service.url);
        let answer = http().get(url).header("accept", "application/octet-stream").send().await;
        let answer = answer.unwrap();
        // a block may have fewer transactions, and a transaction no event
        if answer.status() == 200 {
            std::fs::write(noted.join(name), answer.bytes().await.unwrap()).unwrap();
        } else {
            assert!(path.starts_with("event") && answer.status() == 404, "{path}");
        }
    }
    assert!(noted.join("event-21000000-0").exists() && noted.join("event-21000000-1").exists());
    let key = page["publication"]["keys"][0].as_str().unwrap();
    let script = Path::new(FOLDER).join("verify.mjs");
    run(Command::new(node).arg(script).arg(&modules).arg(VECTORS).arg(&noted).arg(key));
    assert!(service.stop().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_verifies_in_chromium_and_refuses_what_was_altered() {
    let Some(node) = program(&["node", "nodejs"]) else { return };
    let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
    let Some(chromium) = program(&names) else { return };
    let Some(playwright) = playwright() else { return };
    let work = tempfile::tempdir().unwrap();
    let data = work.path().join("data");
    let (service, hash) = demo(&data).await;
    let keys = std::fs::read(data.join("demo-keys.json")).unwrap();
    let keys: Vec<serde_json::Value> = serde_json::from_slice(&keys).unwrap();
    let key = keys.iter().find(|key| key["tier"] == "builder").unwrap();
    // screenshots are kept where a person can look at them
    let shots = playwright.join("../../screenshots");
    std::fs::create_dir_all(&shots).unwrap();
    let script = Path::new(FOLDER).join("browser.mjs");
    let mut command = Command::new(node);
    command.arg(script).arg(playwright).arg(chromium).arg(&service.url).arg(&hash);
    run(command.arg(key["api_key"].as_str().unwrap()).arg(shots));
    assert!(service.stop().success());
}
