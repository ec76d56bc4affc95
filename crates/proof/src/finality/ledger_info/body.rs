//! Signed ledger info: evidence and step.
//!
//! ```text
//! body    length:u32 ‖ signed ‖ (version:u64 ‖ node:32 ‖ sibling:32*)?
//! signed  00 ‖ ledger info ‖ count ‖ bits ‖ 01 ‖ 60 ‖ signature:96       in BCS, as nodes give a ledger info
//! ```

use alloc::vec::Vec;

use superroot_types::Hash;

use super::path::EarlierRoot;
use crate::codec::{ByteReader, put_long};
use crate::finality::Refusal;
use crate::finality::bls::SIGNATURE_BYTES;
use crate::ledger::aptos::{APTOS_VALIDATORS_MAX, AptosLedgerInfo, PLACEHOLDER};
use crate::ledger::bcs::BcsFields;

/// Most bytes of signers' bits: two bytes of length are never written.
const BITS_BYTES_MAX: usize = APTOS_VALIDATORS_MAX / 8;

/// Ledger info with the signers' signature, and for an earlier block the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedLedgerInfo {
    /// Signed ledger info.
    pub info: AptosLedgerInfo,
    /// Bits by validator, highest first.
    pub bits: Vec<u8>,
    /// Sum of the signatures.
    pub signature: [u8; SIGNATURE_BYTES],
    /// To the root after an earlier version.
    pub earlier: Option<EarlierRoot>,
}

impl SignedLedgerInfo {
    /// Reads `LedgerInfoWithSignatures` in BCS; `None` if malformed or unsigned.
    #[must_use]
    pub fn decode_bcs(bytes: &[u8]) -> Option<Self> {
        let (0, rest) = bytes.split_first()? else { return None };
        let (info, rest) = AptosLedgerInfo::decode_first(rest).ok()?;
        let mut fields = BcsFields::new(rest);
        let bits = fields.bytes("bits").ok().filter(|bits| bits.len() <= BITS_BYTES_MAX)?;
        let is_signed = fields.flag("signature").ok()?;
        let signature = fields.bytes("signature").ok().filter(|_| is_signed)?;
        let signature = signature.try_into().ok()?;
        fields.end("ledger info").ok()?;
        Some(Self { info, bits: bits.to_vec(), signature, earlier: None })
    }

    /// `LedgerInfoWithSignatures` in BCS, without the path.
    #[must_use]
    pub fn encode_bcs(&self) -> Vec<u8> {
        let length = |bytes: &[u8]| u8::try_from(bytes.len()).unwrap_or(u8::MAX);
        let mut out = Vec::from([0]);
        out.extend_from_slice(&self.info.encode());
        out.push(length(&self.bits));
        out.extend_from_slice(&self.bits);
        out.extend_from_slice(&[1, length(&self.signature)]);
        out.extend_from_slice(&self.signature);
        out
    }

    /// Body of evidence or of a step.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        put_long(&mut out, &self.encode_bcs());
        if let Some(earlier) = &self.earlier {
            earlier.encode(&mut out);
        }
        out
    }

    /// Reads a body; `None` if malformed.
    #[must_use]
    pub fn decode(body: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(body);
        let mut signed = Self::decode_bcs(reader.long()?)?;
        if !reader.is_empty() {
            signed.earlier = Some(EarlierRoot::decode(reader.rest())?);
        }
        Some(signed)
    }

    /// Hash of the block that the ledger info is about, by root and path; no signature is checked.
    ///
    /// # Errors
    /// [`Refusal::Order`] for a block before execution; [`Refusal::Encoding`] and [`Refusal::Branch`] for the path.
    pub fn block_root(&self) -> Result<Hash, Refusal> {
        let root = self.info.root;
        if root == PLACEHOLDER {
            return Err(Refusal::Order { what: "the ledger info is of a block before execution" });
        }
        let Some(earlier) = &self.earlier else { return Ok(root) };
        let roots = earlier.roots(self.info.version).ok_or(Refusal::Encoding { part: "path" })?;
        let is_under = roots.signed == root;
        is_under.then_some(roots.earlier).ok_or(Refusal::Branch { part: "earlier version" })
    }
}
