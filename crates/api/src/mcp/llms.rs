//! `GET /llms.txt`: overview for agents (llmstxt.org).

use std::fmt::Write as _;

use super::ROUTE_TOOLS;

const HEAD: &str = "# SuperRoot

> Proofs and data of many blockchains. A proof shows by hashing alone that a block, transaction or event is in its chain, \
under a signed SuperRoot; evidence of finality shows how final it is.

Amounts of trust: an answer with a proof can be verified without this service; any other answer is this service's word.
Keys go in `X-API-Key`. Errors are `application/problem+json` (RFC 9457) with a `code` and `retryable`.

## Documents

- [OpenAPI](/openapi.json): every route, with types and examples
- [AsyncAPI](/asyncapi.json): topics of streams and webhooks
- [Routes for people](/docs): the same, as one page
- [Status](/api/v1/status): chains, heads, lags

## Tools for agents (MCP)

`POST /mcp`, streamable HTTP without sessions. `superroot mcp --url URL` has the same tools on your own machine and verifies \
every proof there.

";

/// The document, with a line for each tool.
pub(super) fn document() -> String {
    let mut text = HEAD.to_owned();
    for tool in ROUTE_TOOLS {
        let _ = writeln!(text, "- `{}` (`GET {}`): {}", tool.name, tool.path, tool.about);
    }
    text.push_str("- `verify` (`POST /kv/verify`): Check a proof.\n");
    text
}
