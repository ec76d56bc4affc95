use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use superroot_store::{ScanOrder, Store, Table};
use superroot_types::{ChainKey, UnixSeconds};

use super::rows::{self, HOUR_SUFFIX, SUBJECT_END, TIME_END, UsageSubject};
use crate::Month;
use crate::calendar::{Day, Hour};
use crate::meter::{RouteNumber, StatusClass, UsageSum};
use crate::place::{self, next};
use crate::{AccountError, Environment, KeyId};

/// Most rows of a history page.
pub const HISTORY_PAGE_MAX: usize = 1_000;

/// Rows per read.
const SCAN_ROWS: usize = 1_000;

/// Current requests and billing tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Requests since midnight UTC.
    pub requests_today: u64,
    /// Requests since the first of the month, UTC.
    pub requests_this_month: u64,
    /// Billing tokens since the first of the month, UTC.
    pub tokens_this_month: u64,
}

/// Requests of one route in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteUsage {
    pub route: RouteNumber,
    pub requests: u64,
}

/// Invoice line data: a month of one route on one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilledUsage {
    pub route: RouteNumber,
    /// Chain of the requests, if any.
    pub chain: Option<ChainKey>,
    pub requests: u64,
    pub tokens: u64,
}

/// Requests of one hour with equal properties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourlyRow {
    pub hour: Hour,
    /// Key; `None` for requests without one.
    pub key: Option<KeyId>,
    pub route: RouteNumber,
    /// Chain of the requests, if any.
    pub chain: Option<ChainKey>,
    pub status: StatusClass,
    pub requests: u64,
    pub tokens: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPage {
    /// Rows, earliest first.
    pub rows: Vec<HourlyRow>,
    /// The next page's cursor; `None` at the end.
    pub next: Option<UsageCursor>,
}

/// Position in an account's history, without the account, so it opens no other account's history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UsageCursor([u8; HOUR_SUFFIX]);

/// Invalid cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor: expected hexadecimal digits as an earlier page gave them")]
pub struct CursorError;

impl fmt::Display for UsageCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&const_hex::encode(self.0))
    }
}

impl FromStr for UsageCursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let bytes = const_hex::decode_to_array(text).map_err(|_| CursorError)?;
        rows::decode_hour_suffix(&bytes).ok_or(CursorError)?;
        Ok(Self(bytes))
    }
}

/// Usage queries of one environment. Blocks.
#[derive(Clone)]
pub struct UsageReader {
    store: Arc<dyn Store>,
    environment: Environment,
}

impl UsageReader {
    #[must_use]
    pub const fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        Self { store, environment }
    }

    /// Totals of the day and month of `now`: reads two rows.
    pub fn totals(
        &self,
        subject: impl Into<UsageSubject>,
        now: UnixSeconds,
    ) -> Result<Totals, AccountError> {
        let subject = subject.into();
        let day = Day::of(now);
        let today = self.sum(&rows::day_key(self.environment, subject, day))?;
        let month = self.sum(&rows::month_key(self.environment, subject, day.month()))?;
        Ok(Totals {
            requests_today: today.requests,
            requests_this_month: month.requests,
            tokens_this_month: month.tokens,
        })
    }

    /// A month's billing tokens: reads one row.
    pub fn tokens(
        &self,
        subject: impl Into<UsageSubject>,
        month: Month,
    ) -> Result<u64, AccountError> {
        Ok(self.sum(&rows::month_key(self.environment, subject.into(), month))?.tokens)
    }

    /// The `count` routes with the most requests in a month, most first.
    pub fn top_routes(
        &self,
        subject: impl Into<UsageSubject>,
        month: Month,
        count: usize,
    ) -> Result<Vec<RouteUsage>, AccountError> {
        let mut routes: BTreeMap<RouteNumber, u64> = BTreeMap::new();
        for row in self.billed(subject, month)? {
            let requests = routes.entry(row.route).or_default();
            *requests = requests.saturating_add(row.requests);
        }
        let mut routes: Vec<_> =
            routes.into_iter().map(|(route, requests)| RouteUsage { route, requests }).collect();
        routes.sort_by_key(|it| (std::cmp::Reverse(it.requests), it.route));
        routes.truncate(count);
        Ok(routes)
    }

    /// Usage of a whole month for invoices, ordered by route and chain. Sums equal [`UsageReader::totals`].
    pub fn billed(
        &self,
        subject: impl Into<UsageSubject>,
        month: Month,
    ) -> Result<Vec<BilledUsage>, AccountError> {
        let mut start = rows::routes_prefix(self.environment, subject.into(), month);
        let end = place::after(&start);
        let mut billed = Vec::new();
        loop {
            let found = self.scan(&start, end.as_deref(), SCAN_ROWS)?;
            for (key, value) in &found {
                let suffix = key.get(TIME_END..).and_then(rows::decode_route_suffix);
                let (route, chain) = suffix.ok_or_else(|| rows::corrupt(key, "not a route"))?;
                let UsageSum { requests, tokens } = rows::decode_sum(key, value)?;
                billed.push(BilledUsage { route, chain, requests, tokens });
            }
            match found.last() {
                Some((last, _)) if found.len() == SCAN_ROWS => start = next(last),
                _ => return Ok(billed),
            }
        }
    }

    /// Hours from `from` to `until` (exclusive), earliest first: at most `limit` rows, and at most
    /// [`HISTORY_PAGE_MAX`]. `after` is the previous page's cursor.
    pub fn history(
        &self,
        subject: impl Into<UsageSubject>,
        (from, until): (Hour, Hour),
        after: Option<UsageCursor>,
        limit: usize,
    ) -> Result<HistoryPage, AccountError> {
        let prefix = rows::subject_prefix(rows::HOUR, self.environment, subject.into());
        let at = |hour: Hour| [prefix.as_slice(), &hour.to_be_bytes()].concat();
        let resumed = after.map(|cursor| next(&[prefix.as_slice(), &cursor.0].concat()));
        let start = resumed.map_or_else(|| at(from), |resumed| resumed.max(at(from)));
        let limit = limit.clamp(1, HISTORY_PAGE_MAX);
        let mut found = self.scan(&start, Some(&at(until)), limit + 1)?;
        let more = found.len() > limit;
        found.truncate(limit);
        let page = found.iter().map(|(key, value)| hourly(key, value));
        let page: Vec<_> = page.collect::<Result<_, _>>()?;
        let last = found.last().and_then(|(key, _)| key.get(SUBJECT_END..)?.try_into().ok());
        Ok(HistoryPage { rows: page, next: last.filter(|_| more).map(UsageCursor) })
    }

    fn sum(&self, key: &[u8]) -> Result<UsageSum, AccountError> {
        let row = self.store.get(Table::Usage, key)?;
        row.map_or(Ok(UsageSum::default()), |value| rows::decode_sum(key, &value))
    }

    fn scan(
        &self,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<superroot_store::Row>, AccountError> {
        Ok(self.store.scan(Table::Usage, start, end, limit, ScanOrder::Rising)?)
    }
}

pub(super) fn hourly(key: &[u8], value: &[u8]) -> Result<HourlyRow, AccountError> {
    let row = key.get(SUBJECT_END..).and_then(rows::decode_hour_suffix);
    let row = row.ok_or_else(|| rows::corrupt(key, "not an hour"))?;
    let UsageSum { requests, tokens } = rows::decode_sum(key, value)?;
    let rows::HourKey { hour, key, route, chain, status } = row;
    Ok(HourlyRow { hour, key, route, chain, status, requests, tokens })
}
