//! Blocks of Bitcoin, bent in every way, and mined ones of a test chain.

use crate::mined;

use bitcoin::consensus::{deserialize, serialize};
use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, ScriptBuf, Witness};
use mined::{block, commit, mine, raw, row};
use proptest::prelude::*;
use superroot_chain::ledger::bitcoin::{BLOCK_BYTES_MAX, RawBitcoinBlock};
use superroot_chain::{ChainError, ChainRegistry, Ledger, UntrustedBlock, VerifiedBlock};
use superroot_proof::ledger::bitcoin::transaction_hash;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX};

fn check(raw: &RawBitcoinBlock) -> Result<VerifiedBlock, ChainError> {
    superroot_chain::verify(&row(), &UntrustedBlock::Bitcoin(Box::new(raw.clone())))
}

fn refused(raw: &RawBitcoinBlock) -> String {
    check(raw).unwrap_err().to_string()
}

fn good() -> RawBitcoinBlock {
    mine(block(500, 5, true), 500)
}

#[test]
fn a_mined_block_verifies_and_its_leaves_have_no_witness() {
    for (others, witnesses) in [(0, false), (0, true), (1, true), (5, true), (6, false)] {
        let theirs = block(500, others, witnesses);
        let raw = mine(theirs.clone(), 500);
        let verified = check(&raw).unwrap();
        assert_eq!((verified.number(), verified.hash()), (raw.number, raw.hash));
        assert_eq!(verified.parent_hash(), Hash([3; 32]));
        assert_eq!((verified.header(), verified.header().len()), (&raw.bytes[..80], 80));
        assert_eq!(verified.extent().to_string(), "header+transactions");
        let hashes = verified.transaction_hashes().unwrap();
        assert_eq!(hashes.len(), theirs.txdata.len());
        for ((leaf, hash), theirs) in
            verified.transactions().unwrap().iter().zip(hashes).zip(&theirs.txdata)
        {
            assert_eq!(hash.0, theirs.compute_txid().to_byte_array());
            assert_eq!(transaction_hash(leaf), *hash);
            let bare: bitcoin::Transaction = deserialize(leaf).unwrap();
            assert!(bare.input.iter().all(|input| input.witness.is_empty()));
            assert_eq!(leaf.len(), theirs.base_size());
        }
    }
}

#[test]
fn a_header_alone_has_the_extent_header() {
    let mut raw = good();
    raw.bytes.truncate(80);
    let verified = check(&raw).unwrap();
    assert_eq!(
        (verified.extent().to_string(), verified.transactions()),
        ("header".to_owned(), None)
    );
}

/// Nodes send old peers blocks without witnesses; txids and root are the same.
#[test]
fn a_block_sent_without_its_witnesses_is_the_same_block() {
    let whole = good();
    let mut bare: bitcoin::Block = deserialize(&whole.bytes).unwrap();
    for input in bare.txdata.iter_mut().flat_map(|one| &mut one.input) {
        input.witness.clear();
    }
    let raw = RawBitcoinBlock { bytes: serialize(&bare), ..whole.clone() };
    assert_eq!(check(&raw).unwrap(), check(&whole).unwrap());
}

#[test]
fn what_differs_from_the_header_is_refused() {
    let good = good();
    let other = RawBitcoinBlock { hash: Hash([1; 32]), ..good.clone() };
    assert!(refused(&other).starts_with("hash is 0x0101"), "{}", refused(&other));
    let high = RawBitcoinBlock { number: BlockNumber(501), ..good.clone() };
    assert_eq!(refused(&high), "height in the coinbase is 02f401, expected 02f501 for 501");
    let past = RawBitcoinBlock { number: BlockNumber(SAFE_INTEGER_MAX + 1), ..good.clone() };
    assert!(matches!(check(&past), Err(ChainError::OutOfRange { .. })));
    let first = RawBitcoinBlock { number: BlockNumber(0), ..good.clone() };
    assert!(refused(&first).starts_with("previousblockhash is"), "{}", refused(&first));
    let root = {
        let mut block = block(500, 5, true);
        block.header.merkle_root = bitcoin::TxMerkleNode::from_byte_array([9; 32]);
        raw(block, 500)
    };
    assert!(refused(&root).starts_with("merkleroot is 0x0909"), "{}", refused(&root));
}

#[test]
fn the_first_block_is_the_one_the_chain_is_named_after() {
    let genesis = bitcoin::constants::genesis_block(bitcoin::Network::Regtest);
    let own = raw(genesis.clone(), 0);
    assert!(check(&own).unwrap().parent_hash().is_zero());
    let mut other = genesis;
    other.header.time += 1;
    let error = refused(&raw(other.clone(), 0));
    assert!(error.starts_with("hash of the first block is"), "{error}");
    let error = refused(&raw(other, 7));
    assert!(error.starts_with("previousblockhash is"), "{error}");
}

#[test]
fn work_is_checked_against_a_canonical_target_within_the_limit() {
    let bits = |bits: u32| {
        let mut block = block(500, 0, false);
        block.header.merkle_root = block.compute_merkle_root().unwrap();
        block.header.bits = bitcoin::CompactTarget::from_consensus(bits);
        let hash = Hash(block.block_hash().to_byte_array());
        refused(&RawBitcoinBlock { number: BlockNumber(500), hash, bytes: serialize(&block) })
    };
    assert_eq!(bits(0x2100_ffff), "bits is 0x2100ffff, expected at most 0x207fffff");
    let canonical = "expected a canonical compact target";
    for odd in [0, 0x1d80_ffff, 0x1e00_00ff, 0x2300_8000, 0xffff_ffff] {
        assert_eq!(bits(odd), format!("bits is {odd:#010x}, {canonical}"));
    }
    assert!(bits(0x1d00_ffff).starts_with("hash as a number is 0x"), "{}", bits(0x1d00_ffff));
    // of the main network's limit, the same block shows far too little
    let raw = UntrustedBlock::Bitcoin(Box::new(good()));
    let bitcoin = ChainRegistry::builtin().find("bitcoin").unwrap();
    let error = superroot_chain::verify(bitcoin, &raw).unwrap_err().to_string();
    assert_eq!(error, "bits is 0x207fffff, expected at most 0x1d00ffff");
}

/// CVE-2012-2459: the same root, one transaction more.
#[test]
fn a_duplicated_tail_is_refused() {
    let mut lengthened: bitcoin::Block =
        deserialize(&mine(block(500, 2, false), 500).bytes).unwrap();
    lengthened.txdata.push(lengthened.txdata[2].clone());
    assert_eq!(lengthened.compute_merkle_root(), Some(lengthened.header.merkle_root));
    let error = refused(&raw(lengthened, 500));
    assert_eq!(
        error,
        "merkleroot: a node in row 0 is paired with a copy of itself: the tail is duplicated"
    );
}

/// CVE-2017-12842, also where the witness makes the transaction longer than its leaf: such a block
/// does not stop its chain, and nothing of its body is shown.
#[test]
fn a_transaction_as_long_as_a_node_makes_its_block_a_header() {
    for witnesses in [false, true] {
        let mut block = block(500, 2, witnesses);
        block.txdata[1].output[0].script_pubkey = ScriptBuf::from(vec![0x51; 4]);
        assert_eq!(block.txdata[1].base_size(), 64);
        if witnesses {
            commit(&mut block);
        }
        let raw = mine(block, 500);
        let verified = check(&raw).unwrap();
        assert_eq!(verified.extent().to_string(), "header");
        assert!(verified.body_withheld().unwrap().contains("64 bytes"));
        assert!(!verified.is_withheld_on_claim());
        // everything else of the block is checked as ever
        let mut other = raw.clone();
        *other.bytes.last_mut().unwrap() ^= 1;
        assert!(check(&other).is_err());
        let high = RawBitcoinBlock { number: BlockNumber(501), ..raw.clone() };
        assert!(refused(&high).starts_with("height in the coinbase is"), "{}", refused(&high));
        // a row that does not say so refuses it
        let mut row = row();
        let Ledger::Bitcoin(params) = &mut row.ledger else { panic!("a row of the family") };
        params.unprovable.clear();
        let error = superroot_chain::verify(&row, &UntrustedBlock::Bitcoin(Box::new(raw)));
        assert_eq!(
            error.unwrap_err().to_string(),
            "transactions[1].transaction cannot be read by a verifier: a transaction of 64 bytes \
             could be an inner node of the tree"
        );
    }
}

/// A first transaction of 64 bytes could be a row of inner nodes that hides the true body.
#[test]
fn a_coinbase_as_long_as_a_node_is_refused() {
    let mut block = block(500, 1, false);
    block.txdata[0].output[0].script_pubkey = ScriptBuf::new();
    let spare = 64 - block.txdata[0].base_size();
    block.txdata[0].output[0].script_pubkey = ScriptBuf::from(vec![0x51; spare]);
    assert_eq!(block.txdata[0].base_size(), 64);
    let error = refused(&mine(block, 500));
    assert!(error.contains("could be an inner node of the tree"), "{error}");
}

/// The other reading of the same bytes: a block whose "transactions" are the nodes of a true one.
#[test]
fn inner_nodes_are_no_transactions() {
    let block = block(500, 7, false);
    let txids: Vec<[u8; 32]> =
        block.txdata.iter().map(|one| one.compute_txid().to_byte_array()).collect();
    let mut bytes = mine(block, 500);
    let header = bytes.bytes[..80].to_vec();
    let nodes = txids.chunks(2).flat_map(|pair| pair.concat());
    bytes.bytes = [header, vec![4], nodes.collect()].concat();
    assert!(check(&bytes).is_err());
}

#[test]
fn witnesses_are_those_that_the_coinbase_commits_to() {
    let bend = |bend: &dyn Fn(&mut bitcoin::Block)| {
        let mut block = block(500, 5, true);
        bend(&mut block);
        refused(&mine(block, 500))
    };
    let error = bend(&|block| block.txdata[1].input[0].witness.push([1]));
    assert!(error.starts_with("witness commitment is 0x"), "{error}");
    let error = bend(&|block| block.txdata[1].input[0].witness.clear());
    assert!(error.starts_with("witness commitment is 0x"), "{error}");
    let error = bend(&|block| block.txdata[0].output.truncate(1));
    assert_eq!(error, "witness commitment is missing");
    let error = bend(&|block| block.txdata[0].input[0].witness.clear());
    assert_eq!(error, "reserved value of the coinbase is missing");
    let error = bend(&|block| block.txdata[0].input[0].witness.push([7; 32]));
    assert_eq!(error, "reserved value of the coinbase is missing");
    let error = bend(&|block| block.txdata[0].input[0].witness = Witness::from_slice(&[[7; 31]]));
    assert_eq!(error, "reserved value of the coinbase is missing");
    // the last commitment counts
    let mut twice = block(500, 5, true);
    let own = twice.txdata[0].output[1].clone();
    twice.txdata[0].output[1].script_pubkey =
        [&own.script_pubkey.as_bytes()[..6], &[0; 32]].concat().into();
    twice.txdata[0].output.push(own.clone());
    assert!(check(&mine(twice.clone(), 500)).is_ok());
    twice.txdata[0].output.reverse();
    assert!(check(&mine(twice, 500)).is_err());
}

#[test]
fn there_is_one_coinbase_and_it_is_the_first() {
    let mut none = block(500, 3, false);
    none.txdata.remove(0);
    assert_eq!(
        refused(&mine(none, 500)),
        "transactions[0].inputs is others, expected the coinbase"
    );
    let mut second = block(500, 3, false);
    let mut again = second.txdata[0].clone();
    again.output[0].value = Amount::from_sat(1);
    second.txdata.push(again);
    let error = refused(&mine(second, 500));
    assert_eq!(error, "transactions[4].inputs is others, expected no second coinbase");
}

#[test]
fn cut_lengthened_and_oversized_blocks_are_refused() {
    let good = good();
    let with = |bytes: Vec<u8>| check(&RawBitcoinBlock { bytes, ..good.clone() });
    for length in (0..good.bytes.len()).filter(|length| *length != 80) {
        assert!(with(good.bytes[..length].to_vec()).is_err(), "{length} bytes");
    }
    let longer = with([&good.bytes[..], &[0]].concat()).unwrap_err();
    assert!(longer.to_string().contains("bytes follow the last field of block"), "{longer}");
    let huge = with(vec![0; BLOCK_BYTES_MAX + 1]).unwrap_err();
    assert!(matches!(huge, ChainError::OutOfRange { .. }));
    let header = &good.bytes[..80];
    let body = &good.bytes[81..];
    for count in [&[0][..], &[7], &[5], &[0xfd, 6, 0], &[0xff; 9], &[0xfe, 0xff, 0xff, 0xff, 0x7f]]
    {
        assert!(with([header, count, body].concat()).is_err(), "count {count:?}");
    }
}

/// Whatever bit is bent, the block is refused or is the very same: nothing that is kept differs.
#[test]
fn every_flipped_bit_is_seen() {
    let good = mine(block(500, 3, true), 500);
    let verified = check(&good).unwrap();
    for bit in 0..good.bytes.len() * 8 {
        let mut bent = good.clone();
        bent.bytes[bit / 8] ^= 1 << (bit % 8);
        if let Ok(other) = check(&bent) {
            assert_eq!(other, verified, "bit {bit}");
            panic!("bit {bit} is not bound");
        }
    }
}

proptest! {
    #[test]
    fn bytes_from_outside_never_panic(bytes: Vec<u8>, number: u64, tail: Vec<u8>) {
        let hash = Hash([0; 32]);
        let number = BlockNumber(number);
        let _ = check(&RawBitcoinBlock { number, hash, bytes });
        let mut good = good();
        good.bytes.truncate(80);
        good.bytes.extend(tail);
        let _ = check(&good);
    }
}
