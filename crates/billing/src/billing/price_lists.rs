//! Price lists over time.

use superroot_account::{Month, row};
use superroot_store::{ScanOrder, Table, WriteBatch};
use superroot_types::UnixSeconds;

use super::BillingLedger;
use crate::error::BillingError;
use crate::journal::PAGE;
use crate::keys::{self, BillingKey};
use crate::price_list::PriceList;

impl BillingLedger {
    /// Enters the configured price list, in force from now on, if different from the newest one. A service calls this
    /// at start, before any request. Returns the entered list.
    pub fn enter_price_list(&self) -> Result<Option<PriceList>, BillingError> {
        self.commit(|| {
            let mut batch = WriteBatch::new();
            let journal = self.journal();
            let list = PriceList::of(self.plans(), self.now());
            let newest = self.price_lists_page(None, 1)?.pop();
            // one that begins later was entered by a clock that was ahead
            let is_in_force =
                |newest: &PriceList| newest.is_same(&list) && newest.from <= list.from;
            if newest.as_ref().is_some_and(|(_, newest)| is_in_force(newest)) {
                return Ok((WriteBatch::new(), None));
            }
            let number = newest.map_or(0, |(number, _)| number.saturating_add(1));
            journal.put_new(&mut batch, BillingKey::PriceList(number), &list);
            Ok((batch, Some(list)))
        })
    }

    /// Billing price list of a month: in force in the month's first second, else the oldest, else the configured one.
    pub fn price_list(&self, month: Month) -> Result<PriceList, BillingError> {
        self.price_list_at(month.start())
    }

    /// Like [`BillingLedger::price_list`], for a moment. If the clock ran back between lists, the later list counts.
    pub(crate) fn price_list_at(&self, at: UnixSeconds) -> Result<PriceList, BillingError> {
        let mut before = None;
        let mut oldest = None;
        loop {
            let page = self.price_lists_page(before, PAGE)?;
            let is_last = page.len() < PAGE;
            for (number, list) in page {
                if list.from <= at {
                    return Ok(list);
                }
                (before, oldest) = (Some(number), Some(list));
            }
            if is_last {
                return Ok(oldest.unwrap_or_else(|| PriceList::of(self.plans(), self.now())));
            }
        }
    }

    /// Price lists, newest first; at most a thousand.
    pub fn price_lists(&self, limit: usize) -> Result<Vec<PriceList>, BillingError> {
        let page = self.price_lists_page(None, limit.min(PAGE))?;
        Ok(page.into_iter().map(|(_, list)| list).collect())
    }

    /// Numbered price lists before a number (or from the newest), newest first.
    fn price_lists_page(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<(u64, PriceList)>, BillingError> {
        let table = Table::Journal;
        let start = keys::price_lists(self.environment());
        let end = match before {
            Some(number) => Some(self.journal().encode(BillingKey::PriceList(number))),
            None => superroot_account::after(&start),
        };
        let rows = self.store().scan(table, &start, end.as_deref(), limit, ScanOrder::Falling)?;
        let lists = rows.iter().map(|(key, bytes)| {
            let number = key.get(start.len()..).and_then(|rest| rest.try_into().ok());
            let number = number.map(u64::from_be_bytes);
            let number = number.ok_or_else(|| crate::journal::corrupt(table, key))?;
            Ok((number, row::decode(table, key, bytes)?))
        });
        lists.collect()
    }
}
