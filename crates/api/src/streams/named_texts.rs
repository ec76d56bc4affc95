//! Texts of stream parameters, from a query or a message.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::ApiError;
use crate::input::{RequestInput, describe, text_of};

/// Texts by name, in a query or message object.
pub(crate) trait NamedTexts {
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError>;
}

impl NamedTexts for RequestInput {
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError> {
        Ok(self.query(name)?.map(Cow::Borrowed))
    }
}

/// Message members: texts, numbers, flags, or lists.
impl NamedTexts for Map<String, Value> {
    fn text(&self, name: &'static str) -> Result<Option<Cow<'_, str>>, ApiError> {
        Ok(match self.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::Bool(is_set)) => Some(Cow::Borrowed(if *is_set { "1" } else { "0" })),
            Some(Value::String(text)) => Some(Cow::Borrowed(text)),
            Some(number @ Value::Number(_)) => Some(Cow::Owned(number.to_string())),
            Some(Value::Array(items)) => {
                let scalar = |item: &Value| item.is_string() || item.is_number();
                if items.is_empty() || !items.iter().all(scalar) {
                    let expected = "a text, a number, or a list of at least one";
                    return Err(ApiError::parameter(
                        name,
                        &describe(&items.clone().into()),
                        expected,
                    ));
                }
                let items: Vec<_> = items.iter().map(text_of).collect();
                Some(Cow::Owned(items.join(",")))
            }
            Some(other) => {
                let expected = "a text, a number, or a list of at least one";
                return Err(ApiError::parameter(name, &describe(other), expected));
            }
        })
    }
}

/// Texts of a filter's parameters.
pub(super) struct Texts<'a>([(&'static str, Option<Cow<'a, str>>); 5]);

impl<'a> Texts<'a> {
    pub(super) fn read(named: &'a impl NamedTexts) -> Result<Self, ApiError> {
        let of = |name| Ok::<_, ApiError>((name, named.text(name)?));
        let [a, b, c, d, e] = ["address", "topic0", "topic1", "topic2", "topic3"];
        Ok(Self([of(a)?, of(b)?, of(c)?, of(d)?, of(e)?]))
    }

    pub(super) fn of(&self, name: &'static str) -> Option<&str> {
        let found = self.0.iter().find(|(other, _)| *other == name);
        found.and_then(|(_, text)| text.as_deref())
    }
}
