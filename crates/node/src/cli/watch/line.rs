//! Event lines for people.

use std::collections::VecDeque;

use serde_json::Value;

use super::super::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};

pub(super) fn line(name: &str, data: &Value) -> String {
    let text = |member: &str| match &data[member] {
        Value::String(text) => plain(text),
        Value::Null => String::new(),
        other => plain(&other.to_string()),
    };
    let blocks = || {
        let from = text("fromBlock");
        let to = text("toBlock");
        let numbers = if from == to { from } else { format!("{from} to {to}") };
        format!("chain {:<10} block {numbers}", text("chainId"))
    };
    let (style, rest) = match name {
        "superroot" => (GOOD, format!("sequence {} {}", text("sequence"), text("superRootHash"))),
        "anchored" => {
            let transaction = text("transactionHash");
            let what = if transaction.is_empty() {
                String::new()
            } else {
                format!(" transaction {transaction}")
            };
            (GOOD, format!("{} in SuperRoot {}{what}", blocks(), text("sequence")))
        }
        "finality" => (HEADING, format!("{} {}", blocks(), text("finality"))),
        "undone" | "retraction" => (BAD, blocks()),
        "logs" => {
            let topic = data["topics"][0].as_str().unwrap_or("no topic");
            let mut words = VecDeque::from([
                format!("chain {:<10} block {}", text("chainId"), text("blockNumber")),
                format!("{}/{}", text("transactionIndex"), text("logIndex")),
                text("address"),
                plain(topic),
                text("finality"),
            ]);
            if data["isLate"] == true {
                words.push_back("late".to_owned());
            }
            (HEADING, Vec::from(words).join(" "))
        }
        "token_launch" | "updated" => {
            let style = if name == "updated" { BAD } else { GOOD };
            let words = [
                format!("chain {:<10} block {}", text("chainId"), text("block")),
                text("symbol"),
                format!("{} USD on {}", text("liquidityUSD"), text("protocol")),
                text("token"),
                format!("proof {}", text("proofHash")),
            ];
            (style, words.join(" "))
        }
        "orders" => {
            let words = [
                format!("chain {:<10} block {}", text("chainId"), text("blockNumber")),
                text("step"),
                text("orderId"),
                text("protocol"),
                text("finality"),
            ];
            (HEADING, words.join(" "))
        }
        "order" => {
            let words = [text("order_id"), text("protocol"), text("state")];
            (GOOD, words.join(" "))
        }
        "arb" => (HEADING, opportunities(data)),
        "gap" | "stale" | "lagged" | "ended" => (WARNING, text("why")),
        "ready" => (FAINT, format!("from {}", text("cursor"))),
        _ => (FAINT, plain(&data.to_string())),
    };
    format!("{} {rest}", styled(style, format_args!("{:<10}", plain(name))))
}

const OPPORTUNITIES_MAX: usize = 5;

/// Price differences, one per line, highest gain first.
fn opportunities(data: &Value) -> String {
    let all = data["opportunities"].as_array().map_or(&[][..], Vec::as_slice);
    let number = |value: &Value| value.as_f64().map_or_else(String::new, |usd| format!("{usd:.2}"));
    let venue = |at: &Value| {
        let protocol = plain(at["protocol"].as_str().unwrap_or_default());
        format!(
            "chain {} {protocol} at {}",
            at["chainId"],
            plain(at["priceUsd"].as_str().unwrap_or_default())
        )
    };
    let one = |found: &Value| {
        format!(
            "\n  {} USD net of {} USD: {} from {} to {}, confidence {}",
            number(&found["netProfitUsd"]),
            number(&found["sizeUsd"]),
            plain(found["token"].as_str().unwrap_or_default()),
            venue(&found["buy"]),
            venue(&found["sell"]),
            number(&found["confidence"]),
        )
    };
    let shown: String = all.iter().take(OPPORTUNITIES_MAX).map(one).collect();
    format!("{} found{shown}", all.len())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_service_sends_reaches_the_terminal_as_plain_text() {
        let data =
            json!({ "chainId": 1, "fromBlock": 7, "toBlock": 9, "finality": "\u{1b}[2Jhead" });
        let shown = line("finality", &data);
        assert!(shown.contains("chain 1          block 7 to 9"), "{shown}");
        assert!(!shown.contains("\u{1b}[2J"), "{shown}");
        assert!(!line("\u{1b}[2J", &json!({})).contains("\u{1b}[2J"));
    }
}
