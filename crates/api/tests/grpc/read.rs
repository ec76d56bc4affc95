//! A message as the JSON that REST would write: by the names of its fields, and nothing of this build's
//! conversions.

use std::sync::LazyLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, ReflectMessage, Value as Field};
use serde_json::{Map, Value, json};
use superroot_wire::{Case, case};

pub(crate) static POOL: LazyLock<DescriptorPool> =
    LazyLock::new(|| DescriptorPool::decode(superroot_wire::grpc::DESCRIPTOR).unwrap());

/// Messages that stand for a list where a field may be left out.
const LISTS: [&str; 3] = ["TwigList", "HashPath", "BloomBits"];

/// The message in `snake_case`, without what is left out.
pub(crate) fn as_json(name: &str, message: &impl Message) -> Value {
    let descriptor = POOL.get_message_by_name(&format!("superroot.v5.{name}")).unwrap();
    of_message(&DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice()).unwrap())
}

fn of_message(message: &DynamicMessage) -> Value {
    let mut members = Map::new();
    for field in message.descriptor().fields() {
        if !field.supports_presence() || message.has_field(&field) {
            members.insert(field.name().to_owned(), of_field(&message.get_field(&field)));
        }
    }
    if LISTS.contains(&message.descriptor().name()) {
        return members.into_iter().next().unwrap().1;
    }
    Value::Object(members)
}

fn of_field(field: &Field) -> Value {
    match field {
        Field::Bool(flag) => json!(flag),
        Field::U32(number) => json!(number),
        Field::U64(number) => json!(number),
        Field::F64(number) => json!(number),
        Field::String(text) => json!(text),
        Field::Bytes(bytes) => json!(const_hex::encode_prefixed(bytes)),
        Field::List(items) => items.iter().map(of_field).collect(),
        Field::Message(message) => of_message(message),
        other => panic!("no field of the contract is {other:?}"),
    }
}

/// A body of REST in the same form: `snake_case`, without nulls and empty lists.
pub(crate) fn plain(body: Value) -> Value {
    without_nothing(case::convert(body, Case::Snake))
}

/// The same without members that are null or an empty list.
pub(crate) fn without_nothing(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.into_iter().map(|(name, value)| (name, without_nothing(value)));
            let is_kept = |(_, value): &(String, Value)| !value.is_null() && *value != json!([]);
            Value::Object(kept.filter(is_kept).collect())
        }
        Value::Array(items) => items.into_iter().map(without_nothing).collect(),
        scalar => scalar,
    }
}

/// Every member of `part` is in `whole`, with the same value.
pub(crate) fn assert_within(part: &Value, whole: &Value, path: &str) {
    match (part, whole) {
        (Value::Object(members), Value::Object(_)) => {
            for (name, value) in members {
                let other = whole.get(name);
                let other = other.unwrap_or_else(|| panic!("REST has no {path}.{name}: {whole}"));
                assert_within(value, other, &format!("{path}.{name}"));
            }
        }
        _ => assert_eq!(part, whole, "{path}"),
    }
}

/// Takes members out of an object.
pub(crate) fn take(body: &mut Value, names: &[&str]) -> Value {
    let members = body.as_object_mut().unwrap();
    names.iter().filter_map(|name| members.remove_entry(*name)).collect::<Map<_, _>>().into()
}
