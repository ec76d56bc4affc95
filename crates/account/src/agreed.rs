//! Rights from agreements, by month.
//!
//! `billing` writes a row per first month, in the commit of the agreement; this crate reads the rows. The last begun
//! row is in force. An empty row ends the previous one.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_store::{ScanOrder, Store, StoreError, Table, WriteBatch};
use superroot_types::UnixSeconds;

use crate::place::{self, AccountKey};
use crate::row;
use crate::{AccountId, Environment, Grant, Grid, Month, Tier};

/// Most future agreements read: one for each month in which an agreement may begin.
pub const AHEAD_MAX: usize = 120;

/// Rights from a month on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreed {
    pub from: Month,
    /// Agreed rights; `None` without an agreement from then on.
    pub gives: Option<AgreedTerms>,
}

/// An agreement's rights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgreedTerms {
    pub tier: Tier,
    pub limit_per_minute: u32,
    /// Open grids, if different from the tier's.
    pub grids: Option<BTreeSet<Grid>>,
    /// Whether the account is an integrator and may open sub-accounts.
    pub is_integrator: bool,
}

/// Agreements of an account for a month and later.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgreedRows {
    running: Option<Agreed>,
    ahead: Vec<Agreed>,
}

impl Agreed {
    /// Puts an agreement row into `batch`. `billing` decides whether the month may have one.
    pub fn stage(&self, batch: &mut WriteBatch, environment: Environment, account: AccountId) {
        let place = AccountKey::Agreed(account, self.from);
        batch.put(place.table(), place.encode(environment), row::encode(self));
    }
}

impl AgreedRows {
    pub(crate) fn load(
        store: &dyn Store,
        environment: Environment,
        account: AccountId,
        month: Month,
    ) -> Result<Self, StoreError> {
        let table = Table::Subscription;
        let prefix = place::agreed(environment, account);
        let next = AccountKey::Agreed(account, month.next()).encode(environment);
        let end = place::after(&prefix);
        let running = store.scan(table, &prefix, Some(&next), 1, ScanOrder::Falling)?;
        let ahead = store.scan(table, &next, end.as_deref(), AHEAD_MAX, ScanOrder::Rising)?;
        let read = |(key, bytes): &(Vec<u8>, Vec<u8>)| row::decode::<Agreed>(table, key, bytes);
        let ahead = ahead.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { running: running.first().map(read).transpose()?, ahead })
    }

    /// Rights in force.
    pub(crate) fn gives(&self) -> Option<&AgreedTerms> {
        self.running.as_ref().and_then(|agreed| agreed.gives.as_ref())
    }

    /// Rights in force as a grant, until the first month without rights.
    pub(crate) fn grant(&self) -> Option<Grant> {
        let gives = self.gives()?;
        let end = self.ahead.iter().find(|agreed| agreed.gives.is_none());
        Some(Grant {
            tier: gives.tier,
            limit_per_minute: Some(gives.limit_per_minute),
            grids: gives.grids.clone(),
            until: end.map(|end| end.from.start()),
        })
    }

    /// Time at which the calendar alone changes the rights in force.
    pub(crate) fn turns_at(&self) -> Option<UnixSeconds> {
        self.ahead.first().map(|next| next.from.start())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use superroot_store::MemoryStore;

    #[test]
    fn the_last_that_has_begun_is_in_force_until_one_that_gives_nothing() {
        let (store, account) = (MemoryStore::new(), AccountId::random());
        let gives = |limit_per_minute| AgreedTerms {
            tier: Tier::Enterprise,
            limit_per_minute,
            grids: None,
            is_integrator: false,
        };
        let month = |text: &str| text.parse::<Month>().unwrap();
        let rows = [("2026-02", Some(gives(5))), ("2026-04", Some(gives(7))), ("2026-06", None)];
        for (from, gives) in rows {
            let mut batch = WriteBatch::new();
            Agreed { from: month(from), gives }.stage(&mut batch, Environment::Live, account);
            store.commit(batch).unwrap();
        }
        let seen = |text| {
            let rows = AgreedRows::load(&store, Environment::Live, account, month(text)).unwrap();
            let limit = rows.gives().map(|gives| gives.limit_per_minute);
            (limit, rows.grant().and_then(|grant| grant.until), rows.turns_at())
        };
        let (end, start) = (Some(month("2026-06").start()), |text| Some(month(text).start()));
        assert_eq!(seen("2026-01"), (None, None, start("2026-02")));
        assert_eq!(seen("2026-02"), (Some(5), end, start("2026-04")));
        assert_eq!(seen("2026-03"), (Some(5), end, start("2026-04")));
        assert_eq!(seen("2026-05"), (Some(7), end, end));
        assert_eq!(seen("2026-06"), (None, None, None));
        let pinned = b"\x01{\"from\":\"2026-06\",\"gives\":null}";
        assert_eq!(row::encode(&Agreed { from: month("2026-06"), gives: None }), pinned);
    }
}
