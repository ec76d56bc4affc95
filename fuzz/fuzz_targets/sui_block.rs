//! Sui's summaries, contents, effects and events, and checkpoints as nodes send them: nothing panics, what is
//! read is bound by its digest, and what a verified checkpoint proves is a proof.
#![no_main]

use libfuzzer_sys::fuzz_target;
use superroot_chain::ledger::sui::{Certificate, Committee};
use superroot_chain::{UntrustedBlock, verify};
use superroot_fuzz::ledgers::{mend_checkpoint, read_checkpoint};
use superroot_fuzz::parts::{assert_proven, check_body, check_entry, row};
use superroot_fuzz::{ledgers, seeds};
use superroot_proof::ledger::sui::{
    Contents, Effects, Header, checkpoint_digest, contents_digest, read_events,
};

fuzz_target!(init: seeds::plant("sui_block", &ledgers::checkpoints()), |bytes: &[u8]| {
    let row = row("sui");
    let _ = Header::decode(bytes);
    if let Ok(contents) = Contents::decode(bytes) {
        assert_eq!(contents.digest, contents_digest(bytes));
        assert!(contents.listed.len() * 66 <= bytes.len());
        assert_eq!(contents.at(contents.tx_count()), None);
    }
    if let Ok(effects) = Effects::decode(bytes) {
        assert!(effects.is_success || effects.events_digest.is_none());
    }
    if let Ok(events) = read_events(bytes) {
        let length: usize = events.iter().map(|event| event.contents.len()).sum();
        assert!(length + events.len() * 100 <= bytes.len());
    }
    if let Some(committee) = Committee::read(bytes) {
        let (signature, signers) = (vec![0xc0; 48], bytes.to_vec());
        let certificate = Certificate { epoch: committee.epoch, signature, signers };
        assert!(committee.check(bytes, &certificate).is_err());
    }
    check_entry(row, bytes);
    let _ = check_body(row, bytes);
    let claimed = read_checkpoint(bytes);
    let _ = verify(row, &UntrustedBlock::Sui(Box::new(claimed.clone())));
    let Some(raw) = mend_checkpoint(claimed) else { return };
    let Ok(block) = verify(row, &UntrustedBlock::Sui(Box::new(raw))) else { return };
    assert_eq!(block.hash(), checkpoint_digest(block.header()));
    assert_proven(row, &block);
});
