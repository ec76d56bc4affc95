//! Contradicting statements by one set: at most one is true.
//!
//! ```text
//! set ──┬── evidence: block A at a place      or   step to set A
//!       └── evidence: block B at that place   or   step to set B
//! ```
//! Honest signers make only one of both. A set may be any: the reader compares the id with a pin.

use alloc::string::String;
use alloc::vec::Vec;

use superroot_types::{Hash, UnixSeconds};

use super::evidence::ConsensusEvidence;
use super::rules::SignedPlace;
use super::verdict::Stop;
use super::{
    FinalityKind, FinalityParams, FinalitySet, Refusal, STEPS_BYTES_MAX, Verdict, check_evidence,
};
use crate::codec::{ByteReader, put_long};

const BLOCKS: u8 = 1;
const SETS: u8 = 2;

/// Contradicting statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConflictStatements {
    /// Evidence about two blocks at one place.
    Blocks([ConsensusEvidence; 2]),
    /// Steps to two sets with one number.
    Sets([Vec<u8>; 2]),
}

/// Statements and the signing set: `what:u8 ‖ length:u32 ‖ set ‖ (length:u32 ‖ statement)*2`; `what` is 1 for
/// blocks, 2 for sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinalityConflict {
    /// The signing set's bytes.
    pub set: Vec<u8>,
    /// Statements.
    pub statements: ConflictStatements,
}

/// A contradiction, made only by [`check_conflict`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConflictShown {
    /// The signing set's id.
    pub set: Hash,
    /// The signing set's number.
    pub number: u64,
    /// Place of both blocks; `None` for sets.
    pub place: Option<SignedPlace>,
    /// Hashes of both blocks, or ids of both sets.
    pub hashes: [Hash; 2],
    /// Signers of each block, in words; none for sets.
    pub by: Vec<String>,
}

impl FinalityConflict {
    /// Bytes, for [`FinalityConflict::decode`].
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let (what, statements) = match &self.statements {
            ConflictStatements::Blocks(blocks) => {
                (BLOCKS, blocks.each_ref().map(ConsensusEvidence::encode))
            }
            ConflictStatements::Sets(steps) => (SETS, steps.clone()),
        };
        let mut out = Vec::from([what]);
        put_long(&mut out, &self.set);
        statements.iter().for_each(|statement| put_long(&mut out, statement));
        out
    }

    /// Reads the bytes; `None` if malformed. Nothing is checked yet.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = ByteReader::new(bytes);
        let what = reader.u8()?;
        let set = reader.long().filter(|set| set.len() <= STEPS_BYTES_MAX)?.to_vec();
        let pair = [reader.long()?, reader.long()?];
        let statements = match what {
            BLOCKS => {
                let [first, second] = pair.map(ConsensusEvidence::decode);
                ConflictStatements::Blocks([first?, second?])
            }
            SETS if pair.iter().all(|step| step.len() <= STEPS_BYTES_MAX) => {
                ConflictStatements::Sets(pair.map(<[u8]>::to_vec))
            }
            _ => return None,
        };
        reader.is_empty().then_some(Self { set, statements })
    }
}

/// Checks a contradiction: both statements by one set, and at most one true. Compare [`ConflictShown::set`] with a pin.
#[must_use]
pub fn check_conflict(
    params: &FinalityParams,
    conflict: &FinalityConflict,
    now: UnixSeconds,
) -> Verdict<ConflictShown> {
    shown(params, conflict, now).into()
}

fn shown(
    params: &FinalityParams,
    conflict: &FinalityConflict,
    now: UnixSeconds,
) -> Result<ConflictShown, Stop> {
    let set = FinalitySet::decode(params, &conflict.set)?;
    let (place, hashes, by) = match &conflict.statements {
        ConflictStatements::Blocks([first, second]) => {
            let place = first.place(params).filter(|_| first.kind == params.kind());
            if place.is_none() || place != second.place(params) {
                return Err(Refusal::Order { what: "the blocks are not at one place" }.into());
            }
            let by = [first, second].map(|one| signed(check_evidence(params, &set, one, now)));
            let [first_by, second_by] = by;
            let by = Vec::from([first_by?.by().into(), second_by?.by().into()]);
            (place, [first.hash, second.hash], by)
        }
        // ids of Tron's sets follow from signatures that no block binds, and a step of Bitcoin ends with a single block
        ConflictStatements::Sets(_)
            if matches!(params.kind(), FinalityKind::Producers | FinalityKind::Work) =>
        {
            return Err(Refusal::Order { what: "sets of this kind may differ" }.into());
        }
        ConflictStatements::Sets([first, second]) => {
            let first = signed(set.advance(params, first, now))?;
            let second = signed(set.advance(params, second, now))?;
            if first.number() != second.number() {
                return Err(Refusal::Order { what: "the sets have two numbers" }.into());
            }
            (None, [first.id(), second.id()], Vec::new())
        }
    };
    if hashes.first() == hashes.last() {
        return Err(Refusal::Order { what: "both statements say the same" }.into());
    }
    Ok(ConflictShown { set: set.id(), number: set.number(), place, hashes, by })
}

fn signed<T>(verdict: Verdict<T>) -> Result<T, Stop> {
    match verdict {
        Verdict::Shown(shown) => Ok(shown),
        Verdict::NotEnough(lacking) => Err(lacking.into()),
        Verdict::Refusal(why) => Err(why.into()),
    }
}
