//! Lists and pages of what an account has.

use serde::Serialize;
use superroot_types::UnixSeconds;
#[cfg(feature = "schema")]
use utoipa::ToSchema;

use super::{HourlyUsage, Invoice, Key, SubAccount};

/// Keys, the newest first; with those that are over, as far as they are kept.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct KeyList {
    /// The keys.
    pub keys: Vec<Key>,
}

/// Hours of usage (`GET /api/v1/usage/history`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct UsageHistory {
    /// First second asked about.
    pub from: UnixSeconds,
    /// First second behind.
    pub until: UnixSeconds,
    /// Earliest first.
    pub hours: Vec<HourlyUsage>,
    /// Where the next page begins; `null` at the end.
    pub next_cursor: Option<String>,
}

/// Invoices and the draft of the running month (`GET /api/v1/invoices`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct InvoiceList {
    /// Newest month first, without their lines.
    pub invoices: Vec<Invoice>,
    /// Over, not closed, newest first.
    pub ended: Vec<Invoice>,
    /// The running month so far.
    pub current: Invoice,
    /// `before` of the next page; `null` at the end.
    pub next_before: Option<String>,
}

/// Sub-accounts of an integrator.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct SubAccountList {
    /// In order of their ids.
    pub sub_accounts: Vec<SubAccount>,
    /// Where the next page begins; `null` at the end.
    pub next_cursor: Option<String>,
}

/// A sub-account just opened, with its first key.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct IssuedSubAccount {
    /// The account.
    pub user_id: String,
    /// What its integrator calls it.
    pub label: Option<String>,
    /// When it was opened.
    pub created_at: UnixSeconds,
    /// The key, told this once.
    pub api_key: String,
    /// What is kept of it.
    pub key: Key,
}

/// What was measured of a month (`GET /api/v1/availability`).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(ToSchema))]
pub struct Availability {
    /// `2026-02`, in UTC.
    pub month: String,
    /// Minutes measured.
    pub measured_minutes: u64,
    /// Of those, minutes up.
    pub up_minutes: u64,
    /// Their part; `null` where nothing was measured.
    pub availability_percent: Option<f64>,
    /// What integrators are promised.
    pub promised_percent: f64,
}
