//! Options of a proof's request.

use super::consensus::FinalityDemand;
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
    let has_evidence = ask.is_set("evidence")?;
    let demand =
        FinalityDemand::new(("finality", ask.query("finality")?), has_evidence, ask.client_set()?)?;
    if ask.query("form")?.is_some() && demand.evidence.is_some() {
        return Err(ApiError::invalid("form", "calldata", "a file for contracts has no evidence"));
    }
    Ok(demand)
}
