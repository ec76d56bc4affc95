//! Tools over a service, with every proof verified on this machine.

use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use rmcp::RoleServer;
use rmcp::model::Tool;
use rmcp::service::RequestContext;
use serde_json::{Map, Value, json};
use superroot_api::mcp::{
    ROUTE_TOOLS, RouteTool, ToolCaller, ToolEvidence, ToolOutcome, ToolRefusal, definition,
};
use superroot_client::{Client, ClientError, answers_proof};

use super::files::ProofFolder;
use crate::cli::prove::target::{ProveTarget, file_name, find_chain, parse_block};
use crate::cli::report::{CommandOutcome, CommandVerdict, Examined};
use crate::cli::style::plain;
use crate::cli::verify::{self, VerifyArgs};

const VERIFY: &str = "verify";
/// Name of a proof from the call.
const IN_CALL: &str = "the proof";

pub(super) struct LocalTools {
    client: Client,
    folder: Option<ProofFolder>,
    trust_store: Option<PathBuf>,
}

impl LocalTools {
    pub(super) const fn new(
        client: Client,
        folder: Option<ProofFolder>,
        trust_store: Option<PathBuf>,
    ) -> Self {
        Self { client, folder, trust_store }
    }

    fn judge(&self, name: &str, body: anyhow::Result<Vec<u8>>) -> CommandOutcome {
        verify::judge(&VerifyArgs::with_pins(name.into(), self.trust_store.clone()), body)
    }

    /// Fetches a proof, verifies it, and keeps the file.
    async fn prove(&self, asked: &ProveTarget) -> Result<ToolOutcome, ToolRefusal> {
        let query = asked.query().map_err(|why| ToolRefusal::new("hash", format!("{why:#}")))?;
        let query = query.ok_or_else(|| ToolRefusal::new("chain", "no proof of one answer"))?;
        let body = match self.client.fetch_proof(&query).await {
            Err(error) => return Ok(failed(&error)),
            Ok(body) => body,
        };
        let outcome = self.judge(IN_CALL, Ok(body.clone()));
        if outcome.verdict == CommandVerdict::False {
            return Ok(ToolOutcome::Failure(verdict(&outcome)));
        }
        let mut answer = verdict(&outcome);
        let examined = Examined::of(&body).ok().filter(|examined| examined.failure.is_none());
        let Some(facts) = examined.as_ref().and_then(|examined| examined.facts.as_ref()) else {
            return Ok(ToolOutcome::Failure(answer));
        };
        if let Err(why) = answers_proof(&query, facts) {
            return Ok(ToolOutcome::Failure(json!({
                "verified": false,
                "error": format!("the service sent a true proof of something else: {why}"),
            })));
        }
        if let Some(folder) = &self.folder {
            let name = file_name(asked.chain(), &facts.statement, "json");
            answer["file"] = match folder.write(&name, &body) {
                Ok(_) => name.into(),
                Err(why) => return Ok(failed_locally(&why)),
            };
        }
        Ok(ToolOutcome::Answer(answer))
    }

    /// Verifies a file of the folder, or a proof in the call.
    fn verify(&self, mut arguments: Map<String, Value>) -> Result<ToolOutcome, ToolRefusal> {
        let (file, proof) = (arguments.remove("file"), arguments.remove("proof"));
        if let Some(unknown) = arguments.keys().next() {
            return Err(ToolRefusal::new(unknown, "unknown argument, expected file or proof"));
        }
        let outcome = match (file, proof) {
            (Some(Value::String(name)), None) => {
                let folder = self.folder.as_ref();
                let folder = folder.ok_or_else(|| {
                    ToolRefusal::new("file", "no file is read: start superroot mcp with --folder")
                })?;
                let read = folder.read(&name);
                let body = read.map_err(|why| ToolRefusal::new("file", format!("{why:#}")))?;
                self.judge(&name, Ok(body))
            }
            (None, Some(Value::String(text))) => {
                let bytes = BASE64.decode(text.trim());
                let bytes =
                    bytes.map_err(|_| ToolRefusal::new("proof", "expected base64 or JSON"))?;
                self.judge(IN_CALL, Ok(bytes))
            }
            (None, Some(mut proof @ Value::Object(_))) => {
                if let Some(answer) = proof.get_mut("answer") {
                    proof = answer.take();
                }
                self.judge(IN_CALL, Ok(proof.to_string().into_bytes()))
            }
            _ => return Err(ToolRefusal::new("proof", "expected either file or proof")),
        };
        let said = verdict(&outcome);
        Ok(match outcome.verdict {
            CommandVerdict::False => ToolOutcome::Failure(said),
            CommandVerdict::True | CommandVerdict::Unusable => ToolOutcome::Answer(said),
        })
    }

    /// Asks a route; the answer is the service's word.
    async fn ask(&self, route: &str) -> ToolOutcome {
        match self.client.fetch_route(route).await {
            Err(error) => failed(&error),
            Ok(body) => match serde_json::from_slice::<Value>(&body) {
                Ok(answer) => ToolOutcome::Answer(
                    json!({ "route": route, "verified_by": "nobody", "answer": answer }),
                ),
                Err(_) => ToolOutcome::Failure(json!({ "error": "the service sent no JSON" })),
            },
        }
    }

    /// Price with the proof of each event behind it, recomputed here; without a proof the service's word.
    async fn price(&self, route: &str) -> ToolOutcome {
        let mark = if route.contains('?') { '&' } else { '?' };
        match self.client.fetch_route(&format!("{route}{mark}proof=1&note=1")).await {
            Err(error) => failed(&error),
            Ok(body) => {
                let outcome = self.judge("the price", Ok(body));
                match outcome.verdict {
                    CommandVerdict::False => ToolOutcome::Failure(verdict(&outcome)),
                    _ => ToolOutcome::Answer(verdict(&outcome)),
                }
            }
        }
    }
}

impl ToolCaller for LocalTools {
    fn tools(&self) -> Vec<Tool> {
        let properties = json!({
            "file": { "type": "string", "description": "Name of a proof file in the folder of --folder" },
            "proof": { "description": "Proof: JSON object of a proof route, or a file's bytes in base64" },
        });
        let properties = properties.as_object().cloned().unwrap_or_default();
        let about =
            "Verify a proof on this machine by hashing alone, against what its user pinned.";
        let verify = definition(VERIFY, about, properties, &[]);
        ROUTE_TOOLS.iter().map(RouteTool::definition).chain([verify]).collect()
    }

    async fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        _: &RequestContext<RoleServer>,
    ) -> Result<ToolOutcome, ToolRefusal> {
        if tool == VERIFY {
            return self.verify(arguments);
        }
        let unknown = || ToolRefusal::new(tool, "no such tool; tools/list has them");
        let tool = RouteTool::find(tool).ok_or_else(unknown)?;
        // checks names and types of all arguments
        let route = tool.path_of(&arguments)?;
        match tool.evidence {
            ToolEvidence::Proof => self.prove(&target_of(tool.name, &arguments)?).await,
            ToolEvidence::Statement if tool.name == "price" => Ok(self.price(&route).await),
            ToolEvidence::Statement => Ok(self.ask(&route).await),
        }
    }
}

/// Statement of a prove tool.
fn target_of(tool: &str, arguments: &Map<String, Value>) -> Result<ProveTarget, ToolRefusal> {
    let text = |name: &str| match arguments.get(name) {
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
        None => String::new(),
    };
    let chain = find_chain(&text("chain")).map_err(|why| ToolRefusal::new("chain", why))?;
    match tool {
        "prove_block" => {
            let number = parse_block(&text("block"));
            let number = number.map_err(|why| ToolRefusal::new("block", why))?;
            Ok(ProveTarget::Block { chain, number })
        }
        "prove_transaction" => Ok(ProveTarget::Tx { chain, hash: text("hash") }),
        _ => {
            let log_index = text("log_index").parse();
            let log_index =
                log_index.map_err(|_| ToolRefusal::new("log_index", "expected a number"))?;
            Ok(ProveTarget::EventByTx { chain, hash: text("tx"), log_index })
        }
    }
}

/// Verdict of this machine.
fn verdict(outcome: &CommandOutcome) -> Value {
    json!({
        "verified": outcome.verdict == CommandVerdict::True,
        "verified_by": "this machine",
        "verdict": outcome.json,
    })
}

fn failed(error: &ClientError) -> ToolOutcome {
    ToolOutcome::Failure(json!({ "verified": false, "error": plain(&error.to_string()) }))
}

fn failed_locally(why: &anyhow::Error) -> ToolOutcome {
    ToolOutcome::Failure(json!({ "verified": false, "error": plain(&format!("{why:#}")) }))
}
