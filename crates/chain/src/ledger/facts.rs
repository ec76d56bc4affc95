use crate::event::EventForm;
use crate::fee::FeeReader;

/// What holds for every chain of a ledger.
#[derive(Clone, Copy, Debug)]
pub struct LedgerFacts {
    /// Events in the shared form; `None` if events are not indexed.
    pub events: Option<EventForm>,
    /// A fee rate's unit, even if blocks show no fees.
    pub fee_unit: &'static str,
    /// A block's fee rates; the error is the reason why blocks show no fee rates, in words.
    pub fee_rates: Result<FeeReader, &'static str>,
}
