//! Blocks of a test chain of Bitcoin's family, mined here.
#![allow(dead_code, unreachable_pub)]

use bitcoin::consensus::serialize;
use bitcoin::hashes::Hash as _;
use bitcoin::{Amount, OutPoint, ScriptBuf, Sequence, TxIn, TxOut, Txid, Witness};
use superroot_chain::ledger::bitcoin::{BitcoinParams, RawBitcoinBlock, Retarget};
use superroot_chain::{ChainRegistry, ChainSpec, Ledger};
use superroot_types::{BlockNumber, Hash};

/// Bitcoin's row with the constants of its regression test network: work that a test can do.
pub fn row() -> ChainSpec {
    let mut row = ChainRegistry::builtin().find("bitcoin").unwrap().clone();
    row.caip2 = "bip122:0f9188f13cb7b2c71f2a335e3a4fc328".to_owned();
    let (target_limit_bits, coinbase_height_from, confirmations) = (0x207f_ffff, 1, 6);
    let retarget = Retarget::Never;
    let unprovable = row.ledger.unprovable().to_vec();
    let params = BitcoinParams {
        target_limit_bits,
        coinbase_height_from,
        confirmations,
        retarget,
        checkpoints: Vec::new(),
        unprovable,
    };
    row.ledger = Ledger::Bitcoin(params);
    row
}

/// A block of the second implementation: a coinbase and so many others, every other with a witness.
pub fn block(number: u64, others: u8, witnesses: bool) -> bitcoin::Block {
    let mut block = bitcoin::constants::genesis_block(bitcoin::Network::Regtest);
    block.header.prev_blockhash = bitcoin::BlockHash::from_byte_array([3; 32]);
    let height = bitcoin::script::Builder::new().push_int(number as i64);
    block.txdata[0].input[0].script_sig =
        height.push_opcode(bitcoin::opcodes::all::OP_NOP).into_script();
    for place in 0..others {
        let witness = if witnesses && place % 2 == 0 {
            Witness::from_slice(&[vec![place; 70], vec![]])
        } else {
            Witness::new()
        };
        let txid = Txid::from_byte_array([place + 1; 32]);
        let previous_output = OutPoint { txid, vout: u32::from(place) };
        let script = ScriptBuf::from(vec![0x51; 30 + usize::from(place)]);
        let value = Amount::from_sat(u64::from(place) * 1_000);
        block.txdata.push(bitcoin::Transaction {
            version: bitcoin::transaction::Version::TWO,
            lock_time: bitcoin::absolute::LockTime::ZERO,
            input: vec![TxIn {
                previous_output,
                script_sig: ScriptBuf::new(),
                sequence: Sequence::MAX,
                witness,
            }],
            output: vec![TxOut { value, script_pubkey: script }],
        });
    }
    if witnesses {
        commit(&mut block);
    }
    block
}

/// Puts the witness commitment into the coinbase.
pub fn commit(block: &mut bitcoin::Block) {
    block.txdata[0].input[0].witness = Witness::from_slice(&[[7; 32]]);
    let root = block.witness_root().unwrap();
    let commitment = bitcoin::Block::compute_witness_commitment(&root, &[7; 32]);
    let script = [&[0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed][..], commitment.as_ref()].concat();
    block.txdata[0].output.truncate(1);
    block.txdata[0].output.push(TxOut { value: Amount::ZERO, script_pubkey: script.into() });
}

/// Sets the root and finds a nonce.
pub fn mine(mut block: bitcoin::Block, number: u64) -> RawBitcoinBlock {
    block.header.merkle_root = block.compute_merkle_root().unwrap();
    raw(block, number)
}

/// Finds a nonce, whatever the root is.
pub fn raw(mut block: bitcoin::Block, number: u64) -> RawBitcoinBlock {
    while block.header.validate_pow(block.header.target()).is_err() {
        block.header.nonce += 1;
    }
    let hash = Hash(block.block_hash().to_byte_array());
    RawBitcoinBlock { number: BlockNumber(number), hash, bytes: serialize(&block) }
}
