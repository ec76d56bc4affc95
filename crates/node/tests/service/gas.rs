//! Fees, as a client asks: what is foretold of the next block is what the next block has.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::logs::Searched;

const PATH: &str = "/search-api/v5/gas";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_foretold_of_the_next_block_is_what_it_has() {
    let searched = Searched::start().await;
    let service = &searched.service;
    let text = |value: &Value| value["wei"].as_str().unwrap().to_owned();
    // by chain and number: its own base fee, and the one of the next
    let mut told: BTreeMap<(u64, u64), (String, String)> = BTreeMap::new();
    let mut met = 0;
    for _ in 0..200 {
        let body = service.json(PATH).await;
        let chains = body["chains"].as_array().unwrap();
        assert_eq!(chains.len(), 27);
        for chain in chains.iter().filter(|chain| chain["family"] == "evm") {
            if chain["next_base_fee"].is_null() {
                assert!(chain["block"].is_null(), "a rule that headers do not follow: {chain}");
                continue;
            }
            let id = chain["chain_id"].as_u64().unwrap();
            let number = chain["block"]["number"].as_u64().unwrap();
            told.insert((id, number), (text(&chain["base_fee"]), text(&chain["next_base_fee"])));
        }
        let next = |(id, number): &(u64, u64)| told.get(&(*id, number + 1));
        let pairs = told.iter().filter_map(|(at, (_, foretold))| Some((foretold, &next(at)?.0)));
        let pairs: Vec<_> = pairs.collect();
        met = pairs.len();
        if met >= 10 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(met >= 10, "{met} of {} heads had their next one", told.len());
    // a reorganised head may have another child; all but few stand
    let next = |(id, number): &(u64, u64)| told.get(&(*id, number + 1));
    let same = told.iter().filter_map(|(at, (_, foretold))| Some(*foretold == next(at)?.0));
    let wrong = same.filter(|same| !same).count();
    assert!(wrong * 10 <= met, "{wrong} of {met}");
}

/// The block that figures name is proven, and its header has the base fee that was told.
#[tokio::test(flavor = "multi_thread")]
async fn the_block_behind_the_figures_is_proven() {
    let searched = Searched::start().await;
    let mut proven = 0;
    for _ in 0..50 {
        let body = searched.service.json(&format!("{PATH}?chain_id=1")).await;
        let chain = &body["chains"][0];
        let path = format!("{}?level=2", chain["block"]["proof_url"].as_str().unwrap());
        let (status, bytes) = searched.service.get(&path).await;
        let proof: Value = serde_json::from_slice(&bytes).unwrap();
        if status == 200 && proof["blockHash"] == chain["block"]["hash"] {
            let base_fee = proof["header"]["baseFeePerGas"].as_str().unwrap();
            let base_fee = u64::from_str_radix(base_fee.trim_start_matches("0x"), 16).unwrap();
            assert_eq!(chain["base_fee"]["wei"], base_fee.to_string());
            proven += 1;
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert_eq!(proven, 1, "no head could be proven");
    // the ledgers without gas say in which unit they count
    let body = searched.service.json(PATH).await;
    let of = |family: &str| {
        let chains = body["chains"].as_array().unwrap();
        chains.iter().find(|chain| chain["family"] == family).unwrap().clone()
    };
    assert_eq!(of("icp")["fee_rate"]["standard"], 10_000.0, "{}", of("icp"));
    assert_eq!(of("solana")["unit"], "micro-lamports per compute unit");
    for family in ["bitcoin", "polkadot", "tron", "aptos", "sui", "cosmos"] {
        let chain = of(family);
        let missing = chain["missing"].as_array().unwrap();
        let is_told = missing.iter().any(|one| one["figure"] == "fee_rate");
        assert!(is_told == chain["fee_rate"].is_null(), "{chain}");
        assert!(chain["base_fee"].is_null());
    }
}
