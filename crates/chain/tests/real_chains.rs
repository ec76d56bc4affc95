//! Every recorded block of every chain of the EVM family, by the row of its chain: accepted to
//! exactly the extent that was recorded, or refused by the check that is known to fail. Needs
//! `SUPERROOT_DATA`.

use crate::real;

use std::collections::BTreeMap;

use real::{Recording, parse, recordings, test_networks};
use superroot_chain::ledger::evm::raw::RawTransactions;
use superroot_chain::ledger::evm::verify::verify;
use superroot_chain::{BlockCheck, ChainRegistry, Extent};
use superroot_proof::registry::HashRuleFrom;

/// What the index says must come out of a block.
#[derive(Debug, PartialEq)]
enum Outcome {
    Accepted { extent: String, withheld: bool },
    Refused(BlockCheck),
}

/// Captured under another network's name: its transactions were signed for another chain.
fn is_foreign(recording: &Recording) -> bool {
    let listed = recording.json["block"]["transactions"].as_array();
    let claimed = listed.into_iter().flatten().filter_map(|entry| entry["chainId"].as_str());
    let claimed = claimed.map(|text| u64::from_str_radix(text.trim_start_matches("0x"), 16));
    claimed.flatten().any(|chain_id| chain_id != recording.chain_id)
}

/// Which check refuses receipts that are known not to recompute.
fn failing_receipts(recording: &Recording) -> BlockCheck {
    match (recording.chain_id, recording.number) {
        // dumped by a replay that did not run the transactions to their end
        (59144, 6_020_025) => BlockCheck::Gas,
        // logs of the state-sync entry stand in an ordinary receipt
        (80001, 22_743_478) => BlockCheck::LogsBloom,
        _ => BlockCheck::ReceiptsRoot,
    }
}

fn expected(recording: &Recording) -> Outcome {
    if !recording.is_ok("header") {
        // no hash to compare the header with
        return Outcome::Refused(BlockCheck::Shape);
    }
    if is_foreign(recording) {
        return Outcome::Refused(BlockCheck::ChainId);
    }
    if recording.is_simulated() {
        return Outcome::Refused(BlockCheck::Repeat);
    }
    let row = recording.row().unwrap();
    let number = superroot_types::BlockNumber(recording.number);
    let is_withheld = |part: &str| {
        let mut parts = row.ledger.unprovable().iter();
        parts.any(|range| range.holds_at(number) && range.what.to_string() == part)
    };
    let (body, receipts) = (is_withheld("body"), is_withheld("receipts"));
    let withheld = body || receipts;
    let fails = |check: &str| recording.checks[check] == "FAIL";
    let extent = Extent {
        transactions: recording.is_ok("txs") && !body,
        receipts: recording.is_ok("receipts") && !withheld,
    };
    let failing = if fails("txs") {
        Some(BlockCheck::TransactionsRoot)
    } else {
        fails("receipts").then(|| failing_receipts(recording))
    };
    match failing.filter(|_| !withheld) {
        None => Outcome::Accepted { extent: extent.to_string(), withheld },
        Some(check) => Outcome::Refused(check),
    }
}

fn outcome(recording: &Recording) -> Outcome {
    let (row, raw) = (recording.row().unwrap(), recording.raw());
    let checked = verify(row, &raw).and_then(|block| {
        superroot_chain::check_recorded_chain(row, &block)?;
        Ok(block)
    });
    match checked {
        Ok(block) => {
            assert_eq!(block.hash().to_string(), recording.hash, "{recording}");
            assert_eq!(block.number().0, recording.number);
            let withheld = block.body_withheld().is_some();
            Outcome::Accepted { extent: block.extent().to_string(), withheld }
        }
        Err(error) => Outcome::Refused(error.check()),
    }
}

#[test]
fn every_recorded_block_comes_out_as_the_index_says() {
    let Some(recordings) = recordings(|_| true) else { return };
    let mut tally = BTreeMap::<(u64, String), BTreeMap<String, usize>>::new();
    let (mut wrong, mut without_row) = (Vec::new(), 0);
    for recording in &recordings {
        if recording.row().is_none() {
            without_row += 1;
            continue;
        }
        let (got, expected) = (outcome(recording), expected(recording));
        let of_chain = tally.entry((recording.chain_id, recording.network.clone())).or_default();
        *of_chain.entry(format!("{got:?}")).or_default() += 1;
        if got != expected {
            wrong.push(format!("{recording}: {got:?}, expected {expected:?}"));
        }
    }
    for ((_, network), outcomes) in &tally {
        println!("{network}: {outcomes:?}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let read: usize = tally.values().flat_map(BTreeMap::values).sum();
    println!("{read} blocks of {} chains, {without_row} of chains of other rules", tally.len());
    assert_eq!(read + without_row, recordings.len());
    assert!(tally.len() >= 32 && read >= 740);
}

/// A block under another chain's name is refused there and accepted as what it is.
#[test]
fn a_block_of_another_chain_is_accepted_by_its_own_row_alone() {
    let Some(recordings) = recordings(|chain_id| chain_id == 8453) else { return };
    let foreign: Vec<_> = recordings.iter().filter(|recording| is_foreign(recording)).collect();
    assert_eq!(foreign.len(), 1);
    let base_goerli = test_networks().find("base-goerli").unwrap();
    let block = verify(base_goerli, &foreign[0].raw()).unwrap();
    assert_eq!(block.extent().to_string(), "header+transactions");
}

/// Blocks by rules that came after most recordings: gas of Amsterdam, a transaction of another chain, one that
/// nobody signed.
#[test]
fn blocks_of_changed_rules_are_held_whole() {
    for (kind, chain) in [
        ("amsterdam-gas", "ethereum"),
        ("celo-foreign-chain-id", "celo"),
        ("sonic-internal", "sonic"),
    ] {
        let Some(blocks) = real::field(kind) else { return };
        assert_eq!(blocks.len(), 2, "{kind}");
        for raw in &blocks {
            let row = ChainRegistry::builtin().find(chain).unwrap();
            let block = verify(row, raw).unwrap_or_else(|error| panic!("{kind}: {error}"));
            let receipts = raw.receipts.is_some();
            assert_eq!(block.extent(), Extent { transactions: true, receipts }, "{kind}");
            assert_eq!(block.transactions().map(<[_]>::len), raw.block.transactions.count());
            // and with every claim that no hash binds turned to nonsense
            let mut bent = raw.clone();
            if let RawTransactions::Full(list) = &mut bent.block.transactions {
                for one in list {
                    (one.transaction_index, one.block_number) = (Some(u64::MAX), None);
                }
            }
            for one in bent.receipts.iter_mut().flatten() {
                (one.transaction_index, one.gas_used) = (Some(3), Some(u64::MAX));
                one.logs.iter_mut().for_each(|log| log.log_index_in_block = Some(u64::MAX));
            }
            assert_eq!(verify(row, &bent), Ok(block), "{kind}");
        }
    }
}

/// Chains that do not hash RLP headers, or other ones: no row of the family's rules takes them.
#[test]
fn blocks_of_other_rules_are_refused_under_every_rule() {
    let Some(recordings) = recordings(|_| true) else { return };
    let mut refused = BTreeMap::<String, usize>::new();
    for recording in recordings.iter().filter(|recording| recording.row().is_none()) {
        let Ok(mut raw) = parse(&recording.json) else {
            *refused.entry(format!("{} not of the shape", recording.network)).or_default() += 1;
            continue;
        };
        (raw.block.transactions, raw.receipts) = (RawTransactions::Absent, None);
        let is_ethereum = recording.is_ok("header") && recording.layout.starts_with("ethereum");
        let mut row = ChainRegistry::builtin().find("ethereum").unwrap().clone();
        if is_ethereum {
            assert!(verify(&row, &raw).is_ok(), "{recording}");
            continue;
        }
        for code in 1..=6 {
            row.rules = vec![HashRuleFrom { from_number: 0, code }];
            let check = verify(&row, &raw).expect_err(&recording.network).check();
            assert!(
                matches!(check, BlockCheck::HeaderHash | BlockCheck::Shape),
                "{recording}: {check:?}"
            );
        }
        *refused.entry(recording.network.clone()).or_default() += 1;
    }
    println!("refused under every rule: {refused:?}");
    assert!(refused.values().sum::<usize>() >= 28);
}
