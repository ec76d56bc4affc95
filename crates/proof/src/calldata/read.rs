//! The form for contracts, read back.

use alloc::string::ToString;
use alloc::vec::Vec;

use superroot_types::{
    BlockNumber, ChainId, ChainKey, Family, Hash, LeafCount, LeafIndex, RowIndex, Sequence,
    TWIG_HEIGHT, UnixSeconds,
};

use super::error::{CalldataError, bytes};
use super::{
    CALLDATA_BYTES_MAX, CALLDATA_FORM, OPEN, SUBJECT_BLOCK, SUBJECT_LOG, SUBJECT_TRANSACTION,
    paths, trie, write,
};
use crate::bundle::{
    BlockLevel, Bundle, EntryProof, OpenPlace, ProofSubject, RegistryOpening, SealedPlace,
    Statement, SuperRootProof, TrieProofs, TwigPosition, TwigProof,
};
use crate::codec::ByteReader;
use crate::hash::keccak256;
use crate::ledger::evm;
use crate::mpt;
use crate::perfect::{root_of_path, zeros};
use crate::range::{KeccakRange, path_length, root_of_path as range_root_of_path};
use crate::registry::{self, HashRule, HashRuleFrom, Profile, REGISTRY_HEIGHT, ROWS_MAX};
use crate::superroot::{ChainReference, MiniMmr, SuperRoot, log_id, reference_slot};
use crate::twig::{block_leaf, twig_leaf};

impl Bundle {
    /// Proof of a log with this origin, from the form for contracts. Every hash that the form leaves out is computed:
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
        let form = reader.u8().filter(|form| *form == CALLDATA_FORM);
        form.ok_or(bytes("form"))?;
        let flags = reader.u8().ok_or(bytes("subject"))?;
        let is_open = flags & OPEN != 0;
        let profile = read_profile(&mut reader)?;
        let (subject, entry) = read_entry(&mut reader, flags & !OPEN)?;
        let length = reader.u16().ok_or(bytes("header"))?;
        let header = reader.bytes(usize::from(length)).ok_or(bytes("header"))?;
        let number = number_in(&profile, header)?;
        let chain = profile.chain;
        let block_hash = keccak256(header);
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

fn read_profile(reader: &mut ByteReader<'_>) -> Result<Profile, CalldataError> {
    let short = bytes("profile");
    let id = reader.u64().ok_or(short.clone())?;
    let count = reader.u8().ok_or(short.clone())?;
    let mut rules = Vec::new();
    for _ in 0..count {
        let (from_number, code) = reader.u64().zip(reader.u16()).ok_or(short.clone())?;
        rules.push(HashRuleFrom { from_number, code });
    }
    let chain = ChainKey { family: Family::Evm, id: ChainId(id) };
    let profile = Profile { chain, caip2: write::caip2(id), rules };
    profile.encode().map_err(|_| short)?;
    Ok(profile)
}

fn read_entry(
    reader: &mut ByteReader<'_>,
    subject: u8,
) -> Result<(ProofSubject, Option<EntryProof>), CalldataError> {
    if subject == SUBJECT_BLOCK {
        return Ok((ProofSubject::Block, None));
    }
    let tx_index = reader.u32().ok_or(bytes("tx_index"))?;
    let key = mpt::index_key(u64::from(tx_index));
    let (subject, tries) = match subject {
        SUBJECT_TRANSACTION => {
            let transaction = Some(trie::read(reader, &key)?);
            (ProofSubject::Transaction { tx_index }, TrieProofs { transaction, receipt: None })
        }
        SUBJECT_LOG => {
            let log_index = reader.u32().ok_or(bytes("log_index"))?;
            let receipt = Some(trie::read(reader, &key)?);
            let tries = TrieProofs { transaction: None, receipt };
            (ProofSubject::Log { tx_index, log_index }, tries)
        }
        _ => return Err(bytes("subject")),
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
            SlotValue::Family(value) => (u64::from(Family::Evm.byte()), value),
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

/// Level 1 of a proof in the form for contracts, for a block that a contract keeps: `01 ‖ subject ‖ position ‖ leaf ‖
/// trie`.
///
/// # Errors
/// [`CalldataError::Bytes`] naming the part; a block has no level 1.
pub fn entry_of(calldata: &[u8]) -> Result<Vec<u8>, CalldataError> {
    let mut reader = ByteReader::new(calldata);
    let form = reader.u8().filter(|form| *form == CALLDATA_FORM);
    let form = form.ok_or(bytes("form"))?;
    let subject = reader.u8().ok_or(bytes("subject"))? & !OPEN;
    read_profile(&mut reader)?;
    let before = reader.len();
    let start = calldata.len().saturating_sub(before);
    let (_, entry) = read_entry(&mut reader, subject)?;
    entry.ok_or(bytes("subject"))?;
    let end = calldata.len().saturating_sub(reader.len());
    let mut out = Vec::from([form, subject]);
    out.extend_from_slice(calldata.get(start..end).unwrap_or_default());
    Ok(out)
}
