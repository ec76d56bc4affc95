//! MCP server over a tool caller.

use std::future::Future;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ErrorData, Implementation,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Map, Value};

use super::ToolRefusal;

/// Result of a tool call.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutcome {
    /// Answer as one JSON object.
    Answer(Value),
    /// No answer to a valid call; the reason as JSON.
    Failure(Value),
}

/// Backend for tools.
pub trait ToolCaller: Send + Sync + 'static {
    /// Definitions of all tools.
    fn tools(&self) -> Vec<Tool>;

    /// Answers one call. A [`ToolRefusal`] names the argument, or an unknown tool.
    fn call(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        context: &RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ToolOutcome, ToolRefusal>> + Send;
}

/// MCP server with the tools of one caller.
#[derive(Clone)]
pub struct ToolServer<C> {
    caller: C,
    instructions: &'static str,
}

impl<C: ToolCaller> ToolServer<C> {
    /// Server with instructions for agents.
    pub const fn new(caller: C, instructions: &'static str) -> Self {
        Self { caller, instructions }
    }
}

impl<C: ToolCaller> ServerHandler for ToolServer<C> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let own = Implementation::new("superroot", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(capabilities).with_server_info(own).with_instructions(self.instructions)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.caller.tools()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let answered = self.caller.call(&request.name, arguments, &context).await;
        let outcome = answered.map_err(|why| ErrorData::invalid_params(why.to_string(), None))?;
        let result = match outcome {
            ToolOutcome::Answer(answer) => CallToolResult::structured(answer),
            ToolOutcome::Failure(why) => CallToolResult::structured_error(why),
        };
        Ok(result.into())
    }
}

/// Serves one client over standard input and output, until end of input.
///
/// # Errors
/// [`std::io::Error`] for a client without MCP, or an unfinished message.
pub async fn serve_stdio(server: ToolServer<impl ToolCaller>) -> std::io::Result<()> {
    let running = server.serve(rmcp::transport::stdio()).await.map_err(std::io::Error::other)?;
    running.waiting().await.map(|_| ()).map_err(std::io::Error::other)
}
