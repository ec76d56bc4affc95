//! Event lines for people.

use serde_json::Value;

use super::super::style::{BAD, FAINT, GOOD, HEADING, WARNING, plain, styled};

pub(super) fn line(name: &str, data: &Value) -> String {
    let text = |member: &str| render_member(data, member);
    let (style, rest) = match name {
        "superroot" => (GOOD, format!("sequence {} {}", text("sequence"), text("superRootHash"))),
        "anchored" => (GOOD, render_anchored(data)),
        "finality" => (HEADING, format!("{} {}", render_blocks(data), text("finality"))),
        "undone" | "retraction" => (BAD, render_blocks(data)),
        "logs" => (HEADING, render_log(data)),
        "token_launch" => (GOOD, render_launch(data)),
        "updated" => (BAD, render_launch(data)),
        "orders" => (HEADING, render_order_step(data)),
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

fn render_member(data: &Value, member: &str) -> String {
    match &data[member] {
        Value::String(text) => plain(text),
        Value::Null => String::new(),
        other => plain(&other.to_string()),
    }
}

fn render_blocks(data: &Value) -> String {
    let from = render_member(data, "fromBlock");
    let to = render_member(data, "toBlock");
    let numbers = if from == to { from } else { format!("{from} to {to}") };
    format!("chain {:<10} block {numbers}", render_member(data, "chainId"))
}

fn render_anchored(data: &Value) -> String {
    let transaction = render_member(data, "transactionHash");
    let what =
        if transaction.is_empty() { String::new() } else { format!(" transaction {transaction}") };
    format!("{} in SuperRoot {}{what}", render_blocks(data), render_member(data, "sequence"))
}

fn render_log(data: &Value) -> String {
    let text = |member: &str| render_member(data, member);
    let topic = data["topics"][0].as_str().unwrap_or("no topic");
    let mut words = vec![
        format!("chain {:<10} block {}", text("chainId"), text("blockNumber")),
        format!("{}/{}", text("transactionIndex"), text("logIndex")),
        text("address"),
        plain(topic),
        text("finality"),
    ];
    if data["isLate"] == true {
        words.push("late".to_owned());
    }
    words.join(" ")
}

fn render_launch(data: &Value) -> String {
    let text = |member: &str| render_member(data, member);
    let words = [
        format!("chain {:<10} block {}", text("chainId"), text("block")),
        text("symbol"),
        format!("{} USD on {}", text("liquidityUSD"), text("protocol")),
        text("token"),
        format!("proof {}", text("proofHash")),
    ];
    words.join(" ")
}

fn render_order_step(data: &Value) -> String {
    let text = |member: &str| render_member(data, member);
    let words = [
        format!("chain {:<10} block {}", text("chainId"), text("blockNumber")),
        render_step_effect(data),
        text("orderId"),
        text("protocol"),
        text("finality"),
    ];
    words.join(" ")
}

/// What a step is, and what it makes of its order where that is something else.
fn render_step_effect(data: &Value) -> String {
    let text = |member: &str| data[member].as_str().map(plain);
    let step = text("step").unwrap_or_default();
    match (text("mismatch"), text("state")) {
        (Some(mismatch), _) => format!("{step} (does not count: {mismatch})"),
        (None, Some(state)) if state != step => format!("{step} (order: {state})"),
        (None, _) => step,
    }
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

    /// A fill that anybody may cause is not shown as the order's.
    #[test]
    fn a_step_says_what_it_makes_of_its_order() {
        let shown = |state: &str, mismatch: Value| {
            let data = json!({ "chainId": 8453, "blockNumber": 9, "step": "filled", "state": state,
                "mismatch": mismatch, "orderId": "across:1:2", "protocol": "across", "finality": "head" });
            line("orders", &data)
        };
        assert!(shown("filled", Value::Null).contains("block 9 filled across:1:2 across head"));
        assert!(shown("fill_seen", Value::Null).contains(" filled (order: fill_seen) across:1:2"));
        let other = shown("opened", json!("other terms than the opening"));
        assert!(other.contains("filled (does not count: other terms than the opening)"), "{other}");
    }
}
