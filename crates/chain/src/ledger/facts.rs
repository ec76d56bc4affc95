use crate::event::EventForm;

/// What holds for every chain of a ledger.
#[derive(Clone, Copy, Debug)]
pub struct LedgerFacts {
    /// Events in the shared form; `None` if events are not indexed.
    pub events: Option<EventForm>,
    /// Unit of a fee rate, even if blocks show no fees.
    pub fee_unit: &'static str,
    /// Why a block shows no fee rate, in words; `None` if a block shows a fee rate.
    pub no_fee_rate: Option<&'static str>,
}
