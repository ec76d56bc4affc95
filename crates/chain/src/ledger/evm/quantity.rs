//! JSON quantities and optional bytes from nodes.
//!
//! The JSON-RPC specification requires `0x` hex without leading zeros; nodes, proxies and archives also send padded
//! hex, decimal text and plain numbers. The reader accepts all forms up to 256 bits; the writer uses the
//! specification's form.

use core::fmt;
use core::marker::PhantomData;
use core::str::FromStr;

use alloy_primitives::U256;
use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serializer};
use superroot_types::first_chars;

const HEX_DIGITS_MAX: usize = 64;
const DECIMAL_DIGITS_MAX: usize = 78;

/// Unsigned integer with a JSON quantity form.
pub(crate) trait JsonQuantity: Sized {
    /// Expected value, for error messages.
    const EXPECTED: &'static str;

    fn from_word(word: U256) -> Option<Self>;

    fn to_word(&self) -> U256;
}

impl JsonQuantity for u64 {
    const EXPECTED: &'static str = "a quantity below 2^64";

    fn from_word(word: U256) -> Option<Self> {
        Self::try_from(word).ok()
    }

    fn to_word(&self) -> U256 {
        U256::from(*self)
    }
}

impl JsonQuantity for U256 {
    const EXPECTED: &'static str = "a quantity below 2^256";

    fn from_word(word: U256) -> Option<Self> {
        Some(word)
    }

    fn to_word(&self) -> U256 {
        *self
    }
}

/// Reads `0x` hex or decimal text; `None` for other text or more than 256 bits.
fn parse(text: &str) -> Option<U256> {
    let Some(digits) = text.strip_prefix("0x") else {
        let decimal = !text.is_empty()
            && text.len() <= DECIMAL_DIGITS_MAX
            && text.bytes().all(|byte| byte.is_ascii_digit());
        return if decimal { U256::from_str_radix(text, 10).ok() } else { None };
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    // most are short
    if digits.len() <= 16 {
        return u64::from_str_radix(digits, 16).ok().map(U256::from);
    }
    let mut padded = [b'0'; HEX_DIGITS_MAX];
    let padding = HEX_DIGITS_MAX.checked_sub(digits.len())?;
    padded.get_mut(padding..)?.copy_from_slice(digits.as_bytes());
    const_hex::decode_to_array::<_, 32>(padded).ok().map(U256::from_be_bytes)
}

struct QuantityVisitor<T>(PhantomData<T>);

impl<T: JsonQuantity> Visitor<'_> for QuantityVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(T::EXPECTED)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
        let wrong = || E::invalid_value(Unexpected::Unsigned(number), &self);
        T::from_word(U256::from(number)).ok_or_else(wrong)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        let wrong = || E::invalid_value(Unexpected::Str(first_chars(text, 80)), &self);
        parse(text).and_then(T::from_word).ok_or_else(wrong)
    }
}

pub(crate) fn serialize<T: JsonQuantity, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{:#x}", value.to_word()))
}

pub(crate) fn deserialize<'de, T: JsonQuantity, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    deserializer.deserialize_any(QuantityVisitor(PhantomData))
}

/// Quantities, missing or `null`.
pub(crate) mod option {
    use super::{Deserializer, JsonQuantity, PhantomData, QuantityVisitor, Serializer};
    use core::fmt;
    use serde::de::{Error, Visitor};

    struct OptionVisitor<T>(PhantomData<T>);

    impl<'de, T: JsonQuantity> Visitor<'de> for OptionVisitor<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{} or null", T::EXPECTED)
        }

        fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_none<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<'de>>(self, value: D) -> Result<Option<T>, D::Error> {
            value.deserialize_any(QuantityVisitor(PhantomData)).map(Some)
        }
    }

    pub(crate) fn serialize<T: JsonQuantity, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => super::serialize(value, serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, T: JsonQuantity, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_option(OptionVisitor(PhantomData))
    }
}

/// Fields not bound by any hash: `None` for an unreadable spelling, never an error.
pub(crate) mod claim {
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
    use serde::{Deserializer, Serialize, Serializer};
    use superroot_types::{Address, Hash};

    use super::JsonQuantity;

    /// Value in any node spelling.
    pub(crate) trait NodeSpelling: Sized {
        fn from_text(text: &str) -> Option<Self>;

        fn from_number(_: u64) -> Option<Self> {
            None
        }

        fn from_flag(_: bool) -> Option<Self> {
            None
        }

        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
    }

    impl NodeSpelling for u64 {
        fn from_text(text: &str) -> Option<Self> {
            super::parse(text).and_then(Self::from_word)
        }

        fn from_number(number: u64) -> Option<Self> {
            Some(number)
        }

        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            super::serialize(self, serializer)
        }
    }

    impl NodeSpelling for Hash {
        fn from_text(text: &str) -> Option<Self> {
            text.parse().ok()
        }

        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.serialize(serializer)
        }
    }

    impl NodeSpelling for Address {
        fn from_text(text: &str) -> Option<Self> {
            text.parse().ok()
        }

        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.serialize(serializer)
        }
    }

    impl NodeSpelling for bool {
        fn from_text(_: &str) -> Option<Self> {
            None
        }

        fn from_flag(flag: bool) -> Option<Self> {
            Some(flag)
        }

        fn write<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.serialize(serializer)
        }
    }

    struct ClaimVisitor<T>(PhantomData<T>);

    impl<'de, T: NodeSpelling> Visitor<'de> for ClaimVisitor<T> {
        type Value = Option<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("any value")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Option<T>, E> {
            Ok(T::from_text(text))
        }

        fn visit_u64<E: Error>(self, number: u64) -> Result<Option<T>, E> {
            Ok(T::from_number(number))
        }

        fn visit_bool<E: Error>(self, flag: bool) -> Result<Option<T>, E> {
            Ok(T::from_flag(flag))
        }

        fn visit_i64<E: Error>(self, _: i64) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_f64<E: Error>(self, _: f64) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_unit<E: Error>(self) -> Result<Option<T>, E> {
            Ok(None)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Option<T>, A::Error> {
            IgnoredAny.visit_seq(list).map(|_| None)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Option<T>, A::Error> {
            IgnoredAny.visit_map(map).map(|_| None)
        }
    }

    pub(crate) fn serialize<T: NodeSpelling, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => value.write(serializer),
            None => serializer.serialize_none(),
        }
    }

    pub(crate) fn deserialize<'de, T: NodeSpelling, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        deserializer.deserialize_any(ClaimVisitor(PhantomData))
    }
}

/// Fixed-width hex; nodes write `null`, `""` or `0x` for "none".
pub(crate) fn blank_as_none<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: FromStr<Err: fmt::Display>,
    D: Deserializer<'de>,
{
    match Option::<String>::deserialize(deserializer)?.as_deref() {
        None | Some("" | "0x") => Ok(None),
        Some(text) => text.parse().map(Some).map_err(D::Error::custom),
    }
}

/// List; some nodes write `null` for an empty list.
pub(crate) fn null_as_empty<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde::Serialize;
    use superroot_types::Address;

    #[derive(Debug, PartialEq, Deserialize, Serialize)]
    struct Sample {
        #[serde(with = "super")]
        number: u64,
        #[serde(default, with = "super::option", skip_serializing_if = "Option::is_none")]
        value: Option<U256>,
        #[serde(default, deserialize_with = "blank_as_none")]
        to: Option<Address>,
        #[serde(default, deserialize_with = "null_as_empty")]
        list: Vec<u8>,
        #[serde(default, with = "claim", skip_serializing_if = "Option::is_none")]
        claimed: Option<u64>,
    }

    fn number(json: &str) -> Result<u64, String> {
        let text = format!("{{\"number\":{json}}}");
        serde_json::from_str::<Sample>(&text)
            .map(|sample| sample.number)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn every_spelling_of_a_quantity_is_read() {
        for spelling in ["\"0x1a\"", "\"0x1A\"", "\"0x00001a\"", "\"26\"", "\"026\"", "26"] {
            assert_eq!(number(spelling), Ok(26), "{spelling}");
        }
        assert_eq!(number("\"0x0\""), Ok(0));
        assert_eq!(number("\"0xffffffffffffffff\""), Ok(u64::MAX));
        assert_eq!(number("18446744073709551615"), Ok(u64::MAX));
    }

    #[test]
    fn what_is_no_quantity_is_refused() {
        let long = format!("\"0x{}\"", "0".repeat(65));
        let longer = format!("\"{}\"", "1".repeat(100_000));
        for spelling in [
            "\"\"",
            "\"0x\"",
            "\"0x0x1\"",
            "\"0xg\"",
            "\"+1\"",
            "\"-1\"",
            "\"1_0\"",
            "\" 1\"",
            "-1",
            "1.5",
            "1e3",
            "null",
            "true",
            "[1]",
            "\"0x10000000000000000\"",
            "18446744073709551616",
            &long,
            &longer,
        ] {
            let error = number(spelling).expect_err(spelling);
            assert!(error.len() < 400, "a message must stay short: {} bytes", error.len());
        }
    }

    #[test]
    fn null_blank_and_missing_mean_none() {
        for json in [
            r#"{"number":1}"#,
            r#"{"number":1,"value":null,"to":null,"list":null}"#,
            r#"{"number":1,"to":"","list":[]}"#,
            r#"{"number":1,"to":"0x"}"#,
        ] {
            let sample: Sample = serde_json::from_str(json).unwrap();
            assert_eq!(
                sample,
                Sample { number: 1, value: None, to: None, list: vec![], claimed: None }
            );
        }
        for json in [r#"{"number":1,"to":"0x00"}"#, r#"{"number":1,"to":7}"#] {
            assert!(serde_json::from_str::<Sample>(json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_field_that_no_hash_binds_is_never_an_error() {
        let claimed = |json: &str| {
            let text = format!(r#"{{"number":1,"claimed":{json}}}"#);
            serde_json::from_str::<Sample>(&text).unwrap().claimed
        };
        for (json, expected) in [("\"0x7\"", Some(7)), ("7", Some(7)), ("\"7\"", Some(7))] {
            assert_eq!(claimed(json), expected);
        }
        for json in ["null", "-1", "1.5", "true", "\"legacy\"", "\"0x\"", "[[1],{}]", "{\"a\":[1]}"]
        {
            assert_eq!(claimed(json), None, "{json}");
        }
    }

    proptest! {
        #[test]
        fn json_leads_back_to_the_value(number: u64, limbs: [u64; 4]) {
            let value = Some(U256::from_limbs(limbs));
            let sample = Sample { number, value, to: None, list: vec![1], claimed: None };
            let json = serde_json::to_string(&sample).unwrap();
            prop_assert!(!json.contains("0x00"));
            prop_assert_eq!(serde_json::from_str::<Sample>(&json).unwrap(), sample);
        }

        #[test]
        fn hex_and_decimal_say_the_same(limbs: [u64; 4]) {
            let word = U256::from_limbs(limbs);
            prop_assert_eq!(parse(&format!("{word:#x}")), Some(word));
            prop_assert_eq!(parse(&format!("{word}")), Some(word));
            prop_assert_eq!(parse(&format!("{word:#066x}")), Some(word));
        }
    }

    #[test]
    fn past_256_bits_is_refused_in_decimal_too() {
        assert_eq!(parse(&U256::MAX.to_string()), Some(U256::MAX));
        let above =
            "115792089237316195423570985008687907853269984665640564039457584007913129639936";
        assert_eq!(parse(above), None);
    }
}
