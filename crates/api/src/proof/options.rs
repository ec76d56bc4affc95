//! Options of a proof's request.

use super::consensus::FinalityDemand;
use super::verified::ContractFile;
use crate::ApiError;
use crate::input::RequestInput;

/// File for contracts, if asked for.
pub(super) fn contract_file(ask: &RequestInput) -> Result<Option<ContractFile>, ApiError> {
    match ask.query("form")? {
        None => Ok(None),
        Some("calldata" | "entry") if ask.is_set("note")? => {
            Err(ApiError::invalid("note", "1", "no note with form: a file for contracts has none"))
        }
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
        let name = if has_evidence { "evidence" } else { "set" };
        let expected = "no evidence with form: a file for contracts has none";
        return Err(ApiError::invalid(name, "set", expected));
    }
    Ok(demand)
}
