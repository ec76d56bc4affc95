//! Field reader: every error names the row and field.

use toml::{Table, Value};

use superroot_types::SAFE_INTEGER_MAX;

use super::error::ChainRegistryError;
use crate::unprovable::{UnprovablePart, UnprovableRange};

/// Longest name, slug or alias, in bytes.
pub const TEXT_BYTES_MAX: usize = 64;
const UNPROVABLE_MAX: usize = 32;
/// Longest sentence for people, in bytes.
const SENTENCE_BYTES_MAX: usize = 200;

/// Unread fields of one table.
pub(crate) struct TableFields {
    row: usize,
    /// Path of the table in the row: empty, or `rules[2].`.
    prefix: String,
    table: Table,
}

impl TableFields {
    pub(crate) fn has(&self, field: &str) -> bool {
        self.table.contains_key(field)
    }

    pub(super) fn of_row(row: usize, value: Value) -> Result<Self, ChainRegistryError> {
        match value {
            Value::Table(table) => Ok(Self { row, prefix: String::new(), table }),
            other => Err(ChainRegistryError::Shape { got: describe(&other) }),
        }
    }

    pub(crate) fn wrong(
        &self,
        field: &str,
        got: impl Into<String>,
        expected: &'static str,
    ) -> ChainRegistryError {
        let field = format!("{}{field}", self.prefix);
        ChainRegistryError::Field { row: self.row, field, got: got.into(), expected }
    }

    pub(super) fn take(
        &mut self,
        field: &str,
        expected: &'static str,
    ) -> Result<Value, ChainRegistryError> {
        self.table.remove(field).ok_or_else(|| self.wrong(field, "missing", expected))
    }

    pub(crate) fn integer(
        &mut self,
        field: &str,
        expected: &'static str,
        max: u64,
    ) -> Result<u64, ChainRegistryError> {
        let value = self.take(field, expected)?;
        let integer = value.as_integer().and_then(|integer| u64::try_from(integer).ok());
        let fits = integer.filter(|integer| *integer <= max);
        fits.ok_or_else(|| self.wrong(field, describe(&value), expected))
    }

    pub(super) fn text(
        &mut self,
        field: &str,
        expected: &'static str,
        is_right: fn(&str) -> bool,
    ) -> Result<String, ChainRegistryError> {
        self.choice(field, expected, |text| is_right(text).then(|| text.to_owned()))
    }

    pub(crate) fn choice<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        choose: impl Fn(&str) -> Option<T>,
    ) -> Result<T, ChainRegistryError> {
        let value = self.take(field, expected)?;
        let chosen = value.as_str().and_then(choose);
        chosen.ok_or_else(|| self.wrong(field, describe(&value), expected))
    }

    /// Reads a choice; `None` for a missing field.
    pub(crate) fn optional_choice<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        choose: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, ChainRegistryError> {
        let is_there = self.table.contains_key(field);
        is_there.then(|| self.choice(field, expected, choose)).transpose()
    }

    pub(super) fn list(
        &mut self,
        field: &str,
        expected: &'static str,
        max: usize,
    ) -> Result<Vec<Value>, ChainRegistryError> {
        match self.take(field, expected)? {
            Value::Array(list) if list.len() <= max => Ok(list),
            other => Err(self.wrong(field, describe(&other), expected)),
        }
    }

    /// Reads a list of tables with `read`; each call sees the previous entry.
    pub(crate) fn tables<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        max: usize,
        read: impl Fn(&mut Self, Option<&T>) -> Result<T, ChainRegistryError>,
    ) -> Result<Vec<T>, ChainRegistryError> {
        let list = self.list(field, expected, max)?;
        if list.is_empty() {
            return Err(self.wrong(field, "empty", expected));
        }
        let mut entries: Vec<T> = Vec::with_capacity(list.len());
        for (index, value) in list.into_iter().enumerate() {
            let Value::Table(table) = value else {
                let field = format!("{field}[{index}]");
                return Err(self.wrong(&field, describe(&value), "a table"));
            };
            let mut fields = Self { row: self.row, prefix: format!("{field}[{index}]."), table };
            let entry = read(&mut fields, entries.last())?;
            fields.end()?;
            entries.push(entry);
        }
        Ok(entries)
    }

    /// Reads a number above the previous one.
    pub(crate) fn rising(
        &mut self,
        field: &str,
        before: Option<u64>,
    ) -> Result<u64, ChainRegistryError> {
        let expected = "a block number below 2^53, above the one before";
        let number = self.integer(field, expected, SAFE_INTEGER_MAX)?;
        match before.filter(|before| *before >= number) {
            Some(_) => Err(self.wrong(field, number.to_string(), expected)),
            None => Ok(number),
        }
    }

    /// Reads block ranges with unprovable parts, limited to the parts of the ledger.
    pub(crate) fn unprovable(
        &mut self,
        is_of_ledger: impl Fn(&UnprovablePart) -> bool,
    ) -> Result<Vec<UnprovableRange>, ChainRegistryError> {
        if !self.has("unprovable") {
            return Ok(Vec::new());
        }
        let expected = "a list of 1 to 32 ranges of blocks";
        self.tables(
            "unprovable",
            expected,
            UNPROVABLE_MAX,
            |fields, _: Option<&UnprovableRange>| {
                let number = "a block number below 2^53";
                let from_number = fields.integer("from", number, SAFE_INTEGER_MAX)?;
                let to_number = match fields.table.contains_key("to") {
                    true => Some(fields.rising("to", from_number.checked_sub(1))?),
                    false => None,
                };
                let expected =
                    "body, receipts, body with 0x.., body with 64 bytes, or receipts if settled";
                let what = fields.choice("what", expected, |name| {
                    UnprovablePart::from_name(name).filter(&is_of_ledger)
                })?;
                let why = fields.text("why", "a sentence of 1 to 200 bytes", is_sentence)?;
                Ok(UnprovableRange { from_number, to_number, what, why })
            },
        )
    }

    /// Reads a flag; false if missing.
    pub(crate) fn flag(&mut self, field: &str) -> Result<bool, ChainRegistryError> {
        match self.table.remove(field) {
            None => Ok(false),
            Some(Value::Boolean(flag)) => Ok(flag),
            Some(other) => Err(self.wrong(field, describe(&other), "true or false")),
        }
    }

    /// Reads a sentence for people; `None` if missing.
    pub(super) fn sentence(&mut self, field: &str) -> Result<Option<String>, ChainRegistryError> {
        let is_there = self.table.contains_key(field);
        is_there.then(|| self.text(field, "a sentence of 1 to 200 bytes", is_sentence)).transpose()
    }

    /// Reads an optional table completely with `read`.
    pub(super) fn optional_table<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        read: impl Fn(&mut Self) -> Result<T, ChainRegistryError>,
    ) -> Result<Option<T>, ChainRegistryError> {
        let table = match self.table.remove(field) {
            None => return Ok(None),
            Some(Value::Table(table)) => table,
            Some(other) => return Err(self.wrong(field, describe(&other), expected)),
        };
        let mut fields = Self { row: self.row, prefix: format!("{field}."), table };
        let entry = read(&mut fields)?;
        fields.end()?;
        Ok(Some(entry))
    }

    /// Refuses unread fields.
    pub(super) fn end(&self) -> Result<(), ChainRegistryError> {
        let Some(field) = self.table.keys().next() else { return Ok(()) };
        let field = format!("{}{field}", self.prefix);
        Err(ChainRegistryError::UnknownField { row: self.row, field })
    }
}

pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= TEXT_BYTES_MAX
        && text.trim() == text
        && !text.bytes().all(|byte| byte.is_ascii_digit())
        && is_printed(text)
}

/// Whether a text has no terminal controls and no direction marks.
fn is_printed(text: &str) -> bool {
    let turns = |character| {
        matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{061c}' | '\u{feff}')
    };
    !text.chars().any(|character| character.is_control() || turns(character))
}

pub(super) fn is_sentence(text: &str) -> bool {
    (1..=SENTENCE_BYTES_MAX).contains(&text.len()) && text.trim() == text && is_printed(text)
}

/// `YYYY-MM-DD`.
pub(super) fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_part = |part: &str, length: usize, max: u16| {
        part.len() == length
            && part.bytes().all(|byte| byte.is_ascii_digit())
            && part.parse::<u16>().is_ok_and(|number| (1..=max).contains(&number))
    };
    match parts.as_slice() {
        [year, month, day] => {
            is_part(year, 4, 9_999) && is_part(month, 2, 12) && is_part(day, 2, 31)
        }
        _ => false,
    }
}

pub(super) fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    is_word(text) && text.bytes().all(allowed)
}

/// CAIP-2: `[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}`.
pub(super) fn is_caip2(text: &str) -> bool {
    let Some((namespace, reference)) = text.split_once(':') else { return false };
    let lower = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let any = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (3..=8).contains(&namespace.len())
        && (1..=32).contains(&reference.len())
        && namespace.bytes().all(lower)
        && reference.bytes().all(any)
}

/// Short form of a value of any length, for messages.
pub(super) fn describe(value: &Value) -> String {
    match value {
        Value::Array(list) => format!("a list of {}", list.len()),
        Value::Table(_) => "a table".into(),
        Value::String(text) if text.len() > TEXT_BYTES_MAX => {
            format!("a text of {} bytes", text.len())
        }
        other => other.to_string(),
    }
}
