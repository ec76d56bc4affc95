//! Lists and pages of account data.

use serde::Serialize;
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::{HourlyUsage, Invoice, Key, SubAccount};

/// Keys, newest first, including stored former keys.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeyList {
    /// Keys.
    pub keys: Vec<Key>,
}

/// Usage by hour (`GET /api/v1/usage/history`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct UsageHistory {
    /// First second of the requested range, in Unix seconds.
    pub from: UnixSeconds,
    /// First second after the range, in Unix seconds.
    pub until: UnixSeconds,
    /// Hours, earliest first.
    pub hours: Vec<HourlyUsage>,
    /// The next page's cursor; `null` at the end.
    pub next_cursor: Option<String>,
}

/// Invoices and the current month's draft (`GET /api/v1/invoices`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct InvoiceList {
    /// Invoices, newest month first, without lines.
    pub invoices: Vec<Invoice>,
    /// Ended months not yet closed, newest first.
    pub ended: Vec<Invoice>,
    /// Current month so far.
    pub current: Invoice,
    /// `before` of the next page; `null` at the end.
    pub next_before: Option<String>,
}

/// Sub-accounts of an integrator.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubAccountList {
    /// Sub-accounts, by id.
    pub sub_accounts: Vec<SubAccount>,
    /// The next page's cursor; `null` at the end.
    pub next_cursor: Option<String>,
}

/// New sub-account with the first key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IssuedSubAccount {
    /// Account id.
    pub user_id: String,
    /// Label chosen by the integrator.
    pub label: Option<String>,
    /// Opening time, in Unix seconds.
    pub created_at: UnixSeconds,
    /// API key, shown only once.
    pub api_key: String,
    /// Stored key details.
    pub key: Key,
}

/// Availability measured in one month (`GET /api/v1/availability`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Availability {
    /// Month in UTC, such as `2026-02`.
    pub month: String,
    /// Measured minutes.
    pub measured_minutes: u64,
    /// Measured minutes with the service up.
    pub up_minutes: u64,
    /// `up_minutes` in percent of `measured_minutes`; `null` without measurements.
    pub availability_percent: Option<f64>,
    /// Availability promised to integrators, in percent.
    pub promised_percent: f64,
}
