//! Which price list was in force when.

use superroot_account::{Month, row};
use superroot_store::{Batch, Direction, Table};
use superroot_types::UnixSeconds;

use super::Billing;
use crate::error::BillingError;
use crate::journal::PAGE;
use crate::keys::{self, Key};
use crate::price_list::PriceList;

impl Billing {
    /// Enters the configured price list, in force from now on, where it differs from the newest one.
    /// A service calls this when it starts, before it answers anybody. Answers the list that it entered.
    ///
    /// # Errors
    /// [`BillingError::Contended`], [`BillingError::Store`].
    pub fn enter_price_list(&self) -> Result<Option<PriceList>, BillingError> {
        self.commit(|| {
            let (mut batch, journal) = (Batch::new(), self.journal());
            let list = PriceList::of(self.plans(), self.now());
            let newest = self.price_lists_page(None, 1)?.pop();
            // one that begins later was entered by a clock that was ahead
            let is_in_force =
                |newest: &PriceList| newest.is_same(&list) && newest.from <= list.from;
            if newest.as_ref().is_some_and(|(_, newest)| is_in_force(newest)) {
                return Ok((Batch::new(), None));
            }
            let number = newest.map_or(0, |(number, _)| number.saturating_add(1));
            journal.put_new(&mut batch, Key::PriceList(number), &list);
            Ok((batch, Some(list)))
        })
    }

    /// The price list by which a month is billed: the one in force in its first second; the oldest where
    /// none was yet. The configured one where none was ever entered.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn price_list(&self, month: Month) -> Result<PriceList, BillingError> {
        self.price_list_at(month.start())
    }

    /// As [`Billing::price_list`], of a moment. Of lists entered by a clock that ran back, the later counts.
    pub(crate) fn price_list_at(&self, at: UnixSeconds) -> Result<PriceList, BillingError> {
        let (mut before, mut oldest) = (None, None);
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

    /// Price lists, the newest first; at most a thousand.
    ///
    /// # Errors
    /// [`BillingError::Store`].
    pub fn price_lists(&self, limit: usize) -> Result<Vec<PriceList>, BillingError> {
        let page = self.price_lists_page(None, limit.min(PAGE))?;
        Ok(page.into_iter().map(|(_, list)| list).collect())
    }

    /// Lists before a number (or from the newest), the newest first, with their numbers.
    fn price_lists_page(
        &self,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<(u64, PriceList)>, BillingError> {
        let (table, start) = (Table::Journal, keys::price_lists(self.environment()));
        let end = match before {
            Some(number) => Some(self.journal().encode(Key::PriceList(number))),
            None => superroot_account::after(&start),
        };
        let rows = self.store().scan(table, &start, end.as_deref(), limit, Direction::Falling)?;
        let lists = rows.iter().map(|(key, bytes)| {
            let number = key.get(start.len()..).and_then(|rest| rest.try_into().ok());
            let number = number.map(u64::from_be_bytes);
            let number = number.ok_or_else(|| crate::journal::corrupt(table, key))?;
            Ok((number, row::decode(table, key, bytes)?))
        });
        lists.collect()
    }
}
