//! Bounded lists and plain objects in JSON.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};

/// Deserializes objects only: serde would also accept a list as field values in order.
pub(super) struct ObjectReader<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ObjectReader<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(members))
    }
}

/// Parses a whole text as a list with at most `most` entries.
pub(super) fn list_of<'a, T: Deserialize<'a>>(
    text: &'a str,
    most: usize,
) -> serde_json::Result<Vec<T>> {
    let mut list = serde_json::Deserializer::from_str(text);
    let entries = list.deserialize_seq(BoundedList { most, of: PhantomData })?;
    list.end()?;
    Ok(entries)
}

struct BoundedList<T> {
    most: usize,
    of: PhantomData<T>,
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for BoundedList<T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of at most {} answers", self.most)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = list.next_element()? {
            if entries.len() == self.most {
                return Err(serde::de::Error::invalid_length(self.most, &self));
            }
            entries.push(entry);
        }
        Ok(entries)
    }
}
