//! Light client data of beacon nodes: real updates over HTTP, and what is no update. Data is found through
//! `SUPERROOT_DATA` alone.

use std::io::Read;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use serde_json::{Value, json};
use superroot_proof::finality::beacon::{BeaconFork, BeaconLayout, BeaconParams};
use superroot_proof::finality::{FinalityParams, FinalitySet, TrustedSet, Verdict, check_evidence};
use superroot_source::finality::{BeaconNode, FinalitySource, NewestFinal, SimulatedBeacon};
use superroot_types::{BlockNumber, Hash, ManualClock, UnixSeconds};

const HOLESKY: BeaconParams = BeaconParams {
    genesis_validators_root: Hash([
        0x91, 0x43, 0xaa, 0x7c, 0x61, 0x5a, 0x7f, 0x71, 0x15, 0xe2, 0xb6, 0xaa, 0xc3, 0x19, 0xc0,
        0x35, 0x29, 0xdf, 0x82, 0x42, 0xae, 0x70, 0x5f, 0xba, 0x9d, 0xf3, 0x9b, 0x79, 0xc5, 0x9f,
        0xa8, 0xb1,
    ]),
    genesis_time: UnixSeconds(1_695_902_400),
    forks: &[
        BeaconFork { epoch: 256, version: [4, 1, 0x70, 0], layout: BeaconLayout::Capella },
        BeaconFork { epoch: 29_696, version: [5, 1, 0x70, 0], layout: BeaconLayout::Deneb },
    ],
    ..BeaconParams::ETHEREUM
};
const HELD: NewestFinal = NewestFinal {
    number: BlockNumber(1),
    hash: Hash([1; 32]),
    timestamp: UnixSeconds(1_796_000_000),
};

fn data(name: &str) -> Option<Value> {
    let Some(folder) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no update of a beacon node was read");
        return None;
    };
    let file = std::path::Path::new(&folder).join(format!("finality/beacon/{name}.json.gz"));
    let mut text = String::new();
    let bytes = std::fs::read(file).unwrap();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

/// As the API wraps it.
fn wrapped(value: Value) -> Value {
    if value.get("data").is_some() { value } else { json!({ "version": "capella", "data": value }) }
}

type Pages = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

async fn answer(State(pages): State<Pages>, uri: Uri) -> (StatusCode, String) {
    match pages(&uri.to_string()) {
        Some(body) => (StatusCode::OK, body),
        None => (StatusCode::NOT_FOUND, "{}".to_owned()),
    }
}

async fn serve(pages: Pages) -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(answer).with_state(pages);
    tokio::spawn(async move { axum::serve(listener, router).await });
    address
}

/// A node with one finality update and a list of updates, below a path with a key.
async fn node(params: BeaconParams, update: Value, updates: Value) -> BeaconNode {
    let (update, updates) = (wrapped(update).to_string(), updates.to_string());
    let pages: Pages =
        Arc::new(move |uri: &str| match uri.strip_prefix("/key/eth/v1/beacon/light_client/")? {
            "finality_update" => Some(update.clone()),
            other if other.starts_with("updates?start_period=") => Some(updates.clone()),
            _ => None,
        });
    let address = serve(pages).await;
    BeaconNode::new(&format!("http://{address}/key/"), "node", params).unwrap()
}

#[tokio::test]
async fn real_updates_of_nodes_become_evidence_and_steps() {
    for (params, folder, bootstrap, update, finality, period, number) in [
        (
            BeaconParams::ETHEREUM,
            "mainnet-capella-898",
            "bootstrap",
            "updates",
            "finality",
            898,
            18_170_072,
        ),
        (
            HOLESKY,
            "holesky-deneb-368",
            "holesky-bootstrap-368",
            "holesky-update-368",
            "holesky-finality-update-3_016_736",
            368,
            2_778_085,
        ),
    ] {
        let Some(bootstrap) = data(&format!("{folder}/{bootstrap}")) else { return };
        let named = |name: &str| data(&format!("{folder}/{name}")).unwrap();
        let updates = named(update).as_array().unwrap().iter().cloned().map(wrapped).collect();
        let node = node(params, named(finality), Value::Array(updates)).await;
        let evidence = node.fetch_newest(HELD).await.unwrap();
        let steps = node.fetch_steps(period, 4).await.unwrap();
        assert_eq!(steps.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [period]);
        // the committee of the bootstrap signed both
        let committee = &wrapped(bootstrap)["data"]["current_sync_committee"];
        let keys =
            committee["pubkeys"].as_array().unwrap().iter().chain([&committee["aggregate_pubkey"]]);
        let mut set = period.to_be_bytes().to_vec();
        keys.for_each(|key| set.extend(const_hex::decode(key.as_str().unwrap()).unwrap()));
        let of = FinalityParams::Beacon(params);
        let set = FinalitySet::decode(&of, &set).unwrap();
        let now = UnixSeconds(params.time_of(params.first_slot(period + 1)).0);
        assert_eq!(evidence.signer(&of), Some(period));
        let Verdict::Shown(shown) = check_evidence(&of, &set, &evidence, now) else {
            panic!("{folder}")
        };
        assert_eq!(shown.hash(), evidence.hash);
        assert_eq!(evidence.number, BlockNumber(number), "{folder}");
        let Verdict::Shown(next) = set.advance(&of, &steps[0].1, now) else { panic!("{folder}") };
        assert_eq!(Some(next), FinalitySet::named_by(&of, &steps[0].1));
        // steps of another period than asked for
        let error = node.fetch_steps(period + 1, 1).await.unwrap_err().to_string();
        assert!(error.contains("period") && !error.contains("key"), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_update_is_an_error_that_names_no_key() {
    let Some(update) = data("mainnet-capella-898/finality") else { return };
    let mut bent = Vec::new();
    for member in ["finality_branch", "sync_aggregate", "signature_slot", "finalized_header"] {
        let mut update = update.clone();
        update.as_object_mut().unwrap().remove(member);
        bent.push(update);
    }
    let mut short = update.clone();
    short["sync_aggregate"]["sync_committee_signature"] = json!("0x12");
    bent.push(short);
    bent.push(json!([]));
    for update in bent {
        let node = node(BeaconParams::ETHEREUM, update, json!({})).await;
        let error = node.fetch_newest(HELD).await.unwrap_err().to_string();
        assert!(error.starts_with("node: finality_update"), "{error}");
        assert!(node.fetch_steps(1, 1).await.is_err());
    }
    // an endless answer is cut
    let pages: Pages = Arc::new(|_| Some("[".repeat(3 << 20)));
    let address = serve(pages).await;
    let node = BeaconNode::new(&format!("http://{address}"), "node", BeaconParams::GNOSIS).unwrap();
    let error = node.fetch_newest(HELD).await.unwrap_err().to_string();
    assert!(error.contains("more than"), "{error}");
    assert!(BeaconNode::new("no url", "node", BeaconParams::GNOSIS).is_err());
}

#[tokio::test]
async fn simulated_committees_sign_what_a_client_checks_over_three_periods() {
    let params = BeaconParams::SIMULATED;
    let of = FinalityParams::Beacon(params);
    let begin = params.first_slot(params.period_of(params.slot_at(HELD.timestamp)));
    for offset in [0, 9, 13, 14, 15] {
        // also where the signature is of the next period
        let timestamp = params.time_of(begin + offset);
        let now = UnixSeconds(timestamp.0 + 60);
        let beacon = SimulatedBeacon::new(Arc::new(ManualClock::at(now)));
        let evidence = beacon.fetch_newest(NewestFinal { timestamp, ..HELD }).await.unwrap();
        assert_eq!((evidence.number, evidence.hash), (HELD.number, HELD.hash));
        let signer = evidence.signer(&of).unwrap();
        let steps = beacon.fetch_steps(signer - 4, 4).await.unwrap();
        assert_eq!(steps.len(), 4);
        let mut set = FinalitySet::named_by(&of, &steps[0].1).unwrap();
        let pinned = TrustedSet {
            chain: superroot_types::ChainKey {
                family: superroot_types::Family::Evm,
                id: superroot_types::ChainId(1),
            },
            kind: of.kind(),
            pinned_at: now,
            pin: set.id(),
            id: set.id(),
            set: set.encode(),
        };
        assert_eq!(TrustedSet::decode(&pinned.encode()).unwrap().read(&of).unwrap(), set);
        for (number, step) in &steps[1..] {
            assert_eq!(*number, set.number());
            let Verdict::Shown(next) = set.advance(&of, step, now) else { panic!("{number}") };
            set = next;
        }
        let verdict = check_evidence(&of, &set, &evidence, now);
        let Verdict::Shown(shown) = verdict else { panic!("{offset}: {verdict:?}") };
        assert!(shown.by().starts_with("31 of 32"), "{}", shown.by());
        // a set of after the trusting period
        let late = UnixSeconds(now.0 + params.trusted_seconds + 400);
        assert!(matches!(check_evidence(&of, &set, &evidence, late), Verdict::NotEnough(_)));
    }
}
