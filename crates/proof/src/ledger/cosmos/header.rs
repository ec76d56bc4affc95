//! Headers under rule 0801: protobuf message `Header`, and the tree over its fields.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use superroot_types::Hash;

use super::fields::{ProtobufFields, put_bytes, put_message, put_number};
use crate::hash::sha256_joined;
use crate::ledger::evm::Bloom;
use crate::ledger::form::HeaderForm;
use crate::ledger::{LedgerError, edge};
use crate::range::Sha256Range;
use crate::registry::HashRule;

/// Longest header, in bytes: the application hash has no fixed length.
pub const HEADER_BYTES_MAX: usize = 1_024;
/// Longest chain id, in bytes.
pub const CHAIN_ID_BYTES_MAX: usize = 50;
/// Validator address length in bytes.
pub const PROPOSER_BYTES: usize = 20;
/// Last second in the year 9999.
pub const SECONDS_MAX: u64 = 253_402_300_799;

/// Block id: block hash and part set hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CosmosBlockId {
    /// Block hash.
    pub hash: Hash,
    /// Number of parts, at least 1.
    pub part_count: u32,
    /// Root over the parts.
    pub parts_hash: Hash,
}

/// Header. All hashes have 32 bytes, as since Tendermint 0.34.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Block protocol version.
    pub version_block: u64,
    /// Application protocol version.
    pub version_app: u64,
    /// Chain id, 1 to [`CHAIN_ID_BYTES_MAX`] bytes.
    pub chain_id: String,
    /// Height, 1 to 2^63 - 1.
    pub height: u64,
    /// Seconds since 1970, at most [`SECONDS_MAX`]: a median over validator times.
    pub seconds: u64,
    /// Additional nanoseconds.
    pub nanos: u32,
    /// Parent block id; `None` in a chain's first block.
    pub last_block_id: Option<CosmosBlockId>,
    /// Root over the previous block's signatures.
    pub last_commit_hash: Hash,
    /// Root over this block's transactions.
    pub data_hash: Hash,
    /// Root over this block's validators.
    pub validators_hash: Hash,
    /// Root over the next block's validators.
    pub next_validators_hash: Hash,
    /// Consensus parameters hash.
    pub consensus_hash: Hash,
    /// Application state after the previous block, in the application's own form.
    pub app_hash: Vec<u8>,
    /// Root over code, data and gas for the previous block's transactions.
    pub last_results_hash: Hash,
    /// Root over evidence against validators.
    pub evidence_hash: Hash,
    /// Proposing validator's address.
    pub proposer_address: [u8; PROPOSER_BYTES],
}

impl Header {
    /// Reads a whole header in the exact form from [`Header::encode`].
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming a truncated, out-of-bounds or non-canonical field, [`LedgerError::Trailing`].
    pub fn decode(bytes: &[u8]) -> Result<Self, LedgerError> {
        if bytes.len() > HEADER_BYTES_MAX {
            return Err(LedgerError::Field { field: "header length" });
        }
        let mut fields = ProtobufFields::new(bytes);
        let (version_block, version_app) = version(fields.message(1, "version")?)?;
        let chain_id = fields.bytes(2, "chain_id")?;
        let height = fields.number(3, "height")?;
        let (seconds, nanos) = time(fields.message(4, "time")?)?;
        let last_block_id = block_id(fields.message(5, "last_block_id")?)?;
        let header = Self {
            version_block,
            version_app,
            chain_id: core::str::from_utf8(chain_id).unwrap_or_default().to_string(),
            height,
            seconds,
            nanos,
            last_block_id,
            last_commit_hash: fields.hash(6, "last_commit_hash")?,
            data_hash: fields.hash(7, "data_hash")?,
            validators_hash: fields.hash(8, "validators_hash")?,
            next_validators_hash: fields.hash(9, "next_validators_hash")?,
            consensus_hash: fields.hash(10, "consensus_hash")?,
            app_hash: fields.bytes(11, "app_hash")?.to_vec(),
            last_results_hash: fields.hash(12, "last_results_hash")?,
            evidence_hash: fields.hash(13, "evidence_hash")?,
            proposer_address: fields
                .bytes(14, "proposer_address")?
                .try_into()
                .map_err(|_| LedgerError::Field { field: "proposer_address" })?,
        };
        fields.end("header")?;
        header.check()?;
        Ok(header)
    }

    /// Checks every field's bounds.
    ///
    /// # Errors
    /// [`LedgerError::Field`] naming the first field out of bounds.
    pub fn check(&self) -> Result<(), LedgerError> {
        let bounds = [
            ("chain_id", (1..=CHAIN_ID_BYTES_MAX).contains(&self.chain_id.len())),
            ("height", self.height > 0 && i64::try_from(self.height).is_ok()),
            ("time", self.seconds <= SECONDS_MAX && self.nanos < 1_000_000_000),
            ("last_block_id", self.last_block_id.is_none_or(|id| id.part_count > 0)),
            ("app_hash", self.app_hash.len() <= HEADER_BYTES_MAX),
        ];
        let wrong = bounds.into_iter().find(|(_, holds)| !holds);
        wrong.map_or(Ok(()), |(field, _)| Err(LedgerError::Field { field }))
    }

    /// Message `Header`, fields in number order.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_message(&mut out, 1, &self.version());
        put_bytes(&mut out, 2, self.chain_id.as_bytes());
        put_number(&mut out, 3, self.height);
        put_message(&mut out, 4, &self.time());
        put_message(&mut out, 5, &self.parent());
        for (number, bytes) in (6..).zip(self.byte_fields()) {
            put_bytes(&mut out, number, bytes);
        }
        out
    }

    /// Block hash: RFC 6962 root over the fields, each a separate message.
    #[must_use]
    pub fn hash(&self) -> Hash {
        let message = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut out = Vec::new();
            write(&mut out);
            out
        };
        let first = [
            self.version(),
            message(&|out| put_bytes(out, 1, self.chain_id.as_bytes())),
            message(&|out| put_number(out, 1, self.height)),
            self.time(),
            self.parent(),
        ];
        let rest = self.byte_fields();
        let rest = rest.iter().map(|bytes| message(&|out| put_bytes(out, 1, bytes)));
        let leaves = first.into_iter().chain(rest).map(|leaf| sha256_joined(&[&[0x00], &leaf]));
        edge::root::<Sha256Range>(&leaves.collect::<Vec<Hash>>())
    }

    /// Fields 6 to 14.
    fn byte_fields(&self) -> [&[u8]; 9] {
        [
            &self.last_commit_hash.0,
            &self.data_hash.0,
            &self.validators_hash.0,
            &self.next_validators_hash.0,
            &self.consensus_hash.0,
            &self.app_hash,
            &self.last_results_hash.0,
            &self.evidence_hash.0,
            &self.proposer_address,
        ]
    }

    fn version(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, 1, self.version_block);
        put_number(&mut out, 2, self.version_app);
        out
    }

    fn time(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_number(&mut out, 1, self.seconds);
        put_number(&mut out, 2, self.nanos.into());
        out
    }

    /// Parent block id; for a missing parent the parts are still named, without count or hash.
    fn parent(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let mut parts = Vec::new();
        if let Some(id) = &self.last_block_id {
            put_bytes(&mut out, 1, &id.hash.0);
            put_number(&mut parts, 1, id.part_count.into());
            put_bytes(&mut parts, 2, &id.parts_hash.0);
        }
        put_message(&mut out, 2, &parts);
        out
    }
}

fn version(bytes: &[u8]) -> Result<(u64, u64), LedgerError> {
    let mut fields = ProtobufFields::new(bytes);
    let versions = (fields.number(1, "version.block")?, fields.number(2, "version.app")?);
    fields.end("version")?;
    Ok(versions)
}

fn time(bytes: &[u8]) -> Result<(u64, u32), LedgerError> {
    let mut fields = ProtobufFields::new(bytes);
    let seconds = fields.number(1, "time")?;
    let nanos = fields.number(2, "time")?;
    fields.end("time")?;
    Ok((seconds, u32::try_from(nanos).map_err(|_| LedgerError::Field { field: "time" })?))
}

/// A complete block id, or none.
fn block_id(bytes: &[u8]) -> Result<Option<CosmosBlockId>, LedgerError> {
    let wrong = LedgerError::Field { field: "last_block_id" };
    let mut fields = ProtobufFields::new(bytes);
    let hash = fields.bytes(1, "last_block_id")?;
    let parts = fields.message(2, "last_block_id")?;
    fields.end("last_block_id")?;
    if hash.is_empty() && parts.is_empty() {
        return Ok(None);
    }
    let mut fields = ProtobufFields::new(parts);
    let part_count = fields.number(1, "last_block_id")?;
    let parts_hash = fields.hash(2, "last_block_id")?;
    fields.end("last_block_id")?;
    match (hash.try_into(), u32::try_from(part_count)) {
        (Ok(hash), Ok(part_count)) => {
            Ok(Some(CosmosBlockId { hash: Hash(hash), part_count, parts_hash }))
        }
        _ => Err(wrong),
    }
}

/// Whether a CAIP-2 name matches a chain id: the reference is the id or, for a longer id or characters not allowed in a
/// reference, the first 8 bytes of its SHA-256 (CAIP-5).
#[must_use]
pub fn names_chain(caip2: &str, chain_id: &str) -> bool {
    let Some((_, reference)) = caip2.split_once(':') else { return false };
    match reference.strip_prefix("hashed-") {
        Some(hashed) => {
            let hash = sha256_joined(&[chain_id.as_bytes()]);
            hash.to_string().strip_prefix("0x").and_then(|digits| digits.get(..16)) == Some(hashed)
        }
        None => reference == chain_id,
    }
}

impl HeaderForm for Box<Header> {
    fn decode(_: HashRule, bytes: &[u8]) -> Result<Self, LedgerError> {
        Header::decode(bytes).map(Self::new)
    }

    fn hash(_: HashRule, bytes: &[u8]) -> Result<Hash, LedgerError> {
        Header::decode(bytes).map(|header| header.hash())
    }

    fn parent_hash(&self) -> Option<Hash> {
        Some(self.last_block_id.map_or(Hash::ZERO, |id| id.hash))
    }

    fn timestamp(&self) -> Option<u64> {
        Some(self.seconds)
    }

    fn number(&self) -> Option<u64> {
        Some(self.height)
    }

    fn check_chain(&self, caip2: &str) -> Result<(), LedgerError> {
        if names_chain(caip2, &self.chain_id) {
            return Ok(());
        }
        let got = self.chain_id.clone();
        let expected = caip2.to_string();
        Err(LedgerError::Chain { got, expected })
    }

    fn transactions_root(&self) -> Option<Hash> {
        Some(self.data_hash)
    }

    fn receipts_root(&self) -> Option<Hash> {
        None
    }

    fn logs_bloom(&self) -> Option<&Bloom> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The last are test cases of CAIP-5.
    #[test]
    fn a_chain_id_is_found_in_its_name() {
        assert!(names_chain("cosmos:cosmoshub-4", "cosmoshub-4"));
        assert!(!names_chain("cosmos:cosmoshub-4", "cosmoshub-3"));
        assert!(names_chain("cosmos:hashed-c904589232422def", "hashed-"));
        assert!(names_chain("cosmos:hashed-99df5cd68192b33e", "hashed-123"));
        assert!(!names_chain("cosmos:hashed-99df5cd68192b33e", "hashed-124"));
        assert!(!names_chain("cosmos:hashed-123", "hashed-123"));
    }
}
