//! Finality of agreed lines of blocks, by followed sets, before the blocks are final here.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use superroot_chain::ChainSpec;
use superroot_chain::finality::{LineBlock, LineEvidence, finality_params};
use superroot_proof::finality::vote::{VoteParams, read_vote, write_vote};
use superroot_proof::finality::{ConsensusEvidence, FinalityKind, FinalityParams, check_evidence};
use superroot_store::read;
use superroot_types::{BlockNumber, ChainKey, UnixSeconds};

use crate::prove::error::ProveError;
use crate::prove::prover::Prover;

/// Most signatures checked for a line, from the top.
const TRIES_MAX: usize = 16;
/// Blocks above a line that may carry votes.
const CARRIER_BLOCKS: u64 = 8;

impl Prover {
    /// Last block of a line with finality shown by followed sets. Nothing is demanded while the pinned set is not stored:
    /// it shows nothing about earlier blocks.
    ///
    /// # Errors
    /// Store errors.
    pub fn shown_within(
        &self,
        row: &ChainSpec,
        line: &[LineBlock],
        now: UnixSeconds,
    ) -> Result<LineEvidence, ProveError> {
        let chain = row.key();
        let params = finality_params(row, self.network());
        let (Some(params), Some(pin)) = (params, self.pin(chain)) else {
            return Ok(LineEvidence::NotDemanded);
        };
        if self.set(row, pin.number)?.is_none() {
            return Ok(LineEvidence::NotDemanded);
        }
        let newest_first = match &params {
            FinalityParams::Vote(params) => self.votes_within(chain, params, line)?,
            _ => self.signed_within(chain, line)?,
        };
        let (mut sets, mut tries) = (BTreeMap::new(), 0_usize);
        for evidence in &newest_first {
            let Some(signer) = evidence.signer(&params) else { continue };
            let set = match sets.entry(signer) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => free.insert(self.followed_set(row, &params, signer, now)?),
            };
            // a set may begin within the line
            let Some((set, _)) = set else { continue };
            let until = set.trusted_until(&params).map_or(now, |until| now.min(until));
            if check_evidence(&params, set, evidence, until).shown().is_some() {
                return Ok(LineEvidence::Shown(evidence.number));
            }
            tries = tries.saturating_add(1);
            if tries == TRIES_MAX {
                break;
            }
        }
        Ok(LineEvidence::Missing)
    }

    /// Evidence about the line's blocks, as sent with blocks, newest first.
    fn signed_within(
        &self,
        chain: ChainKey,
        line: &[LineBlock],
    ) -> Result<Vec<ConsensusEvidence>, ProveError> {
        let sent = |block: &LineBlock| {
            let about = |other: &&LineBlock| {
                let evidence = other.evidence.as_ref();
                evidence.is_some_and(|one| (one.number, one.hash) == (block.number, block.hash))
            };
            line.iter().find(about).and_then(|other| other.evidence.clone())
        };
        let mut found = Vec::new();
        for block in line.iter().rev() {
            let evidence = match sent(block) {
                Some(evidence) => Some(evidence),
                None => read::load_signed_from(&*self.store, chain, block.number, block.number)?,
            };
            found.extend(evidence.filter(|evidence| evidence.hash == block.hash));
        }
        Ok(found)
    }

    /// Votes for the line's blocks, in the line's own headers or in stored ones above, newest first.
    fn votes_within(
        &self,
        chain: ChainKey,
        params: &VoteParams,
        line: &[LineBlock],
    ) -> Result<Vec<ConsensusEvidence>, ProveError> {
        let (Some(first), Some(last)) = (line.first(), line.last()) else { return Ok(Vec::new()) };
        let above = last.number.0.saturating_add(1);
        let end = BlockNumber(above.saturating_add(CARRIER_BLOCKS));
        let limit = usize::try_from(CARRIER_BLOCKS).unwrap_or(usize::MAX);
        let stored = read::load_blocks(&*self.store, chain, BlockNumber(above)..end, limit)?;
        let in_a_row = stored.into_iter().zip(above..).take_while(|((at, _), to)| at.0 == *to);
        let headers = line.iter().map(|block| (block.hash, block.header.clone()));
        let headers = headers.chain(in_a_row.map(|((_, block), _)| (block.hash, block.header)));
        let headers: Vec<_> = headers.collect();
        let mut found = Vec::new();
        for (_, carrier) in headers.iter().rev() {
            let Some(vote) = read_vote(params, carrier) else { continue };
            let (source, target) = (vote.source.0, vote.target.0);
            let place =
                source.0.checked_sub(first.number.0).and_then(|at| usize::try_from(at).ok());
            let Some(place) = place.filter(|place| *place < line.len()) else { continue };
            let (Some(of_source), Some(of_target)) = (headers.get(place), headers.get(place + 1))
            else {
                continue;
            };
            let is_child = source.0.checked_add(1) == Some(target.0);
            if !is_child || [of_source.0, of_target.0] != [vote.source.1, vote.target.1] {
                continue;
            }
            let Some(epoch) = self.signers(chain, params, target)? else { continue };
            found.push(ConsensusEvidence {
                kind: FinalityKind::Vote,
                number: source,
                hash: vote.source.1,
                body: write_vote(epoch, &vote, &of_target.1),
            });
        }
        Ok(found)
    }
}
