//! Options of a proof's request.

use superroot_types::ChainKey;

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
pub(super) fn finality_asked(
    ask: &RequestInput,
    chain: ChainKey,
) -> Result<FinalityDemand, ApiError> {
    const EXPECTED: &str = "node_quorum, l1_anchored or consensus";
    let has_evidence = ask.is_set("evidence")?;
    let (must_be_final, must_be_shown) = match ask.query("finality")? {
        None => (false, false),
        Some("node_quorum") => (true, false),
        Some("consensus") => (true, true),
        Some("l1_anchored") => {
            let why = "evidence of it on another chain is not collected here (docs/finality.md)";
            return Err(ApiError::not_provable(chain, why));
        }
        Some(other) => return Err(ApiError::parameter("finality", other, EXPECTED)),
    };
    let set = ask.client_set()?;
    if ask.query("form")?.is_some() && (has_evidence || must_be_shown) {
        return Err(ApiError::invalid("form", "calldata", "a file for contracts has no evidence"));
    }
    let evidence = (has_evidence || must_be_shown).then_some(ClientSet(set));
    Ok(FinalityDemand { must_be_final, must_be_shown, evidence })
}
