//! Reasons why no further progress of an order is visible.

use super::assembly::OrderAssembly;
use super::expiry::Expiry;
use crate::leg::LegKind;
use crate::order::Stuck;
use crate::state::OrderState;
use crate::table::{Cause, EventRule};

impl OrderAssembly<'_> {
    pub(super) fn stuck(
        &self,
        state: OrderState,
        is_over: bool,
        disagree: bool,
        expiry: &Expiry,
    ) -> Option<Stuck> {
        if is_over {
            return None;
        }
        if disagree {
            let detail = "the opening is not known, and fills say different things of it";
            return Some(stuck_by("fills_disagree", detail));
        }
        if matches!(state, OrderState::FillSeen | OrderState::StepSeen) {
            return self.explain_missing_opening();
        }
        if let Some(ambiguity) = self.explain_ambiguity(state) {
            return Some(ambiguity);
        }
        if state == OrderState::Expired {
            return Some(self.explain_expiry());
        }
        if state == OrderState::Failed {
            let detail = "the destination tried, failed, and does not try again";
            return Some(stuck_by("execution_failed", detail));
        }
        if state >= OrderState::Filled && !self.is_refunded_by_amount(state) {
            return None;
        }
        self.explain_obstacle().or_else(|| self.explain_destination(expiry))
    }

    /// Reason for an order without a known opening.
    fn explain_missing_opening(&self) -> Option<Stuck> {
        let seen = self.legs.iter().find(|one| one.mismatch.is_none())?;
        let event = self.rule(&seen.leg)?;
        let who = match event.rule.by {
            Cause::Anyone => ": anybody may cause that event",
            Cause::Protocol => "",
        };
        let name = &event.declaration.name;
        Some(stuck_by("opening_not_seen", format!("{name} was seen, and no opening{who}")))
    }

    /// Reason for an order that cannot be told from others.
    fn explain_ambiguity(&self, state: OrderState) -> Option<Stuck> {
        if self.fit.groups.len() > 1 && state < OrderState::Filled {
            let count = self.fit.groups.len();
            let filled = self.filled_groups();
            let detail = format!(
                "{count} deposits have this id, each with other terms: {filled} are filled"
            );
            return Some(stuck_by("id_of_several", detail));
        }
        if self.is_one_of_too_many() {
            let detail =
                "too many transfers say the same and have no id: whether it arrived cannot be told";
            return Some(stuck_by("identical_transfers", detail));
        }
        if state == OrderState::PartiallyFilled && self.identical > 1 {
            let detail = format!(
                "{}{} transfers say the same and have no id: which of them arrived cannot be told",
                if self.is_cut { "at least " } else { "" },
                self.identical
            );
            return Some(stuck_by("identical_transfers", detail));
        }
        if state == OrderState::Expired && self.is_shared {
            let detail = "refunds are paid in bundles, by address and amount: more than one order may be meant";
            return Some(stuck_by("refund_not_told_apart", detail));
        }
        None
    }

    fn explain_expiry(&self) -> Stuck {
        let detail = "its last moment has passed on the destination, and no refund was seen";
        self.explain_newest_note()
            .unwrap_or_else(|| stuck_by("past_deadline_without_refund", detail))
    }

    fn explain_newest_note(&self) -> Option<Stuck> {
        let noted = self.newest_note()?;
        Some(stuck_by(noted.rule.stuck.as_ref()?, noted_detail(noted)))
    }

    /// Reason for an open order that something other than missing blocks keeps from its end.
    fn explain_obstacle(&self) -> Option<Stuck> {
        let met = self.counted(LegKind::Noted).filter(|leg| self.is_met(leg));
        let met = met.filter_map(|leg| self.rule(leg)).find(|event| event.rule.stuck.is_some());
        if let Some((reason, event)) =
            met.and_then(|event| Some((event.rule.stuck.as_ref()?, event)))
        {
            return Some(stuck_by(reason, noted_detail(event)));
        }
        if let Some(retry) = &self.failed_retry {
            let detail = format!("the retry {retry} failed: somebody has to redeem the ticket");
            return Some(stuck_by("ticket_not_redeemed", detail));
        }
        if self.counted(LegKind::Failed).next().is_some() {
            let detail = "the destination tried and failed; it may be tried again";
            return Some(stuck_by("execution_failed", detail));
        }
        let why = self.protocol.not_provable.as_ref()?;
        Some(stuck_by("not_provable", why.as_str()))
    }

    /// Reason for an opened order whose destination is unknown or not completely collected.
    fn explain_destination(&self, expiry: &Expiry) -> Option<Stuck> {
        let opening = self.opening()?;
        if self.protocol.is_wrapper {
            let detail = "no event of a bridge that is known here stands beside it";
            return Some(stuck_by("bridge_not_known", detail));
        }
        let name = &self.protocol.name;
        let Some(destination) = opening.destination else {
            let detail = match opening.is_elsewhere {
                true => format!("{name} means a chain that is not known here"),
                false => format!("the opening of {name} names no destination"),
            };
            return Some(stuck_by("destination_not_known", detail));
        };
        let Some(clock) = expiry.clock else {
            let detail = format!("no contract of {name} is known on chain {destination}");
            return Some(stuck_by("destination_not_known", detail));
        };
        if !clock.is_followed {
            let detail = format!("events of {name} are not collected on chain {destination}");
            return Some(stuck_by("destination_not_collected", detail));
        }
        if expiry.is_missed {
            let detail = format!(
                "blocks of chain {destination} since it was opened are missing here: it may have been filled in one"
            );
            return Some(stuck_by("destination_not_whole", detail));
        }
        self.explain_newest_note()
    }
}

fn stuck_by(reason: &str, detail: impl Into<String>) -> Stuck {
    Stuck { reason: reason.to_owned(), detail: detail.into() }
}

fn noted_detail(noted: &EventRule) -> String {
    format!("{} was seen, and nothing after it", noted.declaration.name)
}
