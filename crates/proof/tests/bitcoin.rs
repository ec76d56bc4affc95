//! Laws of Bitcoin's level 1 and 2: what verifies, what must not, beside the crate `bitcoin` as the
//! second computation.

use crate::coins;

use bitcoin::consensus::{deserialize, serialize};
use bitcoin::hashes::Hash as _;
use coins::*;
use proptest::prelude::*;
use superroot_proof::bundle::*;
use superroot_proof::ledger::LedgerError;
use superroot_proof::ledger::bitcoin::*;
use superroot_types::*;

fn check(bundle: &Bundle) -> Result<Verified<Facts>, ProofError> {
    verify(bundle, &Policy::strict(&registry()))
}

fn fault(bundle: &Bundle) -> ProofFault {
    check(bundle).unwrap_err().fault
}

const fn tx(tx_index: u32) -> ProofSubject {
    ProofSubject::Transaction { tx_index }
}

/// The genesis block's header and coinbase, as Bitcoin Core's `src/kernel/chainparams.cpp` has them.
fn genesis() -> (Vec<u8>, Vec<u8>) {
    let block = bitcoin::constants::genesis_block(bitcoin::Network::Bitcoin);
    (serialize(&block.header), serialize(&block.txdata[0]))
}

#[test]
fn the_genesis_block_hashes_to_its_known_hash() {
    let (header, coinbase) = genesis();
    let read = Header::decode(&header).unwrap();
    let known = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
    let mut internal: [u8; 32] = const_hex::decode(known).unwrap().try_into().unwrap();
    internal.reverse();
    assert_eq!(read.hash(), Hash(internal));
    assert_eq!(read.encode().as_slice(), header);
    assert_eq!(merkle_root(&[transaction_hash(&coinbase)]), Ok(read.merkle_root));
    let (time, bits, nonce) = (1_231_006_505, 0x1d00_ffff, 2_083_236_893);
    assert_eq!((read.version, read.time, read.bits, read.nonce), (1, time, bits, nonce));
    let transaction = Transaction::decode(&coinbase).unwrap();
    assert!(transaction.is_coinbase());
    assert_eq!(transaction.outputs[0].value_sats, 50 * 100_000_000);
}

#[test]
fn a_header_has_80_bytes() {
    let bytes = block(1).header.encode();
    for length in 0..80 {
        assert!(matches!(Header::decode(&bytes[..length]), Err(LedgerError::Field { .. })));
    }
    let longer = [&bytes[..], &[0]].concat();
    assert_eq!(Header::decode(&longer), Err(LedgerError::Trailing { what: "header" }));
}

#[test]
fn trees_of_every_small_size_agree_with_two_other_computations() {
    for tx_count in 1..=70 {
        let block = block(tx_count);
        let txids = block.txids();
        let root = merkle_root(&txids).unwrap();
        let theirs = txids.iter().map(|txid| bitcoin::Txid::from_byte_array(txid.0));
        let theirs = bitcoin::merkle_tree::calculate_root(theirs).unwrap();
        assert_eq!((root.0, root), (theirs.to_byte_array(), plain_root(txids.clone())));
        for index in 0..tx_count {
            let siblings = prove(&txids, index).unwrap();
            assert_eq!(Ok(siblings.len()), sibling_count(index, tx_count));
            let txid = &txids[index as usize];
            assert_eq!(root_of_branch(txid, index, tx_count, &siblings), Ok(root));
        }
    }
}

#[test]
fn every_subject_of_every_small_block_is_proven() {
    for tx_count in 1..=17 {
        let block = block(tx_count);
        for tx_index in 0..tx_count {
            let bundle = block.prove(tx(tx_index));
            let facts = check(&bundle).unwrap();
            let raw = &block.leaves[tx_index as usize];
            assert_eq!(facts.transaction.as_ref().unwrap().raw, *raw);
            assert_eq!(facts.tx_count, (tx_index + 1 == tx_count).then_some(tx_count));
            assert_eq!(facts.block_hash, Some(block.header.hash()));
            assert!(!facts.number_bound && facts.receipts_root.is_none());
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
            let outputs = Transaction::decode(raw).unwrap().outputs;
            for (log_index, output) in (0..).zip(&outputs) {
                let facts = check(&block.prove(ProofSubject::Log { tx_index, log_index })).unwrap();
                let proven = facts.output().unwrap();
                assert_eq!((&proven.output, proven.output_count), (output, outputs.len()));
            }
            let (log_index, count) = (outputs.len() as u32, outputs.len());
            let past = fault(&block.prove(ProofSubject::Log { tx_index, log_index }));
            assert_eq!(past, ProofFault::Ledger(LedgerError::OutputIndex { log_index, count }));
        }
        for tx_index in [tx_count, tx_count + 1, u32::MAX] {
            let bundle = block.prove(ProofSubject::Absence { tx_index });
            let facts = check(&bundle).unwrap();
            assert_eq!((facts.tx_count, &facts.transaction), (Some(tx_count), &None));
            assert_eq!(Bundle::decode(&bundle.encode()), Ok(bundle));
        }
        let there = block.prove(ProofSubject::Absence { tx_index: tx_count - 1 });
        let trie = "transaction tree";
        assert_eq!(
            fault(&there),
            ProofFault::Ledger(LedgerError::SomethingThere { trie, tx_index: tx_count - 1 })
        );
    }
}

/// Every number of transactions but the true one fails, wherever the branch shows the right edge.
#[test]
fn no_other_count_of_transactions_shows_an_absence() {
    for tx_count in 1..=17_u32 {
        let block = block(tx_count);
        let txids = block.txids();
        for claimed in (1..=34).filter(|claimed| *claimed != tx_count) {
            // the best liar: real siblings, or copies of the node where the tree has none
            for index in 0..tx_count {
                let mut bundle = block.prove(ProofSubject::Absence { tx_index: 40 });
                let Ok(count) = sibling_count(claimed - 1, claimed) else { continue };
                let known = prove(&txids, index).unwrap();
                let fill = transaction_hash(&block.leaves[index as usize]);
                let siblings = (0..count).map(|at| known.get(at).copied().unwrap_or(fill));
                let lie = branches(&mut bundle);
                lie.tx_count = claimed;
                lie.transaction.leaf = block.leaves[index as usize].clone();
                lie.transaction.siblings = siblings.collect();
                let first = sibling_count(0, claimed).unwrap();
                let siblings = prove(&txids, 0).unwrap().into_iter().chain([fill; 3]);
                let leaf = block.leaves[0].clone();
                let siblings = siblings.take(first).collect();
                lie.coinbase = (claimed > 1).then_some(Branch { leaf, siblings });
                assert!(check(&bundle).is_err(), "{claimed} for {tx_count}, index {index}");
            }
        }
    }
}

/// CVE-2012-2459: the same root over a lengthened list.
#[test]
fn a_duplicated_tail_is_refused() {
    let block = block(3);
    let mut txids = block.txids();
    txids.push(txids[2]);
    assert_eq!(plain_root(txids.clone()), block.header.merkle_root);
    assert_eq!(merkle_root(&txids), Err(BranchError::Duplicate { row: 0 }));
    let row_1 = Hash(superroot_proof::hash::sha256d(&[&txids[0].0, &txids[1].0]).0);
    let mut bundle = block.prove(tx(2));
    bundle.statement.subject = tx(3);
    branches(&mut bundle).tx_count = 4;
    branches(&mut bundle).transaction.siblings = vec![txids[2], row_1];
    let cause = BranchError::Duplicate { row: 0 };
    assert_eq!(
        fault(&bundle),
        ProofFault::Ledger(LedgerError::Branch { whose: "transaction", cause })
    );

    let tail: Vec<Hash> = lengthened(&coins::block(6));
    assert_eq!(merkle_root(&tail), Err(BranchError::Duplicate { row: 1 }));
}

/// Six transactions, their last two once more: the root is the same.
fn lengthened(block: &Block) -> Vec<Hash> {
    let mut txids = block.txids();
    txids.extend_from_within(4..);
    assert_eq!(plain_root(txids.clone()), block.header.merkle_root);
    txids
}

/// CVE-2017-12842: a transaction of 64 bytes is an inner node, and its halves are what hangs below.
#[test]
fn a_transaction_as_long_as_a_node_is_refused() {
    let node_sized = transaction(&[(Hash([9; 32]), 0, &[])], &[(1, &[0x51; 4])]);
    assert_eq!(node_sized.len(), 64);
    let theirs: bitcoin::Transaction = deserialize(&node_sized).unwrap();
    assert_eq!(theirs.compute_txid().to_byte_array(), transaction_hash(&node_sized).0);
    let block = block_of(vec![coinbase(1), node_sized]);
    assert_eq!(fault(&block.prove(tx(1))), ProofFault::Ledger(LedgerError::NodeSized));
    let absence = block.prove(ProofSubject::Absence { tx_index: 2 });
    assert_eq!(fault(&absence), ProofFault::Ledger(LedgerError::NodeSized));
    assert!(check(&block.prove(tx(0))).is_ok());
}

/// The depth is that of the coinbase: what lies deeper or less deep is no transaction.
#[test]
fn a_tree_without_a_coinbase_at_its_depth_is_refused() {
    let block = block(8);
    let mut bundle = block.prove(tx(5));
    branches(&mut bundle).coinbase = None;
    assert!(matches!(fault(&bundle), ProofFault::Ledger(LedgerError::Parts { .. })));
    let mut bundle = block.prove(tx(0));
    branches(&mut bundle).coinbase = Some(block.branch(0));
    assert!(matches!(fault(&bundle), ProofFault::Ledger(LedgerError::Parts { .. })));
    let mut leaves = block.leaves.clone();
    leaves[0] = leaves[1].clone();
    leaves[0][4 + 1] ^= 1;
    let without = block_of(leaves);
    assert_eq!(fault(&without.prove(tx(5))), ProofFault::Ledger(LedgerError::NoCoinbase));
    assert_eq!(fault(&without.prove(tx(0))), ProofFault::Ledger(LedgerError::NoCoinbase));
}

#[test]
fn a_branch_of_another_length_leaf_place_or_root_is_refused() {
    let block = block(11);
    let other = coins::block(12);
    let good = block.prove(tx(6));
    let bend = |bend: &dyn Fn(&mut BranchProofs)| {
        let mut lie = good.clone();
        bend(branches(&mut lie));
        assert!(check(&lie).is_err());
        fault(&lie)
    };
    let length = |got| BranchError::Length { got, expected: 4 };
    let branch = |cause| ProofFault::Ledger(LedgerError::Branch { whose: "transaction", cause });
    let got = bend(&|lie| lie.transaction.siblings.truncate(3));
    assert_eq!(got, branch(length(3)));
    let got = bend(&|lie| lie.transaction.siblings.push(Hash::ZERO));
    assert_eq!(got, branch(length(5)));
    let got = bend(&|lie| lie.coinbase.as_mut().unwrap().siblings.truncate(3));
    assert_eq!(
        got,
        ProofFault::Ledger(LedgerError::Branch { whose: "coinbase", cause: length(3) })
    );
    bend(&|lie| lie.transaction.leaf = block.leaves[7].clone());
    bend(&|lie| lie.transaction.siblings = other.branch(6).siblings);
    bend(&|lie| lie.coinbase = Some(other.branch(0)));
    bend(&|lie| lie.tx_count = 5);
    assert_eq!(
        bend(&|lie| lie.tx_count = 0),
        ProofFault::Ledger(LedgerError::NothingThere { trie: "transaction tree", tx_index: 6 })
    );
    let got = bend(&|lie| lie.tx_count = TX_COUNT_MAX + 1);
    assert_eq!(got, branch(BranchError::Count { got: TX_COUNT_MAX + 1 }));
    for tx_index in (0..40).filter(|tx_index| *tx_index != 6) {
        let mut lie = good.clone();
        lie.statement.subject = tx(tx_index);
        assert!(check(&lie).is_err(), "index {tx_index}");
    }
    let mut lie = good.clone();
    lie.block = other.prove(ProofSubject::Block).block;
    assert!(matches!(fault(&lie), ProofFault::Ledger(LedgerError::Mismatch { .. })));
    let mut lie = good.clone();
    lie.entry = Some(EntryProof::Evm(TrieProofs::default()));
    assert!(check(&lie).is_err());
    assert!(check(&good).is_ok());
}

/// Without its header, level 1 shows a root that only the proof names.
#[test]
fn level_1_alone_shows_the_root_it_leads_to() {
    let block = block(9);
    let facts = check(&block.prove(tx(3)).up_to(ProofLevel::Entry)).unwrap();
    assert_eq!(facts.transactions_root, Some(block.header.merkle_root));
    assert_eq!((facts.level, &facts.header), (ProofLevel::Entry, &None));
    let mut lie = block.prove(tx(3)).up_to(ProofLevel::Entry);
    branches(&mut lie).coinbase = Some(coins::block(10).branch(0));
    assert!(matches!(fault(&lie), ProofFault::Ledger(LedgerError::Mismatch { .. })));
}

/// What the block hash binds: any flipped bit is refused, but in the number and in the origin, of
/// which levels 1 and 2 of this family show nothing, and in a count that the branch does not show.
#[test]
fn no_flipped_bit_shows_anything_else() {
    let block = block(7);
    let subjects = [tx(0), tx(3), tx(6), ProofSubject::Log { tx_index: 3, log_index: 1 }];
    for subject in
        subjects.into_iter().chain([ProofSubject::Absence { tx_index: 7 }, ProofSubject::Block])
    {
        let good = block.prove(subject);
        let facts = check(&good).unwrap();
        let encoded = good.encode();
        for bit in 0..encoded.len() * 8 {
            let mut flipped = encoded.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Ok(read) = Bundle::decode(&flipped) else { continue };
            let Ok(shown) = check(&read) else { continue };
            let same = (&shown.transaction, &shown.event, &shown.block_hash, shown.tx_count);
            let expected = (&facts.transaction, &facts.event, &facts.block_hash, facts.tx_count);
            assert_eq!(same, expected, "bit {bit} of {subject:?}");
        }
        for length in 0..encoded.len() {
            assert!(Bundle::decode(&encoded[..length]).is_err());
        }
    }
}

#[test]
fn the_flag_of_receipts_means_nothing_here() {
    let bundle = block(2).prove(tx(1));
    let mut bytes = bundle.encode();
    // magic, format, origin, statement with subject and index, check
    let flags = 8 + 1 + bundle.origin.len() + 17 + 5 + 4;
    assert_eq!(bytes[flags], 0b101);
    bytes[flags] |= 2;
    assert_eq!(Bundle::decode(&bytes), Err(DecodeError::Parts { flags: 0b111 }));
}

/// Other families have no reader of level 1 in this build, whatever the proof holds.
#[test]
fn a_family_without_a_reader_proves_no_entry() {
    use superroot_proof::registry::{HashRuleFrom, LogRegistry, Profile};
    let chain = ChainKey { family: Family::Solana, id: ChainId(200) };
    let rules = vec![HashRuleFrom { from_number: 0, code: 0x0201 }];
    let registry = LogRegistry::new(vec![Profile { chain, caip2: "solana:x".to_owned(), rules }]);
    let mut bundle = block(2).prove(tx(1)).up_to(ProofLevel::Entry);
    bundle.statement.chain = chain;
    for entry in [bundle.entry.clone().unwrap(), {
        let nodes = superroot_proof::mpt::OrderedTrie::build(&[vec![1; 40], vec![2; 40]]);
        let transaction = Some(nodes.prove(1).unwrap());
        EntryProof::Evm(TrieProofs { transaction, receipt: None })
    }] {
        bundle.entry = Some(entry);
        let error = verify(&bundle, &Policy::strict(registry.as_ref().unwrap())).unwrap_err();
        let what = "level 1 is not in the form of the chain's family";
        assert_eq!(error.fault, ProofFault::Ledger(LedgerError::Parts { what }));
    }
}

#[test]
fn transactions_that_are_not_canonical_are_refused() {
    let good = transaction(&[(Hash([1; 32]), 7, &[1, 2, 3])], &[(5, &[4; 30])]);
    assert!(Transaction::decode(&good).is_ok());
    let splice = |at: usize, removed: usize, with: &[u8]| {
        let mut bytes = good.clone();
        bytes.splice(at..at + removed, with.iter().copied());
        Transaction::decode(&bytes)
    };
    let field = |field| Err(LedgerError::Field { field });
    assert_eq!(splice(4, 1, &[0xfd, 1, 0]), field("input count"), "a longer CompactSize");
    assert_eq!(splice(4, 1, &[0xfe, 1, 0, 0, 0]), field("input count"));
    assert_eq!(splice(4, 1, &[0xff, 1, 0, 0, 0, 0, 0, 0, 0]), field("input count"));
    assert_eq!(splice(4, 1, &[0]), field("input count"), "no input, or the marker of a witness");
    assert_eq!(splice(4, 1, &[0xff; 9]), field("input count"));
    assert_eq!(splice(41, 1, &[0xfd, 3, 0]), field("script_sig"));
    assert_eq!(splice(41, 1, &[0xfe, 0xff, 0xff, 0xff, 0xff]), field("script_sig"));
    let outputs = 4 + 1 + 36 + 4 + 4;
    assert_eq!(splice(outputs, 1, &[0]), field("output count"));
    assert_eq!(splice(outputs, 1, &[0xfc]), field("output count"), "more than there are bytes for");
    let money = |sats: u64| splice(outputs + 1, 8, &sats.to_le_bytes());
    assert_eq!(money(MONEY_SATS_MAX).unwrap().outputs[0].value_sats, MONEY_SATS_MAX);
    assert_eq!(money(MONEY_SATS_MAX + 1), field("value"));
    assert_eq!(money(u64::MAX), field("value"));
    assert_eq!(splice(good.len(), 0, &[0]), Err(LedgerError::Trailing { what: "transaction" }));
    for length in 0..good.len() {
        assert!(Transaction::decode(&good[..length]).is_err());
    }
    let huge = transaction(&[(Hash([1; 32]), 7, &[])], &[(5, &[0; 60_000])]);
    assert!(Transaction::decode(&huge).is_ok());
    let long = vec![0; TRANSACTION_BYTES_MAX + 1];
    assert_eq!(Transaction::decode(&long), field("transaction length"));
}

/// With its witness a transaction is no leaf: the marker is read as an empty list of inputs.
#[test]
fn a_transaction_with_its_witness_is_no_leaf() {
    let bare = transaction(&[(Hash([1; 32]), 7, &[])], &[(5, &[4; 30])]);
    let mut theirs: bitcoin::Transaction = deserialize(&bare).unwrap();
    theirs.input[0].witness.push([1, 2, 3]);
    let with_witness = serialize(&theirs);
    assert_ne!(with_witness, bare);
    assert_eq!(theirs.compute_txid().to_byte_array(), transaction_hash(&bare).0);
    let field = "input count";
    assert_eq!(Transaction::decode(&with_witness), Err(LedgerError::Field { field }));
}

proptest! {
    /// Whatever one reader takes, the other takes as the same; money past all there is, we refuse.
    #[test]
    fn random_transactions_read_as_a_second_reader_reads_them(
        inputs in prop::collection::vec((any::<[u8; 32]>(), any::<u32>(), prop::collection::vec(any::<u8>(), 0..300)), 1..4),
        outputs in prop::collection::vec((0..=MONEY_SATS_MAX, prop::collection::vec(any::<u8>(), 0..300)), 1..4),
        flip in any::<prop::sample::Index>(), bit in 0_u8..8, bend: bool,
    ) {
        let inputs: Vec<_> = inputs.iter().map(|(h, i, s)| (Hash(*h), *i, &s[..])).collect();
        let outputs: Vec<_> = outputs.iter().map(|(value, script)| (*value, &script[..])).collect();
        let mut bytes = transaction(&inputs, &outputs);
        if bend {
            let at = flip.index(bytes.len());
            bytes[at] ^= 1 << bit;
        }
        let theirs = deserialize::<bitcoin::Transaction>(&bytes).ok();
        match Transaction::decode(&bytes) {
            Ok(read) => {
                let theirs = theirs.unwrap();
                prop_assert_eq!(theirs.compute_txid().to_byte_array(), transaction_hash(&bytes).0);
                prop_assert_eq!(read.version, theirs.version.0);
                prop_assert_eq!(read.lock_time, theirs.lock_time.to_consensus_u32());
                prop_assert_eq!(read.is_coinbase(), theirs.is_coinbase() && (2..=100).contains(&read.inputs[0].script_sig.len()));
                let values: Vec<u64> = theirs.output.iter().map(|out| out.value.to_sat()).collect();
                prop_assert_eq!(read.outputs.iter().map(|out| out.value_sats).collect::<Vec<_>>(), values);
                for (ours, theirs) in read.inputs.iter().zip(&theirs.input) {
                    prop_assert_eq!(ours.previous.transaction_hash.0, theirs.previous_output.txid.to_byte_array());
                    prop_assert_eq!(&ours.script_sig[..], theirs.script_sig.as_bytes());
                }
            }
            Err(_) => {
                let sane = theirs.filter(|theirs| {
                    let bare = !theirs.input.iter().any(|input| !input.witness.is_empty());
                    let money = theirs.output.iter().all(|out| out.value.to_sat() <= MONEY_SATS_MAX);
                    let there = !theirs.input.is_empty() && !theirs.output.is_empty();
                    bare && money && there && bytes.len() != 64
                });
                prop_assert!(sane.is_none(), "{sane:?}");
            }
        }
    }

    #[test]
    fn bytes_from_outside_never_panic(bytes: Vec<u8>, index: u32, tx_count: u32, siblings in prop::collection::vec(any::<[u8; 32]>(), 0..40)) {
        let _ = Transaction::decode(&bytes);
        let _ = Header::decode(&bytes);
        let _ = Bundle::decode(&bytes);
        let siblings: Vec<Hash> = siblings.into_iter().map(Hash).collect();
        let _ = root_of_branch(&Hash([1; 32]), index, tx_count, &siblings);
        let _ = prove(&siblings, index);
    }

    /// A tree of any size: each leaf is proven at its place, and at no other.
    #[test]
    fn random_trees_prove_each_leaf_at_its_place_alone(tx_count in 1_u32..400, index: u32, other: u32) {
        let txids: Vec<Hash> = (0..tx_count).map(|at| superroot_proof::hash::keccak256(&at.to_le_bytes())).collect();
        let (index, other) = (index % tx_count, other % tx_count);
        let root = merkle_root(&txids).unwrap();
        let siblings = prove(&txids, index).unwrap();
        prop_assert_eq!(root_of_branch(&txids[index as usize], index, tx_count, &siblings), Ok(root));
        if index != other {
            prop_assert_ne!(root_of_branch(&txids[index as usize], other, tx_count, &siblings), Ok(root));
            prop_assert_ne!(root_of_branch(&txids[other as usize], index, tx_count, &siblings), Ok(root));
        }
    }
}
