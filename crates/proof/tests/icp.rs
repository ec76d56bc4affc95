//! Laws of the ICP ledger's levels 1 and 2: what verifies, what must not, beside a program in Python as
//! the second computation.

use crate::icp_blocks;

use icp_blocks::*;
use proptest::prelude::*;
use serde_json::Value;
use superroot_proof::bundle::*;
use superroot_proof::ledger::icp::*;
use superroot_proof::ledger::{Body, LedgerError};
use superroot_types::*;

const TX: ProofSubject = ProofSubject::Transaction { tx_index: 0 };
const EVENT: ProofSubject = ProofSubject::Log { tx_index: 0, log_index: 0 };
const ABSENCE: ProofSubject = ProofSubject::Absence { tx_index: 1 };

fn check(bundle: &Bundle) -> Result<Verified<Facts>, ProofError> {
    verify(bundle, &Policy::strict(&registry()))
}

fn ledger_fault(bundle: &Bundle) -> LedgerError {
    match check(bundle).unwrap_err().fault {
        ProofFault::Ledger(error) => error,
        other => panic!("{other:?}"),
    }
}

fn all() -> Vec<Made> {
    [vec![real()], synthetic()].concat()
}

/// What was read, by the names of the other program.
fn shown(header: &Header) -> Value {
    let Transaction { operation, memo, created_at_nanos, icrc1_memo } = &header.transaction;
    let operation = match operation {
        Operation::Burn { from, amount_e8s, spender } => serde_json::json!({
            "kind": "burn", "from": from.text(), "amount": amount_e8s,
            "spender": spender.as_ref().map(IcpAccount::text),
        }),
        Operation::Mint { to, amount_e8s } => {
            serde_json::json!({ "kind": "mint", "to": to.text(), "amount": amount_e8s })
        }
        Operation::Transfer { from, to, amount_e8s, fee_e8s, spender } => serde_json::json!({
            "kind": "transfer", "from": from.text(), "to": to.text(), "amount": amount_e8s,
            "fee": fee_e8s, "spender": spender.as_ref().map(IcpAccount::text),
        }),
        Operation::Approve {
            from,
            spender,
            allowance_e8s,
            expected_allowance_e8s,
            expires_at_nanos,
            fee_e8s,
        } => serde_json::json!({
            "kind": "approve", "from": from.text(), "spender": spender.text(),
            "allowance": allowance_e8s, "expected_allowance": expected_allowance_e8s,
            "expires_at": expires_at_nanos, "fee": fee_e8s,
        }),
    };
    let mut block = serde_json::json!({
        "parent_hash": header.parent_hash.map(|hash| const_hex::encode(hash.0)),
        "timestamp": header.timestamp_nanos,
        "transaction": {
            "operation": operation, "memo": memo, "created_at": created_at_nanos,
            "icrc1_memo": icrc1_memo.as_ref().map(const_hex::encode),
        },
    });
    drop_nulls(&mut block);
    block
}

fn drop_nulls(value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, member| !member.is_null());
        members.values_mut().for_each(drop_nulls);
    }
}

#[test]
fn a_block_of_the_mainnet_has_the_hashes_that_others_state() {
    let block = real();
    let facts = check(&block.prove(EVENT)).unwrap();
    let text = |hash: Hash| const_hex::encode(hash.0);
    let known = "e189f729b207dafc2583305cf313671a84bb1437ee44435e12eaf3dcfbcb8fcf";
    assert_eq!(text(facts.block_hash.unwrap()), known);
    let known = "93a19bfa37db0200cec77281cd8a0602a4375a7367338e7c6973f93a42e6eb5e";
    assert_eq!(text(facts.transaction.as_ref().unwrap().hash), known);
    let Some(ProvenEvent::Operation(Operation::Transfer { from, amount_e8s, .. })) = facts.event
    else {
        panic!("{:?}", facts.event)
    };
    let known = "d360ba83413713928ec6a61438f7c611c6c81a09b36a99462f654473f9a1a671";
    assert_eq!((from.text().as_str(), amount_e8s), (known, 830_010_000));
}

#[test]
fn transactions_of_the_mainnet_have_the_hashes_that_others_state() {
    assert_eq!(real_transactions().len(), 3);
    for (bytes, hash) in real_transactions() {
        assert_eq!(transaction_hash(&Transaction::decode(&bytes).unwrap()), hash);
    }
}

#[test]
fn every_subject_of_every_block_is_proven_as_the_other_program_made_it() {
    let mut parent = None;
    for block in all() {
        let header = Header::decode(&block.bytes).unwrap();
        assert_eq!((header.hash, shown(&header)), (block.hash, block.fields.clone()));
        if block.number < 1_000 {
            assert_eq!(header.parent_hash, parent, "{}", block.number);
            parent = Some(block.hash);
        }
        for subject in
            [ProofSubject::Block, TX, EVENT, ABSENCE, ProofSubject::Absence { tx_index: u32::MAX }]
        {
            let bundle = block.prove(subject);
            let facts = check(&bundle).unwrap();
            assert_eq!(facts.block_hash, Some(block.hash));
            assert!(!facts.number_bound && facts.receipts_root.is_none());
            let transaction = facts.transaction.as_ref().map(|one| (one.hash, one.raw.clone()));
            let expected = (block.transaction_hash, header.raw_transaction.clone());
            assert_eq!(transaction, matches!(subject, TX | EVENT).then_some(expected));
            assert_eq!(facts.tx_count, (subject != ProofSubject::Block).then_some(1));
            assert_eq!(facts.event.is_some(), subject == EVENT);
            assert_eq!(facts.transactions_root, Some(block.hash));
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
        }
    }
}

#[test]
fn a_block_has_one_transaction_and_a_transaction_one_operation() {
    let block = real();
    let trie = "block";
    for tx_index in [1, u32::MAX] {
        let nothing = LedgerError::NothingThere { trie, tx_index };
        assert_eq!(ledger_fault(&block.prove(ProofSubject::Transaction { tx_index })), nothing);
        let past = block.prove(ProofSubject::Log { tx_index, log_index: 0 });
        assert_eq!(ledger_fault(&past), nothing);
    }
    let there = block.prove(ProofSubject::Absence { tx_index: 0 });
    assert_eq!(ledger_fault(&there), LedgerError::SomethingThere { trie, tx_index: 0 });
    for log_index in [1, u32::MAX] {
        let past = block.prove(ProofSubject::Log { tx_index: 0, log_index });
        assert_eq!(ledger_fault(&past), LedgerError::OperationIndex { log_index });
    }
}

#[test]
fn the_block_of_level_1_is_that_of_level_2() {
    let blocks = synthetic();
    let mut bundle = blocks[4].prove(TX);
    bundle.entry = blocks[5].prove(TX).entry;
    let (got, expected) = (blocks[5].hash, blocks[4].hash);
    let what = "hash of the block";
    assert_eq!(ledger_fault(&bundle), LedgerError::Mismatch { what, got, expected });
    bundle.block = None;
    assert_eq!(check(&bundle).unwrap().transactions_root, Some(got), "level 1 alone");
}

#[test]
fn every_flipped_bit_of_a_proof_is_refused_or_shows_another_block() {
    let block = real();
    let bundle = block.prove(EVENT);
    for at in 0..block.bytes.len() * 8 {
        let mut bent = block.bytes.clone();
        bent[at / 8] ^= 1 << (at % 8);
        for in_header in [true, false] {
            let mut lie = bundle.clone();
            match (&mut lie.block, &mut lie.entry) {
                (Some(part), _) if in_header => part.header.clone_from(&bent),
                (_, Some(EntryProof::Icp(leaf))) => leaf.block.clone_from(&bent),
                _ => panic!("both parts are there"),
            }
            assert!(check(&lie).is_err(), "bit {at}, in header: {in_header}");
        }
    }
}

#[test]
fn every_cut_and_lengthened_block_is_refused() {
    for block in all() {
        for length in 0..block.bytes.len() {
            assert!(Header::decode(&block.bytes[..length]).is_err(), "{length}");
        }
        for byte in [0_u8, 0x08, 0x12, 0x1a, 0x22, 0xff] {
            assert!(Header::decode(&[&block.bytes[..], &[byte]].concat()).is_err());
        }
    }
}

/// The parts of a block, to bend one at a time.
struct Parts {
    parent: Vec<u8>,
    timestamp: Vec<u8>,
    transaction: Vec<u8>,
}

fn field(tag: u8, body: &[u8]) -> Vec<u8> {
    [&[tag << 3 | 2, u8::try_from(body.len()).unwrap()], body].concat()
}

impl Parts {
    fn good() -> Self {
        let account = field(1, &[7; 28]);
        let mint = [field(2, &account), field(3, &[0x08, 5])].concat();
        Self {
            parent: field(1, &field(1, &[9; 32])),
            timestamp: field(2, &[0x08, 0x80, 0x01]),
            transaction: [field(2, &mint), field(4, &[])].concat(),
        }
    }

    fn join(&self) -> Vec<u8> {
        [self.parent.clone(), self.timestamp.clone(), field(3, &self.transaction)].concat()
    }
}

#[test]
fn other_forms_of_the_same_block_are_refused() {
    let field_of = |parts: &Parts| match Header::decode(&parts.join()) {
        Err(LedgerError::Field { field }) => field,
        other => panic!("{other:?}"),
    };
    let bend = |bend: &dyn Fn(&mut Parts)| {
        let mut parts = Parts::good();
        bend(&mut parts);
        field_of(&parts)
    };
    assert!(Header::decode(&Parts::good().join()).is_ok());
    let first = Parts { parent: Vec::new(), ..Parts::good() };
    assert_eq!(Header::decode(&first.join()).unwrap().parent_hash, None);
    assert_eq!(bend(&|parts| parts.timestamp = field(2, &[0x08, 0x80, 0x81, 0x00])), "timestamp");
    assert_eq!(bend(&|parts| parts.timestamp = field(2, &[0x08, 0])), "timestamp", "zero written");
    assert_eq!(bend(&|parts| parts.timestamp = field(2, &[0x10, 1])), "timestamp", "field 2");
    assert_eq!(bend(&|parts| parts.timestamp = field(2, &[0x0a, 1, 1])), "timestamp", "bytes");
    assert_eq!(bend(&|parts| parts.timestamp = vec![0x10, 1]), "timestamp", "a number");
    assert_eq!(bend(&|parts| parts.timestamp.clear()), "timestamp");
    assert_eq!(bend(&|parts| parts.parent = field(1, &field(1, &[9; 31]))), "parent_hash");
    assert_eq!(bend(&|parts| parts.parent = field(1, &[])), "parent_hash");
    assert_eq!(bend(&|parts| parts.parent = field(1, &field(1, &[]))), "parent_hash");
    assert_eq!(bend(&|parts| parts.parent = parts.parent.repeat(2)), "block", "twice");
    assert_eq!(bend(&|parts| core::mem::swap(&mut parts.parent, &mut parts.timestamp)), "block");
    assert_eq!(bend(&|parts| parts.transaction.clear()), "operation");
    assert_eq!(bend(&|parts| parts.transaction.insert(0, 0)), "transaction", "field 0");
    assert_eq!(bend(&|parts| parts.transaction.extend(field(8, &[]))), "transaction", "field 8");
    assert_eq!(bend(&|parts| parts.transaction.extend([0x2d, 0, 0, 0, 0])), "transaction");
    let long_memo = field(7, &field(1, &[1; 33]));
    assert_eq!(bend(&|parts| parts.transaction.extend(long_memo.clone())), "icrc1_memo");
    let empty_memo = field(7, &field(1, &[]));
    assert_eq!(bend(&|parts| parts.transaction.extend(empty_memo.clone())), "icrc1_memo");
    let two = |parts: &mut Parts| {
        let burn = [field(1, &field(1, &[7; 28])), field(3, &[])].concat();
        parts.transaction = [field(1, &burn), parts.transaction.clone()].concat();
    };
    assert_eq!(bend(&two), "operation", "a burn and a mint");
}

#[test]
fn operations_lack_nothing_and_have_nothing_else() {
    let account = |byte: u8| field(1, &[byte; 28]);
    let (one, two) = (account(1), account(2));
    let send = |parts: &[Vec<u8>]| Transaction::decode(&field(3, &parts.concat()));
    let (from, to, amount) = (field(1, &one), field(2, &two), field(3, &[8, 9]));
    let plain = send(&[from.clone(), to.clone(), amount.clone()]).unwrap();
    let (from_id, to_id) = (IcpAccount([1; 28]), IcpAccount([2; 28]));
    assert_eq!(
        plain.operation,
        Operation::Transfer {
            from: from_id,
            to: to_id,
            amount_e8s: 9,
            fee_e8s: DEFAULT_FEE_E8S,
            spender: None
        },
        "a fee that is not named is the usual one"
    );
    for (parts, lacking) in [
        (vec![to.clone(), amount.clone()], "from"),
        (vec![from.clone(), amount.clone()], "to"),
        (vec![from.clone(), to.clone()], "amount"),
        (vec![field(1, &field(1, &[1; 27])), to.clone(), amount.clone()], "from"),
        (vec![field(1, &field(1, &[1; 32])), to.clone(), amount.clone()], "from"),
        (vec![from.clone(), to.clone(), amount.clone(), field(6, &[])], "spender"),
        (
            vec![from.clone(), to.clone(), amount.clone(), field(5, &field(1, &[]))],
            "amount of an approval",
        ),
        (vec![from.clone(), to.clone(), field(3, &[]), field(5, &[])], "allowance"),
        (
            vec![
                from.clone(),
                to.clone(),
                field(3, &[]),
                field(5, &field(1, &[])),
                field(6, &field(1, &one)),
            ],
            "extension",
        ),
    ] {
        assert_eq!(send(&parts), Err(LedgerError::Field { field: lacking }));
    }
    let approve = send(&[from, to, field(3, &[]), field(5, &field(1, &[8, 4]))]).unwrap();
    assert!(matches!(approve.operation, Operation::Approve { allowance_e8s: 4, .. }));
    let odd_mint = field(2, &[field(1, &one), field(2, &two), field(3, &[])].concat());
    assert_eq!(Transaction::decode(&odd_mint), Err(LedgerError::Field { field: "mint" }));
    let odd_burn = field(1, &[field(1, &one), field(2, &two), field(3, &[])].concat());
    assert_eq!(Transaction::decode(&odd_burn), Err(LedgerError::Field { field: "burn" }));
}

#[test]
fn a_time_from_before_there_was_one_is_passed_over() {
    let (bytes, hash) = real_transactions().remove(0);
    let at = bytes.len() - 12;
    assert_eq!(bytes[at], 0x32, "created_at_time");
    let old = [&bytes[..at], &[0x2a, 2, 8, 7], &bytes[at..]].concat();
    assert_eq!(transaction_hash(&Transaction::decode(&old).unwrap()), hash);
}

#[test]
fn a_body_gives_back_what_it_was_made_of() {
    for block in all() {
        let body = Body::Icp(EncodedBlock::build(block.bytes.clone()).unwrap());
        assert_eq!(Body::decode(&body.encode()), Some(body.clone()));
        assert_eq!(body.transaction_hashes(), Some(&[block.transaction_hash][..]));
        for subject in [TX, EVENT, ABSENCE] {
            let expected = block.prove(subject).entry;
            assert_eq!(body.prove(subject, true).unwrap(), expected);
        }
        for wrong in [
            ProofSubject::Transaction { tx_index: 1 },
            ProofSubject::Log { tx_index: 1, log_index: 0 },
            ProofSubject::Log { tx_index: 0, log_index: 1 },
            ProofSubject::Absence { tx_index: 0 },
        ] {
            assert!(body.prove(wrong, true).is_err(), "{wrong:?}");
        }
    }
}

proptest! {
    #[test]
    fn any_bytes_are_a_block_or_a_named_fault(bytes: Vec<u8>, at: usize, byte: u8, pick: usize) {
        let _ = Header::decode(&bytes);
        let _ = Transaction::decode(&bytes);
        let blocks = all();
        let mut bent = blocks[pick % blocks.len()].bytes.clone();
        let at = at % bent.len();
        bent[at] = byte;
        if let Err(error) = Header::decode(&bent) {
            prop_assert!(matches!(error, LedgerError::Field { .. }), "{error}");
        }
    }

    #[test]
    fn accounts_are_written_with_the_checksum_that_others_compute(bytes: [u8; 28]) {
        let account = IcpAccount(bytes);
        prop_assert_eq!(account.checksum(), crc32fast::hash(&bytes).to_be_bytes());
        let whole = const_hex::decode(account.text()).unwrap();
        prop_assert_eq!(IcpAccount::from_slice(&whole), Some(account));
        prop_assert_eq!(IcpAccount::from_slice(&bytes), Some(account));
        let mut other = whole;
        other[0] ^= 1;
        prop_assert_eq!(IcpAccount::from_slice(&other), None);
    }
}
