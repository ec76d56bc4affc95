//! The contract: no number of a field, no name and no type changes by oversight.

use prost_reflect::{Cardinality, Kind};
use superroot_api::metered_routes;

use crate::grpc::read::POOL;

/// Services, messages and fields with their numbers, as text: a reviewer reads what changes. A line may
/// come, none may change or go.
#[test]
fn numbers_of_fields_are_as_they_were_published() {
    let mut text = String::new();
    let mut services: Vec<_> = POOL.services().collect();
    services.sort_by_key(|service| service.full_name().to_owned());
    for service in services {
        for method in service.methods() {
            let (input, output) = (method.input(), method.output());
            let stream = if method.is_server_streaming() { "stream " } else { "" };
            let (asked, given) = (input.name(), output.name());
            text += &format!("{}({asked}) -> {stream}{given}\n", method.full_name());
        }
    }
    let mut messages: Vec<_> = POOL.all_messages().collect();
    messages.sort_by_key(|message| message.full_name().to_owned());
    for message in messages {
        text += &format!("\n{}\n", message.name());
        let mut fields: Vec<_> = message.fields().collect();
        fields.sort_by_key(|field| field.number());
        for field in fields {
            let kind = match field.kind() {
                Kind::Message(other) => other.name().to_owned(),
                scalar => format!("{scalar:?}"),
            };
            let often = match field.cardinality() {
                Cardinality::Repeated => "repeated ",
                _ if field.supports_presence() => "optional ",
                _ => "",
            };
            text += &format!("  {} {}: {often}{kind}\n", field.number(), field.name());
        }
    }
    insta::assert_snapshot!("contract", text);
}

/// What the descriptor has, the gate knows: a method without a row would be closed to all.
#[test]
fn every_method_is_metered_under_its_own_number() {
    let methods = POOL.services().flat_map(|service| service.methods().collect::<Vec<_>>());
    let paths: Vec<_> = methods
        .map(|method| format!("/{}/{}", method.parent_service().full_name(), method.name()))
        .collect();
    assert_eq!(paths.len(), 31);
    for path in paths {
        assert!(metered_routes().iter().any(|route| route.path == path), "{path}");
    }
}
