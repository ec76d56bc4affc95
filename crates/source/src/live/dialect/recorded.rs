//! What replay servers are asked beside the words of their family.

use std::sync::Arc;

use serde_json::json;
use superroot_types::BlockNumber;

use super::number_of;
use crate::NUMBERS_MAX;
use crate::error::SourceError;
use crate::live::node::Node;
use crate::rpc::{RECORDED_NUMBERS, quantity};

/// At most `limit` of the recorded numbers from `from` on, rising.
pub(super) async fn numbers(
    node: &Arc<Node>,
    from: BlockNumber,
    limit: usize,
) -> Result<Vec<BlockNumber>, SourceError> {
    let limit = limit.min(NUMBERS_MAX);
    let params = json!([quantity(from.0), quantity(limit as u64)]);
    let texts: Vec<String> = node.call(RECORDED_NUMBERS, params).await?;
    if texts.len() > limit {
        let (got, expected) = (texts.len().to_string(), format!("at most {limit}"));
        return Err(node.mismatch(RECORDED_NUMBERS, "count", &got, expected));
    }
    let mut numbers: Vec<BlockNumber> = Vec::with_capacity(texts.len());
    for text in &texts {
        let number = number_of(node, RECORDED_NUMBERS, text)?;
        if number < from || numbers.last().is_some_and(|last| *last >= number) {
            let expected = format!("rising numbers from {from} on");
            return Err(node.mismatch(RECORDED_NUMBERS, "number", text, expected));
        }
        numbers.push(number);
    }
    Ok(numbers)
}
