//! What a service says its SuperRoot is, recomputed.

use anyhow::{Context, bail};
use serde::Deserialize;
use superroot_client::{At, Client};
use superroot_proof::superroot::{SuperRoot, log_id};
use superroot_types::{Hash, UnixSeconds};
use superroot_wire::parse_json;

/// The members of a SuperRoot's page that its hash is made of.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    origin: String,
    log_id: Hash,
    sequence: u64,
    timestamp: UnixSeconds,
    tree_root: Hash,
    super_root_hash: Hash,
}

/// Fetches the page of a SuperRoot and recomputes its hash and its log id: the origin of its log, and
/// the SuperRoot.
///
/// # Errors
/// Why there is no page, or what in it does not fit together.
pub(super) async fn fetch(client: &Client, at: At) -> anyhow::Result<(String, SuperRoot)> {
    read(&client.fetch_superroot(at).await?)
}

fn read(body: &[u8]) -> anyhow::Result<(String, SuperRoot)> {
    let page = serde_json::from_value(parse_json(body)?);
    let page: Page = page.context("the service sent no page of a SuperRoot")?;
    let Page { origin, log_id: claimed, sequence, timestamp, tree_root, super_root_hash } = page;
    let log_id = log_id(&origin)?;
    if log_id != claimed {
        bail!("the log id of {origin} is {log_id}, the service says {claimed}");
    }
    let super_root = SuperRoot { log_id, sequence, timestamp, tree_root };
    let got = super_root.hash();
    if got != super_root_hash {
        bail!("the page hashes to {got}, the service says {super_root_hash}");
    }
    Ok((origin, super_root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn page() -> Value {
        let log_id = log_id("log.example.org").unwrap();
        let (tree_root, timestamp) = (Hash([7; 32]), UnixSeconds(1_700_000_000));
        let super_root = SuperRoot { log_id, sequence: 3, timestamp, tree_root };
        json!({
            "version": 5, "origin": "log.example.org", "logId": log_id, "sequence": 3,
            "timestamp": timestamp, "treeRoot": tree_root, "superRootHash": super_root.hash(),
            "miniMmrs": [],
        })
    }

    #[test]
    fn the_hash_binds_every_member_of_the_page() {
        let (origin, super_root) = read(page().to_string().as_bytes()).unwrap();
        assert_eq!((origin.as_str(), super_root.sequence), ("log.example.org", 3));
        for (member, bent) in [
            ("origin", json!("log.example.com")),
            ("logId", json!(Hash([1; 32]))),
            ("sequence", json!(4)),
            ("timestamp", json!(1)),
            ("treeRoot", json!(Hash([1; 32]))),
            ("superRootHash", json!(Hash([1; 32]))),
            ("superRootHash", Value::Null),
        ] {
            let mut page = page();
            page[member] = bent;
            assert!(read(page.to_string().as_bytes()).is_err(), "{member}");
        }
        assert!(read(b"[]").is_err() && read(b"<html>").is_err());
    }
}
