//! Reads of usage.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use superroot_store::{Direction, Store, Table};
use superroot_types::{ChainKey, UnixSeconds};

use super::rows::{self, HOUR_SUFFIX, SUBJECT_END, Subject, TIME_END};
use crate::Month;
use crate::calendar::{Day, Hour};
use crate::limit::AddressPrefix;
use crate::meter::{Route, StatusClass, Sum, load_salt, prefix_hash};
use crate::place::{self, next};
use crate::{AccountError, Environment, KeyId};

/// Rows of a page of history at most.
pub const HISTORY_PAGE_MAX: usize = 1_000;

/// Rows read at one time.
const SCAN_ROWS: usize = 1_000;

/// Requests and billing tokens up to now.
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
    /// The route.
    pub route: Route,
    /// Requests.
    pub requests: u64,
}

/// What an invoice's line is made of: a month of one route on one chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BilledUsage {
    /// The route.
    pub route: Route,
    /// The chain asked about, if one was.
    pub chain: Option<ChainKey>,
    /// Requests.
    pub requests: u64,
    /// Billing tokens they weigh.
    pub tokens: u64,
}

/// Requests of one hour that agree in everything that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HourlyUsage {
    /// The hour.
    pub hour: Hour,
    /// The key; `None` for requests without one.
    pub key: Option<KeyId>,
    /// The route.
    pub route: Route,
    /// The chain asked about, if one was.
    pub chain: Option<ChainKey>,
    /// How they were answered.
    pub status: StatusClass,
    /// Requests.
    pub requests: u64,
    /// Billing tokens they weigh.
    pub tokens: u64,
}

/// A page of history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistoryPage {
    /// Rows, earliest first.
    pub rows: Vec<HourlyUsage>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Cursor>,
}

/// Requests of a day of callers without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeylessDay {
    /// An address prefix by its keyed hash; [`Subject::OtherPrefixes`] for those past the number
    /// that is told apart in an hour.
    pub caller: Subject,
    /// The day, in UTC.
    pub day: Day,
    /// Requests.
    pub requests: u64,
}

/// A page of [`Usage::keyless`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeylessPage {
    /// Rows, by caller and then by day.
    pub rows: Vec<KeylessDay>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<KeylessCursor>,
}

/// A place among the days of callers without a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeylessCursor([u8; KEYLESS_CURSOR]);

/// Bytes of a [`KeylessCursor`]: the subject and the day.
const KEYLESS_CURSOR: usize = 17 + 4;

/// Rows that one call of [`Usage::keyless`] looks at.
const KEYLESS_ROWS_MAX: usize = 100_000;

impl fmt::Display for KeylessCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for KeylessCursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        decode_hex(text).map(Self).ok_or(CursorError)
    }
}

/// A place in an account's history; says nothing about whose, so that it opens nobody else's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor([u8; HOUR_SUFFIX]);

/// The text is no cursor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor: expected hexadecimal digits as an earlier page gave them")]
pub struct CursorError;

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let bytes = decode_hex(text).ok_or(CursorError)?;
        rows::decode_hour_suffix(&bytes).ok_or(CursorError)?;
        Ok(Self(bytes))
    }
}

fn decode_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let mut bytes = [0; N];
    if pairs.len() != N || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(pairs) {
        let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
        let value = high.zip(low).map(|(high, low)| high * 16 + low)?;
        *byte = u8::try_from(value).ok()?;
    }
    Some(bytes)
}

/// Answers questions about usage in one environment. Blocks.
#[derive(Clone)]
pub struct Usage {
    store: Arc<dyn Store>,
    environment: Environment,
}

impl Usage {
    /// Reads of this environment's usage in `store`.
    #[must_use]
    pub const fn new(store: Arc<dyn Store>, environment: Environment) -> Self {
        Self { store, environment }
    }

    /// The subject that requests of this address prefix are counted for; `None` before any was
    /// counted. It has no rows of its own in an hour in which it came too late.
    ///
    /// # Errors
    /// That of the store.
    pub fn prefix(&self, prefix: AddressPrefix) -> Result<Option<Subject>, AccountError> {
        let salt = load_salt(&*self.store)?;
        Ok(salt.map(|salt| Subject::Prefix(prefix_hash(&salt, prefix))))
    }

    /// Requests of the day and the month of `now`: two rows.
    ///
    /// # Errors
    /// That of the store.
    pub fn totals(
        &self,
        subject: impl Into<Subject>,
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

    /// Billing tokens of a month: one row.
    ///
    /// # Errors
    /// That of the store.
    pub fn tokens(&self, subject: impl Into<Subject>, month: Month) -> Result<u64, AccountError> {
        Ok(self.sum(&rows::month_key(self.environment, subject.into(), month))?.tokens)
    }

    /// The `count` routes with the most requests in a month, most first.
    ///
    /// # Errors
    /// That of the store.
    pub fn top_routes(
        &self,
        subject: impl Into<Subject>,
        month: Month,
        count: usize,
    ) -> Result<Vec<RouteUsage>, AccountError> {
        let mut routes: BTreeMap<Route, u64> = BTreeMap::new();
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

    /// A whole month, by route and chain and in their order: what invoices are made of. Their sums
    /// are those of [`Usage::totals`].
    ///
    /// # Errors
    /// That of the store.
    pub fn billed(
        &self,
        subject: impl Into<Subject>,
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
                let Sum { requests, tokens } = rows::decode_sum(key, value)?;
                billed.push(BilledUsage { route, chain, requests, tokens });
            }
            match found.last() {
                Some((last, _)) if found.len() == SCAN_ROWS => start = next(last),
                _ => return Ok(billed),
            }
        }
    }

    /// Hours from `from` to `until` (without it), earliest first: at most `limit` rows, and never
    /// more than [`HISTORY_PAGE_MAX`]. `after` is the cursor of the page before.
    ///
    /// # Errors
    /// That of the store.
    pub fn history(
        &self,
        subject: impl Into<Subject>,
        (from, until): (Hour, Hour),
        after: Option<Cursor>,
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
        Ok(HistoryPage { rows: page, next: last.filter(|_| more).map(Cursor) })
    }

    /// Requests of callers without a key by prefix and day, from one day to another (with it): at
    /// most `limit` rows, and never more than [`HISTORY_PAGE_MAX`]. `after` is the cursor of the
    /// page before; `caller` asks about one prefix alone. A page may be short, even empty, before
    /// the end.
    ///
    /// # Errors
    /// That of the store.
    pub fn keyless(
        &self,
        caller: Option<Subject>,
        (from, until): (Day, Day),
        after: Option<KeylessCursor>,
        limit: usize,
    ) -> Result<KeylessPage, AccountError> {
        let limit = limit.clamp(1, HISTORY_PAGE_MAX);
        let all = rows::keyless_days(self.environment);
        let (start, end) = match caller {
            None => all.clone(),
            Some(caller) => {
                let prefix = rows::subject_prefix(rows::DAY, self.environment, caller);
                let end = place::after(&prefix).unwrap_or_else(|| all.1.clone());
                (prefix, end)
            }
        };
        let resumed = after.map(|after| next(&[&all.0[..2], &after.0].concat()));
        let mut start = resumed.map_or(start.clone(), |resumed| resumed.max(start));
        let (mut page, mut looked_at) = (Vec::new(), 0);
        while start < end {
            let found = self.scan(&start, Some(&end), SCAN_ROWS)?;
            for (key, value) in &found {
                let row = keyless(key, value)?;
                start = next(key);
                looked_at += 1;
                if (from..=until).contains(&row.day) {
                    page.push(row);
                }
                if page.len() == limit || looked_at == KEYLESS_ROWS_MAX {
                    let place = key.get(2..).and_then(|place| place.try_into().ok());
                    return Ok(KeylessPage { rows: page, next: place.map(KeylessCursor) });
                }
            }
            if found.len() < SCAN_ROWS {
                break;
            }
        }
        Ok(KeylessPage { rows: page, next: None })
    }

    fn sum(&self, key: &[u8]) -> Result<Sum, AccountError> {
        let row = self.store.get(Table::Usage, key)?;
        row.map_or(Ok(Sum::default()), |value| rows::decode_sum(key, &value))
    }

    fn scan(
        &self,
        start: &[u8],
        end: Option<&[u8]>,
        limit: usize,
    ) -> Result<Vec<superroot_store::Row>, AccountError> {
        Ok(self.store.scan(Table::Usage, start, end, limit, Direction::Rising)?)
    }
}

fn hourly(key: &[u8], value: &[u8]) -> Result<HourlyUsage, AccountError> {
    let row = key.get(SUBJECT_END..).and_then(rows::decode_hour_suffix);
    let row = row.ok_or_else(|| rows::corrupt(key, "not an hour"))?;
    let Sum { requests, tokens } = rows::decode_sum(key, value)?;
    let rows::HourKey { hour, key, route, chain, status } = row;
    Ok(HourlyUsage { hour, key, route, chain, status, requests, tokens })
}

fn keyless(key: &[u8], value: &[u8]) -> Result<KeylessDay, AccountError> {
    let row = rows::decode_keyless_day(key).ok_or_else(|| rows::corrupt(key, "not a day"))?;
    let requests = rows::decode_sum(key, value)?.requests;
    Ok(KeylessDay { caller: row.0, day: row.1, requests })
}
