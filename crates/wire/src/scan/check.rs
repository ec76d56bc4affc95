//! The whole check of a body that carries a scan: a file, an answer of its route, or a search that
//! says it is complete.

use serde_json::{Value, json};
use superroot_proof::bundle::{Policy, Verified};
use superroot_proof::scan::{self, SCAN_MAGIC, Scan, ScanError, ScanFacts};

use super::body::{Completeness, ScanShown, ShownEvent};
use crate::compare::{Limits, compare_values};
use crate::member::Member;
use crate::{Case, Disagreement, WireError, case, parse_json};

/// Names of which only a scan may speak, beside those that it has.
const RESERVED: [&str; 5] = ["events", "answer", "filter", "scanBlob", "eventCount"];

/// A body whose scan holds, and whose members say nothing else than what was shown.
#[derive(Clone, Debug)]
pub struct CheckedScan {
    /// What was shown.
    pub facts: Verified<ScanFacts>,
    /// The scan itself.
    pub scan: Scan,
    /// Paths of the members that the scan does not speak for.
    pub unproven: Vec<String>,
}

/// Why a body was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanCheckError {
    /// It carries no scan: nothing was shown to be true or false.
    #[error(transparent)]
    Unusable(#[from] WireError),
    /// Its scan does not hold.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// Its scan holds, and a member says something else.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

/// Whether a body is, or carries, a scan: a file (`.srscan`), the JSON of a page, or of a search with
/// `completeness`.
#[must_use]
pub fn is_scan(body: &[u8]) -> bool {
    if body.starts_with(&SCAN_MAGIC) {
        return true;
    }
    if body.trim_ascii_start().first() != Some(&b'{') {
        return false;
    }
    parse_json(body).is_ok_and(|body| carrier(&body).is_some())
}

/// Where in a body its scan is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carrier {
    Page,
    Search,
}

fn carrier(body: &Value) -> Option<Carrier> {
    if body.get("scanBlob").is_some() {
        return Some(Carrier::Page);
    }
    let completeness = body.get("completeness").filter(|value| value.is_object());
    completeness.and(body.get("logs")).map(|_| Carrier::Search)
}

/// Checks a body. Whether the SuperRoot that it leads to is one to trust, is asked of
/// [`ScanFacts::last`].
///
/// # Errors
/// [`ScanCheckError::Unusable`] when there is no scan in it; the others when there is one and it is
/// false.
pub fn check_scan(body: &[u8], policy: &Policy<'_>) -> Result<CheckedScan, ScanCheckError> {
    if body.starts_with(&SCAN_MAGIC) {
        let scan = decode(body, "body")?;
        let facts = scan::verify(&scan, policy)?;
        return Ok(CheckedScan { facts, scan, unproven: Vec::new() });
    }
    let body = parse_json(body)?;
    let root = Member::root(&body, Case::Camel);
    let blob = match carrier(&body) {
        Some(Carrier::Search) => root.get("completeness")?.get("scanBlob")?.bytes()?,
        Some(Carrier::Page) | None => root.get("scanBlob")?.bytes()?,
    };
    let scan = decode(&blob, "scanBlob")?;
    let facts = scan::verify(&scan, policy)?;
    let unproven = match carrier(&body) {
        Some(Carrier::Search) => compare_search(&body, &scan, &facts)?,
        Some(Carrier::Page) | None => {
            let shown = case::write(&ScanShown::new(&scan, &facts), Case::Camel);
            let limits = Limits { reserved: &RESERVED, closed: &["filter", "events"], free: &[] };
            compare_values(&body, &shown, limits)?
        }
    };
    Ok(CheckedScan { facts, scan, unproven })
}

fn decode(bytes: &[u8], member: &str) -> Result<Scan, WireError> {
    let named = |cause| WireError::Scan { member: member.to_owned(), cause };
    Scan::decode(bytes).map_err(named)
}

/// Holds a search against its scan: the events listed are all, oldest or newest first, or where the
/// search goes on, as many as are listed.
fn compare_search(
    body: &Value,
    scan: &Scan,
    facts: &ScanFacts,
) -> Result<Vec<String>, Disagreement> {
    let listed = body.get("logs").and_then(Value::as_array).map_or(0, Vec::len);
    let goes_on = body.get("nextCursor").is_some_and(|cursor| !cursor.is_null());
    let due = if goes_on { listed.min(facts.events.len()) } else { facts.events.len() };
    let event = |event| case::write(&ShownEvent::from(event), Case::Camel);
    let compare = |logs: Vec<Value>| {
        let statement = &facts.statement;
        let mut shown = json!({
            "chainId": statement.chain.id,
            "logs": logs,
            "gaps": [],
            "completeness": case::write(&Completeness::new(scan, facts), Case::Camel),
        });
        if !goes_on {
            shown["searched"] = json!({ "from": statement.from, "to": statement.to });
        }
        let (reserved, closed) = (&RESERVED, &["completeness", "searched", "logs"]);
        let free = &["transactionHash", "otherAddresses", "finality", "proofUrl"];
        compare_values(body, &shown, Limits { reserved, closed, free }).map(without_positions)
    };
    let oldest_first = compare(facts.events.iter().take(due).map(event).collect());
    match oldest_first {
        Err(error) if error.member.starts_with("logs[") => {
            compare(facts.events.iter().rev().take(due).map(event).collect()).map_err(|_| error)
        }
        compared => compared,
    }
}

/// What is not proven of one event is not proven of any: each name once.
fn without_positions(unproven: Vec<String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for path in unproven {
        let name = path.strip_prefix("logs[").and_then(|rest| rest.split_once(']'));
        let name = name.map_or(path.clone(), |(_, member)| format!("logs[]{member}"));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}
