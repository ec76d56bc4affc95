//! Tools for agents by the Model Context Protocol: `POST /mcp` (streamable HTTP, without sessions), and the parts of
//! `superroot mcp`.
//!
//! A call at `/mcp` becomes a request to the tool's own route, with the caller's key and address, under the route's limits,
//! tiers and counts.

mod llms;
mod server;
mod tools;
mod web;

pub use server::{ToolCaller, ToolOutcome, ToolServer, serve_stdio};
pub use tools::{ROUTE_TOOLS, RouteTool, ToolEvidence, ToolParameter, ToolRefusal, definition};
pub(crate) use web::mount;
