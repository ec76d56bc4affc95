//! Binary reader: bounded, accepts only the canonical encoding.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{
    BlockNumber, ChainId, ChainKey, Family, Hash, LeafCount, LeafIndex, RowIndex, TWIG_HEIGHT,
};

use super::encode::{
    FORMAT_VERSION, FORMAT_WITH_FINALITY, MAGIC, MORE_FINALITY, PART_HEADER, PART_NOTE, PART_OPEN,
    PART_RECEIPT, PART_SEALED, PART_SUPER_ROOT, PART_TRANSACTION, PART_TWIG, statement_check,
};
use super::{
    BlockLevel, Bundle, EntryProof, NotePath, OpenPlace, ProofSubject, RegistryOpening,
    SealedPlace, Statement, SuperRootProof, TwigPosition, TwigProof,
};
use crate::codec::ByteReader;
use crate::ledger::{EntryParts, MalformedEntry};
use crate::note::NOTE_BYTES_MAX;
use crate::perfect::zeros;
use crate::range::path_length;
use crate::superroot::{PREIMAGE_BYTES, SUPER_ROOT_HEIGHT};

/// Largest binary form in bytes: a leaf is a whole transaction, up to megabytes on some chains.
pub const BUNDLE_BYTES_MAX: usize = 16 << 20;

/// Why bytes are not a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// Not a proof file.
    #[error("not a proof file: it does not begin with SRPROOF")]
    Magic,
    /// Another format version.
    #[error(
        "proof file of format {got}, this build reads formats {FORMAT_VERSION} and {FORMAT_WITH_FINALITY}"
    )]
    Version {
        /// Version found.
        got: u8,
    },
    /// Too large to read.
    #[error("a proof of {got} bytes; at most {BUNDLE_BYTES_MAX} are read")]
    TooLarge {
        /// Bytes found.
        got: usize,
    },
    /// A part is truncated or out of bounds.
    #[error("{part} is cut short or malformed")]
    Part {
        /// Part name.
        part: &'static str,
    },
    /// Statement checksum mismatch: the file is damaged.
    #[error("the statement is damaged: its check does not fit")]
    StatementCheck,
    /// Flagged parts do not form a proof.
    #[error("the parts {flags:#010b} do not make a proof")]
    Parts {
        /// Flags found.
        flags: u8,
    },
    /// Bytes follow the last part.
    #[error("{count} bytes follow the proof")]
    Trailing {
        /// Bytes left over.
        count: usize,
    },
    /// Not the canonical encoding.
    #[error("the proof is not in its canonical form")]
    NotCanonical,
}

impl Bundle {
    /// Reads the binary form; refuses bytes that do not re-encode identically.
    ///
    /// # Errors
    /// [`DecodeError`] naming the part. Nothing is verified yet.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        if bytes.len() > BUNDLE_BYTES_MAX {
            return Err(DecodeError::TooLarge { got: bytes.len() });
        }
        match Self::decode_with(bytes)? {
            (_, Some(_)) => Err(DecodeError::Version { got: FORMAT_WITH_FINALITY }),
            (bundle, None) if bundle.encode() == bytes => Ok(bundle),
            _ => Err(DecodeError::NotCanonical),
        }
    }

    /// Reads a file of either format: the bundle, and the bytes of finality behind it. Whether the encoding is the one that
    /// there is, is left to the caller.
    pub(crate) fn decode_with(bytes: &[u8]) -> Result<(Self, Option<&[u8]>), DecodeError> {
        let mut reader = ByteReader::new(bytes);
        if reader.bytes(MAGIC.len()) != Some(&MAGIC) {
            return Err(DecodeError::Magic);
        }
        let has_finality = match reader.u8().ok_or(DecodeError::Magic)? {
            FORMAT_VERSION => false,
            FORMAT_WITH_FINALITY => true,
            got => return Err(DecodeError::Version { got }),
        };
        let origin = origin(&mut reader).ok_or(DecodeError::Part { part: "origin" })?;
        let statement = statement(&mut reader).ok_or(DecodeError::Part { part: "statement" })?;
        let before = bytes.get(..bytes.len().saturating_sub(reader.len())).unwrap_or_default();
        if reader.bytes(4) != Some(&statement_check(before)) {
            return Err(DecodeError::StatementCheck);
        }
        let flags = reader.u8().ok_or(DecodeError::Part { part: "part flags" })?;
        let parts = PartFlags::new(flags)?;
        if has_finality && reader.u8() != Some(MORE_FINALITY) {
            return Err(DecodeError::Part { part: "more flags" });
        }
        let bundle = Self {
            origin,
            statement,
            entry: parts.entry(&statement, &mut reader)?,
            block: parts.block(&mut reader)?,
        };
        match reader.len() {
            0 if !has_finality => Ok((bundle, None)),
            _ if has_finality => Ok((bundle, Some(reader.rest()))),
            count => Err(DecodeError::Trailing { count }),
        }
    }
}

fn origin(reader: &mut ByteReader<'_>) -> Option<String> {
    let length = usize::from(reader.u8()?);
    core::str::from_utf8(reader.bytes(length)?).ok().map(String::from)
}

fn statement(reader: &mut ByteReader<'_>) -> Option<Statement> {
    let family = Family::try_from(reader.u8()?).ok()?;
    let chain = ChainKey { family, id: ChainId(reader.u64()?) };
    let number = BlockNumber(reader.u64()?);
    let subject = match reader.u8()? {
        0 => ProofSubject::Block,
        1 => ProofSubject::Transaction { tx_index: reader.u32()? },
        2 => ProofSubject::Log { tx_index: reader.u32()?, log_index: reader.u32()? },
        3 => ProofSubject::Absence { tx_index: reader.u32()? },
        _ => return None,
    };
    Some(Statement { chain, number, subject })
}

/// Part flags; each part needs the part below.
struct PartFlags(u8);

impl PartFlags {
    fn new(flags: u8) -> Result<Self, DecodeError> {
        let parts = Self(flags);
        let needs = |part, below| !parts.has(part) || parts.has(below);
        let placed = parts.has(PART_SEALED) || parts.has(PART_OPEN);
        let sound = needs(PART_TWIG, PART_HEADER)
            && (!placed || parts.has(PART_TWIG))
            && !(parts.has(PART_SEALED) && parts.has(PART_OPEN))
            && (!parts.has(PART_SUPER_ROOT) || placed)
            && needs(PART_OPEN, PART_SUPER_ROOT)
            && needs(PART_NOTE, PART_SUPER_ROOT);
        if sound { Ok(parts) } else { Err(DecodeError::Parts { flags }) }
    }

    const fn has(&self, part: u8) -> bool {
        self.0 & part == part
    }

    fn entry(
        &self,
        statement: &Statement,
        reader: &mut ByteReader<'_>,
    ) -> Result<Option<EntryProof>, DecodeError> {
        let parts =
            EntryParts { transaction: self.has(PART_TRANSACTION), receipt: self.has(PART_RECEIPT) };
        let read = EntryProof::decode(statement.chain.family, statement.subject, parts, reader);
        read.map_err(|malformed| match malformed {
            MalformedEntry::Parts => DecodeError::Parts { flags: self.0 },
            MalformedEntry::Part(part) => DecodeError::Part { part },
        })
    }

    fn block(&self, reader: &mut ByteReader<'_>) -> Result<Option<BlockLevel>, DecodeError> {
        if !self.has(PART_HEADER) {
            return Ok(None);
        }
        let part = DecodeError::Part { part: "header" };
        let header = reader.long().ok_or(part.clone())?.to_vec();
        let block_hash = reader.hash().ok_or(part)?;
        let twig = if self.has(PART_TWIG) { Some(self.twig(reader)?) } else { None };
        Ok(Some(BlockLevel { header, block_hash, twig }))
    }

    fn twig(&self, reader: &mut ByteReader<'_>) -> Result<TwigProof, DecodeError> {
        let part = DecodeError::Part { part: "twig" };
        let siblings = perfect_path::<TWIG_HEIGHT>(reader).ok_or(part.clone())?;
        let root = reader.hash().ok_or(part)?;
        let place = if self.has(PART_SEALED) {
            Some(TwigPosition::Sealed(self.sealed(reader)?))
        } else if self.has(PART_OPEN) {
            let reference = open(reader).ok_or(DecodeError::Part { part: "block reference" })?;
            let (start, number, block_hash) = reference;
            let super_root = self.super_root(reader)?;
            Some(TwigPosition::Open(OpenPlace { start, number, block_hash, super_root }))
        } else {
            None
        };
        Ok(TwigProof { siblings, root, place })
    }

    fn sealed(&self, reader: &mut ByteReader<'_>) -> Result<SealedPlace, DecodeError> {
        let parse = |reader: &mut ByteReader<'_>| {
            let leaf_index = LeafIndex(reader.u64()?);
            let leaf_count = LeafCount(reader.u64()?);
            let length = path_length(leaf_index, leaf_count)?;
            let siblings: Option<Vec<Hash>> = (0..length).map(|_| reader.hash()).collect();
            Some((leaf_index, leaf_count, siblings?, reader.hash()?))
        };
        let part = DecodeError::Part { part: "Mini-MMR path" };
        let (leaf_index, leaf_count, siblings, root) = parse(reader).ok_or(part)?;
        let super_root =
            if self.has(PART_SUPER_ROOT) { Some(self.super_root(reader)?) } else { None };
        Ok(SealedPlace { leaf_index, leaf_count, siblings, root, super_root })
    }

    fn super_root(&self, reader: &mut ByteReader<'_>) -> Result<SuperRootProof, DecodeError> {
        let part = DecodeError::Part { part: "SuperRoot path" };
        let siblings = perfect_path::<SUPER_ROOT_HEIGHT>(reader).ok_or(part.clone())?;
        let preimage = reader.bytes(PREIMAGE_BYTES).ok_or(part)?.to_vec();
        let registry = opening(reader).ok_or(DecodeError::Part { part: "registry opening" })?;
        let note = self.has(PART_NOTE).then(|| note(reader));
        let note = note.map(|note| note.ok_or(DecodeError::Part { part: "note" })).transpose()?;
        Ok(SuperRootProof { siblings, preimage, registry, note })
    }
}

fn open(reader: &mut ByteReader<'_>) -> Option<(BlockNumber, BlockNumber, Hash)> {
    Some((BlockNumber(reader.u64()?), BlockNumber(reader.u64()?), reader.hash()?))
}

fn opening(reader: &mut ByteReader<'_>) -> Option<RegistryOpening> {
    let length = usize::from(reader.u16()?);
    let profile = reader.bytes(length)?.to_vec();
    let row = RowIndex(reader.u8()?);
    let count = reader.u8()?;
    let row_siblings = perfect_path(reader)?;
    let siblings = perfect_path(reader)?;
    Some(RegistryOpening { profile, row, count, row_siblings, siblings })
}

fn note(reader: &mut ByteReader<'_>) -> Option<NotePath> {
    let note = reader.long().filter(|note| note.len() <= NOTE_BYTES_MAX)?;
    let note = core::str::from_utf8(note).ok()?.into();
    let length = reader.u8()?;
    let siblings = (0..length).map(|_| reader.hash()).collect::<Option<_>>()?;
    Some(NotePath { note, siblings })
}

fn perfect_path<const HEIGHT: usize>(reader: &mut ByteReader<'_>) -> Option<[Hash; HEIGHT]> {
    let mask = reader.u16()?;
    let mut siblings = [Hash::ZERO; HEIGHT];
    for ((height, sibling), zero) in siblings.iter_mut().enumerate().zip(zeros(HEIGHT)) {
        let bit = u32::try_from(height).ok().and_then(|bit| mask.checked_shr(bit))?;
        *sibling = if bit & 1 == 1 { *zero } else { reader.hash()? };
    }
    Some(siblings)
}
