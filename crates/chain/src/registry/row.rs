//! Reading of rows, field by field, so that every error names its row and field.

use toml::{Table, Value};

use super::{
    ChainId, ChainRow, Encoding, EncodingFrom, EvidenceKind, Family, Params, ROWS_MAX,
    RegistryError, Retarget, Rule, RuleFrom, SAFE_INTEGER_MAX, Status, TEXT_BYTES_MAX, Unprovable,
    UnprovablePart,
};

/// Aliases a row may have.
const ALIASES_MAX: usize = 32;
/// Rules a row may have; the profile counts them in one byte.
const RULES_MAX: usize = 255;
/// Encodings a row may have.
const ENCODINGS_MAX: usize = 32;
/// Ranges of unprovable blocks a row may have.
const UNPROVABLE_MAX: usize = 32;
/// Longest nominal time between blocks: a day, in milliseconds.
const BLOCK_TIME_MS_MAX: u64 = 86_400_000;
/// CAIP-2 namespace of the EVM family: its references are chain ids.
const EVM_NAMESPACE: &str = "eip155:";
/// Bytes of a sentence for people.
const SENTENCE_BYTES_MAX: usize = 200;

/// A text's tables as they stand: those of rows, and those of chains to withdraw.
pub(super) fn tables(text: &str) -> Result<(Vec<Value>, Vec<Value>), RegistryError> {
    let mut file: Table = text.parse()?;
    let mut list = |key| match file.remove(key) {
        Some(Value::Array(tables)) => Ok(tables),
        Some(other) => Err(RegistryError::Shape { got: describe(&other) }),
        None => Ok(Vec::new()),
    };
    let lists = (list("chain")?, list("withdraw")?);
    match file.keys().next() {
        Some(key) => Err(RegistryError::Shape { got: key.clone() }),
        None => Ok(lists),
    }
}

/// Reads all rows.
pub(super) fn parse_rows(rows: Vec<Value>) -> Result<Vec<ChainRow>, RegistryError> {
    if rows.is_empty() || rows.len() > ROWS_MAX {
        return Err(RegistryError::Rows { got: rows.len() });
    }
    rows.into_iter().enumerate().map(|(row, value)| parse_row(row, value)).collect()
}

fn parse_row(row: usize, value: Value) -> Result<ChainRow, RegistryError> {
    let Value::Table(table) = value else {
        return Err(RegistryError::Shape { got: describe(&value) });
    };
    let mut fields = Fields { row, prefix: String::new(), table };
    let id = ChainId(fields.integer("id", "an integer from 0 to 2^53 - 1", SAFE_INTEGER_MAX)?);
    let expected = "a text of 1 to 64 bytes to be printed, no number and no CAIP-2 name";
    let name =
        fields.text("name", expected, |text| is_word(text) && !is_caip2(&text.to_lowercase()))?;
    let slug = fields.text("slug", "1 to 64 of a-z, 0-9 and -, not a number", is_slug)?;
    let family: Family =
        fields.choice("family", "the name of a ledger family", |name| name.parse().ok())?;
    let caip2 = fields.caip2(family, id)?;
    let (alias_ids, alias_words) = fields.aliases()?;
    let status = fields.choice("status", "collected or planned", |name| {
        [Status::Collected, Status::Planned].into_iter().find(|status| status.name() == name)
    })?;
    let kinds = "consensus, l1_anchored or node_quorum";
    let evidence = fields.choice("evidence", kinds, EvidenceKind::from_name)?;
    let of_a_day = "an integer from 1 to 86,400,000, a day";
    let block_time_ms = fields.integer("block_time_ms", of_a_day, BLOCK_TIME_MS_MAX)?;
    if block_time_ms == 0 {
        return Err(fields.wrong("block_time_ms", "0", of_a_day));
    }
    let rules = fields.rules(family)?;
    let encodings = match (status, family) {
        (Status::Collected, Family::Evm) => fields.encodings(family, &rules)?,
        _ => Vec::new(),
    };
    let bitcoin = match (status, family) {
        (Status::Collected, Family::Bitcoin) => Some(fields.bitcoin()?),
        _ => None,
    };
    let unproven_rules = match fields.table.contains_key("unproven_rules") {
        true => Some(fields.text("unproven_rules", "a sentence of 1 to 200 bytes", is_sentence)?),
        false => None,
    };
    let unprovable = fields.unprovable()?;
    fields.end()?;
    Ok(ChainRow {
        id,
        name,
        slug,
        family,
        caip2,
        alias_ids,
        alias_words,
        status,
        encodings,
        bitcoin,
        evidence,
        block_time_ms,
        rules,
        unproven_rules,
        unprovable,
    })
}

/// The fields of one table that are not read yet.
struct Fields {
    row: usize,
    /// Where the table lies in its row: empty, or `rules[2].`.
    prefix: String,
    table: Table,
}

impl Fields {
    fn wrong(&self, field: &str, got: impl Into<String>, expected: &'static str) -> RegistryError {
        let field = format!("{}{field}", self.prefix);
        RegistryError::Field { row: self.row, field, got: got.into(), expected }
    }

    fn take(&mut self, field: &str, expected: &'static str) -> Result<Value, RegistryError> {
        self.table.remove(field).ok_or_else(|| self.wrong(field, "missing", expected))
    }

    fn integer(
        &mut self,
        field: &str,
        expected: &'static str,
        max: u64,
    ) -> Result<u64, RegistryError> {
        let value = self.take(field, expected)?;
        let integer = value.as_integer().and_then(|integer| u64::try_from(integer).ok());
        let fits = integer.filter(|integer| *integer <= max);
        fits.ok_or_else(|| self.wrong(field, describe(&value), expected))
    }

    /// The constants of a chain of the Bitcoin family.
    fn bitcoin(&mut self) -> Result<Params, RegistryError> {
        let expected = "the compact form of the easiest target";
        let bits = self.integer("target_limit_bits", expected, u64::from(u32::MAX))?;
        let canonical =
            u32::try_from(bits).ok().filter(|bits| crate::bitcoin::is_canonical_target(*bits));
        let target_limit_bits = canonical
            .ok_or_else(|| self.wrong("target_limit_bits", format!("{bits:#010x}"), expected))?;
        let expected = "a block number below 2^53";
        let coinbase_height_from =
            self.integer("coinbase_height_from", expected, SAFE_INTEGER_MAX)?;
        let expected = "an integer from 1 to 10,000";
        let confirmations = self.integer("confirmations", expected, 10_000)?;
        if confirmations == 0 {
            return Err(self.wrong("confirmations", "0", expected));
        }
        let expected = "main, test3, test4 or never";
        let retarget = self.choice("retarget", expected, Retarget::from_name)?;
        Ok(Params { target_limit_bits, coinbase_height_from, confirmations, retarget })
    }

    fn text(
        &mut self,
        field: &str,
        expected: &'static str,
        is_right: fn(&str) -> bool,
    ) -> Result<String, RegistryError> {
        self.choice(field, expected, |text| is_right(text).then(|| text.to_owned()))
    }

    fn choice<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        choose: impl Fn(&str) -> Option<T>,
    ) -> Result<T, RegistryError> {
        let value = self.take(field, expected)?;
        let chosen = value.as_str().and_then(choose);
        chosen.ok_or_else(|| self.wrong(field, describe(&value), expected))
    }

    fn list(
        &mut self,
        field: &str,
        expected: &'static str,
        max: usize,
    ) -> Result<Vec<Value>, RegistryError> {
        match self.take(field, expected)? {
            Value::Array(list) if list.len() <= max => Ok(list),
            other => Err(self.wrong(field, describe(&other), expected)),
        }
    }

    /// A CAIP-2 name; one of the EVM namespace is of the EVM family and says the id again.
    fn caip2(&mut self, family: Family, id: ChainId) -> Result<String, RegistryError> {
        let expected =
            "namespace:reference, of the EVM family eip155: and the id, of no other eip155";
        let caip2 = self.text("caip2", expected, is_caip2)?;
        let is_right = match family {
            Family::Evm => caip2 == format!("{EVM_NAMESPACE}{id}"),
            _ => !caip2.starts_with(EVM_NAMESPACE),
        };
        if is_right { Ok(caip2) } else { Err(self.wrong("caip2", caip2, expected)) }
    }

    /// Other ids and words. A CAIP-2 name has its own field and is no alias.
    fn aliases(&mut self) -> Result<(Vec<u64>, Vec<String>), RegistryError> {
        let (mut ids, mut words) = (Vec::new(), Vec::new());
        let list = self.list("aliases", "a list of at most 32 ids and words", ALIASES_MAX)?;
        for (index, alias) in list.into_iter().enumerate() {
            match &alias {
                Value::Integer(id) if *id >= 0 => ids.push(id.unsigned_abs()),
                Value::String(word) if is_word(word) && !is_caip2(&word.to_lowercase()) => {
                    words.push(word.clone());
                }
                other => {
                    let expected = "an id from 0, or a word of 1 to 64 bytes that is neither a \
                                    number nor a CAIP-2 name";
                    return Err(self.wrong(
                        &format!("aliases[{index}]"),
                        describe(other),
                        expected,
                    ));
                }
            }
        }
        Ok((ids, words))
    }

    /// A list of tables, each read by `read`, which sees the one before it.
    fn tables<T>(
        &mut self,
        field: &str,
        expected: &'static str,
        max: usize,
        read: impl Fn(&mut Self, Option<&T>) -> Result<T, RegistryError>,
    ) -> Result<Vec<T>, RegistryError> {
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

    /// A number above the one before.
    fn rising(&mut self, field: &str, before: Option<u64>) -> Result<u64, RegistryError> {
        let expected = "a block number below 2^53, above the one before";
        let number = self.integer(field, expected, SAFE_INTEGER_MAX)?;
        match before.filter(|before| *before >= number) {
            Some(_) => Err(self.wrong(field, number.to_string(), expected)),
            None => Ok(number),
        }
    }

    fn rules(&mut self, family: Family) -> Result<Vec<RuleFrom>, RegistryError> {
        self.tables("rules", "a list of 1 to 255 rules", RULES_MAX, |fields, before| {
            let from_number =
                fields.rising("from", before.map(|before: &RuleFrom| before.from_number))?;
            let expected = "the code of a rule of the chain's family, the first not 0x0000";
            let code = fields.integer("code", expected, u64::from(u16::MAX))?;
            let of_family = |code: &u16| {
                let [high, _] = code.to_be_bytes();
                high == family.byte() || *code == Rule::Withdrawn.code()
            };
            // a chain whose first rule withdraws it has no block
            let is_first = |code: &u16| before.is_none() && *code == Rule::Withdrawn.code();
            let known =
                |code: &u16| Rule::from_code(*code).is_some() && of_family(code) && !is_first(code);
            match u16::try_from(code).ok().filter(known) {
                Some(code) => Ok(RuleFrom { from_number, code }),
                None => Err(fields.wrong("code", format!("{code:#06x}"), expected)),
            }
        })
    }

    /// The encodings; the first is in force where the first rule is.
    fn encodings(
        &mut self,
        family: Family,
        rules: &[RuleFrom],
    ) -> Result<Vec<EncodingFrom>, RegistryError> {
        let expected = "a list of 1 to 32 encodings, as the chain is collected";
        let encodings = self.tables("encodings", expected, ENCODINGS_MAX, |fields, before| {
            let before = before.map(|before: &EncodingFrom| before.from_number);
            let from_number = fields.rising("from", before)?;
            let expected = "the name of an encoding of the chain's family";
            let encoding = fields.choice("name", expected, |name| {
                Encoding::from_name(name).filter(|encoding| encoding.family() == family)
            })?;
            Ok(EncodingFrom { from_number, encoding })
        })?;
        let first = encodings.first().map(|first| first.from_number);
        if first != rules.first().map(|first| first.from_number) {
            let got = first.map_or_else(String::new, |first| first.to_string());
            return Err(self.wrong("encodings[0].from", got, "the number of the first rule"));
        }
        Ok(encodings)
    }

    fn unprovable(&mut self) -> Result<Vec<Unprovable>, RegistryError> {
        if !self.table.contains_key("unprovable") {
            return Ok(Vec::new());
        }
        let expected = "a list of 1 to 32 ranges of blocks";
        self.tables("unprovable", expected, UNPROVABLE_MAX, |fields, _: Option<&Unprovable>| {
            let number = "a block number below 2^53";
            let from_number = fields.integer("from", number, SAFE_INTEGER_MAX)?;
            let to_number = match fields.table.contains_key("to") {
                true => Some(fields.rising("to", from_number.checked_sub(1))?),
                false => None,
            };
            let expected =
                "body, receipts, body with 0x.., body with 64 bytes, or receipts if settled";
            let what = fields.choice("what", expected, UnprovablePart::from_name)?;
            let why = fields.text("why", "a sentence of 1 to 200 bytes", is_sentence)?;
            Ok(Unprovable { from_number, to_number, what, why })
        })
    }

    fn end(&self) -> Result<(), RegistryError> {
        let Some(field) = self.table.keys().next() else { return Ok(()) };
        let (row, field) = (self.row, format!("{}{field}", self.prefix));
        let of = match field.as_str() {
            "encodings" => "collected chains of the EVM family",
            "target_limit_bits" | "coinbase_height_from" | "confirmations" | "retarget" => {
                "collected chains of the Bitcoin family"
            }
            _ => return Err(RegistryError::UnknownField { row, field }),
        };
        Err(RegistryError::FieldOfOthers { row, field, of })
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= TEXT_BYTES_MAX
        && text.trim() == text
        && !text.bytes().all(|byte| byte.is_ascii_digit())
        && is_printed(text)
}

/// Nothing in it that a terminal obeys, or that turns the direction of writing.
fn is_printed(text: &str) -> bool {
    let turns = |character| {
        matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}' | '\u{061c}' | '\u{feff}')
    };
    !text.chars().any(|character| character.is_control() || turns(character))
}

fn is_sentence(text: &str) -> bool {
    (1..=SENTENCE_BYTES_MAX).contains(&text.len()) && text.trim() == text && is_printed(text)
}

fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    is_word(text) && text.bytes().all(allowed)
}

/// CAIP-2: `[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}`.
fn is_caip2(text: &str) -> bool {
    let Some((namespace, reference)) = text.split_once(':') else { return false };
    let lower = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let any = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (3..=8).contains(&namespace.len())
        && (1..=32).contains(&reference.len())
        && namespace.bytes().all(lower)
        && reference.bytes().all(any)
}

/// A value for a message, short however long it is.
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
