//! Credit that buys on what has ended.

use superroot_types::{ErrorKind, UnixSeconds};

use super::AccountService;
use crate::subscription::renewal;
use crate::{AccountError, Event, Subscriber, Tier};

/// Subscriptions that one call of [`AccountService::renew`] looks at.
const SUBSCRIPTIONS_AT_ONCE: usize = 1_000;

impl AccountService {
    /// Spends the credit of subscriptions after a subscriber (or from the first) that have come to
    /// their end, a period each: see [`apply`](crate::apply). Passed over are those that would give
    /// nobody anything: of a closed account, of a wallet that nobody has proven, and where a grant
    /// or another subscription gives as much meanwhile. Answers how many were renewed, and the last
    /// that was looked at, where there may be more.
    ///
    /// # Errors
    /// [`AccountError::Contended`], [`AccountError::Store`]; what was renewed stays so.
    pub fn renew(
        &self,
        after: Option<&Subscriber>,
    ) -> Result<(u64, Option<Subscriber>), AccountError> {
        let found = self.accounts.subscriptions().list(after, SUBSCRIPTIONS_AT_ONCE)?;
        let now = self.accounts.now();
        let mut renewed = 0;
        for held in &found {
            let Some((tier, _)) = renewal(held, now, self.plans()) else { continue };
            match self.renew_one(&held.subscriber, tier, now) {
                Ok(is_renewed) => renewed += u64::from(is_renewed),
                Err(error) if error.kind() == ErrorKind::Unavailable => return Err(error),
                // one that cannot be renewed keeps nobody else waiting
                Err(error) => {
                    let whose = held.subscriber;
                    tracing::error!("{whose:?} is not renewed out of credit, look at it: {error}");
                }
            }
        }
        let is_last = found.len() < SUBSCRIPTIONS_AT_ONCE;
        Ok((renewed, found.last().map(|last| last.subscriber).filter(|_| !is_last)))
    }

    fn renew_one(
        &self,
        subscriber: &Subscriber,
        tier: Tier,
        now: UnixSeconds,
    ) -> Result<bool, AccountError> {
        let account = match subscriber {
            Subscriber::Account(account) => Some(*account),
            Subscriber::Wallet(wallet) => self.accounts.proven_by(*wallet)?,
        };
        let Some(account) = account else { return Ok(false) };
        let standings = self.accounts.load_standings(account)?;
        if !standings.is_lifted_by(subscriber, tier, self.plans(), now) {
            return Ok(false);
        }
        self.accounts.apply_to_subscription(subscriber, &Event::Time, None)?;
        Ok(true)
    }
}
