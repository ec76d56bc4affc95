//! Options of a proof's request.

use superroot_chain::EvidenceKind;

use super::consensus::{ClientSet, FinalityDemand};
use super::verified::ContractFile;
use crate::ApiError;
use crate::input::RequestInput;

/// File for contracts, if asked for.
pub(super) fn contract_file(ask: &RequestInput) -> Result<Option<ContractFile>, ApiError> {
    match ask.query("form")? {
        None => Ok(None),
        Some("calldata") => Ok(Some(ContractFile::Calldata)),
        Some("entry") => Ok(Some(ContractFile::Entry)),
        Some(other) => Err(ApiError::parameter("form", other, "calldata or entry")),
    }
}

/// Finality that the caller asks for.
pub(super) fn finality_asked(ask: &RequestInput) -> Result<FinalityDemand, ApiError> {
    const EXPECTED: &str = "node_quorum, l1_anchored or consensus";
    let has_evidence = ask.is_set("evidence")?;
    let demanded = ask.query("finality")?;
    let class = demanded.map(|class| {
        EvidenceKind::from_name(class)
            .ok_or_else(|| ApiError::parameter("finality", class, EXPECTED))
    });
    let class = class.transpose()?;
    let shown = class.filter(|class| *class != EvidenceKind::NodeQuorum);
    let set = ask.client_set()?;
    if ask.query("form")?.is_some() && (has_evidence || shown.is_some()) {
        return Err(ApiError::invalid("form", "calldata", "a file for contracts has no evidence"));
    }
    let evidence = (has_evidence || shown.is_some()).then_some(ClientSet(set));
    Ok(FinalityDemand { must_be_final: class.is_some(), shown, evidence })
}
