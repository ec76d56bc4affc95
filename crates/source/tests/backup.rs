//! Backup service of a node of Aptos: real and simulated ledger infos as evidence and steps, and answers that are none.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use serde_json::json;
use superroot_chain::finality::finality_params;
use superroot_chain::ledger::aptos::RawAptosBlock;
use superroot_chain::{ChainRegistry, ChainSpec, SignedBlock, UntrustedBlock, verify};
use superroot_proof::finality::{FinalityParams, FinalitySet, Verdict, check_evidence};
use superroot_source::BlockSource;
use superroot_source::finality::{BackupNode, FinalitySource, NewestFinal};
use superroot_source::simulated::{SimulatedChain, SimulatedConfig};
use superroot_types::{BlockNumber, Clock, Hash, ManualClock, Network, UnixSeconds};

type Pages = Arc<HashMap<String, Vec<u8>>>;

async fn answer(State(pages): State<Pages>, uri: Uri) -> (StatusCode, Vec<u8>) {
    match pages.get(&uri.to_string()) {
        Some(body) => (StatusCode::OK, body.clone()),
        None => (StatusCode::NOT_FOUND, Vec::new()),
    }
}

async fn serve(pages: HashMap<String, Vec<u8>>) -> BackupNode {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address: SocketAddr = listener.local_addr().unwrap();
    let router = Router::new().fallback(answer).with_state(Arc::new(pages));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let [backup, rest] = ["backup", "rest"].map(|name| format!("http://{address}/{name}-key/"));
    BackupNode::new((&backup, "backup"), (&rest, "rest")).unwrap()
}

fn row() -> &'static ChainSpec {
    ChainRegistry::builtin().find("aptos").unwrap()
}

fn block_page(number: u64, last_version: u64) -> (String, Vec<u8>) {
    let body = json!({
        "block_height": number.to_string(), "block_hash": "0x00", "block_timestamp": "1",
        "first_version": "1", "last_version": last_version.to_string(), "transactions": null,
    });
    let path = format!("/rest-key/v1/blocks/by_height/{number}?with_transactions=false");
    (path, body.to_string().into_bytes())
}

fn state_page(epoch: u64) -> (String, Vec<u8>) {
    let state = [&[1][..], &epoch.to_le_bytes(), &[0; 8]].concat();
    ("/backup-key/db_state".to_owned(), state)
}

fn records(all: &[&[u8]]) -> Vec<u8> {
    let record = |bytes: &&[u8]| {
        let length = u32::try_from(bytes.len()).unwrap().to_be_bytes();
        [&length[..], bytes].concat()
    };
    all.iter().flat_map(record).collect()
}

fn file(name: &str) -> Option<Vec<u8>> {
    let Some(folder) = std::env::var_os("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, {name} was not read");
        return None;
    };
    Some(std::fs::read(std::path::Path::new(&folder).join("other/aptos").join(name)).unwrap())
}

#[tokio::test]
async fn real_answers_become_evidence_and_a_step() {
    let Some(change) = file("epoch_change_data.bcs") else { return };
    let account = file("account_inclusion_data.bcs").unwrap();
    let version = 998_167_816_u64;
    // siblings and info of the version, then the ledger info
    let proof = [&account[994..2_095], &account[2_103..2_350]].concat();
    let ends = "/backup-key/epoch_ending_ledger_infos/7495/7496".to_owned();
    let pages = [
        block_page(200, version),
        (format!("/backup-key/state_root_proof/{version}"), proof),
        state_page(7_496),
        (ends, records(&[&change[1..12_540]])),
    ];
    let node = serve(pages.into_iter().collect()).await;
    let hash = Hash(account[2_152..2_184].try_into().unwrap());
    let held = NewestFinal { number: BlockNumber(200), hash, timestamp: UnixSeconds(0) };
    let evidence = node.fetch_newest(held).await.unwrap();
    assert_eq!((evidence.number, evidence.hash), (held.number, hash));
    let steps = node.fetch_steps(7_495, 16).await.unwrap();
    let [(7_495, step)] = &steps[..] else { panic!("{} steps", steps.len()) };
    let params = finality_params(row(), Network::Live).unwrap();
    let set = FinalitySet::named_by(&params, step).unwrap();
    let now = UnixSeconds(1_719_260_726);
    assert!(check_evidence(&params, &set, &evidence, now).shown().is_some());
    // the epoch that goes on has no end
    assert_eq!(node.fetch_steps(7_496, 1).await.unwrap(), []);
    // another block than the nodes', and one that the node does not have
    let other = NewestFinal { hash: Hash::ZERO, ..held };
    let error = node.fetch_newest(other).await.unwrap_err().to_string();
    assert!(error.starts_with("backup: state_root_proof/998167816: no path"), "{error}");
    let above = NewestFinal { number: BlockNumber(201), ..held };
    let error = node.fetch_newest(above).await.unwrap_err().to_string();
    assert!(error.starts_with("rest: v1/blocks/by_height: status 404"), "{error}");
    assert!(!error.contains("key"), "{error}");
}

#[tokio::test]
async fn answers_that_are_none_are_errors_of_their_endpoint() {
    let held = NewestFinal { number: BlockNumber(7), hash: Hash::ZERO, timestamp: UnixSeconds(0) };
    let of = |pages: Vec<(String, Vec<u8>)>| async move {
        let node = serve(pages.into_iter().collect()).await;
        let newest = node.fetch_newest(held).await.unwrap_err().to_string();
        (newest, node.fetch_steps(3, 2).await.unwrap_err().to_string())
    };
    let ends =
        |body: &[u8]| ("/backup-key/epoch_ending_ledger_infos/3/5".to_owned(), body.to_vec());
    let (page, body) = block_page(8, 9);
    let (newest, steps) = of(vec![(page.replace("/8?", "/7?"), body)]).await;
    assert!(newest.ends_with("block_height is 8, expected 7"), "{newest}");
    assert!(steps.starts_with("backup: db_state: status 404"), "{steps}");
    let long = ("/backup-key/state_root_proof/9".to_owned(), vec![0; (1 << 20) + 1]);
    let none = ("/backup-key/db_state".to_owned(), vec![0]);
    let (newest, steps) = of(vec![block_page(7, 9), long, none]).await;
    assert!(newest.contains("more than 1048576 bytes"), "{newest}");
    assert_eq!(steps, "backup: db_state: no state");
    for body in [&[0, 0, 0, 1, 0][..], &[0], &records(&[&[0; 200]])] {
        let proof = ("/backup-key/state_root_proof/9".to_owned(), body.to_vec());
        let pages = vec![block_page(7, 9), proof, state_page(9), ends(body)];
        let (newest, steps) = of(pages).await;
        assert!(newest.contains("no path"), "{newest}");
        assert!(steps.ends_with("other than ends of epochs"), "{steps}");
    }
    assert!(BackupNode::new(("no url", "a"), ("http://b", "b")).is_err());
}

/// Simulated blocks are signed each, and the last one of an epoch is the step.
#[tokio::test]
async fn simulated_blocks_bring_evidence_and_steps_over_five_epochs() {
    let simulated = row().clone().as_simulated();
    let params = finality_params(row(), Network::Simulated).unwrap();
    assert!(matches!(params, FinalityParams::LedgerInfo(_)));
    let genesis = UnixSeconds(1_700_000_000);
    let clock = Arc::new(ManualClock::at(UnixSeconds(genesis.0 + 10_000)));
    let config = SimulatedConfig::new(7, genesis);
    let source = SimulatedChain::new(&simulated, config, clock.clone()).unwrap();
    let head = source.fetch_tip().await.unwrap().finalized.number.0;
    let now = clock.now();
    let mut set: Option<FinalitySet> = None;
    let mut steps = 0;
    for number in head - 200..=head {
        let block = source.fetch_whole(BlockNumber(number)).await.unwrap().unwrap();
        let verified = verify(&simulated, &block).unwrap();
        let SignedBlock { evidence, ends_set, .. } = verified.signed().unwrap();
        assert_eq!(*ends_set, (number % 32 == 31).then_some(number / 32));
        if let Some(own) = &set {
            let shown = check_evidence(&params, own, evidence, now);
            assert!(matches!(shown, Verdict::Shown(_)), "{number}: {shown:?}");
        }
        if ends_set.is_some() {
            let named = FinalitySet::named_by(&params, &evidence.body).unwrap();
            assert_eq!(named.number(), (number + 1) / 32);
            if let Some(own) = &set {
                let next = own.advance(&params, &evidence.body, now);
                assert_eq!(next, Verdict::Shown(named.clone()));
                assert_ne!(own.id(), named.id());
                steps += 1;
            }
            set = Some(named);
        }
        // a ledger info about another root is no evidence, and the block stays
        if number == head {
            let UntrustedBlock::Aptos(raw) = &block else { unreachable!() };
            let parent = source.fetch_whole(BlockNumber(number - 1)).await.unwrap().unwrap();
            let UntrustedBlock::Aptos(parent) = parent else { unreachable!() };
            let ledger_info = parent.ledger_info.clone();
            let wrong = RawAptosBlock { ledger_info, ..(**raw).clone() };
            let wrong = verify(&simulated, &UntrustedBlock::Aptos(Box::new(wrong))).unwrap();
            assert_eq!((wrong.hash(), wrong.signed()), (verified.hash(), None));
        }
    }
    assert!(steps >= 5, "{steps} steps");
}
