use superroot_proof::finality::certificate::check_certificate;
use superroot_proof::finality::{ConsensusEvidence, FinalityKind};
use superroot_proof::ledger::Body;
use superroot_proof::ledger::icp::Header;
use superroot_proof::registry::HashRule;
use superroot_types::{Hash, SAFE_INTEGER_MAX, UnixSeconds};

use super::params::IcpParams;
use super::raw::RawIcpBlock;
use crate::block::{BodyLeaves, SignedBlock, VerifiedBlock};
use crate::error::ChainError;
use crate::ledger::Ledger;
use crate::registry::ChainSpec;

const SECOND: u64 = 1_000_000_000;

/// Recomputes an ICP block: hash and readability. Only the first block has no parent. The error names the first field
/// at fault.
pub fn verify(row: &ChainSpec, untrusted: &RawIcpBlock) -> Result<VerifiedBlock, ChainError> {
    let Ledger::Icp(params) = &row.ledger else {
        return Err(ChainError::NotCollected { chain: row.key() });
    };
    let RawIcpBlock { number, hash, bytes, certificate } = untrusted;
    if number.0 > SAFE_INTEGER_MAX {
        let field = "index".into();
        let got = number.to_string();
        return Err(ChainError::OutOfRange { field, got, expected: SAFE_INTEGER_MAX });
    }
    if row.rule_at(*number) != Some(HashRule::Icp) {
        return Err(ChainError::NoRule { chain: row.key(), number: *number });
    }
    let read = Header::decode_whole(bytes);
    let (header, body) = read.map_err(|source| ChainError::ledger("block", source))?;
    if header.hash != *hash {
        return Err(ChainError::mismatch("hash", hash, header.hash));
    }
    if header.parent_hash.is_some() != (number.0 > 0) {
        let expected = if number.0 == 0 { "none at index 0" } else { "a hash past index 0" };
        let got = header.parent_hash.map_or_else(|| "none".to_owned(), |hash| hash.to_string());
        return Err(ChainError::mismatch("parent_hash", got, expected));
    }
    Ok(VerifiedBlock {
        chain: row.key(),
        number: *number,
        hash: header.hash,
        parent_hash: header.parent_hash.unwrap_or(Hash::ZERO),
        timestamp: UnixSeconds(header.timestamp_nanos / SECOND),
        header: bytes.clone(),
        body: Some(Body::Icp(body)),
        leaves: BodyLeaves::default(),
        withheld: None,
        signed: certificate.as_ref().and_then(|certificate| signed(params, untrusted, certificate)),
    })
}

/// Certificate of the block's hash, if it is one: of a later block it shows nothing here.
fn signed(params: &IcpParams, block: &RawIcpBlock, certificate: &[u8]) -> Option<SignedBlock> {
    let certified = check_certificate(certificate, &params.root_key).ok()?;
    let is_of_block = certified.data_of(&params.canister) == Ok(&block.hash.0[..]);
    is_of_block.then(|| SignedBlock {
        evidence: ConsensusEvidence {
            kind: FinalityKind::Certificate,
            number: block.number,
            hash: block.hash,
            body: certificate.to_vec(),
        },
        ends_set: None,
        step: None,
    })
}
