//! Laws of Sui's level 1 and 2: what verifies, what must not. Second computation: the network's own types,
//! by which the synthetic checkpoints are made, and by which the real one is read.
#![allow(missing_docs, unreachable_pub)]

mod made;

use made::{Made, made};
use proptest::prelude::*;
use superroot_proof::bundle::{self, *};
use superroot_proof::ledger::sui::{
    Contents, ContentsProof, Effects, Header, SuiCheckpoint, TransactionEffects, checkpoint_digest,
    read_events, transaction_digest,
};
use superroot_proof::ledger::{Body, BodyFault, Extent, LedgerError, NoEntry};
use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
use superroot_types::*;

const SUI: ChainKey = ChainKey { family: Family::Sui, id: ChainId(784) };

fn bytes(hex: &str) -> Vec<u8> {
    const_hex::decode(hex).unwrap()
}

fn registry() -> LogRegistry {
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0601 }];
    LogRegistry::new(vec![Profile { chain: SUI, caip2: "sui:35834a8a".to_owned(), rules }]).unwrap()
}

fn body(made: &Made) -> Body {
    let transactions = made.transactions.iter().map(|one| bytes(&one.transaction)).collect();
    let outcome = |one: &made::MadeTransaction| TransactionEffects {
        effects: bytes(&one.effects),
        events: one.events.as_deref().map(bytes),
    };
    let outcomes = made.transactions.iter().map(outcome).collect();
    Body::Sui(SuiCheckpoint::build(bytes(&made.contents), transactions, outcomes))
}

fn bundle(made: &Made, subject: ProofSubject) -> Bundle {
    let header = bytes(&made.summary);
    let (number, block_hash) =
        (Header::decode(&header).unwrap().sequence_number, checkpoint_digest(&header));
    Bundle {
        origin: "recorded/test".to_owned(),
        statement: Statement { chain: SUI, number: BlockNumber(number), subject },
        entry: body(made).prove(subject, true).unwrap(),
        block: Some(BlockLevel { header, block_hash, twig: None }),
    }
}

fn check(bundle: &Bundle) -> Result<Facts, ProofFault> {
    let registry = registry();
    let checked = bundle::verify(bundle, &Policy::strict(&registry));
    let facts = checked.map(Verified::into_inner).map_err(|error| error.fault)?;
    // through the file form too, which has one encoding
    let encoded = bundle.encode();
    let decoded = Bundle::decode(&encoded).unwrap();
    assert_eq!((&decoded, decoded.encode()), (bundle, encoded));
    Ok(facts)
}

/// Every subject of a checkpoint that can be proven.
fn subjects(made: &Made) -> Vec<ProofSubject> {
    let count = made.transactions.len() as u32;
    let mut all = vec![ProofSubject::Block];
    all.extend([count, u32::MAX].map(|tx_index| ProofSubject::Absence { tx_index }));
    for (tx_index, one) in (0..).zip(&made.transactions) {
        all.push(ProofSubject::Transaction { tx_index });
        let logs = 0..one.types.len() as u32;
        all.extend(logs.map(|log_index| ProofSubject::Log { tx_index, log_index }));
    }
    all
}

#[test]
fn the_vectors_are_what_the_networks_types_make() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors/sui/synthetic.json");
    let lines: Vec<_> = made().iter().map(|one| serde_json::to_string(one).unwrap()).collect();
    let text = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("SUPERROOT_WRITE_VECTORS").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    let held = std::fs::read_to_string(path).unwrap();
    assert!(held == text, "vectors/sui/synthetic.json is not what the types make");
}

#[test]
fn every_subject_of_every_checkpoint_is_proven() {
    let mut proven = 0;
    for made in made() {
        let header = Header::decode(&bytes(&made.summary)).unwrap();
        assert_eq!(header.ends_epoch, made.name == "the last of an epoch");
        assert_eq!(body(&made).extent(), Extent { transactions: true, receipts: false });
        for subject in subjects(&made) {
            let facts = check(&bundle(&made, subject)).unwrap();
            assert_eq!(bs58_of(&facts.block_hash.unwrap()), made.digest);
            assert!(facts.number_bound);
            assert_eq!(facts.receipts_root, None);
            if subject == ProofSubject::Block {
                continue;
            }
            assert_eq!(facts.transactions_root, Some(header.content_digest));
            assert_eq!(facts.tx_count, Some(made.transactions.len() as u32));
            let Some(one) =
                subject.tx_index().and_then(|tx_index| made.transactions.get(tx_index as usize))
            else {
                assert!(facts.transaction.is_none() && facts.event.is_none());
                continue;
            };
            let shown = facts.transaction.unwrap();
            assert_eq!(
                (bs58_of(&shown.hash), shown.raw),
                (one.digest.clone(), bytes(&one.transaction))
            );
            if let ProofSubject::Log { log_index, .. } = subject {
                let Some(ProvenEvent::Move(shown)) = facts.event else { panic!("no event") };
                assert_eq!(shown.event_count, one.types.len());
                assert_eq!(bs58_of(&shown.transaction_hash), one.digest);
                assert_eq!(long(&shown.event.type_name), long(&one.types[log_index as usize]));
                assert_eq!(shown.event.contents.len(), 100 * log_index as usize);
                assert_eq!(
                    (shown.event.module.as_str(), shown.event.sender),
                    ("pool", Hash([9; 32]))
                );
            }
            proven += 1;
        }
    }
    assert_eq!(proven, 10 + 13);
}

/// A type without the space behind commas, which some write and some do not.
fn long(type_name: &str) -> String {
    type_name.replace(", ", ",")
}

fn bs58_of(hash: &Hash) -> String {
    sui_sdk_types::Digest::new(hash.0).to_base58()
}

#[test]
fn an_event_is_proven_without_its_transaction_too() {
    let made = &made()[2];
    let subject = ProofSubject::Log { tx_index: 1, log_index: 4 };
    let entry = body(made).prove(subject, false).unwrap();
    let short = Bundle { entry, ..bundle(made, subject) };
    let facts = check(&short).unwrap();
    assert!(facts.transaction.is_none() && facts.event.is_some());
}

#[test]
fn what_is_not_there_is_not_proven() {
    let body = body(&made()[2]);
    let prove = |subject| body.prove(subject, true).unwrap_err();
    let tx = |tx_index| ProofSubject::Transaction { tx_index };
    let log = |tx_index, log_index| ProofSubject::Log { tx_index, log_index };
    assert_eq!(prove(tx(5)), NoEntry::NoTransaction { tx_index: 5 });
    assert_eq!(prove(log(5, 0)), NoEntry::NoTransaction { tx_index: 5 });
    assert_eq!(prove(ProofSubject::Absence { tx_index: 4 }), NoEntry::Present { tx_index: 4 });
    for (subject, count) in [(log(0, 0), 0), (log(1, 5), 5), (log(2, 0), 0), (log(1, u32::MAX), 5)]
    {
        assert!(matches!(prove(subject), NoEntry::EventIndex { count: got, .. } if got == count));
    }
}

#[test]
fn a_body_is_kept_as_it_is_and_of_its_header_alone() {
    let all = made();
    for made in &all {
        let body = body(made);
        assert_eq!(Body::decode(&body.encode()).as_ref(), Some(&body));
        for other in &all {
            let header = superroot_proof::ledger::Header::decode(
                superroot_proof::registry::HashRule::Sui,
                &bytes(&other.summary),
            );
            let count = made.transactions.len() as u32;
            let checked = body.check(&header.unwrap(), body.extent(), count, |_| true);
            let is_its = made.digest == other.digest;
            assert_eq!(
                checked,
                if is_its { Ok(count.into()) } else { Err(BodyFault::OtherHeader) }
            );
        }
    }
}

/// The entry of a bundle.
fn entry(bundle: &mut Bundle) -> &mut ContentsProof {
    let Some(EntryProof::Sui(entry)) = &mut bundle.entry else { panic!("no entry") };
    entry
}

#[test]
fn parts_of_other_transactions_are_refused() {
    let made = &made()[2];
    let subject = ProofSubject::Log { tx_index: 1, log_index: 0 };
    let good = bundle(made, subject);
    let altered = |change: &dyn Fn(&mut ContentsProof)| {
        let mut bad = good.clone();
        change(entry(&mut bad));
        check(&bad).unwrap_err()
    };
    let of = |place: usize| &made.transactions[place];
    let outcome = |place: usize, events: Option<&str>| {
        Some(TransactionEffects { effects: bytes(&of(place).effects), events: events.map(bytes) })
    };
    let events = of(1).events.as_deref();
    let faults = [
        altered(&|entry| entry.transaction = Some(bytes(&of(0).transaction))),
        altered(&|entry| entry.outcome = outcome(0, events)),
        altered(&|entry| entry.outcome = outcome(1, of(3).events.as_deref())),
        altered(&|entry| entry.outcome = outcome(1, None)),
        altered(&|entry| entry.outcome = None),
        altered(&|entry| entry.contents.push(0)),
        altered(&|entry| *entry.contents.last_mut().unwrap() ^= 1),
    ];
    for fault in faults {
        assert!(matches!(fault, ProofFault::Ledger(_)), "{fault:?}");
    }
    for tx_index in [0, 2, 3, 5, u32::MAX] {
        let subject = ProofSubject::Log { tx_index, log_index: 0 };
        let bad = Bundle { statement: Statement { subject, ..good.statement }, ..good.clone() };
        assert!(matches!(check(&bad), Err(ProofFault::Ledger(_))), "{tx_index}");
    }
    // a transaction needs its effects, and no events; an absence nothing of either
    let mut bare = bundle(made, ProofSubject::Transaction { tx_index: 1 });
    entry(&mut bare).outcome = None;
    assert!(matches!(check(&bare), Err(ProofFault::Ledger(LedgerError::Parts { .. }))));
    let absence = ProofSubject::Absence { tx_index: 4 };
    let mut denied = bundle(made, ProofSubject::Absence { tx_index: 5 });
    denied.statement.subject = absence;
    let there = LedgerError::SomethingThere { trie: "checkpoint's list", tx_index: 4 };
    assert_eq!(check(&denied).unwrap_err(), ProofFault::Ledger(there));
}

#[test]
fn versions_that_are_not_known_are_named() {
    let made = &made()[1];
    let with = |hex: &str, at: usize, byte: u8| {
        let mut bytes = bytes(hex);
        bytes[at] = byte;
        bytes
    };
    let version = |what, got| Err(LedgerError::Version { what, got });
    let contents = Contents::decode(&with(&made.contents, 0, 2)).map(drop);
    assert_eq!(contents, version("checkpoint contents", 2));
    let effects = &made.transactions[0].effects;
    assert_eq!(Effects::decode(&with(effects, 0, 2)).map(drop), version("transaction effects", 2));
    let summary = &self::made()[4].summary;
    // behind three numbers, two digests, one of them optional, gas and time
    let commitment = 24 + 33 + 34 + 32 + 8 + 1;
    let refused = Header::decode(&with(summary, commitment, 2)).map(drop);
    assert_eq!(refused, version("commitment of a checkpoint", 2));
    let events = made.transactions[0].events.as_deref().unwrap();
    let all = bytes(events);
    let place = all.windows(4).position(|window| window == b"\x03All").unwrap();
    let refused = read_events(&with(events, place + 5, 11)).map(drop);
    assert_eq!(refused, version("type of Move", 11));
    let error = refused.unwrap_err().to_string();
    assert_eq!(error, "type of Move of version 11 is not known to this build");
}

#[test]
fn a_failure_of_an_unknown_kind_is_a_failure() {
    let effects = Effects::decode(&[1, 1, 0xff, 0x7f, 9, 9]).unwrap();
    assert_eq!(effects, Effects { is_success: false, events_digest: None });
}

#[test]
fn types_are_bounded_in_depth_and_number() {
    let event = |types: &[u8], count: u8| {
        let mut bytes = vec![1];
        bytes.extend([2; 32]);
        bytes.extend(b"\x04pool");
        bytes.extend([9; 32]);
        bytes.extend([2; 32]);
        bytes.extend(b"\x04pool\x01T");
        bytes.push(count);
        bytes.extend(types);
        bytes.push(0);
        bytes
    };
    let deep = |depth: usize| [vec![6; depth - 1], vec![1]].concat();
    assert!(read_events(&event(&deep(128), 1)).is_ok());
    assert_eq!(read_events(&event(&deep(129), 1)), Err(LedgerError::Field { field: "type" }));
    let wide = [&[2, 7][..], &[2; 32], b"\x01a\x01b", &[127], &[1; 127]].concat();
    let two = [&wide[1..], &wide[1..]].concat();
    assert!(read_events(&event(&two, 2)).is_ok());
    let three = [&two[..], &[1]].concat();
    assert_eq!(read_events(&event(&three, 3)), Err(LedgerError::Field { field: "type" }));
    // names that could pass for more of a type
    for bad in [&b"\x04po:l"[..], b"\x041ool", b"\x00", b"\x01_", b"\x04po\xffl"] {
        let mut bytes = event(&[], 0);
        bytes.splice(33..38, bad.iter().copied());
        assert!(read_events(&bytes).is_err(), "{bad:?}");
    }
}

proptest! {
    /// Whatever is read here, the network's types read alike; nothing panics.
    #[test]
    fn damaged_bytes_are_read_as_the_networks_types_read_them(
        which in 0_usize..5, at: prop::sample::Index, byte: u8, cut: prop::sample::Index,
    ) {
        let made = &made()[which];
        let damaged = |hex: &str, is_cut: bool| {
            let mut all = bytes(hex);
            if is_cut {
                all.truncate(cut.index(all.len() + 1));
            } else if !all.is_empty() {
                let place = at.index(all.len());
                all[place] = byte;
            }
            all
        };
        for is_cut in [false, true] {
            let summary = damaged(&made.summary, is_cut);
            let theirs = bcs::from_bytes::<sui_sdk_types::CheckpointSummary>(&summary).ok();
            let theirs = theirs.filter(|one| one.previous_digest.is_none() == (one.sequence_number == 0));
            prop_assert_eq!(Header::decode(&summary).is_ok(), theirs.is_some());
            let contents = damaged(&made.contents, is_cut);
            if let Ok(theirs) = bcs::from_bytes::<sui_sdk_types::CheckpointContents>(&contents) {
                let ours = Contents::decode(&contents).unwrap();
                prop_assert_eq!(ours.digest.0, theirs.digest().into_inner());
                prop_assert_eq!(ours.listed.len(), theirs.transactions().len());
            }
            for one in &made.transactions {
                let effects = damaged(&one.effects, is_cut);
                if let Ok(theirs) = bcs::from_bytes::<sui_sdk_types::TransactionEffects>(&effects) {
                    let ours = Effects::decode(&effects).unwrap();
                    let is_success = *theirs.status() == sui_sdk_types::ExecutionStatus::Success;
                    let digest = theirs.events_digest().map(|digest| Hash(digest.into_inner()));
                    prop_assert_eq!(ours.is_success, is_success);
                    prop_assert_eq!(ours.events_digest, digest.filter(|_| is_success));
                }
                let events = damaged(one.events.as_deref().unwrap_or_default(), is_cut);
                let theirs = bcs::from_bytes::<sui_sdk_types::TransactionEvents>(&events);
                prop_assert_eq!(read_events(&events).is_ok(), theirs.is_ok(), "{:?}", theirs);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        let _ = Header::decode(&bytes);
        let _ = Contents::decode(&bytes);
        let _ = Effects::decode(&bytes);
        let _ = read_events(&bytes);
        let _ = Body::decode(&[&[6], &bytes[..]].concat());
    }

    /// One changed bit anywhere in a proof is refused, or the proof is of something else.
    #[test]
    fn a_changed_bit_is_refused(which in 0_usize..5, at: prop::sample::Index, bit in 0_u8..8) {
        let made = &made()[which];
        let all = subjects(made);
        let good = bundle(made, all[at.index(all.len())]).encode();
        let mut bad = good;
        let place = at.index(bad.len());
        bad[place] ^= 1 << bit;
        let registry = registry();
        if let Ok(bundle) = Bundle::decode(&bad) {
            prop_assert!(bundle::verify(&bundle, &Policy::strict(&registry)).is_err());
        }
    }
}

/// What is real: `SUPERROOT_DATA` leads to a checkpoint of a private network.
#[test]
fn a_real_checkpoint_is_proven_whole() {
    let Ok(data) = std::env::var("SUPERROOT_DATA") else {
        eprintln!("SKIPPED: SUPERROOT_DATA is not set, no checkpoint of Sui was read");
        return;
    };
    let file = std::fs::read(format!("{data}/other/sui/1137.chk")).unwrap();
    let real: sui_sdk_types::CheckpointData = bcs::from_bytes(&file).unwrap();
    let transactions = real.transactions.iter().map(|one| made::MadeTransaction {
        digest: one.transaction.transaction.digest().to_base58(),
        transaction: made::hex(&one.transaction.transaction),
        effects: made::hex(&one.effects),
        events: one.events.as_ref().map(made::hex),
        types: made::type_names(one.events.as_ref()),
    });
    let made = Made {
        name: "1137".to_owned(),
        digest: real.checkpoint_summary.checkpoint.digest().to_base58(),
        summary: made::hex(&real.checkpoint_summary.checkpoint),
        contents: made::hex(&real.checkpoint_contents),
        transactions: transactions.collect(),
    };
    assert_eq!(made.transactions.len(), 9);
    let mut sizes = Vec::new();
    for subject in subjects(&made) {
        let bundle = bundle(&made, subject);
        let facts = check(&bundle).unwrap();
        assert_eq!(bs58_of(&facts.block_hash.unwrap()), made.digest);
        sizes.push(bundle.encode().len());
        for bit in 0..8 * sizes[sizes.len() - 1].min(200) {
            let mut bad = bundle.encode();
            let at = (bit * 7_919) % bad.len();
            bad[at] ^= 1 << (bit % 8);
            let decoded = Bundle::decode(&bad).ok();
            let registry = registry();
            assert!(
                decoded.is_none_or(|bad| bundle::verify(&bad, &Policy::strict(&registry)).is_err())
            );
        }
    }
    eprintln!("1137: proofs of {sizes:?} bytes up to level 2");
    for one in &made.transactions {
        assert_eq!(bs58_of(&transaction_digest(&bytes(&one.transaction))), one.digest);
    }
}
