//! Stored finality evidence, checked again.

use superroot_chain::finality::{builtin_set, finality_params};
use superroot_chain::{ChainRegistry, ChainSpec};
use superroot_proof::finality::{
    ConsensusEvidence, FinalityParams, FinalitySet, Verdict, check_evidence,
};
use superroot_store::layout::block_key;
use superroot_store::{ScanOrder, Store, Table, read, scan};
use superroot_types::{BlockNumber, Network, UnixSeconds};

use crate::AccumulateError;

/// Stored evidence: counts and faults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecheckedEvidence {
    /// Evidence shown by stored sets.
    pub shown: u64,
    /// Evidence without a stored set.
    pub without_set: u64,
    /// False evidence, by chain and block.
    pub faults: Vec<String>,
}

/// Checks all stored evidence by the stored sets, on a log's network.
///
/// # Errors
/// Store errors.
pub fn recheck_evidence(
    store: &dyn Store,
    registry: &ChainRegistry,
    network: Network,
    now: UnixSeconds,
) -> Result<RecheckedEvidence, AccumulateError> {
    let mut checked = RecheckedEvidence::default();
    for row in registry.rows() {
        let Some(params) = finality_params(row, network) else { continue };
        let (first, last) = (BlockNumber(0), BlockNumber(u64::MAX));
        let (start, end) = (block_key(row.key(), first), block_key(row.key(), last));
        let stored = scan::rows(store, Table::Signed, &start, Some(&end), ScanOrder::Rising);
        for stored in stored {
            let (_, bytes) = stored?;
            let evidence = ConsensusEvidence::decode(&bytes);
            let fault = match &evidence {
                Some(evidence) => {
                    check(store, (row, &params, network), evidence, now, &mut checked)?
                }
                None => Some("not evidence".to_owned()),
            };
            let number = evidence.map_or(first, |evidence| evidence.number);
            let named = |why| format!("evidence of {} about block {number}: {why}", row.name);
            checked.faults.extend(fault.map(named));
        }
    }
    Ok(checked)
}

/// Fault in evidence; `None` without a fault.
fn check(
    store: &dyn Store,
    (row, params, network): (&ChainSpec, &FinalityParams, Network),
    evidence: &ConsensusEvidence,
    now: UnixSeconds,
    checked: &mut RecheckedEvidence,
) -> Result<Option<String>, AccumulateError> {
    let block = read::load_block(store, row.key(), evidence.number)?;
    if block.is_some_and(|block| block.is_final() && block.hash != evidence.hash) {
        return Ok(Some("another block is final there".to_owned()));
    }
    let Some(signer) = evidence.signer(params) else {
        return Ok(Some("the signers cannot be read".to_owned()));
    };
    let built_in = builtin_set(row, network).filter(|set| set.number() == signer);
    let signing = params.signing_chain().unwrap_or(row.key());
    let step = signer.checked_sub(1).map(|before| read::load_set_step(store, signing, before));
    let named = step.transpose()?.flatten().and_then(|step| FinalitySet::named_by(params, &step));
    let Some(set) = built_in.or(named) else {
        checked.without_set = checked.without_set.saturating_add(1);
        return Ok(None);
    };
    // evidence stays true after a set's time
    let now = set.trusted_until(params).map_or(now, |until| now.min(until));
    match check_evidence(params, &set, evidence, now) {
        Verdict::Shown(_) => checked.shown = checked.shown.saturating_add(1),
        Verdict::NotEnough(why) => return Ok(Some(why.to_string())),
        Verdict::Refusal(why) => return Ok(Some(why.to_string())),
    }
    Ok(None)
}
