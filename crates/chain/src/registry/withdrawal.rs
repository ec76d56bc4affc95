//! Withdrawing a chain of the build, or of one's own: a rule more at the end of its row.

use toml::Value;

use superroot_proof::registry::{Rule, RuleFrom};
use superroot_types::SAFE_INTEGER_MAX;

use super::ChainRow;
use super::error::RegistryError;
use super::fields::describe;

/// Appends rule 0000 to the row that a `[[withdraw]]` table names.
pub(super) fn append(
    place: usize,
    table: Value,
    rows: &mut [ChainRow],
    position: impl Fn(&str) -> Option<usize>,
) -> Result<(), RegistryError> {
    let wrong = |field, got: String, expected| {
        Err(RegistryError::Withdrawal { place, field, got, expected })
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
    row.rules.push(RuleFrom { from_number, code: Rule::Withdrawn.code() });
    Ok(())
}
