//! Flag values, parsed from text.

use serde::de::{Deserialize, Deserializer, Error as _};
use superroot_account::{Grid, Label, Month, Payer, parse_wallet};
use superroot_billing::Interval;
use superroot_types::{Address, ChainId, UnixSeconds};

use crate::chains;

pub(super) const ROWS_MAX: usize = 1_000;

pub(super) fn wallet(text: &str) -> Result<Address, String> {
    parse_wallet(text).map_err(|error| error.to_string())
}

/// Wallet address or account id.
pub(super) fn payer(text: &str) -> Result<Payer, String> {
    if text.starts_with("0x") {
        return wallet(text).map(Payer::Wallet);
    }
    let expected = "expected a wallet's address or an account's id";
    text.parse().map(Payer::Account).map_err(|_| expected.to_owned())
}

pub(super) fn label(text: &str) -> Result<Label, String> {
    Label::try_from(text.to_owned()).map_err(|error| error.to_string())
}

/// Chain id, or name of a known chain. Any number is an id, because a service may know more chains.
pub(super) fn chain(text: &str) -> Result<ChainId, String> {
    let text = text.trim();
    match text.parse() {
        Ok(id) => Ok(ChainId(id)),
        Err(_) => chains::find(text).map(|row| row.key().id).map_err(|error| error.to_string()),
    }
}

pub(super) fn grid(text: &str) -> Result<Grid, String> {
    let found = Grid::ALL.into_iter().find(|grid| format!("{grid:?}") == text);
    found.ok_or_else(|| "expected G1 to G5".to_owned())
}

pub(super) fn rows(text: &str) -> Result<usize, String> {
    let rows = text.parse().ok().filter(|rows| (1..=ROWS_MAX).contains(rows));
    rows.ok_or_else(|| format!("expected a number, 1 to {}", ROWS_MAX))
}

pub(super) fn rows_of_order<'de, D: Deserializer<'de>>(order: D) -> Result<usize, D::Error> {
    let count = usize::deserialize(order)?;
    rows(&count.to_string()).map_err(D::Error::custom)
}

pub(super) fn interval(text: &str) -> Result<Interval, String> {
    match text {
        "month" | "monthly" => Ok(Interval::Monthly),
        "year" | "yearly" => Ok(Interval::Yearly),
        _ => Err("expected month or year".to_owned()),
    }
}

/// Month and number of an entry.
pub(super) fn entry(text: &str) -> Result<(Month, u32), String> {
    let parts = text.split_once('/');
    let parts = parts.and_then(|(month, number)| Some((month.parse().ok()?, number.parse().ok()?)));
    parts.ok_or_else(|| "expected a month and a number such as 2026-02/17".to_owned())
}

/// Unix seconds, or a time in UTC such as `2026-03-01T00:00:00Z`.
pub(super) fn time(text: &str) -> Result<UnixSeconds, String> {
    if let Ok(seconds) = text.parse() {
        return Ok(UnixSeconds(seconds));
    }
    let time = humantime::parse_rfc3339_weak(text).ok();
    let since = time.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
    since
        .map(|since| UnixSeconds(since.as_secs()))
        .ok_or_else(|| "expected Unix seconds, or a time such as 2026-03-01T00:00:00Z".to_owned())
}

/// USDC amount with at most six decimals, in millionths.
pub(super) fn usdc(text: &str) -> Result<u64, String> {
    let refused = || format!("{text:?} is no amount, expected one such as 50 or 12.5");
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) || part.len() > 6 {
        return Err(refused());
    }
    let whole: u64 = whole.parse().map_err(|_| refused())?;
    let part: u64 = format!("{part:0<6}").parse().map_err(|_| refused())?;
    whole.checked_mul(1_000_000).and_then(|whole| whole.checked_add(part)).ok_or_else(refused)
}
