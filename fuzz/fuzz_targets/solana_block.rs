//! Solana's transactions, records on their way to a blockhash, and entries of slots: what is read is written
//! as it was, what a verified block proves is a proof, and nothing panics.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::solana::RawSolanaBlock;
use superroot_chain::{UntrustedBlock, verify};
use superroot_fuzz::ledgers::slot;
use superroot_fuzz::parts::{assert_proven, check_body, check_entry, row};
use superroot_fuzz::{ledgers, seeds};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::solana::{
    Header, Instruction, Lookup, Transaction, signature_leaf, transaction_hash,
};

fuzz_target!(init: seeds::plant("solana_block", &ledgers::slots()), |bytes: &[u8]| {
    let row = row("solana");
    if let Ok(header) = Header::decode(bytes) {
        assert_eq!(header.blockhash.0, bytes);
    }
    if let Ok(transaction) = Transaction::decode(bytes) {
        assert_eq!(encode(&transaction), bytes);
        assert_eq!(transaction_hash(bytes), Ok(signature_leaf(&transaction.signatures[0])));
        if let Ok(verified) = Transaction::verify(bytes) {
            assert_eq!(verified, transaction);
        }
    }
    check_entry(row, bytes);
    let Some(Body::Solana(entries)) = check_body(row, bytes) else { return };
    let leaves = Body::Solana(entries.clone()).transaction_leaves().unwrap_or_default().to_vec();
    let raw = slot(entries.start(), entries.entries(), leaves);
    let Ok(block) = verify(row, &UntrustedBlock::Solana(Box::new(raw.clone()))) else { return };
    assert_eq!((block.hash(), block.header()), (raw.hash, &raw.hash.0[..]));
    let mut hashes = block.transaction_hashes().unwrap_or_default().to_vec();
    hashes.sort_unstable();
    // a proof whose tree has a copy of a node beside it is refused
    if hashes.windows(2).all(|pair| pair[0] != pair[1]) {
        assert_proven(row, &block);
    }
    let other = RawSolanaBlock { parent_hash: raw.hash, ..raw };
    assert!(verify(row, &UntrustedBlock::Solana(Box::new(other))).is_err());
});

/// A transaction as it is signed.
fn encode(transaction: &Transaction) -> Vec<u8> {
    let mut out = Vec::new();
    put_count(&mut out, transaction.signatures.len());
    out.extend(transaction.signatures.iter().flatten());
    out.extend(transaction.version.map(|version| version | 0x80));
    out.push(u8::try_from(transaction.signatures.len()).expect("a byte of signatures"));
    out.extend([transaction.readonly_signed, transaction.readonly_unsigned]);
    put_count(&mut out, transaction.account_keys.len());
    out.extend(transaction.account_keys.iter().flat_map(|key| key.0));
    out.extend(transaction.recent_blockhash.0);
    put_count(&mut out, transaction.instructions.len());
    for Instruction { program_index, account_indexes, data } in &transaction.instructions {
        out.push(*program_index);
        put_bytes(&mut out, account_indexes);
        put_bytes(&mut out, data);
    }
    if transaction.version.is_some() {
        put_count(&mut out, transaction.lookups.len());
    }
    for Lookup { table, writable_indexes, readonly_indexes } in &transaction.lookups {
        out.extend(table.0);
        put_bytes(&mut out, writable_indexes);
        put_bytes(&mut out, readonly_indexes);
    }
    out
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    put_count(out, bytes.len());
    out.extend(bytes);
}

/// Seven bits a byte, the lowest first.
fn put_count(out: &mut Vec<u8>, count: usize) {
    let mut rest = count;
    while rest > 0x7f {
        out.push(rest.to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    out.push(rest.to_le_bytes()[0]);
}
