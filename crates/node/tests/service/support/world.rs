//! A service that follows the nodes of a test, and what is asked of it.

use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use superroot_chain::ChainRegistry;
use superroot_types::ChainId;

use super::anvil::{Anvil, rows, until};
use super::{Service, superroot};

/// A folder with what the service needs to know of these nodes.
pub struct World {
    folder: tempfile::TempDir,
}

impl World {
    pub fn of(nodes: &[&Anvil]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let is_own = |id: &u64| ChainRegistry::builtin().by_id(ChainId(*id)).is_none();
        let ids = nodes.iter().map(|node| node.chain_id).filter(is_own);
        std::fs::write(folder.path().join("chains.toml"), rows(ids)).unwrap();
        let lines = nodes.iter().map(|node| {
            format!("  {{ chain = \"{}\", url = \"{}\" }},\n", node.chain_id, node.url)
        });
        let text = format!("endpoint = [\n{}]\n", lines.collect::<String>());
        std::fs::write(folder.path().join("endpoints.toml"), text).unwrap();
        Self { folder }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The binary, which knows the rows of these nodes.
    pub fn superroot(&self) -> Command {
        let mut command = superroot();
        command.arg("--chains").arg(self.path("chains.toml"));
        command
    }

    /// A service that keeps everything, and looks often.
    pub fn serve(&self, settings: &[(&str, &str)]) -> Service {
        self.serve_watching(&["--watch", "all"], settings)
    }

    /// A service that looks often.
    pub fn serve_watching(&self, watch: &[&str], settings: &[(&str, &str)]) -> Service {
        let mut command = self.superroot();
        command.args(["serve", "--listen", "127.0.0.1:0"]).args(watch).arg("--data");
        command.arg(self.path("data")).arg("--endpoints").arg(self.path("endpoints.toml"));
        command.env("SUPERROOT__LIMIT__KEYLESS_PER_MINUTE", "0");
        command.env("SUPERROOT__ACCUMULATE__BEAT_MS", "200");
        command.env("SUPERROOT__COLLECT__POLL_INTERVAL_MS", "50");
        for (name, value) in settings {
            command.env(name, value);
        }
        Service::start(&mut command, "listening on")
    }

    /// Fetches a proof and has another process verify it, against the SuperRoot that the service
    /// names elsewhere.
    pub async fn prove(&self, service: &Service, path: &str) -> Value {
        let body = service.json(path).await;
        let hash = body["superRootHash"].as_str().unwrap();
        let sequence = &body["v5Anchor"]["sequence"];
        let named = service.json(&format!("/v5/superroot/{sequence}")).await;
        assert_eq!(named["superRootHash"], hash, "{path}");
        let file = self.path("proof.json");
        std::fs::write(&file, body.to_string()).unwrap();
        let mut verify = self.superroot();
        let output = verify.arg("verify").arg(&file).args(["--superroot", hash]).output().unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(0), "{path}: {text}");
        body
    }
}

/// Waits until a block of a chain is anchored.
pub async fn anchored(service: &Service, chain: u64, number: u64) {
    let what = format!("block {number} of {chain} is anchored");
    until(&what, async || (service.anchored(chain).await? >= number).then_some(())).await;
}

/// Every anchored block is the node's own, from the first to the newest.
pub async fn same_blocks(service: &Service, node: &Anvil) {
    let chain = node.chain_id;
    let newest = service.anchored(chain).await.expect("an anchored block");
    for number in 0..=newest {
        let proof = service.json(&format!("/v5/proof/{chain}/{number}")).await;
        assert_eq!(proof["blockHash"], node.hash_at(number).await, "block {number} of {chain}");
    }
}

/// Everything from the first block to the newest final one is held whole, and nothing is left out.
pub async fn no_gap(service: &Service, chain: u64) {
    let coverage = service.json(&format!("/api/v1/coverage/{chain}")).await;
    let mut next = 0;
    for range in coverage["ranges"].as_array().unwrap() {
        assert_eq!((&range["from"], &range["held"]), (&next.into(), &"whole".into()), "{coverage}");
        next = range["to"].as_u64().unwrap() + 1;
    }
    for gap in coverage["gaps"].as_array().unwrap() {
        assert_eq!(gap["reason"], "not_collected_yet", "{coverage}");
    }
    assert!(next > service.anchored(chain).await.unwrap(), "{coverage}");
}
