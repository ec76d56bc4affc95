//! Audit verdict as text.

use std::fmt::Write as _;

use superroot_client::audit::{Audit, AuditError};

use super::against::Compared;
use super::finality::FinalitySamples;
use super::views::{CommonView, Views};
use super::{AuditArgs, files};
use crate::cli::report::{CommandVerdict, withdrawals};
use crate::cli::style::{BAD, GOOD, WARNING, plain, styled};

/// Writing into a text cannot fail.
macro_rules! line {
    ($text:expr, $($part:tt)*) => {{
        let _ = writeln!($text, $($part)*);
    }};
}

pub(super) fn report(
    views: &Views,
    audit: &Audit,
    seen: &CommonView,
    compared: &Compared,
) -> (CommandVerdict, String) {
    let mut text = String::new();
    let from = audit.from();
    let origin = plain(&views.origin);
    let replayed = audit.size().saturating_sub(from);
    match audit.last_hash().zip(audit.size().checked_sub(1)) {
        Some((hash, last)) => {
            line!(text, "{replayed} SuperRoots of {origin}, {from} to {last}: {hash}")
        }
        None => line!(text, "{origin} has no SuperRoot yet"),
    }
    line!(text, "  {} twigs replayed, {} notes of their own hold", audit.twigs(), audit.signed());
    let cosigned = seen.cosigned.filter(|_| views.asks_for_witnesses());
    if let Some(size) = cosigned {
        line!(text, "  the quorum of your witnesses signed the first {size}");
    }
    for withdrawal in withdrawals(audit.registry()) {
        line!(text, "  {withdrawal}");
    }
    for warning in &seen.warnings {
        line!(text, "  {}  {}", styled(WARNING, "look"), plain(warning));
    }
    for differs in &compared.differing {
        line!(text, "  {}  {}", styled(BAD, "differs"), plain(differs));
    }
    if let Some(before) = from.checked_sub(1) {
        line!(text, "  not shown: SuperRoots 0 to {before}, which were not replayed (--from)");
    }
    match cosigned {
        Some(size) if size >= audit.size() => {}
        Some(size) => line!(
            text,
            "  not shown: that everybody else is shown the SuperRoots from {size} on: your witnesses have \
             not signed them"
        ),
        None => line!(text, "  not shown: that everybody else is shown this same log (--policy)"),
    }
    match compared.blocks {
        0 => line!(
            text,
            "  not shown: that the blocks in the twigs are those of their chains (--against)"
        ),
        blocks => line!(
            text,
            "  {blocks} blocks were compared with your nodes; not shown: that the others are those of \
             their chains"
        ),
    }
    finality_lines(&mut text, compared);
    let (verdict, words) = judge(views, audit, seen, compared);
    line!(text, "{words}");
    (verdict, text)
}

fn finality_lines(text: &mut String, compared: &Compared) {
    for FinalitySamples { chain, shown, not_shown, why, refused } in &compared.finality {
        let why = why.as_ref().filter(|_| *not_shown > 0);
        let why = why.map_or_else(String::new, |why| format!(" ({})", plain(why)));
        line!(
            text,
            "  {chain}: finality of {shown} blocks shown from your pin, of {not_shown} not{why}"
        );
        for refused in refused {
            line!(text, "  {}  {}", styled(BAD, "false evidence"), plain(refused));
        }
    }
}

fn judge(
    views: &Views,
    audit: &Audit,
    seen: &CommonView,
    compared: &Compared,
) -> (CommandVerdict, String) {
    if !compared.differing.is_empty() {
        let words = "the log commits to other blocks than your nodes have";
        return (CommandVerdict::False, format!("{}: {words}", styled(BAD, "FALSE")));
    }
    if compared.finality.iter().any(|one| !one.refused.is_empty()) {
        let words = "the service shows false evidence of finality";
        return (CommandVerdict::False, format!("{}: {words}", styled(BAD, "FALSE")));
    }
    if let Some(none) = compared.finality.iter().find(|one| one.shown == 0) {
        let (chain, mark) = (&none.chain, styled(WARNING, "NOT JUDGED"));
        let words = format!("{mark}: finality of no block of {chain} was shown from your pin");
        return (CommandVerdict::Unusable, words);
    }
    let why = if views.key.is_none() || audit.size() == 0 {
        "nobody whom you know signed the newest SuperRoot (--key)"
    } else if views.asks_for_witnesses() && seen.cosigned.is_none() {
        "the quorum of your witnesses signed none of its last SuperRoots (--policy)"
    } else {
        let words = "every rule holds, and your key signed the newest SuperRoot";
        return (CommandVerdict::True, format!("{}: {words}", styled(GOOD, "TRUE")));
    };
    let words = format!("{}: every rule holds, but {why}", styled(WARNING, "NOT ANCHORED"));
    (CommandVerdict::Unusable, words)
}

pub(super) async fn accuse(
    args: &AuditArgs,
    views: &Views,
    audit: &Audit,
    error: &AuditError,
) -> anyhow::Result<String> {
    let mut text = String::new();
    line!(text, "{}: {}", styled(BAD, "FALSE"), plain(&error.to_string()));
    let clients = views.services.iter().map(|service| &service.client);
    let evidence = audit.evidence_of(error, clients);
    match evidence.await {
        Some(evidence) => {
            files::write_evidence(&args.evidence, &evidence)?;
            let file = args.evidence.display().to_string();
            line!(text, "evidence that one key signed two histories: {}", plain(&file));
        }
        None => {
            let names: Vec<String> = views.services.iter().map(|one| plain(&one.name)).collect();
            line!(text, "seen at {}; no two notes contradict each other", names.join(", "));
        }
    }
    Ok(text)
}
