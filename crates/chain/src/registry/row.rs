//! Row parser: every error names the row and field.

use toml::{Table, Value};

use superroot_proof::registry::{HashRule, HashRuleFrom, ROWS_MAX};
use superroot_types::{ChainId, Family, SAFE_INTEGER_MAX};

use super::error::ChainRegistryError;
use super::fields::{TableFields, describe, is_caip2, is_date, is_sentence, is_slug, is_word};
use super::{ChainSpec, RulesReview};
use crate::finality::EvidenceKind;
use crate::ledger::{Ledger, SpecContradiction};

const ALIASES_MAX: usize = 32;
/// Most rules in a row; the profile has a one-byte count.
const RULES_MAX: usize = 255;
/// Longest nominal time between blocks: a day, in milliseconds.
const BLOCK_TIME_MS_MAX: u64 = 86_400_000;
/// CAIP-2 namespace of the EVM family: references are chain ids.
const EVM_NAMESPACE: &str = "eip155:";

/// A text's raw tables: rows, and withdrawals.
pub(super) fn tables(text: &str) -> Result<(Vec<Value>, Vec<Value>), ChainRegistryError> {
    let mut file: Table = text.parse()?;
    let mut list = |key| match file.remove(key) {
        Some(Value::Array(tables)) => Ok(tables),
        Some(other) => Err(ChainRegistryError::Shape { got: describe(&other) }),
        None => Ok(Vec::new()),
    };
    let lists = (list("chain")?, list("withdraw")?);
    match file.keys().next() {
        Some(key) => Err(ChainRegistryError::Shape { got: key.clone() }),
        None => Ok(lists),
    }
}

pub(super) fn parse_rows(rows: Vec<Value>) -> Result<Vec<ChainSpec>, ChainRegistryError> {
    if rows.is_empty() || rows.len() > ROWS_MAX {
        return Err(ChainRegistryError::Rows { got: rows.len() });
    }
    rows.into_iter().enumerate().map(|(row, value)| parse_row(row, value)).collect()
}

fn parse_row(row: usize, value: Value) -> Result<ChainSpec, ChainRegistryError> {
    let mut fields = TableFields::of_row(row, value)?;
    let id = ChainId(fields.integer("id", "an integer from 0 to 2^53 - 1", SAFE_INTEGER_MAX)?);
    let expected = "a text of 1 to 64 bytes to be printed, no number and no CAIP-2 name";
    let name =
        fields.text("name", expected, |text| is_word(text) && !is_caip2(&text.to_lowercase()))?;
    let slug = fields.text("slug", "1 to 64 of a-z, 0-9 and -, not a number", is_slug)?;
    let family: Family =
        fields.choice("family", "the name of a ledger family", |name| name.parse().ok())?;
    let caip2 = caip2(&mut fields, family, id)?;
    let (alias_ids, alias_words) = aliases(&mut fields)?;
    let kinds = "consensus, l1_anchored or node_quorum";
    let evidence = fields.choice("evidence", kinds, EvidenceKind::from_name)?;
    let of_a_day = "an integer from 1 to 86,400,000, a day";
    let block_time_ms = fields.integer("block_time_ms", of_a_day, BLOCK_TIME_MS_MAX)?;
    if block_time_ms == 0 {
        return Err(fields.wrong("block_time_ms", "0", of_a_day));
    }
    let rules = rules(&mut fields, family)?;
    let first_number = rules.first().map_or(0, |first| first.from_number);
    let ledger = Ledger::read(&mut fields, family, first_number)?;
    if let Some(SpecContradiction { field, got, expected }) = ledger.contradiction(&caip2) {
        return Err(fields.wrong(field, got, expected));
    }
    let rules_checked = rules_checked(&mut fields)?;
    let proven_on = fields.sentence("proven_on")?;
    let unproven_rules = fields.sentence("unproven_rules")?;
    fields.end()?;
    Ok(ChainSpec {
        id,
        name,
        slug,
        ledger,
        caip2,
        alias_ids,
        alias_words,
        evidence,
        block_time_ms,
        rules,
        rules_checked,
        proven_on,
        unproven_rules,
    })
}

/// Reads a CAIP-2 name; the EVM namespace requires the EVM family and the same id.
fn caip2(
    fields: &mut TableFields,
    family: Family,
    id: ChainId,
) -> Result<String, ChainRegistryError> {
    let expected = "namespace:reference, of the EVM family eip155: and the id, of no other eip155";
    let caip2 = fields.text("caip2", expected, is_caip2)?;
    let is_right = caip2.starts_with(EVM_NAMESPACE) == (family == Family::Evm)
        && (family != Family::Evm || caip2 == format!("{EVM_NAMESPACE}{id}"));
    if is_right { Ok(caip2) } else { Err(fields.wrong("caip2", caip2, expected)) }
}

/// Reads other ids and words. A CAIP-2 name has a separate field and is not an alias.
fn aliases(fields: &mut TableFields) -> Result<(Vec<u64>, Vec<String>), ChainRegistryError> {
    let mut ids = Vec::new();
    let mut words = Vec::new();
    let list = fields.list("aliases", "a list of at most 32 ids and words", ALIASES_MAX)?;
    for (index, alias) in list.into_iter().enumerate() {
        match &alias {
            Value::Integer(id) if *id >= 0 => ids.push(id.unsigned_abs()),
            Value::String(word) if is_word(word) && !is_caip2(&word.to_lowercase()) => {
                words.push(word.clone());
            }
            other => {
                let expected = "an id from 0, or a word of 1 to 64 bytes that is neither a \
                                number nor a CAIP-2 name";
                return Err(fields.wrong(&format!("aliases[{index}]"), describe(other), expected));
            }
        }
    }
    Ok((ids, words))
}

fn rules_checked(fields: &mut TableFields) -> Result<Option<RulesReview>, ChainRegistryError> {
    let expected = "a table of fork, source and date";
    fields.optional_table("rules_checked", expected, |fields| {
        let sentence = "a sentence of 1 to 200 bytes";
        Ok(RulesReview {
            fork: fields.text("fork", sentence, is_sentence)?,
            source: fields.text("source", sentence, is_sentence)?,
            date: fields.text("date", "a date, YYYY-MM-DD", is_date)?,
        })
    })
}

fn rules(
    fields: &mut TableFields,
    family: Family,
) -> Result<Vec<HashRuleFrom>, ChainRegistryError> {
    fields.tables("rules", "a list of 1 to 255 rules", RULES_MAX, |fields, before| {
        let from_number =
            fields.rising("from", before.map(|before: &HashRuleFrom| before.from_number))?;
        let expected = "the code of a rule of the chain's family, the first not 0x0000";
        let code = fields.integer("code", expected, u64::from(u16::MAX))?;
        let of_family = |code: &u16| {
            let [high, _] = code.to_be_bytes();
            high == family.byte() || *code == HashRule::Withdrawn.code()
        };
        // a chain whose first rule withdraws it has no block
        let is_first = |code: &u16| before.is_none() && *code == HashRule::Withdrawn.code();
        let known =
            |code: &u16| HashRule::from_code(*code).is_some() && of_family(code) && !is_first(code);
        match u16::try_from(code).ok().filter(known) {
            Some(code) => Ok(HashRuleFrom { from_number, code }),
            None => Err(fields.wrong("code", format!("{code:#06x}"), expected)),
        }
    })
}
