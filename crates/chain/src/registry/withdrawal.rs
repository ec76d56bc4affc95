//! Withdrawal of a built-in or own chain: one more rule at the end of the row.

use toml::Value;

use superroot_proof::registry::{HashRule, HashRuleFrom};
use superroot_types::SAFE_INTEGER_MAX;

use super::ChainSpec;
use super::error::ChainRegistryError;
use super::fields::describe;

/// Appends rule 0000 to the row named by a `[[withdraw]]` table.
pub(super) fn append(
    place: usize,
    table: Value,
    rows: &mut [ChainSpec],
    position: impl Fn(&str) -> Option<usize>,
) -> Result<(), ChainRegistryError> {
    let wrong = |field, got: String, expected| {
        Err(ChainRegistryError::Withdrawal { place, field, got, expected })
    };
    let Value::Table(mut table) = table else {
        return wrong("it", describe(&table), "a table of chain and from");
    };
    let missing = || "missing".to_owned();
    let expected = "the id, name or alias of a row, as text";
    let row = match table.remove("chain") {
        Some(Value::String(text)) => match position(&text).and_then(|row| rows.get_mut(row)) {
            Some(row) => row,
            None => return wrong("chain", format!("{text:?}"), expected),
        },
        other => return wrong("chain", other.as_ref().map_or_else(missing, describe), expected),
    };
    if row.withdrawn_from().is_some() {
        return wrong("chain", row.slug.clone(), "a chain that is not withdrawn yet");
    }
    let last = row.rules.last().map_or(0, |rule| rule.from_number);
    let expected = "a block number below 2^53, above that of the row's last rule";
    let from_number = match table.remove("from") {
        Some(Value::Integer(from)) => match u64::try_from(from) {
            Ok(from) if from > last && from <= SAFE_INTEGER_MAX => from,
            _ => return wrong("from", from.to_string(), expected),
        },
        other => return wrong("from", other.as_ref().map_or_else(missing, describe), expected),
    };
    if let Some(key) = table.keys().next() {
        return wrong("a field", key.clone(), "chain and from alone");
    }
    row.rules.push(HashRuleFrom { from_number, code: HashRule::Withdrawn.code() });
    Ok(())
}
