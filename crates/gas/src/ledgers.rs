//! Fees of ledgers outside the EVM family, each in the ledger's own unit, as far as blocks show fees.

use superroot_chain::ChainSpec;
use superroot_chain::fee::{FeeBlock, FeeRates};
use superroot_chain::ledger::facts;
use superroot_proof::ledger::Body;
use superroot_types::{BlockNumber, Family};

use crate::{Figure, NoFigure};

/// A family's fee unit, even if blocks show no fees.
#[must_use]
pub const fn unit_of(family: Family) -> &'static str {
    facts(family).fee_unit
}

pub(crate) fn rates(
    row: &ChainSpec,
    number: BlockNumber,
    header: &[u8],
    body: Option<&Body>,
) -> Figure<FeeRates> {
    let block = FeeBlock { rule: row.rule_at(number), number, header, body };
    let read = facts(row.family()).fee_rates.map_err(NoFigure::of)?;
    read(&block).map_err(NoFigure::of)
}
