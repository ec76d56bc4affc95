//! Laws of Solana's level 1 and 2: what verifies, what must not, beside slots and proofs that a script
//! of its own made from the rules (`slots/make.py`).

use crate::slots;

use proptest::prelude::*;
use slots::*;
use superroot_proof::bundle::*;
use superroot_proof::hash::sha256_joined;
use superroot_proof::ledger::solana::*;
use superroot_proof::ledger::{Body, BodyFault, Extent, LedgerError, NoEntry};
use superroot_proof::registry::{HashRule, HashRuleFrom, LogRegistry, Profile, SOLANA_WINDOW_END};
use superroot_types::*;

fn check(bundle: &Bundle) -> Result<Verified<Facts>, ProofError> {
    verify(bundle, &Policy::strict(&registry()))
}

fn fault(bundle: &Bundle) -> ProofFault {
    check(bundle).unwrap_err().fault
}

fn proof(bundle: &mut Bundle) -> &mut RecordProof {
    match &mut bundle.entry {
        Some(EntryProof::Solana(proof)) => proof,
        other => panic!("no record: {other:?}"),
    }
}

/// A proof out of the last slot, whose record has transactions of one and of several signatures.
fn sample() -> Bundle {
    slots().pop().unwrap().prove(9)
}

fn parts(what: &'static str) -> ProofFault {
    ProofFault::Ledger(LedgerError::Parts { what })
}

#[test]
fn every_transaction_of_the_scripts_slots_has_the_scripts_proof() {
    let mut proven = 0;
    for slot in slots() {
        for (tx_index, due) in (0..).zip(&slot.proofs) {
            let bundle = slot.prove(tx_index);
            assert_eq!(bundle.entry, Some(EntryProof::Solana(due.proof())), "{}", slot.slot);
            let facts = check(&bundle).unwrap();
            let shown = facts.transaction.as_ref().unwrap();
            assert_eq!((shown.hash, &shown.raw), (due.hash(), &due.raw()));
            let read = Transaction::decode(&shown.raw).unwrap();
            assert_eq!(bs58::encode(read.signatures[0]).into_string(), due.signature);
            assert_eq!(facts.block_hash, Some(slot.blockhash()));
            assert_eq!(facts.transactions_root, facts.block_hash);
            assert!(!facts.number_bound && !facts.index_bound && facts.tx_count.is_none());
            assert!(facts.receipts_root.is_none() && facts.receipt.is_none());
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
            proven += 1;
        }
    }
    assert_eq!(proven, 16);
}

#[test]
fn a_body_is_checked_kept_and_read_again() {
    for slot in slots() {
        let body = Body::Solana(slot.body());
        assert_eq!(body.extent(), Extent { transactions: true, receipts: false });
        assert_eq!(Body::decode(&body.encode()), Some(body.clone()));
        let header =
            superroot_proof::ledger::Header::Solana(Header { blockhash: slot.blockhash() });
        let count = u32::try_from(slot.proofs.len()).unwrap();
        let extent = body.extent();
        assert_eq!(body.check(&header, extent, count, |_| true), Ok(count.into()));
        let other = body.check(&header, extent, count + 1, |_| true);
        assert_eq!(other, Err(BodyFault::OtherHeader));
        for (tx_index, due) in (0..).zip(&slot.proofs) {
            assert_eq!(body.transaction_hash(tx_index), Ok(Some(due.hash())));
        }
        assert_eq!(body.transaction_hash(count), Ok(None));
        let past = body.prove(ProofSubject::Transaction { tx_index: count }, true);
        assert_eq!(past, Err(NoEntry::NoTransaction { tx_index: count }));
        for subject in [
            ProofSubject::Log { tx_index: 0, log_index: 0 },
            ProofSubject::Absence { tx_index: count },
        ] {
            assert!(matches!(body.prove(subject, true), Err(NoEntry::NotProvable(_))));
        }
        assert_eq!(body.prove(ProofSubject::Block, true), Ok(None));
    }
}

/// Any bit of a body that differs is seen by the check, or leaves the same block.
#[test]
fn no_bent_body_passes() {
    let slot = slots().swap_remove(1);
    let good = slot.body();
    let header = superroot_proof::ledger::Header::Solana(Header { blockhash: slot.blockhash() });
    let encoded = Body::Solana(good.clone()).encode();
    for bit in 0..encoded.len() * 8 {
        let mut bent = encoded.clone();
        bent[bit / 8] ^= 1 << (bit % 8);
        // not to hash for hours
        let hashes = |one: &SolanaEntries| {
            one.entries().iter().map(|one| u64::from(one.num_hashes)).sum::<u64>()
        };
        match Body::decode(&bent) {
            Some(Body::Solana(body)) if hashes(&body) > 100_000_u64 => {}
            Some(body) => {
                assert!(body.check(&header, body.extent(), 1, |_| true).is_err(), "bit {bit}");
            }
            None => {}
        }
    }
}

/// What the blockhash binds: any flipped bit is refused, or shows the same.
#[test]
fn no_flipped_bit_shows_anything_else() {
    let good = sample();
    let facts = check(&good).unwrap();
    let encoded = good.encode();
    for bit in 0..encoded.len() * 8 {
        let mut flipped = encoded.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let Ok(read) = Bundle::decode(&flipped) else { continue };
        let Ok(shown) = check(&read) else { continue };
        assert_eq!(shown.transaction, facts.transaction, "bit {bit}");
        assert_eq!(shown.block_hash, facts.block_hash, "bit {bit}");
    }
    for length in 0..encoded.len() {
        assert!(Bundle::decode(&encoded[..length]).is_err());
    }
}

/// Number and position are the service's word, and the facts say so.
#[test]
fn what_no_hash_binds_is_named() {
    let mut bundle = sample();
    bundle.statement.number = BlockNumber(77);
    bundle.statement.subject = ProofSubject::Transaction { tx_index: 5 };
    let facts = check(&bundle).unwrap();
    assert!(!facts.number_bound && !facts.index_bound);
    for subject in
        [ProofSubject::Log { tx_index: 9, log_index: 0 }, ProofSubject::Absence { tx_index: 9 }]
    {
        bundle.statement.subject = subject;
        assert_eq!(fault(&bundle), parts("a proof of this ledger is of a transaction"));
        assert!(Bundle::decode(&bundle.encode()).is_err());
    }
}

/// A slot of epoch 0 has 800,000 hashes: what is recorded further back is of an earlier block.
#[test]
fn a_transaction_further_back_than_the_slot_of_its_height_is_in_the_chain_by_the_block() {
    let good = sample();
    let shown = |tail: u32, number: u64, origin: &str| {
        let mut bundle = good.clone();
        let blockhash = superroot_proof::ledger::solana::plain(
            &bundle.block.as_ref().unwrap().block_hash,
            tail,
        );
        let last = proof(&mut bundle);
        last.tail_hashes += tail;
        let hash_count = last.hash_count().unwrap();
        let (header, block_hash) = (blockhash.0.to_vec(), blockhash);
        bundle.block = Some(BlockLevel { header, block_hash, twig: None });
        bundle.statement.number = BlockNumber(number);
        bundle.origin = origin.to_owned();
        let facts = check(&bundle).unwrap();
        assert_eq!((facts.block_bound, facts.statement.tx_index()), (bundle.shows_block(), None));
        (hash_count, facts.block_bound)
    };
    let (own, bound) = shown(0, 5, "example.org/log");
    assert!(bound && own < 800_000);
    assert_eq!(shown(800_000 - own, 5, "example.org/log"), (800_000, true));
    assert_eq!(shown(800_001 - own, 5, "example.org/log"), (800_001, false));
    assert_eq!(shown(800_001 - own, 257_904_000, "example.org/log"), (800_001, true));
    assert_eq!(shown(0, 5, "simulated/log"), (own, false), "a made-up slot has any length");
}

#[test]
fn a_header_is_32_bytes_and_its_own_hash() {
    let bytes = [7; 32];
    assert_eq!(Header::decode(&bytes), Ok(Header { blockhash: Hash(bytes) }));
    for length in 0..32 {
        let short = Header::decode(&bytes[..length]);
        assert_eq!(short, Err(LedgerError::Field { field: "blockhash" }));
    }
    assert_eq!(Header::decode(&[7; 33]), Err(LedgerError::Trailing { what: "header" }));
    let mut bundle = sample();
    bundle.block.as_mut().unwrap().header[0] ^= 1;
    assert!(check(&bundle).is_err());
}

/// The last slot that can be meant: no record lies more hashes before the blockhash than a slot has.
#[test]
fn more_hashes_than_a_slot_has_are_refused_before_any_is_made() {
    let mut bundle = sample();
    let tail = proof(&mut bundle).tail_hashes;
    let rest = proof(&mut bundle).hash_count().unwrap() - tail;
    proof(&mut bundle).tail_hashes = SLOT_HASHES_MAX - rest + 1;
    let began = std::time::Instant::now();
    let what = "there are more hashes behind the transaction's record than a slot has, 4,000,000";
    assert_eq!(fault(&bundle), parts(what));
    for lie in [u32::MAX, u32::MAX - 1] {
        proof(&mut bundle).tail_hashes = lie;
        assert_eq!(fault(&bundle), parts(what));
    }
    proof(&mut bundle).tail_hashes = tail;
    for count in [1, 3] {
        let lie = Record { num_hashes: u32::MAX / 2, mixin: Hash::ZERO };
        proof(&mut bundle).records.extend(vec![lie; count]);
        assert_eq!(fault(&bundle), parts(what));
    }
    assert!(began.elapsed().as_millis() < 500, "nothing was hashed");
}

/// A transaction of an earlier block is on the way to every later blockhash too: within as many hashes
/// as a slot has, nothing tells blocks apart. Beyond, it is refused.
#[test]
fn the_way_from_an_earlier_block_is_shown_only_within_the_hashes_of_a_slot() {
    let slots: Vec<Slot> = slots();
    let (first, next) = (&slots[0], &slots[1]);
    assert_eq!(first.blockhash(), next.start());
    // the last record of slot 2, followed on through slot 3
    let mut bundle = slots[2].prove(u32::try_from(slots[2].proofs.len()).unwrap() - 1);
    let behind = slots[3].body();
    let due = slots[3].proofs[0].proof();
    let to_first: u32 = behind.entries().iter().take(3).map(|one| one.num_hashes).sum();
    let tail = proof(&mut bundle).tail_hashes;
    let mixin_of = |at: usize| {
        let records = slots[3].proofs[at].proof();
        let leaf = slots[3].proofs[at].hash();
        root_of_path(&leaf, records.signature_index, records.signature_count, &records.paths[0])
    };
    let num_hashes = tail + to_first;
    let mut records = vec![Record { num_hashes, mixin: mixin_of(0).unwrap() }];
    records.extend(&due.records);
    proof(&mut bundle).records = records;
    proof(&mut bundle).tail_hashes = due.tail_hashes;
    let block = bundle.block.as_mut().unwrap();
    block.block_hash = slots[3].blockhash();
    block.header = block.block_hash.0.to_vec();
    assert!(check(&bundle).is_ok(), "slots of 1,280 hashes lie close together");
    proof(&mut bundle).tail_hashes += SLOT_HASHES_MAX;
    assert!(check(&bundle).is_err());
}

/// Whatever a registry says of the rule: where slots have fewer hashes than the window, nothing of level 1 holds.
#[test]
fn no_transaction_is_shown_where_the_window_spans_several_blocks() {
    let under = |rules: &[(u64, u16)]| {
        let rules = rules
            .iter()
            .map(|(from_number, code)| HashRuleFrom { from_number: *from_number, code: *code });
        let caip2 = "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp".to_owned();
        LogRegistry::new(vec![Profile { chain: SOLANA, caip2, rules: rules.collect() }]).unwrap()
    };
    let at = |number, registry: &LogRegistry| {
        let mut bundle = sample();
        bundle.statement.number = BlockNumber(number);
        let mut header = bundle.clone();
        (header.statement.subject, header.entry) = (ProofSubject::Block, None);
        let header = verify(&header, &Policy::strict(registry));
        assert_eq!(header.unwrap().block_hash, bundle.block.as_ref().map(|block| block.block_hash));
        verify(&bundle, &Policy::strict(registry))
    };
    let old = under(&[(0, 0x0201)]);
    let new = under(&[(0, 0x0201), (SOLANA_WINDOW_END, 0x0202)]);
    let early = under(&[(0, 0x0201), (9, 0x0202)]);
    for (number, registry, holds) in [
        (SOLANA_WINDOW_END - 1, &old, true),
        (SOLANA_WINDOW_END, &old, false),
        (459_652_999, &old, false),
        (SOLANA_WINDOW_END - 1, &new, true),
        (SOLANA_WINDOW_END, &new, false),
        (8, &early, true),
        (9, &early, false),
    ] {
        match at(number, registry) {
            Ok(facts) => assert!(holds && facts.rule == HashRule::Solana, "{number}"),
            Err(error) => {
                assert!(!holds, "{number}: {error}");
                assert_eq!(error.step, ProofStep::Level(ProofLevel::Entry));
                assert!(error.to_string().contains("span several blocks"), "{error}");
            }
        }
    }
}

/// A log that committed to blocks under rule 0201 alone goes on under 0202, and its older proofs hold.
#[test]
fn a_rule_by_which_committed_blocks_are_read_already_may_be_added() {
    let rule = |from_number, code| HashRuleFrom { from_number, code };
    let profile = &registry().rows()[0].clone();
    let newest = SOLANA_WINDOW_END + 20_000_000;
    assert!(!profile.is_reread_by(&[rule(SOLANA_WINDOW_END, 0x0202)], newest));
    assert!(profile.is_reread_by(&[rule(SOLANA_WINDOW_END - 1, 0x0202)], newest));
    assert!(!profile.is_reread_by(&[rule(SOLANA_WINDOW_END - 1, 0x0202)], SOLANA_WINDOW_END - 2));
    assert!(!profile.is_reread_by(&[rule(5, 0)], newest), "a withdrawal may reach back");
}

#[test]
fn a_record_of_no_hashes_is_refused() {
    let mut bundle = slots().swap_remove(2).prove(0);
    proof(&mut bundle).records[0].num_hashes = 0;
    assert_eq!(fault(&bundle), ProofFault::Ledger(LedgerError::Field { field: "numHashes" }));
}

#[test]
fn every_signature_has_its_path() {
    let good = sample();
    let count = proof(&mut good.clone()).paths.len();
    assert_eq!(count, 4);
    for bend in [
        (|proof: &mut RecordProof| drop(proof.paths.pop())) as fn(&mut RecordProof),
        |proof| proof.paths.push(proof.paths[0].clone()),
        |proof| proof.paths.clear(),
    ] {
        let mut bent = good.clone();
        bend(proof(&mut bent));
        assert_eq!(fault(&bent), parts("there is not one path for each signature"));
    }
    for at in 0..count {
        let mut bent = good.clone();
        proof(&mut bent).paths[at].push(Hash::ZERO);
        assert_eq!(fault(&bent), parts("a path of another length than index and count give"));
        let mut bent = good.clone();
        proof(&mut bent).paths[at][0].0[0] ^= 1;
        assert!(matches!(fault(&bent), ProofFault::Ledger(LedgerError::Mismatch { .. })));
    }
    let mut bent = good.clone();
    proof(&mut bent).signature_index = u32::MAX;
    assert!(check(&bent).is_err());
    assert!(Bundle::decode(&bent.encode()).is_err());
}

#[test]
fn a_message_that_was_not_signed_is_refused() {
    let mut bundle = sample();
    let raw = &mut proof(&mut bundle).transaction;
    let last = raw.len() - 40;
    raw[last] ^= 1;
    assert_eq!(fault(&bundle), ProofFault::Ledger(LedgerError::Signature { index: 0 }));
}

/// Another key for which the signature would hold is none: the point of order 1 signs everything.
#[test]
fn keys_that_fit_every_message_are_refused() {
    let mut message = vec![1, 0, 1, 2];
    let mut small = [0; 32];
    small[0] = 1;
    message.extend_from_slice(&small);
    message.extend_from_slice(&[9; 32]);
    message.extend_from_slice(&[8; 32]);
    message.extend_from_slice(&[1, 1, 0, 0]);
    let mut raw = vec![1];
    raw.extend_from_slice(&small);
    raw.extend_from_slice(&[0; 32]);
    raw.extend_from_slice(&message);
    assert!(Transaction::decode(&raw).is_ok());
    assert_eq!(Transaction::verify(&raw), Err(LedgerError::Signature { index: 0 }));
}

#[test]
fn transactions_are_read_whole_or_refused() {
    for due in slots().iter().flat_map(|slot| &slot.proofs) {
        let raw = due.raw();
        let read = Transaction::verify(&raw).unwrap();
        assert_eq!(read.instructions.len(), 1);
        assert_eq!(read.lookups.len(), usize::from(read.version.is_some()));
        for length in 0..raw.len() {
            assert!(Transaction::decode(&raw[..length]).is_err(), "{length}");
        }
        let longer = [&raw[..], &[0]].concat();
        assert_eq!(
            Transaction::decode(&longer),
            Err(LedgerError::Trailing { what: "transaction" })
        );
    }
    let field = |field| Err(LedgerError::Field { field });
    let raw = slots()[1].proofs[0].raw();
    // a count in more bytes than it takes
    let longer_count = [&[0x81, 0x00], &raw[1..]].concat();
    assert_eq!(Transaction::decode(&longer_count), field("signatures"));
    assert_eq!(Transaction::decode(&[0, 0]), field("signatures"));
    assert_eq!(Transaction::decode(&[0xff, 0xff, 0x7f]), field("signatures"));
    assert_eq!(Transaction::decode(&[0; TRANSACTION_BYTES_MAX + 1]), field("transaction length"));
    let mut other_version = raw.clone();
    other_version[65] = 0x81;
    assert_eq!(Transaction::decode(&other_version), field("version"));
    let mut other_count = raw;
    other_count[65] = 2;
    assert_eq!(Transaction::decode(&other_count), field("numRequiredSignatures"));
}

/// The tree beside a plain recursion over it.
fn plain_root(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Hash::ZERO,
        [only] => *only,
        _ => {
            let pairs = leaves
                .chunks(2)
                .map(|pair| sha256_joined(&[&[1], &pair[0].0, &pair.get(1).unwrap_or(&pair[0]).0]));
            plain_root(&pairs.collect::<Vec<_>>())
        }
    }
}

#[test]
fn trees_of_every_small_size_agree_with_a_second_computation() {
    assert_eq!(mixin(&[]), None);
    for count in 1..=70_u32 {
        let leaves: Vec<Hash> = (0..count).map(|at| signature_leaf(&[at as u8; 64])).collect();
        let root = plain_root(&leaves);
        assert_eq!(mixin(&leaves), Some(root));
        for index in 0..count {
            let path = prove(&leaves, index).unwrap();
            assert_eq!(sibling_count(index, count), Ok(path.len()));
            let leaf = &leaves[index as usize];
            assert_eq!(root_of_path(leaf, index, count, &path), Ok(root));
            for other in (0..count).filter(|other| *other != index) {
                assert_ne!(root_of_path(leaf, other, count, &path), Ok(root), "{index} {other}");
            }
        }
        assert!(prove(&leaves, count).is_err());
    }
    for (index, count) in [(0, 0), (1, 1), (0, SIGNATURES_MAX + 1), (u32::MAX, u32::MAX)] {
        assert!(sibling_count(index, count).is_err());
    }
}

/// The same root over a lengthened list: a signature has one place.
#[test]
fn a_duplicated_tail_is_refused() {
    let leaves: Vec<Hash> = (0..3).map(|at| signature_leaf(&[at; 64])).collect();
    let longer = [&leaves[..], &leaves[2..]].concat();
    assert_eq!(mixin(&leaves), mixin(&longer));
    for index in [2, 3] {
        let path = prove(&longer, index).unwrap();
        assert!(root_of_path(&leaves[2], index, 4, &path).is_err());
    }
}

#[test]
fn entries_have_bounds() {
    let tick = Entry { num_hashes: 1, hash: Hash::ZERO, tx_count: 0 };
    let many = vec![tick; ENTRIES_MAX as usize + 1];
    assert!(SolanaEntries::build(Hash::ZERO, many, Vec::new()).is_err());
    let long = Entry { num_hashes: SLOT_HASHES_MAX * 16, ..tick };
    assert!(SolanaEntries::build(Hash::ZERO, vec![long], Vec::new()).is_ok());
    assert!(SolanaEntries::build(Hash::ZERO, vec![long, tick], Vec::new()).is_err());
    let one = Entry { tx_count: 1, ..tick };
    assert!(SolanaEntries::build(Hash::ZERO, vec![one], Vec::new()).is_err());
    assert!(SolanaEntries::build(Hash::ZERO, vec![one], vec![vec![0]]).is_err());
    let lie = Entry { tx_count: u32::MAX, ..tick };
    assert!(
        SolanaEntries::build(Hash::ZERO, vec![lie; 5], vec![slots()[1].proofs[0].raw()]).is_err()
    );
}

proptest! {
    #[test]
    fn no_bytes_make_a_decoder_panic(bytes: Vec<u8>, index in any::<prop::sample::Index>(), byte: u8) {
        let _ = Transaction::decode(&bytes);
        let mut body = vec![Family::Solana.byte()];
        body.extend_from_slice(&bytes);
        let _ = Body::decode(&body);
        let mut encoded = sample().encode();
        let at = index.index(encoded.len());
        encoded[at] = byte;
        if let Ok(bundle) = Bundle::decode(&encoded) {
            prop_assert_eq!(bundle.encode(), encoded);
            let _ = check(&bundle);
        }
    }
}
