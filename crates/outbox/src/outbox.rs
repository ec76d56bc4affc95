//! One account's transactions on one chain.

use std::sync::Arc;

use superroot_store::layout::StoredRow;
use superroot_store::{Store, Table, WriteBatch};
use superroot_types::{Address, ChainKey, UnixSeconds};

use crate::error::OutboxError;
use crate::fees::{FeeLimits, Fees};
use crate::row::{DayCost, Pending, day_key, pending_key};
use crate::task::Task;
use crate::transaction::{PayerKey, SignedTransaction};

const DAY_SECONDS: u64 = 86_400;

/// State of contract and account after one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AccountState {
    /// Least sequence that the contract takes: all below are done.
    pub next_sequence: u64,
    /// Nonce of the account's next transaction.
    pub transaction_count: u64,
}

/// What a step of the outbox came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Nothing is under way, and there is nothing to send.
    Idle,
    /// To be sent to the nodes now. Stored already; sending it twice changes nothing.
    Send {
        sequence: u64,
        transaction: SignedTransaction,
        /// Why the fee is no higher, although the transaction waits for long.
        held: Option<String>,
    },
    /// Nothing is sent, for this reason.
    Held { sequence: u64, why: String },
    /// The contract is past the task.
    Done { sequence: u64 },
    /// The nonce is used, and the task is not done: the call failed, or somebody else used the key.
    Lost { sequence: u64 },
}

/// Outbox of one account on one EVM chain.
pub struct Outbox {
    store: Arc<dyn Store>,
    chain: ChainKey,
    key: PayerKey,
    limits: FeeLimits,
}

impl Outbox {
    #[must_use]
    pub fn new(store: Arc<dyn Store>, chain: ChainKey, key: PayerKey, limits: FeeLimits) -> Self {
        Self { store, chain, key, limits }
    }

    #[must_use]
    pub const fn payer(&self) -> Address {
        self.key.address()
    }

    /// Whether a transaction is under way.
    ///
    /// # Errors
    /// [`OutboxError::Store`].
    pub fn is_busy(&self) -> Result<bool, OutboxError> {
        Ok(self.pending()?.is_some())
    }

    /// One step. `task` is asked for only where nothing is under way; `fees` are those of now, or why they are unknown.
    ///
    /// # Errors
    /// [`OutboxError`]: nothing is to be sent then.
    pub fn step(
        &self,
        now: UnixSeconds,
        state: &AccountState,
        fees: &Result<Fees, String>,
        task: impl FnOnce() -> Option<Task>,
    ) -> Result<Step, OutboxError> {
        let Some(pending) = self.pending()? else {
            let task = task().filter(|task| task.sequence >= state.next_sequence);
            return task.map_or(Ok(Step::Idle), |task| self.plan(now, state, fees, task));
        };
        let sequence = pending.task.sequence;
        if sequence < state.next_sequence {
            self.commit(None, None)?;
            return Ok(Step::Done { sequence });
        }
        let is_used = state.transaction_count > pending.nonce;
        let is_due = now.0.saturating_sub(pending.raised_at.0) >= self.limits.raise_after_seconds;
        // a reorganisation took away the account's transaction before this one
        let is_early = state.transaction_count < pending.nonce && is_due;
        if is_used || is_early {
            self.commit(None, None)?;
            return Ok(Step::Lost { sequence });
        }
        if is_due { self.raise(now, pending, fees) } else { self.send(&pending, None) }
    }

    /// Stores a new transaction.
    fn plan(
        &self,
        now: UnixSeconds,
        state: &AccountState,
        fees: &Result<Fees, String>,
        task: Task,
    ) -> Result<Step, OutboxError> {
        let sequence = task.sequence;
        let held = |why: String| Ok(Step::Held { sequence, why });
        let fees = match fees {
            Ok(fees) => fees.capped(&self.limits).ok_or_else(|| self.over_cap(*fees)),
            Err(why) => Err(why.clone()),
        };
        let fees = match fees {
            Ok(fees) => fees,
            Err(why) => return held(why),
        };
        let day = match self.day_with(now, fees.cost(task.gas_limit))? {
            Ok(day) => day,
            Err(why) => return held(why),
        };
        let nonce = state.transaction_count;
        let pending = Pending { nonce, task, fees, raised_at: now, attempts: 1 };
        self.commit(Some(&pending), Some(day))?;
        self.send(&pending, None)
    }

    /// Stores the transaction with a higher fee, if the limits allow.
    fn raise(
        &self,
        now: UnixSeconds,
        pending: Pending,
        fees: &Result<Fees, String>,
    ) -> Result<Step, OutboxError> {
        let current = fees.as_ref().copied().unwrap_or(pending.fees);
        let fees = pending.fees.raised(current);
        if fees.max_fee > self.limits.fee_per_gas_max {
            return self.send(&pending, Some(self.over_cap(fees)));
        }
        let gas_limit = pending.task.gas_limit;
        let more = fees.cost(gas_limit).saturating_sub(pending.fees.cost(gas_limit));
        let day = match self.day_with(now, more)? {
            Ok(day) => day,
            Err(why) => return self.send(&pending, Some(why)),
        };
        let attempts = pending.attempts.saturating_add(1);
        let pending = Pending { fees, raised_at: now, attempts, ..pending };
        self.commit(Some(&pending), Some(day))?;
        self.send(&pending, None)
    }

    fn send(&self, pending: &Pending, held: Option<String>) -> Result<Step, OutboxError> {
        let transaction = self.key.sign(self.chain.id.0, pending)?;
        Ok(Step::Send { sequence: pending.task.sequence, transaction, held })
    }

    fn over_cap(&self, fees: Fees) -> String {
        let cap = self.limits.fee_per_gas_max;
        format!("the fee is {} wei per gas, above the limit of {cap}", fees.max_fee)
    }

    /// Day's fees with this cost; or why the day has no room for it.
    fn day_with(
        &self,
        now: UnixSeconds,
        cost: u128,
    ) -> Result<Result<DayCost, String>, OutboxError> {
        let key = day_key(self.chain, self.payer());
        let day = now.0 / DAY_SECONDS;
        let row = self.store.get(Table::Outbox, &key)?;
        let known = row.map(|row| DayCost::decode(&key, &row)).transpose()?;
        // a clock that went back finds the later day's fees and adds to them
        let before = known.filter(|known| known.day >= day).unwrap_or(DayCost { day, wei: 0 });
        let wei = before.wei.saturating_add(cost);
        let cap = self.limits.wei_per_day_max;
        Ok(if wei > cap {
            Err(format!(
                "the day's transactions would cost up to {wei} wei, above the limit of {cap}"
            ))
        } else {
            Ok(DayCost { wei, ..before })
        })
    }

    fn pending(&self) -> Result<Option<Pending>, OutboxError> {
        let key = pending_key(self.chain, self.payer());
        let row = self.store.get(Table::Outbox, &key)?;
        Ok(row.map(|row| Pending::decode(&key, &row)).transpose()?)
    }

    fn commit(&self, pending: Option<&Pending>, day: Option<DayCost>) -> Result<(), OutboxError> {
        let mut batch = WriteBatch::new();
        let key = pending_key(self.chain, self.payer());
        match pending {
            Some(pending) => batch.put(Table::Outbox, key, pending.encode()),
            None => batch.delete(Table::Outbox, key),
        };
        if let Some(day) = day {
            batch.put(Table::Outbox, day_key(self.chain, self.payer()), day.encode());
        }
        Ok(self.store.commit(batch)?)
    }
}
