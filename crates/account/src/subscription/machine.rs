//! The one function that moves a subscription.

use superroot_types::UnixSeconds;

use super::{
    Event, Evidence, Moved, Operator, PERIOD_SECONDS, Payment, Pending, Period,
    RECENT_PAYMENTS_MAX, Reason, Status, Subscriber, Subscription, Transition, grace_end,
    lapses_at,
};
use crate::label::check_text;
use crate::{AccountError, Plans, Tier};

/// Moves a subscription by one event, and says which steps it took: first those that time alone
/// took since it was last written, at the second they took effect, then those of the event. Credit
/// that reaches the price of what ended buys a period of it by [`Event::Time`] alone. A payment that
/// was counted before changes nothing. A clock that went back counts as standing still.
///
/// # Errors
/// [`AccountError::PaymentNotFinal`], [`AccountError::PaymentOfAnother`]; for acts by hand
/// [`AccountError::Subscription`] where the state does not allow them, [`AccountError::NotForSale`],
/// [`AccountError::Unaffordable`], [`AccountError::CreditShort`], [`AccountError::Text`],
/// [`AccountError::Range`] for a number of periods out of range; [`AccountError::Overflow`].
pub fn apply(
    subscription: &Subscription,
    event: &Event,
    now: UnixSeconds,
    plans: &Plans,
) -> Result<(Subscription, Vec<Transition>), AccountError> {
    let now = now.max(subscription.written_at);
    let mut act = Act { next: subscription.clone(), now, plans, transitions: Vec::new() };
    act.next.written_at = now;
    if matches!(event, Event::Time) {
        act.renew()?;
    }
    act.settle();
    let settled = act.next.clone();
    match event {
        Event::Time => {}
        Event::Payment(payment) => act.pay(payment)?,
        Event::ChangeTier(tier, operator) => act.change_tier(*tier, operator)?,
        Event::Grant(tier, periods, operator) => act.grant(*tier, *periods, operator)?,
        Event::Release(operator) => act.release(operator)?,
        Event::Refund(usdc_e6, operator) => act.refund(*usdc_e6, operator)?,
        Event::Revoke(operator) => act.revoke(operator)?,
        Event::Reinstate(operator) => act.reinstate(operator)?,
    }
    if !matches!(event, Event::Time)
        && let Some(last) = act.transitions.last_mut()
    {
        // an event takes one step of its own, the last
        let (before, after) = (&settled, &act.next);
        let moved = Moved {
            tier: event.tier(),
            paid_usdc_e6: after.paid_usdc_e6.saturating_sub(before.paid_usdc_e6),
            refunded_usdc_e6: after.refunded_usdc_e6.saturating_sub(before.refunded_usdc_e6),
            credit_before_usdc_e6: before.credit_usdc_e6,
            credit_after_usdc_e6: after.credit_usdc_e6,
        };
        last.moved = (last.evidence != Evidence::Time).then_some(moved);
    }
    let steps = u64::try_from(act.transitions.len()).unwrap_or(u64::MAX);
    act.next.transition_count = add(act.next.transition_count, steps, "the number of steps")?;
    Ok((act.next, act.transitions))
}

/// What credit buys a period of once nothing paid lies ahead, with its price: the tier that a payment
/// was short of, or else the one that ended. Nothing while something lies ahead, or the credit is
/// short; and what was meant for another tier buys no more of the one that ended once its grace is
/// over.
pub(crate) fn renewal(
    subscription: &Subscription,
    now: UnixSeconds,
    plans: &Plans,
) -> Option<(Tier, u64)> {
    let (terms, ended) = (&plans.subscription, subscription.periods.last());
    if subscription.revoked_at.is_some() || ended.is_some_and(|last| last.end > now) {
        return None;
    }
    let affordable = |tier| {
        let price = plans.price_usdc_e6(tier).filter(|price| *price > 0)?;
        (price <= subscription.credit_usdc_e6).then_some((tier, price))
    };
    let waits = |pending: &Pending| now < lapses_at(pending, terms);
    let wanted = subscription.pending.filter(waits).and_then(|pending| affordable(pending.tier));
    // what was given free of charge is not bought on
    let paid = ended.filter(|last| last.value_usdc_e6 > 0);
    let is_served = |last: &&Period| now < grace_end(last.end, terms);
    let goes_on = paid.filter(|last| subscription.pending.is_none() || is_served(last));
    wanted.or_else(|| goes_on.and_then(|last| affordable(last.tier)))
}

/// One application: what the subscription becomes, and the steps so far.
struct Act<'a> {
    next: Subscription,
    now: UnixSeconds,
    plans: &'a Plans,
    transitions: Vec<Transition>,
}

impl Act<'_> {
    fn step(&mut self, to: Status, at: UnixSeconds, reason: Reason, evidence: Evidence) {
        let from = self.next.status;
        debug_assert!(from.may_become(to), "{from} became {to}");
        self.transitions.push(Transition { from, to, at, reason, evidence, moved: None });
        self.next.status = to;
    }

    /// A step to where the subscription stands now.
    fn arrive(&mut self, reason: Reason, evidence: Evidence) {
        let to = self.next.status_at(self.now, &self.plans.subscription);
        self.step(to, self.now, reason, evidence);
    }

    /// Spends credit on one period once nothing paid lies ahead: from the end of what was paid on, so
    /// that nobody is without a tier for whom money is held, or from now on where that was long
    /// ago. The rest stays credit, which can be paid back or go into another tier.
    fn renew(&mut self) -> Result<(), AccountError> {
        let Some((tier, price)) = renewal(&self.next, self.now, self.plans) else { return Ok(()) };
        let terms = &self.plans.subscription;
        let end = self.next.periods.last().map(|last| last.end);
        let is_late = |end: &UnixSeconds| grace_end(*end, terms) <= self.now;
        let begin = end.filter(|end| !is_late(end));
        if begin.is_none() {
            self.settle();
            self.next.periods.clear();
        }
        let reason = if begin.is_some() { Reason::Renewed } else { Reason::Activated };
        let before = self.next.credit_usdc_e6;
        self.next.credit_usdc_e6 -= price; // `renewal` saw that it reaches
        self.insert(tier, 1, price, begin.unwrap_or(self.now))?;
        self.next.pending = self.next.pending.filter(|pending| pending.tier > tier);
        let to = self.next.status_at(self.now, &self.plans.subscription);
        self.step(to, begin.unwrap_or(self.now), reason, Evidence::Time);
        if let Some(step) = self.transitions.last_mut() {
            step.moved = Some(Moved {
                tier: Some(tier),
                paid_usdc_e6: 0,
                refunded_usdc_e6: 0,
                credit_before_usdc_e6: before,
                credit_after_usdc_e6: self.next.credit_usdc_e6,
            });
        }
        Ok(())
    }

    /// Writes down what time did since the last write.
    fn settle(&mut self) {
        if self.next.revoked_at.is_some() {
            return; // time stands still for it
        }
        let terms = &self.plans.subscription;
        let end = self.next.periods.last().map(|last| last.end);
        if self.next.status == Status::Active
            && let Some(end) = end.filter(|end| *end <= self.now)
        {
            self.step(Status::Grace, end, Reason::PeriodEnded, Evidence::Time);
        }
        if self.next.status == Status::Grace
            && let Some(over) = end.map(|end| grace_end(end, terms)).filter(|at| *at <= self.now)
        {
            let waits = |pending: &Pending| over < lapses_at(pending, terms);
            let is_pending = self.next.pending.as_ref().is_some_and(waits);
            let to = if is_pending { Status::Pending } else { Status::Expired };
            self.step(to, over, Reason::GraceEnded, Evidence::Time);
        }
        if let Some(pending) = self.next.pending
            && lapses_at(&pending, terms) <= self.now
            && self.next.status == Status::Pending
        {
            // what the money is meant for stays known
            let to = self.next.status_at(self.now, terms);
            self.step(to, lapses_at(&pending, terms), Reason::PendingLapsed, Evidence::Time);
        }
        if self.next.status != self.next.status_at(self.now, terms) {
            self.arrive(Reason::TermsChanged, Evidence::Time);
        }
    }

    fn pay(&mut self, payment: &Payment) -> Result<(), AccountError> {
        if !payment.is_final {
            return Err(AccountError::PaymentNotFinal);
        }
        if let Subscriber::Wallet(wallet) = self.next.subscriber
            && wallet != payment.wallet
        {
            return Err(AccountError::PaymentOfAnother);
        }
        if self.next.recent_payments.contains(&payment.id) {
            return Ok(());
        }
        let next = &mut self.next;
        next.paid_usdc_e6 = add(next.paid_usdc_e6, payment.usdc_e6, "what was ever paid")?;
        next.credit_usdc_e6 = add(next.credit_usdc_e6, payment.usdc_e6, "a credit")?;
        if next.recent_payments.len() >= RECENT_PAYMENTS_MAX {
            next.recent_payments.remove(0);
        }
        next.recent_payments.push(payment.id);
        let evidence = Evidence::Payment(payment.id);
        let lag_max = self.plans.subscription.payment_lag_seconds_max;
        let begin = payment.paid_at.0.max(self.now.0.saturating_sub(lag_max)).min(self.now.0);
        match self.plans.price_usdc_e6(payment.tier) {
            Some(price) if self.next.revoked_at.is_none() => {
                self.buy(payment.tier, price, UnixSeconds(begin), evidence)
            }
            price => {
                if price.is_some() && self.next.periods.is_empty() {
                    // what it is for, once it is reinstated
                    self.next.pending = Some(Pending { tier: payment.tier, since: self.now });
                }
                self.arrive(Reason::CreditKept, evidence);
                Ok(())
            }
        }
    }

    /// Buys as many periods as credit (and, for a higher tier, the unused part of what was paid)
    /// reaches; none of them is pending.
    fn buy(
        &mut self,
        tier: Tier,
        price: u64,
        begin: UnixSeconds,
        evidence: Evidence,
    ) -> Result<(), AccountError> {
        let before = self.next.standing_at(begin, &self.plans.subscription);
        let is_upgrade = before.status.is_served() && before.tier < tier;
        let unused = if is_upgrade { self.next.unused_usdc_e6(begin)? } else { 0 };
        let funds = add(self.next.credit_usdc_e6, unused, "a credit")?;
        if funds < price {
            let terms = &self.plans.subscription;
            let waiting = self.next.pending.filter(|held| self.now < lapses_at(held, terms));
            let since = waiting.map_or(self.now, |pending| pending.since);
            self.next.pending = Some(Pending { tier, since });
            self.arrive(Reason::ShortPayment, evidence);
            return Ok(());
        }
        let reason = match before.status {
            _ if is_upgrade => Reason::Upgraded,
            Status::Active if tier < before.tier => Reason::Scheduled,
            Status::Active | Status::Grace => Reason::Renewed,
            Status::None | Status::Pending | Status::Expired | Status::Revoked => Reason::Activated,
        };
        if is_upgrade {
            self.next.credit_usdc_e6 = funds;
        }
        if is_upgrade || !before.status.is_served() {
            self.next.periods.clear();
        }
        let bought = self.insert_bought(tier, price, begin)?;
        self.next.pending = None;
        self.arrive(if bought == 0 { Reason::CreditKept } else { reason }, evidence);
        Ok(())
    }

    /// Turns credit into periods, up to the most that may lie ahead. Returns how many.
    fn insert_bought(
        &mut self,
        tier: Tier,
        price: u64,
        begin: UnixSeconds,
    ) -> Result<u64, AccountError> {
        let ahead = self.next.expires_at().filter(|_| !self.next.periods.is_empty());
        let ahead_seconds = ahead.map_or(0, |end| end.0.saturating_sub(begin.0));
        let room = u64::from(self.plans.subscription.periods_ahead_max)
            .saturating_sub(ahead_seconds.div_ceil(PERIOD_SECONDS));
        let count = (self.next.credit_usdc_e6 / price.max(1)).min(room);
        // no more than the credit, by the division above
        self.next.credit_usdc_e6 -= price * count;
        self.insert(tier, count, price, begin)?;
        Ok(count)
    }

    /// Puts periods behind those of the same tier or a higher one, or at `begin` where there are
    /// none; lower tiers wait for as long.
    fn insert(
        &mut self,
        tier: Tier,
        count: u64,
        value_usdc_e6: u64,
        begin: UnixSeconds,
    ) -> Result<(), AccountError> {
        let lag_max = self.plans.subscription.payment_lag_seconds_max;
        let long_over = self.now.0.saturating_sub(lag_max);
        let last_end = self.next.expires_at();
        self.next.periods.retain(|period| period.end.0 > long_over || Some(period.end) == last_end);
        let periods = &mut self.next.periods;
        let place = periods.iter().rposition(|period| period.tier >= tier).map_or(0, |at| at + 1);
        let begin = self.next.released_at.map_or(begin, |released| begin.max(released));
        let mut start = place.checked_sub(1).map_or(begin, |before| periods[before].end);
        let waits = count.checked_mul(PERIOD_SECONDS).ok_or(OVERFLOW_TIME)?;
        for later in &mut periods[place..] {
            *later = shifted(later, waits)?;
        }
        for offset in 0..usize::try_from(count).map_err(|_| OVERFLOW_TIME)? {
            let end = later(start, PERIOD_SECONDS)?;
            periods.insert(place + offset, Period { tier, start, end, value_usdc_e6 });
            start = end;
        }
        self.next.released_at = None;
        Ok(())
    }

    fn change_tier(&mut self, tier: Tier, operator: &Operator) -> Result<(), AccountError> {
        check_operator(operator)?;
        let before = self.next.standing_at(self.now, &self.plans.subscription);
        if before.status == Status::Revoked {
            return Err(self.refuse("moved to another tier"));
        }
        let price = self.plans.price_usdc_e6(tier).ok_or(AccountError::NotForSale { tier })?;
        let is_move = before.status == Status::Active && tier != before.tier;
        let unused = if is_move { self.next.unused_usdc_e6(self.now)? } else { 0 };
        let funds = add(self.next.credit_usdc_e6, unused, "a credit")?;
        if funds < price {
            return Err(AccountError::Unaffordable { tier, missing_usdc_e6: price - funds });
        }
        if !is_move {
            return self.buy(tier, price, self.now, Evidence::Operator(operator.clone()));
        }
        self.next.credit_usdc_e6 = funds;
        self.next.periods.clear();
        self.insert_bought(tier, price, self.now)?;
        self.next.pending = None;
        let reason = if tier > before.tier { Reason::Upgraded } else { Reason::Downgraded };
        self.arrive(reason, Evidence::Operator(operator.clone()));
        Ok(())
    }

    fn grant(&mut self, tier: Tier, count: u16, operator: &Operator) -> Result<(), AccountError> {
        check_operator(operator)?;
        let most = self.plans.subscription.periods_ahead_max;
        if count == 0 || count > most {
            let (got, most) = (count.into(), most.into());
            return Err(AccountError::Range { what: "periods", got, least: 1, most });
        }
        if tier == Tier::Explorer {
            return Err(AccountError::NotForSale { tier });
        }
        if self.next.revoked_at.is_some() {
            return Err(self.refuse("granted more time"));
        }
        // what is over goes; of what runs, only the rest is left to wait
        let now = self.now;
        self.next.periods.retain(|period| period.end > now);
        for running in self.next.periods.iter_mut().filter(|period| period.start < now) {
            running.value_usdc_e6 = running.unused_usdc_e6(now);
            running.start = now;
        }
        self.insert(tier, count.into(), 0, now)?;
        self.arrive(Reason::Granted, Evidence::Operator(operator.clone()));
        Ok(())
    }

    fn release(&mut self, operator: &Operator) -> Result<(), AccountError> {
        check_operator(operator)?;
        let at = self.next.revoked_at.unwrap_or(self.now);
        if self.next.periods.is_empty() || self.next.status == Status::Expired {
            return Err(self.refuse("released"));
        }
        let unused = self.next.unused_usdc_e6(at)?;
        self.next.credit_usdc_e6 = add(self.next.credit_usdc_e6, unused, "a credit")?;
        self.next.released_at = self.next.expires_at().map(|end| end.min(at));
        self.next.periods.clear();
        self.arrive(Reason::Released, Evidence::Operator(operator.clone()));
        Ok(())
    }

    fn refund(&mut self, asked: u64, operator: &Operator) -> Result<(), AccountError> {
        check_operator(operator)?;
        let credit = self.next.credit_usdc_e6;
        let Some(left) = credit.checked_sub(asked) else {
            return Err(AccountError::CreditShort { asked_usdc_e6: asked, credit_usdc_e6: credit });
        };
        self.next.credit_usdc_e6 = left;
        self.next.refunded_usdc_e6 = add(self.next.refunded_usdc_e6, asked, "refunds")?;
        if left == 0 {
            self.next.pending = None;
        }
        self.arrive(Reason::Refunded, Evidence::Operator(operator.clone()));
        Ok(())
    }

    fn revoke(&mut self, operator: &Operator) -> Result<(), AccountError> {
        check_operator(operator)?;
        if self.next.revoked_at.is_some() {
            return Err(self.refuse("revoked"));
        }
        self.next.revoked_at = Some(self.now);
        self.arrive(Reason::Revoked, Evidence::Operator(operator.clone()));
        Ok(())
    }

    fn reinstate(&mut self, operator: &Operator) -> Result<(), AccountError> {
        check_operator(operator)?;
        let Some(revoked_at) = self.next.revoked_at.take() else {
            return Err(self.refuse("reinstated"));
        };
        let away = self.now.0.saturating_sub(revoked_at.0);
        if self.next.status_at(revoked_at, &self.plans.subscription).is_served() {
            for period in &mut self.next.periods {
                *period = shifted(period, away)?;
            }
        }
        if let Some(pending) = &mut self.next.pending {
            pending.since = later(pending.since, away)?;
        }
        self.arrive(Reason::Reinstated, Evidence::Operator(operator.clone()));
        Ok(())
    }

    const fn refuse(&self, act: &'static str) -> AccountError {
        AccountError::Subscription { status: self.next.status, act }
    }
}

const OVERFLOW_TIME: AccountError = AccountError::Overflow { what: "the time of a period" };

fn add(sum: u64, amount: u64, what: &'static str) -> Result<u64, AccountError> {
    sum.checked_add(amount).ok_or(AccountError::Overflow { what })
}

fn later(time: UnixSeconds, seconds: u64) -> Result<UnixSeconds, AccountError> {
    time.0.checked_add(seconds).map(UnixSeconds).ok_or(OVERFLOW_TIME)
}

fn shifted(period: &Period, seconds: u64) -> Result<Period, AccountError> {
    let (start, end) = (later(period.start, seconds)?, later(period.end, seconds)?);
    Ok(Period { start, end, ..*period })
}

/// Refuses an operator without a name or a reason.
pub(crate) fn check_operator(operator: &Operator) -> Result<(), AccountError> {
    check_text("who", &operator.who, 64)?;
    check_text("why", &operator.why, 512)
}

#[cfg(test)]
mod tests;
