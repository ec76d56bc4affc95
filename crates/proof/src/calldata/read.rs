//! The form for contracts, read back.

use alloc::string::ToString;
use alloc::vec::Vec;

use superroot_types::{
    BlockNumber, ChainId, ChainKey, Hash, LeafCount, LeafIndex, RowIndex, Sequence, TWIG_HEIGHT,
    UnixSeconds,
};

use super::error::{CalldataError, bytes};
use super::{
    CALLDATA_BYTES_MAX, CalldataForm, OPEN, SUBJECT_BLOCK, SUBJECT_LOG, SUBJECT_TRANSACTION,
    bitcoin, paths, trie, write,
};
use crate::bundle::{
    BlockLevel, Bundle, EntryProof, OpenPlace, ProofSubject, RegistryOpening, SealedPlace,
    Statement, SuperRootProof, TrieProofs, TwigPosition, TwigProof,
};
use crate::codec::ByteReader;
use crate::hash::{keccak256, sha256d};
use crate::ledger::bitcoin::HEADER_BYTES;
use crate::ledger::evm;
use crate::mpt;
use crate::perfect::{root_of_path, zeros};
use crate::range::{KeccakRange, path_length, root_of_path as range_root_of_path};
use crate::registry::{self, HashRule, HashRuleFrom, Profile, REGISTRY_HEIGHT, ROWS_MAX};
use crate::superroot::{ChainReference, MiniMmr, SuperRoot, log_id, reference_slot};
use crate::twig::{block_leaf, twig_leaf};

impl Bundle {
    /// Proof of the log with this origin, from the form for contracts. Every hash that the form leaves out is computed:
    /// what the proof shows under which SuperRoot is for [`crate::bundle::verify`].
    ///
    /// # Errors
    /// [`CalldataError::Bytes`] naming the part.
    pub fn from_calldata(calldata: &[u8], origin: &str) -> Result<Self, CalldataError> {
        if calldata.len() > CALLDATA_BYTES_MAX {
            return Err(bytes("length"));
        }
        let log_id = log_id(origin).map_err(|_| bytes("origin"))?;
        let mut reader = ByteReader::new(calldata);
        let form = reader.u8().and_then(CalldataForm::from_byte).ok_or(bytes("form"))?;
        let flags = reader.u8().ok_or(bytes("subject"))?;
        let is_open = flags & OPEN != 0;
        let profile = read_profile(&mut reader, form)?;
        let chain = profile.chain;
        let NumberedBlock { number, subject, entry, header, block_hash } = match form {
            CalldataForm::Evm => NumberedBlock::of_evm(&mut reader, flags & !OPEN, &profile),
            CalldataForm::Bitcoin => NumberedBlock::of_bitcoin(&mut reader, flags & !OPEN),
        }?;
        let heights: Vec<usize> = (0..TWIG_HEIGHT).collect();
        let siblings = paths::read_masked(&mut reader, &heights, "twig")?;
        let siblings: [Hash; TWIG_HEIGHT] = siblings.try_into().map_err(|_| bytes("twig"))?;
        let leaf = block_leaf(chain, number, &block_hash);
        let root = root_of_path(&leaf, number.twig_slot().into(), &siblings);
        let top = SuperRootReader { log_id, profile: &profile };
        let place = match is_open {
            true => TwigPosition::Open(top.read_open(&mut reader, root)?),
            false => TwigPosition::Sealed(top.read_sealed(&mut reader, (number, root))?),
        };
        if !reader.is_empty() {
            return Err(bytes("bytes behind the proof"));
        }
        let twig = Some(TwigProof { siblings, root, place: Some(place) });
        Ok(Self {
            origin: origin.to_string(),
            statement: Statement { chain, number, subject },
            entry,
            block: Some(BlockLevel { header: header.to_vec(), block_hash, twig }),
        })
    }
}

/// Levels 1 and 2.
struct NumberedBlock<'a> {
    number: BlockNumber,
    subject: ProofSubject,
    entry: Option<EntryProof>,
    header: &'a [u8],
    block_hash: Hash,
}

impl<'a> NumberedBlock<'a> {
    fn of_evm(
        reader: &mut ByteReader<'a>,
        subject: u8,
        profile: &Profile,
    ) -> Result<Self, CalldataError> {
        let (subject, entry) = read_entry(reader, subject)?;
        let length = reader.u16().ok_or(bytes("header"))?;
        let header = reader.bytes(usize::from(length)).ok_or(bytes("header"))?;
        let number = number_in(profile, header)?;
        Ok(Self { number, subject, entry, header, block_hash: keccak256(header) })
    }

    fn of_bitcoin(reader: &mut ByteReader<'a>, subject: u8) -> Result<Self, CalldataError> {
        let number = BlockNumber(reader.u64().ok_or(bytes("number"))?);
        let subject = read_subject(reader, subject)?;
        let entry = match subject.tx_index() {
            None => None,
            Some(tx_index) => Some(EntryProof::Bitcoin(bitcoin::read(reader, tx_index)?)),
        };
        let header = reader.bytes(HEADER_BYTES).ok_or(bytes("header"))?;
        Ok(Self { number, subject, entry, header, block_hash: sha256d(&[header]) })
    }
}

fn read_profile(reader: &mut ByteReader<'_>, form: CalldataForm) -> Result<Profile, CalldataError> {
    let short = bytes("profile");
    let id = ChainId(reader.u64().ok_or(short.clone())?);
    let count = reader.u8().ok_or(short.clone())?;
    let mut rules = Vec::new();
    for _ in 0..count {
        let (from_number, code) = reader.u64().zip(reader.u16()).ok_or(short.clone())?;
        rules.push(HashRuleFrom { from_number, code });
    }
    let chain = ChainKey { family: form.family(), id };
    let caip2 = form.caip2(id).ok_or(short.clone())?;
    let profile = Profile { chain, caip2, rules };
    profile.encode().map_err(|_| short)?;
    Ok(profile)
}

fn read_subject(reader: &mut ByteReader<'_>, subject: u8) -> Result<ProofSubject, CalldataError> {
    if subject == SUBJECT_BLOCK {
        return Ok(ProofSubject::Block);
    }
    let tx_index = reader.u32().ok_or(bytes("tx_index"))?;
    match subject {
        SUBJECT_TRANSACTION => Ok(ProofSubject::Transaction { tx_index }),
        SUBJECT_LOG => {
            let log_index = reader.u32().ok_or(bytes("log_index"))?;
            Ok(ProofSubject::Log { tx_index, log_index })
        }
        _ => Err(bytes("subject")),
    }
}

fn read_entry(
    reader: &mut ByteReader<'_>,
    subject: u8,
) -> Result<(ProofSubject, Option<EntryProof>), CalldataError> {
    let subject = read_subject(reader, subject)?;
    let Some(tx_index) = subject.tx_index() else { return Ok((subject, None)) };
    let nodes = trie::read(reader, &mpt::index_key(u64::from(tx_index)))?;
    let tries = match subject {
        ProofSubject::Log { .. } => TrieProofs { transaction: None, receipt: Some(nodes) },
        _ => TrieProofs { transaction: Some(nodes), receipt: None },
    };
    Ok((subject, Some(EntryProof::Evm(tries))))
}

/// Block number in a header: of the rules in the profile, the one that reads the header governs its number.
fn number_in(profile: &Profile, header: &[u8]) -> Result<BlockNumber, CalldataError> {
    let codes = profile.rules.iter().map(|rule| rule.code);
    let read = codes.filter_map(|code| {
        let Some(HashRule::Evm(layout)) = HashRule::from_code(code) else { return None };
        let number = evm::Header::decode(layout, header).ok()?.number;
        (profile.code_at(number) == Some(code)).then_some(BlockNumber(number))
    });
    read.into_iter().next().ok_or(bytes("header"))
}

/// Value of a SuperRoot's slot: known by number, or by the registry row that follows.
enum SlotValue {
    Family(Hash),
    Row(Hash),
}

/// The parts of level 4 and 5, with what stands before them.
struct SuperRootReader<'a> {
    log_id: Hash,
    profile: &'a Profile,
}

impl SuperRootReader<'_> {
    fn read_sealed(
        &self,
        reader: &mut ByteReader<'_>,
        (number, twig_root): (BlockNumber, Hash),
    ) -> Result<SealedPlace, CalldataError> {
        let part = bytes("Mini-MMR");
        let chain = self.profile.chain;
        let (leaf_index, leaf_count) = reader.u64().zip(reader.u64()).ok_or(part.clone())?;
        let (leaf_index, leaf_count) = (LeafIndex(leaf_index), LeafCount(leaf_count));
        let length = path_length(leaf_index, leaf_count).ok_or(part.clone())?;
        let siblings = (0..length).map(|_| reader.hash()).collect::<Option<Vec<_>>>();
        let siblings = siblings.ok_or(part.clone())?;
        let leaf = twig_leaf(chain, number.twig_index(), &twig_root);
        let range_root =
            range_root_of_path::<KeccakRange>(&leaf, leaf_index, leaf_count, &siblings);
        let range_root = range_root.map_err(|_| part)?;
        let root = MiniMmr { leaf_count, range_root }.root(chain.family);
        let super_root = Some(self.read(reader, &SlotValue::Family(root))?);
        Ok(SealedPlace { leaf_index, leaf_count, siblings, root, super_root })
    }

    fn read_open(
        &self,
        reader: &mut ByteReader<'_>,
        open_twig_root: Hash,
    ) -> Result<OpenPlace, CalldataError> {
        let part = bytes("reference");
        let chain = self.profile.chain;
        let (start, number) = reader.u64().zip(reader.u64()).ok_or(part.clone())?;
        let block_hash = reader.hash().ok_or(part)?;
        let (start, number) = (BlockNumber(start), BlockNumber(number));
        let reference = ChainReference { chain, start, number, block_hash, open_twig_root };
        let super_root = self.read(reader, &SlotValue::Row(reference.hash()))?;
        Ok(OpenPlace { start, number, block_hash, super_root })
    }

    fn read(
        &self,
        reader: &mut ByteReader<'_>,
        value: &SlotValue,
    ) -> Result<SuperRootProof, CalldataError> {
        let (sequence, timestamp) =
            reader.u64().zip(reader.u64()).ok_or(bytes("sequence and time"))?;
        let (row, count) = reader.u8().zip(reader.u8()).ok_or(bytes("row"))?;
        if row >= count || usize::from(count) > ROWS_MAX {
            return Err(bytes("row"));
        }
        let profile = self.profile.encode().map_err(|_| bytes("profile"))?;
        let mut row_siblings = [Hash::ZERO; REGISTRY_HEIGHT];
        for ((height, sibling), zero) in (0..).zip(&mut row_siblings).zip(zeros(REGISTRY_HEIGHT)) {
            *sibling = match write::has_rows(row, count, height) {
                true => reader.hash().ok_or(bytes("registry"))?,
                false => *zero,
            };
        }
        let rows = root_of_path(&keccak256(&profile), u64::from(row), &row_siblings);
        let registry = registry::root_of(u16::from(count), &rows);
        let (slot, value) = match value {
            SlotValue::Family(value) => (u64::from(self.profile.chain.family.byte()), value),
            SlotValue::Row(value) => (reference_slot(RowIndex(row)), value),
        };
        let pair = paths::read_pair(reader, (slot, value), &registry)?;
        let super_root = SuperRoot {
            log_id: self.log_id,
            sequence: Sequence(sequence),
            timestamp: UnixSeconds(timestamp),
            tree_root: pair.tree_root,
        };
        Ok(SuperRootProof {
            siblings: pair.of_slot,
            preimage: super_root.encode(),
            registry: RegistryOpening {
                profile,
                row: RowIndex(row),
                count,
                row_siblings,
                siblings: pair.of_registry,
            },
            note: None,
        })
    }
}

/// Level 1 of a proof of an EVM chain in the form for contracts, for a block that a contract keeps: `01 ‖ subject ‖ position ‖ leaf ‖
/// trie`.
///
/// # Errors
/// [`CalldataError::Bytes`] naming the part; a block has no level 1.
pub fn entry_of(calldata: &[u8]) -> Result<Vec<u8>, CalldataError> {
    let mut reader = ByteReader::new(calldata);
    let form = reader.u8().and_then(CalldataForm::from_byte);
    let form = form.filter(|form| *form == CalldataForm::Evm).ok_or(bytes("form"))?;
    let subject = reader.u8().ok_or(bytes("subject"))? & !OPEN;
    read_profile(&mut reader, form)?;
    let before = reader.len();
    let start = calldata.len().saturating_sub(before);
    let (_, entry) = read_entry(&mut reader, subject)?;
    entry.ok_or(bytes("subject"))?;
    let end = calldata.len().saturating_sub(reader.len());
    let mut out = Vec::from([form.byte(), subject]);
    out.extend_from_slice(calldata.get(start..end).unwrap_or_default());
    Ok(out)
}
