//! Tools for agents, one row each: name, parameters, route.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::Uri;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use superroot_wire::paths;

/// Longest argument, in bytes of text.
const TEXT_BYTES_MAX: usize = 2_048;
const CHAIN: ToolParameter =
    ToolParameter::needed("chain", "Chain id, name or CAIP-2 name, such as base or eip155:8453");

/// Strength of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolEvidence {
    /// Answer with a proof.
    Proof,
    /// Statement by the service, without a proof.
    Statement,
}

/// Parameter of a tool: text or a number, part of the path or of the query.
#[derive(Clone, Copy, Debug)]
pub struct ToolParameter {
    /// Name in tool and route.
    pub name: &'static str,
    /// Shape, for the agent.
    pub about: &'static str,
    /// Whether a call must have the argument.
    pub is_needed: bool,
    is_number: bool,
}

impl ToolParameter {
    const fn needed(name: &'static str, about: &'static str) -> Self {
        Self { name, about, is_needed: true, is_number: false }
    }

    const fn optional(name: &'static str, about: &'static str) -> Self {
        Self { name, about, is_needed: false, is_number: false }
    }

    const fn number(self) -> Self {
        Self { is_number: true, ..self }
    }
}

/// Tool over the `GET` of one route.
#[derive(Clone, Copy, Debug)]
pub struct RouteTool {
    /// Tool name.
    pub name: &'static str,
    /// Purpose, for the agent.
    pub about: &'static str,
    /// Route template; other parameters go to the query.
    pub path: &'static str,
    /// Parameters.
    pub parameters: &'static [ToolParameter],
    /// Strength of the answer.
    pub evidence: ToolEvidence,
}

/// Refused call, with the argument's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{argument}: {why}")]
pub struct ToolRefusal {
    /// Argument.
    pub argument: String,
    /// Expected and found.
    pub why: Cow<'static, str>,
}

impl ToolRefusal {
    /// Refusal of one argument.
    pub fn new(argument: impl Into<String>, why: impl Into<Cow<'static, str>>) -> Self {
        Self { argument: argument.into(), why: why.into() }
    }
}

/// Tools over routes.
pub const ROUTE_TOOLS: &[RouteTool] = &[
    RouteTool {
        name: "find",
        about: "Find what a 32-byte hash is on all followed chains: a transaction, a block, an order, a SuperRoot.",
        path: "/v5/find/{hash}",
        parameters: &[ToolParameter::needed("hash", "0x and 64 hex digits")],
        evidence: ToolEvidence::Statement,
    },
    RouteTool {
        name: "prove_block",
        about: "Prove that a block is in its chain, under a signed SuperRoot.",
        path: paths::BLOCK_PROOF,
        parameters: &[CHAIN, ToolParameter::needed("block", "Block number, or latest")],
        evidence: ToolEvidence::Proof,
    },
    RouteTool {
        name: "prove_transaction",
        about: "Prove a transaction, and its receipt where the ledger has one, under a signed SuperRoot.",
        path: "/v5/tx/{chain}/{hash}",
        parameters: &[
            CHAIN,
            ToolParameter::needed("hash", "Transaction hash as the chain writes it"),
        ],
        evidence: ToolEvidence::Proof,
    },
    RouteTool {
        name: "prove_event",
        about: "Prove one log of a transaction (of Bitcoin: one output) under a signed SuperRoot.",
        path: paths::EVENT_PROOF_BY_HASH,
        parameters: &[
            CHAIN,
            ToolParameter::needed("tx", "Transaction hash as the chain writes it"),
            ToolParameter::needed("log_index", "Position in the receipt, from 0").number(),
        ],
        evidence: ToolEvidence::Proof,
    },
    RouteTool {
        name: "price",
        about: "Price of a token in US dollars from on-chain pools, with its sources. Needs a key of the Builder tier.",
        path: "/price/{chain}/{token}",
        parameters: &[
            CHAIN,
            ToolParameter::needed("token", "Token address"),
            ToolParameter::optional("block", "Block number, or latest; the newest if left out"),
        ],
        evidence: ToolEvidence::Statement,
    },
    RouteTool {
        name: "order",
        about: "State and legs of a cross-chain order: deposit, fill, refund, on which chains, with routes to proofs.",
        path: paths::ORDER,
        parameters: &[ToolParameter::needed(
            "order_id",
            "Order id, protocol:chain:id, or the transaction of its deposit or fill",
        )],
        evidence: ToolEvidence::Statement,
    },
    RouteTool {
        name: "logs",
        about: "Events of one chain by address, topics and block range, in pages (nextCursor).",
        path: paths::LOGS,
        parameters: &[
            CHAIN,
            ToolParameter::optional("address", "Addresses, with commas between"),
            ToolParameter::optional(
                "topic0",
                "32 bytes of hex, or a signature such as Transfer(address,address,uint256)",
            ),
            ToolParameter::optional("topic1", "32 bytes of hex"),
            ToolParameter::optional("topic2", "32 bytes of hex"),
            ToolParameter::optional("topic3", "32 bytes of hex"),
            ToolParameter::optional("fromBlock", "First block").number(),
            ToolParameter::optional("toBlock", "Last block").number(),
            ToolParameter::optional("finality", "head, finalized (if left out) or anchored"),
            ToolParameter::optional("limit", "Events of a page, 1 to 1000").number(),
            ToolParameter::optional("cursor", "nextCursor of the page before"),
        ],
        evidence: ToolEvidence::Statement,
    },
    RouteTool {
        name: "gas",
        about: "Fees of each chain: next base fee, tips, L1 data fee; computed from verified headers.",
        path: "/search-api/v5/gas",
        parameters: &[ToolParameter::optional(
            "chain_id",
            "Chain id or name; every chain if left out",
        )],
        evidence: ToolEvidence::Statement,
    },
    RouteTool {
        name: "status",
        about: "What the service follows: chains, heads, anchored blocks, lags, and what is wrong.",
        path: paths::STATUS,
        parameters: &[],
        evidence: ToolEvidence::Statement,
    },
];

impl RouteTool {
    /// Tool by name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        ROUTE_TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Path and query for a call.
    ///
    /// # Errors
    /// [`ToolRefusal`] for a missing, unknown, long or ill-typed argument.
    pub fn path_of(&self, arguments: &Map<String, Value>) -> Result<String, ToolRefusal> {
        let is_known = |name: &&String| self.parameters.iter().any(|one| one.name == *name);
        if let Some(unknown) = arguments.keys().find(|name| !is_known(name)) {
            let known: Vec<_> = self.parameters.iter().map(|one| one.name).collect();
            let why = format!("unknown argument, expected one of: {}", known.join(", "));
            return Err(ToolRefusal::new(unknown, why));
        }
        let mut path = self.path.to_owned();
        let mut query = String::new();
        for parameter in self.parameters {
            let Some(text) = parameter.text_of(arguments)? else { continue };
            let text = escaped(&text);
            let place = format!("{{{}}}", parameter.name);
            if path.contains(&place) {
                path = path.replace(&place, &text);
            } else {
                let mark = if query.is_empty() { '?' } else { '&' };
                query = format!("{query}{mark}{}={text}", parameter.name);
            }
        }
        let path = path + &query;
        let is_path = path.parse::<Uri>().is_ok();
        is_path
            .then_some(path)
            .ok_or_else(|| ToolRefusal::new(self.name, "no path of these arguments"))
    }

    /// Definition for agents.
    #[must_use]
    pub fn definition(&self) -> Tool {
        let of = |parameter: &ToolParameter| {
            let form = if parameter.is_number { "integer" } else { "string" };
            (parameter.name.to_owned(), json!({ "type": form, "description": parameter.about }))
        };
        let properties = self.parameters.iter().map(of).collect();
        let needed = self.parameters.iter().filter(|one| one.is_needed).map(|one| one.name);
        definition(self.name, self.about, properties, &needed.collect::<Vec<_>>())
    }
}

/// Definition of a tool without side effects.
#[must_use]
pub fn definition(
    name: &'static str,
    about: &'static str,
    properties: Map<String, Value>,
    needed: &[&str],
) -> Tool {
    let schema = json!({
        "type": "object",
        "properties": properties,
        "required": needed,
        "additionalProperties": false,
    });
    let schema = schema.as_object().cloned().unwrap_or_default();
    let annotations = ToolAnnotations::new().read_only(true).open_world(true);
    Tool::new(name, about, Arc::new(schema) as Arc<JsonObject>).with_annotations(annotations)
}

impl ToolParameter {
    /// Argument as text; `None` without one.
    fn text_of(&self, arguments: &Map<String, Value>) -> Result<Option<String>, ToolRefusal> {
        let refuse = |why: &'static str| Err(ToolRefusal::new(self.name, why));
        let text = match arguments.get(self.name) {
            None | Some(Value::Null) if self.is_needed => return refuse("missing argument"),
            None | Some(Value::Null) => return Ok(None),
            Some(Value::Number(number)) if number.is_u64() => number.to_string(),
            Some(Value::String(text)) if !text.is_empty() => text.clone(),
            Some(_) => return refuse("expected text or a number of 0 or more"),
        };
        if text.len() > TEXT_BYTES_MAX {
            return refuse("longer than 2,048 bytes");
        }
        Ok(Some(text))
    }
}

/// Text for one part of a path or query (RFC 3986): only unreserved characters, colons and commas stay unescaped.
fn escaped(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_~.:,".contains(&byte);
    // a part of dots alone leads to another path
    let is_dots = text.bytes().all(|byte| byte == b'.');
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            _ if is_plain(byte) && !is_dots => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(tool: &str, arguments: Value) -> Result<String, ToolRefusal> {
        RouteTool::find(tool).unwrap().path_of(arguments.as_object().unwrap())
    }

    #[test]
    fn arguments_fill_the_path_and_then_the_query() {
        let event = json!({ "chain": "base", "tx": "0xab", "log_index": 3 });
        assert_eq!(path("prove_event", event).unwrap(), "/v5/event/base/0xab/3");
        let logs = json!({ "chain": "1", "fromBlock": 7, "topic0": "Transfer(address,uint256)" });
        let expected = "/v5/logs?chain=1&topic0=Transfer%28address,uint256%29&fromBlock=7";
        assert_eq!(path("logs", logs).unwrap(), expected);
    }

    #[test]
    fn an_argument_never_leads_to_another_route() {
        for hostile in
            ["../../api/v1/keys", "a/b", "a?x=1", "a#b", "..", ".", "%2e%2e/", "a\nb", "é"]
        {
            let path = path("find", json!({ "hash": hostile })).unwrap();
            let tail = path.strip_prefix("/v5/find/").unwrap();
            assert!(!tail.contains(['/', '?', '#', '\n']), "{hostile}: {path}");
            assert!(tail != "." && tail != "..", "{hostile}: {path}");
        }
    }

    #[test]
    fn a_false_argument_is_named() {
        for (arguments, named) in [
            (json!({}), "hash"),
            (json!({ "hash": "" }), "hash"),
            (json!({ "hash": {} }), "hash"),
            (json!({ "hash": -1 }), "hash"),
            (json!({ "hash": "0x".repeat(2_000) }), "hash"),
            (json!({ "hash": "0x00", "url": "http://evil" }), "url"),
        ] {
            assert_eq!(path("find", arguments).unwrap_err().argument, named);
        }
    }

    /// Every tool leads to a route of the table, and names parameters that the route has.
    #[test]
    fn tools_lead_to_routes_and_their_parameters() {
        let table = crate::routes::table();
        for tool in ROUTE_TOOLS {
            let mut routes = table.iter();
            let route = routes.find(|route| route.metered.path == tool.path).expect(tool.name);
            let get = route.operations.iter().find(|one| one.method == "GET").unwrap();
            for parameter in tool.parameters {
                let in_path = tool.path.contains(&format!("{{{}}}", parameter.name));
                let in_query = get.query.iter().any(|one| one.name == parameter.name);
                assert!(in_path || in_query, "{}: {}", tool.name, parameter.name);
            }
        }
    }
}
