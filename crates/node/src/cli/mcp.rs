//! `superroot mcp`: tools for an agent on this machine. The service is asked, and every proof is verified here, against
//! the pins of the trust store, before the agent sees anything of it.

mod files;
mod local;

use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use superroot_api::mcp::{ToolServer, serve_stdio};

use self::files::ProofFolder;
use self::local::LocalTools;
use super::timeout::TimeoutArgs;

const INSTRUCTIONS: &str = "Proofs and data of many chains. Every proof is verified on this machine, against the \
    SuperRoots and keys that its user pinned (superroot trust). Rely on an answer only where verified is true; where it is \
    false, error says what is missing. Answers with verified_by nobody are a service's word.";

/// Arguments of `mcp`.
#[derive(Debug, Args)]
pub(crate) struct McpArgs {
    /// Service address.
    #[arg(
        long,
        env = "SUPERROOT_URL",
        default_value = "http://127.0.0.1:8080",
        value_name = "URL"
    )]
    url: String,
    /// API key, for tools that need a tier.
    #[arg(long, env = "SUPERROOT_API_KEY", hide_env_values = true, value_name = "KEY")]
    api_key: Option<String>,
    /// Folder for proof files: tools write proofs there, and read no file elsewhere. Without it no file is written or read.
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// File of pinned logs, instead of $XDG_CONFIG_HOME/superroot/trust.toml.
    #[arg(long, value_name = "FILE")]
    trust_store: Option<PathBuf>,
    #[command(flatten)]
    timeout: TimeoutArgs,
}

pub(crate) async fn run(args: McpArgs) -> anyhow::Result<()> {
    let client = args.timeout.client(&args.url)?.with_notes();
    let client = match &args.api_key {
        Some(key) => client.with_api_key(key)?,
        None => client,
    };
    let folder = args.folder.map(ProofFolder::open).transpose()?;
    let tools = LocalTools::new(client, folder, args.trust_store);
    serve_stdio(ToolServer::new(tools, INSTRUCTIONS)).await.context("the agent's side ended amiss")
}
