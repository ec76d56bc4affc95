//! Status page: from the status JSON, without a script.

use std::fmt::Write;

use serde_json::Value;
use superroot_types::duration_text;

use super::docs::{escape, whole};

/// Browser refresh interval in seconds.
const REFRESH_SECONDS: u32 = 10;

const LEGEND: &str = "<p>head: newest block seen. final: newest block that is held, checked \
    and agreed not to change. anchored: newest block that the SuperRoot commits to; up to it proofs are \
    given. lag: from head to anchored, and the age of the anchored block. nodes: how many of the chain's nodes \
    are healthy.</p>";

pub(crate) fn page(status: &Value) -> String {
    let mut body = heading(status);
    body.push_str(
         "<table><tr><th>chain</th><th>state</th><th>nodes' head</th><th>nodes' final</th>\
          <th>final here</th><th>anchored</th><th>lag</th><th>nodes</th><th>what is wrong</th></tr>",
    );
    let chains = status["chains"].as_array();
    let mut not_followed = Vec::new();
    for chain in chains.into_iter().flatten() {
        let is_empty = chain["anchored"].is_null();
        match chain["state"].as_str() {
            Some("not_followed") if is_empty => not_followed.push(text(&chain["name"])),
            _ => push_row(&mut body, chain),
        }
    }
    body.push_str("</table>");
    body.push_str(LEGEND);
    if !not_followed.is_empty() {
        let about = "Not followed here, since no source of them is configured";
        let names = not_followed;
        push(&mut body, format_args!("<p>{about}: {}.</p>", names.join(", ")));
    }
    push_retractions(&mut body, &status["retractions"]);
    body.push_str(
        "<p>As JSON: <a href=\"/api/v1/status\">/api/v1/status</a>, <a href=\"/api/v1/chains\">\
         /api/v1/chains</a>; a chain's name leads to what is held of it.</p>",
    );
    let refresh = format!("<meta http-equiv=\"refresh\" content=\"{REFRESH_SECONDS}\">");
    whole("SuperRoot status", &refresh, &body)
}

fn heading(status: &Value) -> String {
    let mut body = format!(
        "<h1>SuperRoot status: {}</h1><p>Log <code>{}</code>, network <code>{}</code>{}, version {}, \
         up for {}{}.</p>",
        text(&status["status"]),
        text(&status["origin"]),
        text(&status["network"]),
        note(&status["network_note"]),
        text(&status["version"]),
        duration(&status["uptime_seconds"]),
        size(&status["store"]["bytes"]),
    );
    if !status["publishing_why"].is_null() {
        push(
            &mut body,
            format_args!(
                "<p><strong>Publishing: {}.</strong> {}</p>",
                text(&status["publishing"]),
                text(&status["publishing_why"])
            ),
        );
    }
    let newest = &status["super_root"];
    if newest.is_null() {
        body.push_str("<p>The first SuperRoot does not stand yet.</p>");
    } else {
        push(
            &mut body,
            format_args!(
                "<p>SuperRoot {} of {} ago, the one hash that commits to all that is anchored: \
                 <code>{}</code></p>",
                text(&newest["sequence"]),
                duration(&newest["age_seconds"]),
                text(&newest["super_root_hash"])
            ),
        );
    }
    push_witnesses(&mut body, &status["witnesses"]);
    push_anchors(&mut body, &status["anchors"]);
    body
}

/// Each witness's last cosigned SuperRoot, and its error.
fn push_witnesses(body: &mut String, witnesses: &Value) {
    let one = |witness: &Value| {
        let why = &witness["last_error"];
        let said = match (why.is_null(), witness["size"].is_null()) {
            (false, _) => text(why),
            (true, true) => "not asked yet".to_owned(),
            (true, false) => {
                format!(
                    "size {} of {} ago",
                    text(&witness["size"]),
                    duration(&witness["age_seconds"])
                )
            }
        };
        format!("<li>{}: {said}</li>", text(&witness["name"]))
    };
    let all: String = witnesses.as_array().into_iter().flatten().map(one).collect();
    if !all.is_empty() {
        push(body, format_args!("<p>Witnesses, and what each cosigned last:</p><ul>{all}</ul>"));
    }
}

/// Each anchor contract's newest SuperRoot, and its error.
fn push_anchors(body: &mut String, anchors: &Value) {
    let one = |anchor: &Value| {
        let why = &anchor["last_error"];
        let said = match (why.is_null(), anchor["sequence"].is_null()) {
            (false, _) => text(why),
            (true, true) => "none yet".to_owned(),
            (true, false) => {
                format!(
                    "SuperRoot {}, {} behind",
                    text(&anchor["sequence"]),
                    text(&anchor["behind"])
                )
            }
        };
        let contract = text(&anchor["contract"]);
        format!("<li>chain {}, <code>{contract}</code>: {said}</li>", text(&anchor["chain_id"]))
    };
    let all: String = anchors.as_array().into_iter().flatten().map(one).collect();
    if !all.is_empty() {
        push(body, format_args!("<p>Anchor contracts, and what each holds:</p><ul>{all}</ul>"));
    }
}

fn push_row(body: &mut String, chain: &Value) {
    let endpoints = chain["endpoints"].as_array().map_or(&[][..], Vec::as_slice);
    let healthy = endpoints.iter().filter(|endpoint| endpoint["state"] == "healthy").count();
    let nodes = match endpoints.len() {
        0 => String::new(),
        count => format!("{healthy} of {count}"),
    };
    let state = text(&chain["state"]);
    let is_well = ["following", "catching_up", "backfilling", "recorded", "starting"]
        .contains(&state.as_str());
    let class = if is_well { "" } else { " class=\"off\"" };
    let slug = text(&chain["slug"]);
    push(
        body,
        format_args!(
            "<tr><td><a href=\"/api/v1/coverage/{slug}\">{}</a></td><td{class}>{state}{}</td>\
             <td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{nodes}</td><td>{}</td></tr>",
            text(&chain["name"]),
            backfill(&chain["backfill"]) + &repair(&chain["repair"]),
            text(first(&chain["claimed"]["head"], &chain["head"]["number"])),
            text(first(&chain["claimed"]["finalized"], &chain["finalized"]["number"])),
            text(&chain["indexed"]),
            text(&chain["anchored"]["number"]),
            lag(chain),
            reasons(chain),
        ),
    );
}

fn backfill(backfill: &Value) -> String {
    if backfill.is_null() {
        return String::new();
    }
    let count = |name: &str| text(&backfill[name]);
    let to = count("to");
    let done = count("done_blocks");
    let total = count("total_blocks");
    format!("<br>{done} of {total} older blocks, down to {to}")
}

fn repair(repair: &Value) -> String {
    if repair.is_null() {
        return String::new();
    }
    let count = |name: &str| text(&repair[name]);
    let done = count("done_blocks");
    let total = count("total_blocks");
    let mended = count("repaired_blocks");
    format!("<br>repair: {done} of {total} blocks looked at, {mended} mended")
}

/// Network note in brackets.
fn note(note: &Value) -> String {
    if note.is_null() { String::new() } else { format!(" ({})", text(note)) }
}

/// Store size, for the end of a sentence.
fn size(bytes: &Value) -> String {
    let Some(bytes) = bytes.as_u64() else { return String::new() };
    match (bytes >> 30, bytes >> 20) {
        (0, 0) => ", under 1 MiB of data".to_owned(),
        (0, mebibytes) => format!(", {mebibytes} MiB of data"),
        (gibibytes, _) => format!(", {gibibytes} GiB of data"),
    }
}

/// First value, or the second if the first is `null`.
fn first<'a>(one: &'a Value, other: &'a Value) -> &'a Value {
    if one.is_null() { other } else { one }
}

/// Halt reason, and last errors for the chain or its nodes.
fn reasons(chain: &Value) -> String {
    let endpoints = chain["endpoints"].as_array().into_iter().flatten();
    let of_nodes = endpoints.filter(|endpoint| !endpoint["last_error"].is_null());
    let of_nodes = of_nodes
        .map(|endpoint| format!("{}: {}", text(&endpoint["name"]), text(&endpoint["last_error"])));
    // where the chain does not move, the reason says what went wrong last
    let error = if chain["why"].is_null() { &chain["last_error"]["message"] } else { &Value::Null };
    let own = [&chain["why"], error, &chain["warning"]];
    let own = own.into_iter().filter(|one| !one.is_null()).map(text);
    own.chain(of_nodes).collect::<Vec<_>>().join("<br>")
}

fn lag(chain: &Value) -> String {
    match (&chain["lag_blocks"], &chain["lag_seconds"]) {
        (Value::Null, _) => String::new(),
        (blocks, Value::Null) => format!("{} blocks", text(blocks)),
        (blocks, seconds) => format!("{} blocks, {}", text(blocks), duration(seconds)),
    }
}

fn push_retractions(body: &mut String, retractions: &Value) {
    let retractions = retractions.as_array().map_or(&[][..], Vec::as_slice);
    if retractions.is_empty() {
        return;
    }
    body.push_str(
        "<h2>Retractions: blocks that were final here and that nodes contradict</h2><ul>",
    );
    for one in retractions {
        push(
            body,
            format_args!(
                "<li>chain {}, block {}: held <code>{}</code>, said to be <code>{}</code></li>",
                text(&one["chain_id"]),
                text(&one["number"]),
                text(&one["held_hash"]),
                text(&one["other_hash"])
            ),
        );
    }
    body.push_str("</ul>");
}

/// Human-readable duration.
fn duration(seconds: &Value) -> String {
    duration_text(seconds.as_u64().unwrap_or(0))
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => escape(text),
        other => escape(&other.to_string()),
    }
}

fn push(body: &mut String, text: std::fmt::Arguments<'_>) {
    // writing to a String cannot fail
    let _ = body.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_nodes_say_is_never_markup() {
        let evil = "<script>alert(1)</script>";
        let endpoint = json!({ "name": evil, "state": "down", "last_error": evil });
        let chain = json!({
            "name": evil, "slug": "x", "state": "stalled", "why": evil,
            "last_error": { "message": evil, "at": 1 }, "endpoints": [endpoint],
        });
        let page = page(&json!({ "origin": evil, "chains": [chain], "retractions": [{
            "chain_id": evil, "held_hash": evil,
        }], "witnesses": [{ "name": evil, "last_error": evil }] }));
        assert!(!page.contains("<script"), "{page}");
        assert_eq!(page.matches("&lt;script&gt;").count(), 9, "{page}");
    }

    #[test]
    fn who_sees_it_first_learns_what_it_shows_and_how_far_it_is() {
        let filling = json!({ "to": 2048, "done_blocks": 64, "total_blocks": 4096, "began_at": 1 });
        let chain = json!({ "name": "Base", "slug": "base", "state": "backfilling",
            "backfill": filling, "repair": { "done_blocks": 9, "total_blocks": 20,
            "repaired_blocks": 3, "began_at": 1 } });
        let page = page(&json!({ "chains": [chain], "network_note": "made-up blocks",
            "store": { "bytes": 5_u64 << 30 }, "witnesses": [
                { "name": "w1", "size": 12, "age_seconds": 4 }, { "name": "w2" }] }));
        for said in [
            "64 of 4096 older blocks, down to 2048",
            "repair: 9 of 20 blocks looked at, 3 mended",
            "(made-up blocks)",
            "<li>w1: size 12 of 4 s ago</li><li>w2: not asked yet</li>",
            "5 GiB of data",
            "up to it proofs are given",
        ] {
            assert!(page.contains(said), "{said}: {page}");
        }
        assert_eq!(
            (size(&Value::Null), size(&json!(3 << 20))),
            (String::new(), ", 3 MiB of data".into())
        );
    }

    #[test]
    fn a_page_of_nothing_is_a_page() {
        let page = page(&Value::Null);
        assert!(page.contains("does not stand yet") && page.ends_with("</html>"), "{page}");
    }
}
