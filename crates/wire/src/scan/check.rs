//! Complete check of a body with a scan: a file, a scan answer, or a search with a completeness claim.

use serde_json::{Value, json};
use superroot_proof::bundle::{Policy, Verified};
use superroot_proof::scan::{self, SCAN_MAGIC, Scan, ScanError, ScanEvent, ScanFacts};

use super::body::{Completeness, ScanShown, ShownEvent};
use crate::compare::{BodyLimits, compare_values};
use crate::member::Member;
use crate::{Case, Disagreement, WireError, case, parse_json};

/// Names reserved for the scan, in addition to rendered members.
const RESERVED: [&str; 5] = ["events", "answer", "filter", "scanBlob", "eventCount"];

/// Body with a valid scan and no member that contradicts the scan.
#[derive(Clone, Debug)]
pub struct CheckedScan {
    /// Proven facts.
    pub facts: Verified<ScanFacts>,
    /// Scan.
    pub scan: Scan,
    /// The unproven members' paths.
    pub unproven: Vec<String>,
    /// Number of events on a page with a next page; `None` for a complete list.
    pub listed: Option<usize>,
}

/// Reason for rejecting a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScanCheckError {
    /// No scan found: nothing was shown to be true or false.
    #[error(transparent)]
    Unusable(#[from] WireError),
    /// Invalid scan.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// Valid scan, but a member contradicts the scan.
    #[error(transparent)]
    Disagreement(#[from] Disagreement),
}

/// Whether a body is or contains a scan: a file (`.srscan`), the JSON of a page, or a search with `completeness`.
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum ScanCarrier {
    Page,
    Search,
}

fn carrier(body: &Value) -> Option<ScanCarrier> {
    if body.get("scanBlob").is_some() {
        return Some(ScanCarrier::Page);
    }
    let completeness = body.get("completeness").filter(|value| value.is_object());
    completeness.and(body.get("logs")).map(|_| ScanCarrier::Search)
}

/// Checks a body. The caller must check with [`ScanFacts::last`] that the SuperRoot is trusted.
///
/// # Errors
/// [`ScanCheckError::Unusable`] without a scan; the other variants for a false scan.
pub fn check_scan(body: &[u8], policy: &Policy<'_>) -> Result<CheckedScan, ScanCheckError> {
    if body.starts_with(&SCAN_MAGIC) {
        let scan = decode(body, "body")?;
        let facts = scan::verify(&scan, policy)?;
        return Ok(CheckedScan { facts, scan, unproven: Vec::new(), listed: None });
    }
    let body = parse_json(body)?;
    let root = Member::root(&body, Case::Camel);
    let blob = match carrier(&body) {
        Some(ScanCarrier::Search) => root.get("completeness")?.get("scanBlob")?.bytes()?,
        Some(ScanCarrier::Page) | None => root.get("scanBlob")?.bytes()?,
    };
    let scan = decode(&blob, "scanBlob")?;
    let facts = scan::verify(&scan, policy)?;
    let unproven = match carrier(&body) {
        Some(ScanCarrier::Search) => compare_search(&body, &scan, &facts)?,
        Some(ScanCarrier::Page) | None => {
            let shown = case::write(&ScanShown::new(&scan, &facts), Case::Camel);
            let closed = &["filter", "events"];
            let limits = BodyLimits { reserved: &RESERVED, closed, ..BodyLimits::default() };
            compare_values(&body, &shown, limits)?
        }
    };
    let listed = goes_on(&body).then(|| listed(&body));
    Ok(CheckedScan { facts, scan, unproven, listed })
}

fn decode(bytes: &[u8], member: &str) -> Result<Scan, WireError> {
    let named = |cause| WireError::Scan { member: member.to_owned(), cause };
    Scan::decode(bytes).map_err(named)
}

/// Compares a search with the scan: the listed events must be complete, oldest or newest first. A page with a next page
/// lists all events in the stated blocks; the last block may continue on the next page.
fn compare_search(
    body: &Value,
    scan: &Scan,
    facts: &ScanFacts,
) -> Result<Vec<String>, Disagreement> {
    let compare = |newest_first| compare_in_order(body, scan, facts, newest_first);
    match compare(false) {
        Err(error) if error.member.starts_with("logs") || error.member.starts_with("searched") => {
            compare(true).map_err(|_| error)
        }
        compared => compared,
    }
}

fn compare_in_order(
    body: &Value,
    scan: &Scan,
    facts: &ScanFacts,
    newest_first: bool,
) -> Result<Vec<String>, Disagreement> {
    let statement = &facts.statement;
    let mut events: Vec<&ScanEvent> = facts.events.iter().collect();
    if newest_first {
        events.reverse();
    }
    let mut searched = (statement.from.0, statement.to.0);
    if goes_on(body) {
        searched = page_of(body, &events, searched, newest_first)?;
        events.truncate(listed(body));
    }
    let logs = events.into_iter().map(|event| case::write(&ShownEvent::from(event), Case::Camel));
    let shown = json!({
        "chainId": statement.chain.id,
        "logs": logs.collect::<Vec<_>>(),
        "gaps": [],
        "searched": { "from": searched.0, "to": searched.1 },
        "completeness": case::write(&Completeness::new(scan, facts), Case::Camel),
    });
    let reserved = &RESERVED;
    let closed = &["completeness", "searched", "logs"];
    let free = &["transactionHash", "otherAddresses", "finality", "proofUrl"];
    let limits = BodyLimits { reserved, closed, free, ..BodyLimits::default() };
    compare_values(body, &shown, limits).map(without_positions)
}

fn goes_on(body: &Value) -> bool {
    body.get("nextCursor").is_some_and(|cursor| !cursor.is_null())
}

fn listed(body: &Value) -> usize {
    body.get("logs").and_then(Value::as_array).map_or(0, Vec::len)
}

/// Returns the stated blocks of a page with a next page, if the number of listed events fits: all events in every block
/// but the last, and at most the total.
fn page_of(
    body: &Value,
    events: &[&ScanEvent],
    (first, last): (u64, u64),
    newest_first: bool,
) -> Result<(u64, u64), Disagreement> {
    let said = body.get("searched").unwrap_or(&Value::Null);
    let disagree = |member: &str, said: String, proven: String| Disagreement {
        member: member.to_owned(),
        said,
        proven,
    };
    let ends = (said["from"].as_u64(), said["to"].as_u64());
    let page = match ends {
        (Some(from), Some(to)) if !newest_first && from == first => {
            (first..=last).contains(&to).then_some((from, to))
        }
        (Some(from), Some(to)) if newest_first && to == last => {
            (first..=last).contains(&from).then_some((from, to))
        }
        _ => None,
    };
    let Some((from, to)) = page else {
        let proven = format!("blocks from one end of {first} to {last} on");
        return Err(disagree("searched", said.to_string(), proven));
    };
    let count =
        |passes: &dyn Fn(u64) -> bool| events.iter().filter(|event| passes(event.number.0)).count();
    let (least, most) = if newest_first {
        (count(&|number| number > from), count(&|number| number >= from))
    } else {
        (count(&|number| number < to), count(&|number| number <= to))
    };
    if !(least..=most).contains(&listed(body)) {
        let said = format!("{} events of blocks {from} to {to}", listed(body));
        return Err(disagree("logs", said, format!("from {least} to {most}")));
    }
    Ok((from, to))
}

/// Removes event positions: a member unproven in one event is unproven in all, so each name occurs once.
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
