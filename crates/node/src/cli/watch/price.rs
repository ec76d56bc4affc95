//! `superroot watch price CHAIN TOKEN`: polls a price and shows changes.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

use reqwest::StatusCode;
use serde_json::Value;

use super::super::style::{HEADING, WARNING, plain, styled};
use super::args::WatchArgs;
use super::output::{WatchOutput, say_lost, write_json};
use super::request::{ask, at, problem_of, refusal};

pub(super) async fn watch(
    args: &WatchArgs,
    (chain, token): (&str, &str),
    http: &reqwest::Client,
    shown: &mut WatchOutput,
    out: &mut dyn Write,
) -> anyhow::Result<ExitCode> {
    let mut before = None;
    loop {
        let mut url = at(args, "/price")?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.extend([chain, token]);
        }
        match ask(args, http, url).await {
            Err(error) => say_lost(args, &error.without_url().to_string()),
            Ok(answer) => {
                let status = answer.status();
                let body = problem_of(answer).await;
                // that there is no price is an answer
                let is_none = status == StatusCode::NOT_FOUND && body["code"] == "no_price";
                if !status.is_success() && !is_none {
                    say_lost(args, &refusal(status, &body)?);
                } else if before.as_ref() != Some(&said(&body)) {
                    before = Some(said(&body));
                    match args.json {
                        true => write_json(out, "price", &body)?,
                        false => writeln!(out, "{}", line(&body))?,
                    }
                    out.flush()?;
                    if shown.count(true)? {
                        return Ok(ExitCode::SUCCESS);
                    }
                }
            }
        }
        tokio::time::sleep(Duration::from_secs(args.every)).await;
    }
}

/// Values that make two answers different for a viewer.
fn said(body: &Value) -> [Value; 2] {
    [body["price_usd"].clone(), body["reason"].clone()]
}

fn line(body: &Value) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => plain(text),
        Value::Null => "none".to_owned(),
        other => plain(&other.to_string()),
    };
    let Value::String(usd) = &body["price_usd"] else {
        let why = format!("{}: {}", text(&body["reason"]), text(&body["detail"]));
        return format!("{} {why}", styled(WARNING, format_args!("{:<10}", "no price")));
    };
    let block = &body["block"];
    let token = &body["token"];
    let words = [
        format!("{} USD for one {}", plain(usd), text(&token["symbol"])),
        format!("mean {}", text(&body["twap"]["price_usd"])),
        format!("confidence {}", text(&body["confidence"]["value"])),
        format!("block {} {}", text(&block["number"]), text(&block["finality"])),
    ];
    format!("{} {}", styled(HEADING, format_args!("{:<10}", "price")), words.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_price_and_its_lack_are_lines() {
        let price = json!({
            "price_usd": "2669.35", "token": { "symbol": "W\u{1b}[2J" }, "twap": { "price_usd": "2670" },
            "confidence": { "value": 0.9 }, "block": { "number": 7, "finality": "head" },
        });
        let shown = line(&price);
        assert!(shown.contains("2669.35 USD for one W\\u{1b}[2J, mean 2670"), "{shown}");
        assert!(shown.ends_with("confidence 0.9, block 7 head"), "{shown}");
        let none = json!({ "code": "no_price", "reason": "thin", "detail": "only 3 US dollars" });
        assert!(line(&none).contains("thin: only 3 US dollars"));
        assert_ne!(said(&price), said(&none));
    }
}
