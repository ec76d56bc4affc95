//! Evidence that one key signed two histories.

use serde_json::{Value, json};
use superroot_proof::note::Contradiction;
use superroot_wire::evidence::parse_evidence;
use superroot_wire::parse_json;

use crate::cli::report::{
    CommandOutcome, CommandVerdict, ShownMember, check_line, object, print_members,
};
use crate::cli::style::{BAD, GOOD, HEADING, styled};

/// Body, if similar to evidence.
pub(super) fn of(body: &[u8]) -> Option<Value> {
    if body.trim_ascii_start().first() != Some(&b'{') {
        return None;
    }
    parse_json(body).ok().filter(superroot_wire::evidence::is_evidence)
}

/// Judges evidence. The result does not depend on the reader; the reader knows the key's owner.
pub(super) fn check(body: &Value) -> CommandOutcome {
    let (key, judged, unproven) = match parse_evidence(body) {
        Ok((evidence, unproven)) => (evidence.key.to_string(), evidence.verify(), unproven),
        Err(error) if error.is_false() => return of_false(&error.to_string()),
        Err(error) => {
            let why = format!("it looks like evidence, but is none: {error}");
            return CommandOutcome::unusable("file", why);
        }
    };
    let shown = match judged {
        Ok(shown) => shown,
        Err(error) => return of_false(&error.to_string()),
    };
    let members = members(&shown, key);
    let json = json!({
        "valid": true,
        "exit": CommandVerdict::True as u8,
        "kind": "evidence",
        "shown": object(&members),
        "unproven": unproven,
        "error": null,
    });
    let mut text = statement() + &check_line(Some(true), "evidence", "both signatures hold") + "\n";
    print_members(&mut text, &members);
    text += &styled(GOOD, "\nTRUE: the holder of this key signed two histories\n");
    text += "It says nothing about any other key: compare the key with the one that you pinned. Trust \
             no SuperRoot of that log any more, and pass this file on.\n";
    CommandOutcome { verdict: CommandVerdict::True, json, text: Ok(text) }
}

fn statement() -> String {
    format!("{}\n\n", styled(HEADING, "Statement  one key signed two histories"))
}

fn members(shown: &Contradiction, key: String) -> Vec<ShownMember> {
    let Contradiction { origin, size, roots } = shown;
    let [first, second] = roots;
    vec![
        ("origin", json!(origin)),
        ("key", json!(key)),
        ("size", json!(size)),
        ("root", json!(first)),
        ("other_root", json!(second)),
    ]
}

fn of_false(why: &str) -> CommandOutcome {
    let json = json!({
        "valid": false,
        "exit": CommandVerdict::False as u8,
        "kind": "evidence",
        "error": { "step": "evidence", "reason": why },
    });
    let line = check_line(Some(false), "evidence", why);
    let text = format!("{}{line}\n\n{}\n", statement(), styled(BAD, format!("FALSE: {why}")));
    CommandOutcome { verdict: CommandVerdict::False, json, text: Ok(text) }
}
