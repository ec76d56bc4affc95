//! Access to members by path, so that every error names the faulty member.

use serde_json::Value;
use superroot_types::{ChainId, ChainKey, Family, Hash, SAFE_INTEGER_MAX};

use crate::text::shorten;
use crate::{Case, WireError};

/// Value with path.
#[derive(Clone, Debug)]
pub(crate) struct Member<'a> {
    path: String,
    value: &'a Value,
    case: Case,
}

impl<'a> Member<'a> {
    /// Returns the body itself; `case` is the spelling of member names.
    pub(crate) const fn root(value: &'a Value, case: Case) -> Self {
        Self { path: String::new(), value, case }
    }

    pub(crate) const fn value(&self) -> &'a Value {
        self.value
    }

    /// Returns the error for a wrong member value.
    pub(crate) fn wrong(&self, expected: &'static str) -> WireError {
        let got = shorten(&self.value.to_string());
        let member = if self.path.is_empty() { "body".to_owned() } else { self.path.clone() };
        WireError::Member { member, got, expected }
    }

    /// Returns the error for a member that breaks a log rule.
    pub(crate) fn breaks_a_rule(&self, why: &impl ToString) -> WireError {
        WireError::LogRule { member: self.path.clone(), why: why.to_string() }
    }

    /// Returns a member of this object; the name is in camelCase.
    pub(crate) fn get(&self, name: &str) -> Result<Self, WireError> {
        let member = self.path_to(name);
        self.optional(name)?.ok_or(WireError::Missing { member })
    }

    /// Returns an optional member of this object; `null` counts as missing.
    pub(crate) fn optional(&self, name: &str) -> Result<Option<Self>, WireError> {
        let members = self.value.as_object().ok_or_else(|| self.wrong("an object"))?;
        let value = members.get(&self.case.spell(name)).filter(|value| !value.is_null());
        Ok(value.map(|value| Self { path: self.path_to(name), value, case: self.case }))
    }

    fn path_to(&self, name: &str) -> String {
        let name = self.case.spell(name);
        if self.path.is_empty() { name } else { format!("{}.{name}", self.path) }
    }

    /// Returns the list items.
    pub(crate) fn items(&self, max: usize) -> Result<Vec<Self>, WireError> {
        let items = self.value.as_array().ok_or_else(|| self.wrong("a list"))?;
        if items.len() > max {
            return Err(self.wrong("a list that is not so long"));
        }
        let item = |(index, value)| {
            let path = format!("{}[{index}]", self.path);
            Self { path, value, case: self.case }
        };
        Ok(items.iter().enumerate().map(item).collect())
    }

    pub(crate) fn text(&self) -> Result<&'a str, WireError> {
        self.value.as_str().ok_or_else(|| self.wrong("a text"))
    }

    /// Returns an integer below 2^53.
    pub(crate) fn integer(&self) -> Result<u64, WireError> {
        let integer = self.value.as_u64().filter(|integer| *integer <= SAFE_INTEGER_MAX);
        integer.ok_or_else(|| self.wrong("an integer from 0 to 2^53 - 1"))
    }

    /// Returns a 32-bit integer.
    pub(crate) fn position(&self) -> Result<u32, WireError> {
        let position = self.value.as_u64().and_then(|integer| u32::try_from(integer).ok());
        position.ok_or_else(|| self.wrong("an integer from 0 to 2^32 - 1"))
    }

    /// Returns 32 bytes of hex.
    pub(crate) fn hash(&self) -> Result<Hash, WireError> {
        let hash = self.value.as_str().and_then(|text| text.parse().ok());
        hash.ok_or_else(|| self.wrong("0x and 64 hex digits"))
    }

    /// Returns hex bytes of any length.
    pub(crate) fn bytes(&self) -> Result<Vec<u8>, WireError> {
        let digits = self.value.as_str().and_then(|text| text.strip_prefix("0x"));
        let plain = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let bytes = plain.and_then(|digits| const_hex::decode(digits).ok());
        bytes.ok_or_else(|| self.wrong("0x and an even number of hex digits"))
    }

    /// Returns a list of byte strings.
    pub(crate) fn byte_strings(&self, max: usize) -> Result<Vec<Vec<u8>>, WireError> {
        self.items(max)?.iter().map(Self::bytes).collect()
    }

    /// Returns a list of hashes.
    pub(crate) fn hashes(&self, max: usize) -> Result<Vec<Hash>, WireError> {
        self.items(max)?.iter().map(Self::hash).collect()
    }

    /// Returns a list of exactly `N` hashes.
    pub(crate) fn hash_array<const N: usize>(
        &self,
        expected: &'static str,
    ) -> Result<[Hash; N], WireError> {
        self.hashes(N)?.try_into().map_err(|_| self.wrong(expected))
    }

    /// Returns the members `family` and `chainId`.
    pub(crate) fn chain(&self) -> Result<ChainKey, WireError> {
        Ok(ChainKey { family: self.family()?, id: ChainId(self.get("chainId")?.integer()?) })
    }

    /// Returns the member `family`.
    pub(crate) fn family(&self) -> Result<Family, WireError> {
        let family = self.get("family")?;
        let name = family.text()?;
        name.parse().map_err(|_| family.wrong("the name of a ledger family"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn errors_name_the_path() {
        let body = json!({ "twig_path": { "siblings": ["0x12", 7] }, "nothing": null });
        let root = Member::root(&body, Case::Snake);
        let siblings = root.get("twigPath").unwrap().get("siblings").unwrap();
        let error = siblings.byte_strings(2).unwrap_err();
        let expected =
            "member twig_path.siblings[1] is 7, expected 0x and an even number of hex digits";
        assert_eq!(error.to_string(), expected);
        assert!(siblings.items(1).is_err());
        let missing = root.get("twigPath").unwrap().get("leafCount").unwrap_err();
        assert_eq!(missing.to_string(), "member twig_path.leaf_count is missing");
        assert!(root.optional("nothing").unwrap().is_none());
        assert!(siblings.get("x").unwrap_err().to_string().contains("expected an object"));
    }

    #[test]
    fn only_plain_forms_are_read() {
        let read = |value: Value| {
            let member = Member::root(&value, Case::Camel);
            (member.integer().is_ok(), member.bytes().is_ok(), member.hash().is_ok())
        };
        let wide = format!("0x{}", "Ab".repeat(32));
        assert_eq!(read(json!(SAFE_INTEGER_MAX)), (true, false, false));
        assert_eq!(read(json!(wide)), (false, true, true));
        assert_eq!(read(json!("0x")), (false, true, false));
        for wrong in [json!(SAFE_INTEGER_MAX + 1), json!(-1), json!(1.0), json!("1"), json!("0x0")]
        {
            assert_eq!(read(wrong), (false, false, false));
        }
        for wrong in ["0X00", "00", "0x0x00", "0xgg", " 0x00", "0x00 "] {
            assert_eq!(read(json!(wrong)), (false, false, false), "{wrong}");
        }
    }

    #[test]
    fn a_long_value_is_shortened() {
        let long = Value::from("é".repeat(1_000_000));
        let error = Member::root(&long, Case::Camel).integer().unwrap_err().to_string();
        assert!(error.len() < 300, "{}", error.len());
    }
}
