//! Recomputes Sui checkpoints: every digest, and the committee signature for a known committee.

use superroot_proof::finality::checkpoint::write_checkpoint;
use superroot_proof::finality::{ConsensusEvidence, EVIDENCE_BYTES_MAX, FinalityKind};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::sui::{
    CheckpointTransaction, Contents, Effects, Header, SuiCheckpoint, TRANSACTION_BYTES_MAX,
    TransactionEffects, checkpoint_digest, effects_digest, events_digest, read_events,
};
use superroot_proof::registry::HashRule;
use superroot_types::{BlockNumber, Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::params::SuiParams;
use super::raw::{CONTENTS_BYTES_MAX, RawContents, RawSuiBlock, RawSuiTransaction};
use crate::block::{BodyLeaves, SignedBlock, VerifiedBlock};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

/// Most bytes of a summary: the last summary of an epoch names the next committee.
const SUMMARY_BYTES_MAX: usize = 1 << 20;

/// Recomputes a checkpoint. A summary alone has the extent `header`. The error names the first field at fault.
pub(crate) fn verify(
    row: &ChainSpec,
    untrusted: &RawSuiBlock,
) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Sui(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawSuiBlock { digest, summary, certificate: _, contents } = untrusted;
    check_length("summary", summary, SUMMARY_BYTES_MAX)?;
    let header = Header::decode(summary).map_err(|source| ChainError::ledger("summary", source))?;
    let number = BlockNumber(header.sequence_number);
    if number.0 > SAFE_INTEGER_MAX {
        let field = "sequence_number".into();
        let got = number.to_string();
        return Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX });
    }
    if row.rule_at(number) != Some(HashRule::Sui) {
        return Err(ChainError::NoRule { chain: row.key(), number });
    }
    same("digest", digest, checkpoint_digest(summary))?;
    if number.0 == 0 {
        same("genesis", digest, params.genesis)?;
    }
    check_certificate(params, &header, untrusted)?;
    let body = contents.as_ref().map(|contents| checkpoint(&header, contents)).transpose()?;
    Ok(VerifiedBlock {
        chain: row.key(),
        number,
        hash: *digest,
        parent_hash: header.previous_digest.unwrap_or(Hash::ZERO),
        timestamp: UnixSeconds(header.timestamp_ms / 1_000),
        header: summary.clone(),
        body: body.map(Body::Sui),
        leaves: BodyLeaves::default(),
        withheld: None,
        signed: signed(&header, untrusted),
    })
}

/// Bytes of a committee's signature.
const SIGNATURE_BYTES: usize = 48;

/// What the committee of the epoch signed, as the node sent it.
fn signed(header: &Header, untrusted: &RawSuiBlock) -> Option<SignedBlock> {
    let RawSuiBlock { digest, summary, certificate, contents: _ } = untrusted;
    let certificate =
        certificate.as_ref().filter(|certificate| certificate.epoch == header.epoch)?;
    let evidence = ConsensusEvidence {
        kind: FinalityKind::Checkpoint,
        number: BlockNumber(header.sequence_number),
        hash: *digest,
        body: write_checkpoint(summary, certificate),
    };
    let is_bounded = evidence.encode().len() <= EVIDENCE_BYTES_MAX
        && certificate.signature.len() == SIGNATURE_BYTES;
    let ends_set = header.ends_epoch.then_some(header.epoch);
    is_bounded.then_some(SignedBlock { evidence, ends_set, step: None })
}

/// Checks the signature for checkpoints in the known committee's epoch. The first checkpoint has no signers, only a
/// known digest.
fn check_certificate(
    params: &SuiParams,
    header: &Header,
    untrusted: &RawSuiBlock,
) -> Result<(), ChainError> {
    let known = params.committee.as_ref().filter(|committee| committee.epoch == header.epoch);
    let Some(committee) = known.filter(|_| header.sequence_number > 0) else { return Ok(()) };
    let missing = || ChainError::missing("signature");
    let certificate = untrusted.certificate.as_ref().ok_or_else(missing)?;
    let checked = committee.check(&untrusted.summary, certificate);
    let expected = "that of the epoch's committee";
    checked.map_err(|fault| ChainError::mismatch("signature", fault, expected))
}

/// Checks that the contents list all parts and nothing else.
fn checkpoint(header: &Header, raw: &RawContents) -> Result<SuiCheckpoint, ChainError> {
    let RawContents { contents, transactions } = raw;
    check_length("contents", contents, CONTENTS_BYTES_MAX)?;
    let read = Contents::decode(contents);
    let read = read.map_err(|source| ChainError::ledger("contents", source))?;
    same("content_digest", &read.digest, header.content_digest)?;
    let got = transactions.len();
    let expected = read.listed.len();
    if got != expected {
        return Err(ChainError::mismatch("transactions", got, expected));
    }
    let (transactions, outcomes) = transactions.iter().map(kept).unzip();
    let built = SuiCheckpoint::build(contents.clone(), transactions, outcomes);
    let parts = raw.transactions.iter().zip(built.hashes()).zip(&read.listed);
    for (place, ((one, hash), listed)) in parts.enumerate() {
        let checked = check_transaction(one, hash, listed);
        checked.map_err(|error| error.within(format_args!("transactions[{place}]")))?;
    }
    Ok(built)
}

fn kept(one: &RawSuiTransaction) -> (Vec<u8>, TransactionEffects) {
    let RawSuiTransaction { transaction, effects, events } = one;
    (transaction.clone(), TransactionEffects { effects: effects.clone(), events: events.clone() })
}

/// Checks a transaction and the results against the digests.
fn check_transaction(
    one: &RawSuiTransaction,
    hash: &Hash,
    listed: &CheckpointTransaction,
) -> Result<(), ChainError> {
    let RawSuiTransaction { transaction, effects, events } = one;
    for (field, bytes) in [
        ("transaction", Some(transaction)),
        ("effects", Some(effects)),
        ("events", events.as_ref()),
    ] {
        check_length(field, bytes.map_or(&[][..], Vec::as_slice), TRANSACTION_BYTES_MAX)?;
    }
    same("digest", hash, listed.transaction)?;
    same("effects_digest", &effects_digest(effects), listed.effects)?;
    let read = Effects::decode(effects).map_err(|source| ChainError::ledger("effects", source))?;
    match (events, read.events_digest) {
        (None, None) => {}
        (Some(events), Some(digest)) => {
            same("events_digest", &events_digest(events), digest)?;
            read_events(events).map_err(|source| ChainError::ledger("events", source))?;
        }
        (None, Some(_)) => return Err(ChainError::missing("events")),
        (Some(_), None) => {
            let expected = "the effects name none";
            return Err(ChainError::Unexpected { field: "events".into(), expected });
        }
    }
    Ok(())
}

fn check_length(field: &'static str, bytes: &[u8], most: usize) -> Result<(), ChainError> {
    if bytes.len() <= most {
        return Ok(());
    }
    let expected = u64::try_from(most).unwrap_or(u64::MAX);
    let field = format!("length of {field}");
    let got = bytes.len().to_string();
    Err(ChainError::OutOfRange { field, got, expected })
}

fn same(field: &'static str, got: &Hash, expected: Hash) -> Result<(), ChainError> {
    if *got == expected { Ok(()) } else { Err(ChainError::mismatch(field, got, expected)) }
}
