//! Complete list of matching events in a block range, proven by a scan (`GET /v5/scan/{chain}`, and `completeness` of
//! `GET /v5/logs`).

mod body;
mod check;

pub use body::{Completeness, SCAN_FORMAT, ScanAnswer, ScanFilterBody, ScanShown, ShownEvent};
pub use check::{CheckedScan, ScanCheckError, check_scan, is_scan};
