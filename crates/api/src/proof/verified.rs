//! Verified proof, written as JSON or as a file, with service claims next to it.

use std::sync::Arc;

use serde::Serialize;
use superroot_accumulate::Published;
use superroot_accumulate::prove::{FollowedFinality, VerifiedBase};
use superroot_chain::finality::finality_params;
use superroot_chain::{EvidenceKind, FinalityEvidence};
use superroot_proof::bundle::{Bundle, Facts, ProofSubject, Verified};
use superroot_proof::calldata::entry_of;
use superroot_proof::finality::{FinalityProof, ProofFile};
use superroot_proof::hash::keccak256;
use superroot_types::{BlockNumber, ChainKey, Hash};
use superroot_wire::chain::Retraction;
use superroot_wire::finality::Finality;
use superroot_wire::proof::body::GatewayAnswer;
use superroot_wire::{BesideEvent, Hex, Shape, render_answer};

use crate::ApiError;
use crate::answer::ApiAnswer;
use crate::response_cache::ResponseCache;
use crate::service::retraction::Contest;
use crate::service::{Api, evidence, retraction};

/// Verified proof, ready to be written.
pub(crate) struct Proof {
    pub(crate) bundle: Bundle,
    pub(crate) facts: Verified<Facts>,
    /// Verified block and entry, if the proof has a block.
    pub(super) held: Option<Arc<VerifiedBase>>,
    /// SuperRoot of the proof, or newest one when it was made.
    pub(crate) published: Arc<Published>,
    /// Whether that SuperRoot contains the block.
    pub(crate) is_anchored: bool,
    /// Reorganisation of the block or an ancestor.
    pub(super) contest: Option<Contest>,
    /// Finality for a client to check, if asked for.
    pub(super) finality: Option<FinalityProof>,
    /// The same, checked by the service.
    pub(super) checked: Option<FollowedFinality>,
    pub(super) is_fixed: bool,
}

/// File for contracts (`docs/calldata.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ContractFile {
    Calldata,
    /// Level 1 alone, for a block that the contract keeps.
    Entry,
}

/// Service claims next to a proof, without a hash behind them.
pub(crate) struct ServiceClaims {
    /// `anchored`, or `pending` above the SuperRoot.
    pub(crate) anchor_status: &'static str,
    /// Whether finality evidence exists for the block.
    is_final: bool,
    /// Whether nodes have since dropped the block.
    is_retracted: bool,
    evidence: Option<FinalityEvidence>,
    pub(crate) finality: Option<Finality>,
    pub(crate) retraction: Option<Retraction>,
}

/// Service claims as answer members, reduced to the shape.
#[derive(Serialize)]
struct Extras {
    anchor_status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    finality: Option<Finality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finality_proof: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    is_finalized: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    l6_finality_commitment: Option<Option<Hash>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    retraction: Option<Retraction>,
}

impl Proof {
    /// Answer in this shape, with service claims marked as unproven.
    pub(crate) fn into_answer(
        self,
        api: &Api,
        shape: Shape,
        cache: &ResponseCache,
    ) -> Result<ApiAnswer, ApiError> {
        let chain = self.facts.statement.chain;
        let text = self.text(api, shape, cache)?;
        Ok(ApiAnswer::of_text(text).about(chain).under(self.published, self.is_fixed))
    }

    pub(super) fn text(
        &self,
        api: &Api,
        shape: Shape,
        cache: &ResponseCache,
    ) -> Result<Vec<u8>, ApiError> {
        let proven = (&self.bundle, &*self.facts);
        let extras = self.extras(api, shape)?;
        let beside = || self.beside_event(api);
        let base = cache.base_text(proven, self.held.as_ref(), shape, beside)?;
        Ok(render_answer(proven.0, proven.1, shape, &base, (&extras, &extras.names())))
    }

    /// Whether the proof is unchanged until the next SuperRoot: anchored and not reorganised.
    pub(crate) const fn is_settled(&self) -> bool {
        self.is_anchored && self.contest.is_none()
    }

    pub(crate) fn block(&self) -> Option<(ChainKey, BlockNumber, Hash)> {
        let statement = self.facts.statement;
        Some((statement.chain, statement.number, self.facts.block_hash?))
    }

    /// `.srproof` file.
    pub(crate) fn file(&self) -> ProofFile {
        ProofFile { bundle: self.bundle.clone(), finality: self.finality.clone() }
    }

    /// Proof alone, as a `.srproof` file.
    pub(crate) fn into_file(self) -> ApiAnswer {
        let chain = self.facts.statement.chain;
        ApiAnswer::of_file(self.file().encode()).about(chain).under(self.published, self.is_fixed)
    }

    /// Proof alone, in the form for contracts; refused for a proof that has none, with `parameter`.
    pub(crate) fn calldata(&self, parameter: &'static str) -> Result<Vec<u8>, ApiError> {
        let calldata = self.bundle.to_calldata();
        calldata.map_err(|error| ApiError::invalid(parameter, "calldata", format!("none: {error}")))
    }

    /// File for contracts.
    pub(crate) fn into_contract_file(self, file: ContractFile) -> Result<ApiAnswer, ApiError> {
        let chain = self.facts.statement.chain;
        let calldata = self.calldata("form")?;
        let bytes = match file {
            ContractFile::Calldata => calldata,
            ContractFile::Entry => entry_of(&calldata).map_err(|_| {
                let why = "only a transaction or an event of an EVM chain has an entry";
                ApiError::invalid("form", "entry", why)
            })?,
        };
        Ok(ApiAnswer::of_file(bytes).about(chain).under(self.published, self.is_fixed))
    }

    /// Form for contracts as a gateway of EIP-3668 answers it.
    pub(crate) fn into_gateway_answer(self) -> Result<ApiAnswer, ApiError> {
        let chain = self.facts.statement.chain;
        let answer = GatewayAnswer { data: Hex(self.calldata("data")?) };
        Ok(ApiAnswer::of(&answer).about(chain).under(self.published, self.is_fixed))
    }

    /// Unproven members.
    fn extras(&self, api: &Api, shape: Shape) -> Result<Extras, ApiError> {
        let ServiceClaims { anchor_status, is_final, is_retracted, evidence, finality, retraction } =
            self.beside(api)?;
        // the strongest evidence that the answer brings
        let shown = self.finality.as_ref().filter(|_| self.checked.is_some() && !is_retracted);
        let commitment = || match shown {
            Some(proof) => Some(keccak256(&proof.evidence.encode())),
            None => evidence::commitment(evidence.as_ref(), is_retracted),
        };
        Ok(Extras {
            anchor_status,
            finality,
            finality_proof: self
                .finality
                .as_ref()
                .map(|proof| format!("0x{}", const_hex::encode(proof.encode()))),
            is_finalized: (shape == Shape::LambdaBlock).then_some(is_final && !is_retracted),
            l6_finality_commitment: (shape == Shape::Blob).then(commitment),
            retraction,
        })
    }

    /// Service claims. Live members are omitted under a named SuperRoot, which makes the answer immutable.
    pub(crate) fn beside(&self, api: &Api) -> Result<ServiceClaims, ApiError> {
        let statement = self.facts.statement;
        let refuse = |error| api.refuse_unproven(error);
        let row = api.prover.block(statement.chain, statement.number).map_err(refuse)?;
        let is_retracted = self.contest.as_ref().is_some_and(|contest| contest.stands);
        let why = api.prover.evidence(statement.chain, &row).map_err(refuse)?;
        let retraction = self.contest.as_ref();
        Ok(ServiceClaims {
            anchor_status: if self.is_anchored { "anchored" } else { "pending" },
            is_final: row.is_final(),
            is_retracted,
            finality: (!self.is_fixed).then(|| self.finality(api, why.as_ref(), is_retracted)),
            evidence: why,
            retraction: retraction.map(|one| retraction::body(statement.chain, &one.retraction)),
        })
    }

    fn finality(
        &self,
        api: &Api,
        evidence: Option<&FinalityEvidence>,
        is_retracted: bool,
    ) -> Finality {
        let row = api.registry.by_key(self.facts.statement.chain).map(|(_, row)| row);
        let params = row.and_then(|row| finality_params(row, api.prover.network()));
        let checkable = params.map(|params| EvidenceKind::from(params.kind()).name().to_owned());
        let said = evidence::describe(evidence, is_retracted);
        let said = Finality { checkable, ..said };
        match &self.checked {
            Some(checked) if !is_retracted && evidence.is_some() => {
                evidence::with_checked(said, checked)
            }
            _ => said,
        }
    }

    /// Unproven event data; empty in a proof without event. Includes the transaction hash if the receipt is proven
    /// without it.
    pub(crate) fn beside_event(&self, api: &Api) -> Result<BesideEvent, ApiError> {
        let Facts { statement, transaction, receipt, block_hash, .. } = &*self.facts;
        let ProofSubject::Log { tx_index, log_index } = statement.subject else {
            return Ok(BesideEvent::default());
        };
        let block = (statement.number, *block_hash);
        let found = api.prover.event_in_block(statement.chain, block, tx_index, log_index);
        let found = found.map_err(|error| api.refuse_unproven(error))?;
        let is_unproven = transaction.is_none() && receipt.is_some();
        Ok(BesideEvent {
            log_index_in_block: found.log_index,
            transaction_hash: found.transaction_hash.filter(|_| is_unproven),
        })
    }
}

impl Extras {
    fn names(&self) -> Vec<&'static str> {
        let names = [
            Some("anchorStatus"),
            self.finality.as_ref().map(|_| "finality"),
            self.is_finalized.map(|_| "isFinalized"),
            self.l6_finality_commitment.map(|_| "l6FinalityCommitment"),
            self.retraction.as_ref().map(|_| "retraction"),
        ];
        names.into_iter().flatten().collect()
    }
}
