//! Price check: recomputation from proven events.

use std::fmt::Write as _;

use serde_json::{Value, json};
use superroot_client::{CheckedPrice, EnclosedProofError, PriceCheckError, Verifier};
use superroot_types::Network;

use super::{VerifyArgs, anchor, false_answer, no_proof, no_row};
use crate::chains;
use crate::cli::report::{
    CommandOutcome, CommandVerdict, FailedStep, Judged, anchor_line, chain_name, check_line,
    origin_lines, print_list, verdict_line,
};
use crate::cli::style::{HEADING, WARNING, plain, styled};

pub(super) fn check(args: &VerifyArgs, body: &[u8]) -> CommandOutcome {
    let verifier = Verifier::new(chains::known().proof_registry().clone());
    let checked = match verifier.check_price(body, &args.stable) {
        Ok(checked) => checked,
        Err(error @ (PriceCheckError::NoPrice(_) | PriceCheckError::NoProof)) => {
            return no_proof(args, &error);
        }
        Err(PriceCheckError::Proof(_, EnclosedProofError::UnknownChain(chain))) => {
            return no_row(args, chain);
        }
        Err(error) => return refused(&error),
    };
    let Some(facts) = checked.events.values().next() else {
        return no_proof(args, &PriceCheckError::NoProof);
    };
    match anchor::of_proof(facts, args) {
        Ok(found) => shown(&checked, &Judged::of(None, Some(found))),
        Err(error) => CommandOutcome::unusable("trust_store", format!("{error:#}")),
    }
}

fn refused(error: &PriceCheckError) -> CommandOutcome {
    let step = match error {
        PriceCheckError::Proof(..) | PriceCheckError::SuperRoots => "events",
        PriceCheckError::Pool { .. } => "pools",
        _ => "price",
    };
    false_answer("price", FailedStep { step, reason: error.to_string() })
}

/// Checked price, ready to be shown.
struct PriceReport<'a> {
    checked: &'a CheckedPrice,
    judged: &'a Judged,
    origin: String,
    /// Newest proven SuperRoot.
    sequence: u64,
    /// Statement in words.
    words: String,
    not_shown: Vec<&'static str>,
    verdict: CommandVerdict,
    /// Whether the price is true only with tokens that the caller counts as dollars.
    is_admitted: bool,
}

fn shown(checked: &CheckedPrice, judged: &Judged) -> CommandOutcome {
    let report = PriceReport::new(checked, judged);
    let json = report.to_json();
    CommandOutcome { verdict: report.verdict, json, text: Ok(report.to_text()) }
}

impl<'a> PriceReport<'a> {
    fn new(checked: &'a CheckedPrice, judged: &'a Judged) -> Self {
        let CheckedPrice { price, events, admitted, .. } = checked;
        let facts = events.values().next();
        let chain = facts.map(|facts| chain_name(facts.statement.chain)).unwrap_or_default();
        let name = price.token.symbol.as_deref().unwrap_or(&price.token.address);
        let words = format!(
            "one {} ({}) is worth {} US dollars at block {} of {chain}",
            plain(name),
            plain(&price.token.address),
            price.price_usd,
            price.block.number
        );
        let mut not_shown = vec![
            "canonicity: that the chain's own consensus chose these blocks",
            "finality: that the blocks can no longer be replaced",
            "what a trade gets: a price is of the next small amount",
        ];
        if !judged.by.witnessed {
            not_shown.push("publication: that everybody else is shown this same SuperRoot");
        }
        // what only its reader takes for a dollar is no price for anybody else
        let is_admitted = judged.verdict == CommandVerdict::True && !admitted.is_empty();
        Self {
            checked,
            judged,
            origin: facts.map(|facts| facts.origin.clone()).unwrap_or_default(),
            sequence: facts.and_then(|facts| facts.super_root).map_or(0, |root| root.sequence.0),
            words,
            not_shown,
            verdict: if is_admitted { CommandVerdict::Unusable } else { judged.verdict },
            is_admitted,
        }
    }

    fn to_text(&self) -> String {
        let Self { checked, judged, sequence, words, .. } = self;
        let CheckedPrice { price, events, pools, said, admitted } = checked;
        let mut text = String::new();
        let mut line = |words: String| {
            let _ = writeln!(text, "{words}");
        };
        line(format!("{}  {}", styled(HEADING, "Statement"), styled(HEADING, words)));
        line(origin_lines(&self.origin));
        let mut good = |name: &str, detail: String| line(check_line(Some(true), name, &detail));
        good("events", format!("{} events are proven up to SuperRoot {sequence}", events.len()));
        good("pools", format!("{pools} pools, what each has in force follows from these"));
        good("price", format!("{} follows from these pools", price.price_usd));
        for stable in admitted {
            let detail = format!(
                "{stable:#x} counts as a dollar by --stable alone: nobody else need take it for one"
            );
            let _ = writeln!(text, "{}", check_line(None, "dollar", &detail));
        }
        let _ = writeln!(text, "{}", anchor_line(judged));
        print_list(&mut text, "Not shown:", &self.not_shown);
        let listed: Vec<String> = said.iter().map(|one| plain(one)).collect();
        let listed: Vec<&str> = listed.iter().map(String::as_str).collect();
        print_list(&mut text, "Said by the service, not proven:", &listed);
        let last = match self.is_admitted {
            true => styled(WARNING, format!("TRUE WITH --stable ALONE: {words}")),
            false => verdict_line(judged, &format!("TRUE: {words}, under what is listed above")),
        };
        let _ = writeln!(text, "\n{last}");
        text
    }

    fn to_json(&self) -> Value {
        let Self { checked, judged, origin, not_shown, .. } = self;
        let CheckedPrice { price, events, pools, said, admitted } = checked;
        json!({
            "valid": self.verdict == CommandVerdict::True,
            "exit": self.verdict as u8,
            "kind": "price",
            "network": Network::of_origin(origin),
            "origin": origin,
            "chain_id": price.chain_id,
            "token": price.token.address,
            "block_number": price.block.number,
            "price_usd": price.price_usd,
            "event_count": events.len(),
            "pool_count": pools,
            "super_root_hash": checked.super_root_hash(),
            "anchored": judged.by,
            "not_shown": not_shown,
            "unproven": said,
            "stables_admitted": admitted.iter().map(|one| format!("{one:#x}")).collect::<Vec<_>>(),
            "error": judged.error,
        })
    }
}
