//! What a service says its SuperRoot is, recomputed.

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

/// A SuperRoot under the origin of its log; the hash binds both.
#[derive(Debug)]
pub(super) struct Named {
    /// Origin of the log.
    pub(super) origin: String,
    /// The SuperRoot.
    pub(super) super_root: SuperRoot,
}

/// Fetches the page of a SuperRoot and recomputes its hash and its log id.
///
/// # Errors
/// Why there is no page, or what in it does not fit together.
pub(super) async fn fetch(url: &str, at: At) -> Result<Named, String> {
    let client = Client::new(url).map_err(|error| error.to_string())?;
    let body = client.fetch_superroot(at).await.map_err(|error| error.to_string())?;
    read(&body)
}

fn read(body: &[u8]) -> Result<Named, String> {
    let body = parse_json(body).map_err(|error| error.to_string())?;
    let page: Page = serde_json::from_value(body)
        .map_err(|error| format!("the service sent no page of a SuperRoot: {error}"))?;
    let Page { origin, log_id: claimed, sequence, timestamp, tree_root, super_root_hash } = page;
    let log_id = log_id(&origin).map_err(|error| error.to_string())?;
    if log_id != claimed {
        return Err(format!("the log id of {origin} is {log_id}, the service says {claimed}"));
    }
    let super_root = SuperRoot { log_id, sequence, timestamp, tree_root };
    let got = super_root.hash();
    if got != super_root_hash {
        return Err(format!("the page hashes to {got}, the service says {super_root_hash}"));
    }
    Ok(Named { origin, super_root })
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
        let named = read(page().to_string().as_bytes()).unwrap();
        assert_eq!((named.origin.as_str(), named.super_root.sequence), ("log.example.org", 3));
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
