//! Signed headers in a row: evidence and step.
//!
//! ```text
//! run    length:u16 ‖ header ‖ signature:65 ‖ (place:u8 ‖ length:u16 ‖ rest of a header ‖ signature:65)*
//! ```
//! Headers behind the first are without the 32 bytes of the parent's id, which begin at `place`, the first such place.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use superroot_types::{Address, Hash};

use super::signature::{SIGNATURE_BYTES, address_of, is_canonical, signing_address};
use crate::codec::ByteReader;
use crate::finality::Refusal;
use crate::hash::sha256_joined;
use crate::ledger::tron::Header;

/// Most headers of evidence.
pub const EVIDENCE_BLOCKS_MAX: usize = 64;
/// Most headers of a step.
pub const STEP_BLOCKS_MAX: usize = 160;

const ID_BYTES: usize = 32;

/// Raw header with a signature in the accepted form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducedHeader {
    /// Message `BlockHeader.raw`.
    pub header: Vec<u8>,
    /// Signature: [`super::canonical_signature`].
    pub signature: [u8; SIGNATURE_BYTES],
}

/// Bytes of a run; `None` if a header does not follow the one before.
#[must_use]
pub fn write_run(headers: &[ProducedHeader]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut parent: Option<Hash> = None;
    for ProducedHeader { header, signature } in headers {
        let read = Header::decode(header).ok()?;
        match parent {
            None => put_short(&mut out, &[header])?,
            Some(parent) => {
                let place = place_of(header, &parent).filter(|_| read.parent_hash == parent)?;
                out.push(u8::try_from(place).ok()?);
                let (before, rest) = header.split_at_checked(place)?;
                put_short(&mut out, &[before, rest.get(ID_BYTES..)?])?;
            }
        }
        out.extend_from_slice(signature);
        parent = Some(Header::id(read.number, header));
    }
    Some(out)
}

/// Distinct producers named in headers, unchecked.
#[must_use]
pub fn distinct_producers(headers: &[ProducedHeader]) -> usize {
    let named =
        |one: &ProducedHeader| address_of(&Header::decode(&one.header).ok()?.witness_address);
    headers.iter().filter_map(named).collect::<BTreeSet<Address>>().len()
}

fn put_short(out: &mut Vec<u8>, parts: &[&[u8]]) -> Option<()> {
    let length = parts.iter().fold(0_usize, |sum, part| sum.saturating_add(part.len()));
    out.extend_from_slice(&u16::try_from(length).ok()?.to_be_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
    Some(())
}

/// First place of an id in a header.
fn place_of(header: &[u8], id: &Hash) -> Option<usize> {
    header.windows(ID_BYTES).position(|window| window == id.0)
}

/// Header of a run, with the signature not yet checked.
pub(super) struct RunBlock {
    pub(super) header: Header,
    pub(super) id: Hash,
    /// `None` without an address: no producer.
    pub(super) producer: Option<Address>,
    digest: Hash,
    signature: [u8; SIGNATURE_BYTES],
}

impl RunBlock {
    /// Header's time in whole seconds since 1970.
    pub(super) fn seconds(&self) -> u64 {
        self.header.timestamp_ms.checked_div(1_000).unwrap_or(0)
    }

    /// Address of the signing key.
    pub(super) fn signer(&self) -> Result<Address, Refusal> {
        signing_address(&self.digest, &self.signature).ok_or(Refusal::Signature)
    }
}

/// Reads up to `max` headers, each the child of the header before and later.
pub(super) fn read_run(bytes: &[u8], blocks_max: usize) -> Result<Vec<RunBlock>, Refusal> {
    let unread = Refusal::Encoding { part: "headers" };
    let mut reader = ByteReader::new(bytes);
    let mut blocks: Vec<RunBlock> = Vec::new();
    while !reader.is_empty() {
        if blocks.len() >= blocks_max {
            return Err(unread);
        }
        let parent = blocks.last();
        let raw = read_raw(&mut reader, parent.map(|parent| &parent.id)).ok_or(unread)?;
        let signature = reader.bytes(SIGNATURE_BYTES).and_then(|bytes| bytes.try_into().ok());
        let signature = signature.ok_or(unread)?;
        let header = Header::decode(&raw).map_err(|_| unread)?;
        check_child(&header, parent)?;
        if !is_canonical(&signature) {
            return Err(Refusal::Signature);
        }
        blocks.push(RunBlock {
            id: Header::id(header.number, &raw),
            producer: address_of(&header.witness_address),
            digest: sha256_joined(&[&raw]),
            header,
            signature,
        });
    }
    Ok(blocks)
}

fn read_raw(reader: &mut ByteReader<'_>, parent: Option<&Hash>) -> Option<Vec<u8>> {
    let Some(parent) = parent else {
        let length = reader.u16()?;
        return reader.bytes(length.into()).map(<[u8]>::to_vec);
    };
    let place = usize::from(reader.u8()?);
    let length = reader.u16()?;
    let (before, behind) = reader.bytes(length.into())?.split_at_checked(place)?;
    let raw = [before, &parent.0, behind].concat();
    (place_of(&raw, parent) == Some(place)).then_some(raw)
}

fn check_child(header: &Header, parent: Option<&RunBlock>) -> Result<(), Refusal> {
    let Some(parent) = parent else { return Ok(()) };
    let refused = |what| Err(Refusal::Header { number: header.number, what });
    if parent.header.number.checked_add(1) != Some(header.number) {
        return refused("the number does not follow");
    }
    if header.parent_hash != parent.id {
        return refused("the parent is another");
    }
    if header.timestamp_ms <= parent.header.timestamp_ms {
        return refused("the time does not rise");
    }
    Ok(())
}
