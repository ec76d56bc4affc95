//! What agreements give an account, from which month on.
//!
//! `billing` writes a row for each first month, in the commit of the agreement; this crate reads them.
//! In force is the last that has begun. A row that gives nothing ends the one before it.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use superroot_store::{Batch, Direction, Store, StoreError, Table};
use superroot_types::UnixSeconds;

use crate::place::{self, Place};
use crate::row;
use crate::{AccountId, Environment, Grant, Grid, Month, Tier};

/// Agreements ahead that are read: as many as there are months in which one may begin.
pub const AHEAD_MAX: usize = 120;

/// What holds from a month on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agreed {
    /// The first month.
    pub from: Month,
    /// What it gives; none where nothing is agreed from then on.
    pub gives: Option<Gives>,
}

/// What an agreement gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gives {
    /// The tier.
    pub tier: Tier,
    /// Requests a minute.
    pub limit_per_minute: u32,
    /// Grids that are open, where other than the tier's.
    pub grids: Option<BTreeSet<Grid>>,
    /// Whether the account is an integrator: it may open sub-accounts.
    pub is_integrator: bool,
}

/// What is agreed with an account in one month, and what is ahead of that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AgreedRows {
    running: Option<Agreed>,
    ahead: Vec<Agreed>,
}

impl Agreed {
    /// Puts the row of an agreement into `batch`. Whether its month may have one is billing's to say.
    pub fn stage(&self, batch: &mut Batch, environment: Environment, account: AccountId) {
        let place = Place::Agreed(account, self.from);
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
        let (table, prefix) = (Table::Subscription, place::agreed(environment, account));
        let next = Place::Agreed(account, month.next()).encode(environment);
        let end = place::after(&prefix);
        let running = store.scan(table, &prefix, Some(&next), 1, Direction::Falling)?;
        let ahead = store.scan(table, &next, end.as_deref(), AHEAD_MAX, Direction::Rising)?;
        let read = |(key, bytes): &(Vec<u8>, Vec<u8>)| row::decode::<Agreed>(table, key, bytes);
        let ahead = ahead.iter().map(read).collect::<Result<_, _>>()?;
        Ok(Self { running: running.first().map(read).transpose()?, ahead })
    }

    /// What is in force.
    pub(crate) fn gives(&self) -> Option<&Gives> {
        self.running.as_ref().and_then(|agreed| agreed.gives.as_ref())
    }

    /// The same as a grant, until the first month that gives nothing.
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

    /// When the calendar alone changes what is in force.
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
        let gives = |limit_per_minute| Gives {
            tier: Tier::Enterprise,
            limit_per_minute,
            grids: None,
            is_integrator: false,
        };
        let month = |text: &str| text.parse::<Month>().unwrap();
        let rows = [("2026-02", Some(gives(5))), ("2026-04", Some(gives(7))), ("2026-06", None)];
        for (from, gives) in rows {
            let mut batch = Batch::new();
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
