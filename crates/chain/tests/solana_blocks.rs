//! What is claimed of a block of the Solana family, and bent: each bend is refused, and the field named.

use crate::slots;

use slots::*;
use superroot_chain::ledger::solana::{RawEntry, RawSolanaBlock};
use superroot_chain::{BlockCheck, ChainError, ChainRegistry, ChainRegistryError, VerifiedBlock};
use superroot_types::*;

fn verified(raw: &RawSolanaBlock) -> Result<VerifiedBlock, ChainError> {
    check(&row_of(synthetic_genesis()), raw)
}

/// A block with records, of slot 3.
fn good() -> RawSolanaBlock {
    synthetic().pop().unwrap()
}

fn refused(bend: impl FnOnce(&mut RawSolanaBlock)) -> String {
    let mut block = good();
    bend(&mut block);
    verified(&block).unwrap_err().to_string()
}

fn entries(block: &mut RawSolanaBlock) -> &mut Vec<RawEntry> {
    block.entries.as_mut().unwrap()
}

#[test]
fn synthetic_slots_are_recomputed_from_the_genesis_hash_on() {
    let mut parent = Hash::ZERO;
    for raw in synthetic() {
        let block = verified(&raw).unwrap();
        assert_eq!((block.parent_hash(), block.hash()), (parent, raw.hash));
        assert_eq!(block.header(), raw.hash.0);
        assert_eq!(block.extent().to_string(), "header+transactions");
        let sent: Vec<_> =
            raw.entries.unwrap().into_iter().flat_map(|entry| entry.transactions).collect();
        assert_eq!(block.transactions(), Some(&sent[..]));
        assert_eq!(block.transaction_hashes().unwrap().len(), sent.len());
        assert!(block.body_withheld().is_none() && block.receipts().is_none());
        parent = block.hash();
    }
}

#[test]
fn without_entries_the_header_is_held_and_the_reason_said() {
    let bare = RawSolanaBlock { entries: None, time: 1_700_000_000, ..good() };
    let block = verified(&bare).unwrap();
    assert_eq!(block.extent().to_string(), "header");
    assert_eq!(block.timestamp(), UnixSeconds(1_700_000_000));
    assert!(block.body_withheld().unwrap().contains("JSON-RPC"), "{:?}", block.body_withheld());
    assert!(!block.is_withheld_on_claim());
}

/// From Alpenglow on an entry is one hash and a block ends in one tick; since shorter slots a window spans blocks.
#[test]
fn under_rule_0202_the_header_is_held_and_entries_are_not_looked_at() {
    let end = superroot_proof::registry::SOLANA_WINDOW_END;
    let entries = vec![RawEntry {
        num_hashes: 1,
        hash: Hash([9; 32]),
        transactions: vec![vec![0x81; 4_096]],
    }];
    for entries in [None, Some(entries)] {
        let raw = RawSolanaBlock {
            number: BlockNumber(end),
            slot: 440_580_196,
            parent_slot: 440_580_195,
            entries,
            ..good()
        };
        let block = verified(&raw).unwrap();
        assert_eq!((block.extent().to_string().as_str(), block.hash()), ("header", raw.hash));
        assert!(block.body_withheld().unwrap().contains("SIMD-0525"));
        assert!(!block.is_withheld_on_claim());
    }
    let row = main_row();
    assert_eq!(row.rules.last().map(|rule| (rule.from_number, rule.code)), Some((end, 0x0202)));
    assert_eq!(row.block_time_ms, 200);
}

#[test]
fn skipped_slots_are_those_whose_ticks_are_there() {
    let mut block = good();
    // the ticks of a slot that was skipped stand before those of the block's own
    let before = &synthetic()[2];
    let mut all = before.entries.clone().unwrap();
    all.append(entries(&mut block));
    let joined = RawSolanaBlock {
        parent_hash: before.parent_hash,
        parent_slot: 1,
        number: BlockNumber(2),
        entries: Some(all),
        ..block
    };
    assert!(verified(&joined).is_ok());
    let error = verified(&RawSolanaBlock { parent_slot: 2, ..joined.clone() }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "entries without transactions is 128, expected 64, of slots 2 to 3"
    );
}

#[test]
fn places_contradict_each_other_and_are_refused() {
    let error = refused(|block| block.slot = 2);
    assert_eq!(error, "slot is 2, expected at least the height, and 0 of the first block alone: 3");
    for parent_slot in [3, 4, 1, u64::MAX] {
        let error = refused(|block| block.parent_slot = parent_slot);
        assert!(error.starts_with(&format!("parentSlot is {parent_slot}, expected ")), "{error}");
    }
    let error = refused(|block| block.parent_hash = Hash::ZERO);
    assert!(error.starts_with("previousBlockhash is 0x00"), "{error}");
    let error = refused(|block| block.time = u64::MAX);
    assert!(error.starts_with("blockTime is 18446744073709551615, expected at most"), "{error}");
    let error = refused(|block| block.number = BlockNumber(u64::MAX));
    assert!(error.starts_with("blockHeight is "), "{error}");
    let mut first = synthetic().swap_remove(0);
    first.parent_hash = Hash([1; 32]);
    let error = verified(&first).unwrap_err().to_string();
    assert!(error.ends_with("expected zeros at height 0"), "{error}");
    first.parent_hash = Hash::ZERO;
    let other = check(main_row(), &first).unwrap_err().to_string();
    assert!(other.starts_with("entries[0].hash is "), "the genesis hash is another: {other}");
}

#[test]
fn bent_entries_are_refused() {
    let error = refused(|block| {
        entries(block).remove(0);
    });
    assert!(error.starts_with("entries without transactions is 63, expected 64"), "{error}");
    // a part cut off the front: the hashes lead to the blockhash all the same
    let error = refused(|block| {
        let tick = entries(block)[1].clone();
        entries(block).remove(0);
        entries(block).insert(0, RawEntry { num_hashes: 0, ..tick });
    });
    assert!(error.starts_with("entries[0].hash is "), "{error}");
    let error = refused(|block| entries(block).swap(0, 1));
    assert!(error.starts_with("entries[0].hash is "), "{error}");
    let error = refused(|block| {
        let at = entries(block).iter().position(|one| one.transactions.len() > 1).unwrap();
        entries(block)[at].transactions.swap(0, 1);
    });
    assert!(error.starts_with("entries[2].hash is "), "{error}");
    let error = refused(|block| {
        let at = entries(block).iter().position(|one| !one.transactions.is_empty()).unwrap();
        entries(block)[at].transactions.pop();
    });
    assert!(error.starts_with("entries[2].hash is "), "{error}");
    let error = refused(|block| {
        let record = entries(block).iter().find(|one| !one.transactions.is_empty()).cloned();
        let hash = record.as_ref().unwrap().hash;
        entries(block).extend(record);
        block.hash = hash;
    });
    assert!(error.ends_with("transactions is there, but a slot ends with a tick"), "{error}");
    let error = refused(|block| block.entries = Some(Vec::new()));
    assert!(error.starts_with("entries without transactions is 0"), "{error}");
    let error = refused(|block| block.hash.0[0] ^= 1);
    assert!(error.starts_with("blockhash is "), "{error}");
}

/// The blockhash stays, whatever a message says: the signature alone is recorded.
#[test]
fn a_message_that_was_not_signed_is_refused() {
    let mut block = good();
    let at = entries(&mut block).iter().position(|one| !one.transactions.is_empty()).unwrap();
    let raw = &mut entries(&mut block)[at].transactions[0];
    let at_table = raw.len() - 10;
    raw[at_table] ^= 1;
    let error = verified(&block).unwrap_err();
    let words = format!(
        "entries[{at}] cannot be read by a verifier: signature 0 does not fit its key and the message"
    );
    assert_eq!((error.to_string(), error.check()), (words, BlockCheck::Shape));
    let raw = &mut entries(&mut block)[at].transactions[0];
    *raw = vec![0];
    let error = verified(&block).unwrap_err().to_string();
    assert!(error.starts_with(&format!("entries[{at}].transactions[0] cannot be read")), "{error}");
}

#[test]
fn what_a_verifier_would_not_take_is_held_as_a_header_on_a_claim() {
    for bend in [
        (|block: &mut RawSolanaBlock| entries(block)[0].num_hashes = u64::MAX)
            as fn(&mut RawSolanaBlock),
        |block| entries(block)[5].num_hashes = 64_000_001,
        |block| {
            let tick = entries(block)[0].clone();
            block.entries = Some(vec![tick; 32_769]);
        },
    ] {
        let mut block = good();
        bend(&mut block);
        let held = verified(&block).unwrap();
        assert_eq!(held.extent().to_string(), "header");
        assert!(held.is_withheld_on_claim());
        assert!(held.body_withheld().unwrap().contains("recomputed are at most"));
    }
}

#[test]
fn checks_have_the_label_of_their_field() {
    let mut block = good();
    block.hash.0[0] ^= 1;
    assert_eq!(verified(&block).unwrap_err().check(), BlockCheck::HeaderHash);
    let mut block = good();
    entries(&mut block)[0].hash.0[0] ^= 1;
    assert_eq!(verified(&block).unwrap_err().check(), BlockCheck::TransactionsRoot);
    block.slot = 0;
    assert_eq!(verified(&block).unwrap_err().check(), BlockCheck::Repeat);
}

const ROW: &str = r#"
[[chain]]
id = 201
name = "Solana Test"
slug = "solana-test"
family = "solana"
caip2 = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
aliases = []
genesis_hash = "EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"
evidence = "node_quorum"
block_time_ms = 400
rules = [{ from = 0, code = 0x0201 }]
"#;

#[test]
fn a_row_whose_genesis_contradicts_its_name_is_refused() {
    let registry = ChainRegistry::parse(ROW).unwrap();
    let row = registry.find("solana-test").unwrap();
    assert!(!row.ledger.binds_parent() && row.ledger.has_finality_tag());
    assert!(row.ledger.check_bloom().is_err());
    for (genesis, got) in [
        (
            "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
            "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
        ),
        ("EtWTRABZaYq6iMfeYKouRu166VU2xqa1", "\"EtWTRABZaYq6iMfeYKouRu166VU2xqa1\""),
        ("0OIl", "\"0OIl\""),
    ] {
        let bent = ROW.replace("EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG", genesis);
        let Err(ChainRegistryError::Field { row: 0, field, got: found, .. }) =
            ChainRegistry::parse(&bent)
        else {
            panic!("{genesis} was taken");
        };
        assert_eq!((field.as_str(), found.as_str()), ("genesis_hash", got));
    }
    let bent = ROW.replace("genesis_hash", "genesis");
    assert!(ChainRegistry::parse(&bent).is_err());
}
