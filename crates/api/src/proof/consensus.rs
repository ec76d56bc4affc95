//! Finality of a proof's block: what a caller asks for, the evidence, and what this service checked of it.

use superroot_accumulate::prove::{FollowedFinality, ProveError};
use superroot_chain::EvidenceKind;
use superroot_chain::finality::{
    NOT_CHECKABLE, evidence_lag_seconds, evidence_role, finality_params, signing_row,
};
use superroot_proof::bundle::{Bundle, Facts, Statement};
use superroot_proof::finality::{FinalityKind, FinalityProof, FinalityQuestion};
use superroot_types::{BlockNumber, ChainKey};

use crate::ApiError;
use crate::error::codes::NOT_FINAL;
use crate::service::Api;

/// Longest wait for a contract on Ethereum, in seconds: 8 days.
const ANCHOR_WAIT_SECONDS_MAX: u64 = 8 * 86_400;

/// Finality that a caller asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FinalityDemand {
    /// Whether a block without evidence of finality is refused.
    pub(crate) must_be_final: bool,
    /// Least class for the service to show.
    pub(crate) shown: Option<EvidenceKind>,
    /// Evidence for a client to check, with steps from the client's set on.
    pub(crate) evidence: Option<ClientSet>,
}

/// Set of signers that a client has, by number; `None` for a client that asks for no steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ClientSet(pub(crate) Option<u64>);

impl FinalityDemand {
    /// Demand by the least class, in a named parameter, and the client's set.
    pub(crate) fn new(
        (name, least): (&'static str, Option<&str>),
        has_evidence: bool,
        set: Option<u64>,
    ) -> Result<Self, ApiError> {
        const EXPECTED: &str = "node_quorum, l1_anchored or consensus";
        let class = least.map(|class| {
            let read = EvidenceKind::from_name(class);
            read.ok_or_else(|| ApiError::parameter(name, class, EXPECTED))
        });
        let class = class.transpose()?;
        let shown = class.filter(|class| *class != EvidenceKind::NodeQuorum);
        let evidence = (has_evidence || shown.is_some()).then_some(ClientSet(set));
        Ok(Self { must_be_final: class.is_some(), shown, evidence })
    }

    /// Evidence and the service's own finding, as far as asked for.
    pub(super) fn answer(
        &self,
        api: &Api,
        bundle: &Bundle,
        facts: &Facts,
        is_retracted: bool,
    ) -> Result<(Option<FinalityProof>, Option<FollowedFinality>), ApiError> {
        if let Some(class) = self.shown {
            Self::refuse_below(api, bundle.statement.chain, class)?;
        }
        if self.must_be_final {
            Self::refuse_unless_final(api, bundle.statement, is_retracted)?;
        }
        let proof = self.evidence.map(|set| Self::evidence_of(api, bundle, set)).transpose()?;
        let checked = proof.as_ref().map(|proof| Self::checked(api, proof, facts)).transpose()?;
        let checked = checked.flatten();
        if self.shown.is_some() && checked.is_none() {
            return Err(Self::not_shown(api, bundle.statement.chain, proof.as_ref()));
        }
        Ok((proof, checked))
    }

    /// Refuses a class above the chain's kind.
    fn refuse_below(api: &Api, chain: ChainKey, class: EvidenceKind) -> Result<(), ApiError> {
        let row = api.registry.by_key(chain).map(|(_, row)| row);
        let params = row.and_then(|row| finality_params(row, api.prover.network()));
        let Some(params) = params else { return Ok(()) };
        match EvidenceKind::from(params.kind()) <= class {
            true => Ok(()),
            false => {
                let why = "its blocks are held by contracts on Ethereum: ask for l1_anchored";
                Err(ApiError::not_provable(chain, why))
            }
        }
    }

    /// Refusal of evidence without a followed set.
    fn not_shown(api: &Api, chain: ChainKey, proof: Option<&FinalityProof>) -> ApiError {
        let row = api.registry.by_key(chain).map(|(_, row)| row);
        let signer = row.zip(proof).and_then(|(row, proof)| {
            proof.evidence.signer(&finality_params(row, api.prover.network())?)
        });
        let pin = row.and_then(|row| api.prover.pin(signing_row(row).key()));
        if let (Some(signer), Some(pin)) = (signer, pin)
            && signer < pin.number
        {
            let why = format!(
                "set {signer} signed it, before the set {} that this service follows from; ?evidence=1 brings the evidence for you to check",
                pin.number
            );
            return ApiError::not_provable(chain, &why);
        }
        if let Some(why) = row.and_then(|row| api.prover.pin_fault(row).ok().flatten()) {
            let detail = format!("nothing follows from the pinned set of signers: {why}");
            return ApiError::new(NOT_FINAL, detail).about(chain);
        }
        if row.is_some_and(|row| api.prover.follows_sets(row)) {
            let detail = "the signers that this service follows do not show it: theirs is another time; \
                          ?evidence=1 brings the evidence for you to check";
            return ApiError::new(NOT_FINAL, detail).about(chain);
        }
        let why = "this service has no pinned set of its signers (of rollups, Ethereum's); ?evidence=1 brings the evidence for you to check";
        ApiError::not_provable(chain, why)
    }

    fn refuse_unless_final(api: &Api, of: Statement, is_retracted: bool) -> Result<(), ApiError> {
        let Statement { chain, number, .. } = of;
        let block = api.prover.block(chain, number).map_err(|error| api.refuse_unproven(error))?;
        let lacks = match (block.is_final(), is_retracted) {
            (true, false) => return Ok(()),
            (true, true) => "was taken back by its nodes",
            (false, _) => "is not final yet",
        };
        Err(ApiError::new(NOT_FINAL, format!("block {number} {lacks}")).about(chain))
    }

    /// Evidence of the chain's own consensus about the block, with the steps to the set that signed it.
    fn evidence_of(
        api: &Api,
        bundle: &Bundle,
        ClientSet(from): ClientSet,
    ) -> Result<FinalityProof, ApiError> {
        let Statement { chain, number, .. } = bundle.statement;
        let refuse = |error| api.refuse_unproven(error);
        let row = api.registry.by_key(chain).map(|(_, row)| row);
        let params = row.and_then(|row| finality_params(row, api.prover.network()));
        let (Some(row), Some(params)) = (row, params) else {
            return Err(ApiError::not_provable(chain, NOT_CHECKABLE));
        };
        let is_collected = || api.prover.sets(row).map(|sets| sets.is_some());
        if let Some(role) = evidence_role(&params)
            && !is_collected().map_err(refuse)?
        {
            let why = format!(
                "this service collects no evidence of its consensus: it has no endpoint with role {role}"
            );
            return Err(ApiError::not_provable(chain, &why));
        }
        let proof = api.prover.finality(row, number).map_err(refuse)?;
        let newest = || api.prover.newest_signed(row).map_err(refuse);
        if proof.is_none() && newest()?.is_some_and(|newest| newest.number > number) {
            let why =
                "evidence of its consensus was collected for later blocks, and none for this one";
            return Err(ApiError::not_provable(chain, why));
        }
        let is_anchored = params.kind() == FinalityKind::Anchor;
        if is_anchored && !api.prover.collects_evidence(chain) && newest()?.is_none() {
            let why = "this service asks no contract on Ethereum about its blocks: it has no endpoints with role proofs";
            return Err(ApiError::not_provable(chain, why));
        }
        let proof = proof.filter(|proof| proof.evidence.number >= number);
        // a reorganisation in between, or a link that does not hold
        let hash = bundle.block.as_ref().map(|block| block.block_hash);
        let leads_to_block = |proof: &FinalityProof| {
            let rule = row.rule_at(number)?;
            let target = (proof.evidence.number, proof.evidence.hash);
            Some(proof.link.follow(rule, params.history_blocks(), target).ok()?.1 == hash?)
        };
        let proof = proof.filter(|proof| hash.is_none() || leads_to_block(proof) == Some(true));
        let Some(mut proof) = proof else {
            let of = if is_anchored { "contracts on Ethereum" } else { "its own consensus" };
            let detail = format!("no evidence of {of} is held yet for block {number}");
            let error = ApiError::new(NOT_FINAL, detail).about(chain);
            let wait = match newest()?.filter(|_| is_anchored) {
                Some(newest) => anchor_wait(api, (chain, number), newest.number).map_err(refuse)?,
                None => evidence_lag_seconds(row, &params),
            };
            return Err(error.again_after(wait));
        };
        if let Some(first) = from {
            let last = proof.evidence.signer(&params).unwrap_or(first);
            // whoever is further on knows the signers by their id, and gets the step that names them
            let first = if first > last { last.saturating_sub(1) } else { first };
            proof.steps = api.prover.set_steps(row, first, last).map_err(refuse)?;
        }
        Ok(proof)
    }

    /// The block's finality, checked by followed sets.
    fn checked(
        api: &Api,
        proof: &FinalityProof,
        facts: &Facts,
    ) -> Result<Option<FollowedFinality>, ApiError> {
        let Statement { chain, number, .. } = facts.statement;
        let row = api.registry.by_key(chain).map(|(_, row)| row);
        let rule = row.and_then(|row| row.rule_at(number));
        let (Some(row), Some(rule), Some(hash)) = (row, rule, facts.block_hash) else {
            return Ok(None);
        };
        let asked = FinalityQuestion { rule, number, hash };
        let checked = api.prover.check_finality(row, proof, asked, api.clock.now());
        checked.map_err(|error| api.refuse_unproven(error))
    }
}

/// Seconds until a contract holds a block, if contracts stay as far behind as today.
fn anchor_wait(
    api: &Api,
    (chain, number): (ChainKey, BlockNumber),
    newest: BlockNumber,
) -> Result<u64, ProveError> {
    let made = api.prover.block(chain, number)?.timestamp;
    let anchored = api.prover.block(chain, newest)?.timestamp;
    Ok(made.0.saturating_sub(anchored.0).clamp(60, ANCHOR_WAIT_SECONDS_MAX))
}
