//! Schemas for members that are present and may be `null`; other members without a value are omitted.

use superroot_types::{Address, Hash};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

/// Adds `null` to a schema, as a list of types that client generators understand: for a choice between a reference and
/// `null`, some generators name a type that does not exist.
fn or_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = schema else { return schema };
    if let SchemaType::Type(kind) = object.schema_type {
        object.schema_type = SchemaType::Array(vec![kind, Type::Null]);
    }
    RefOr::T(Schema::Object(object))
}

/// Declares schemas with a value or `null`.
macro_rules! or_null {
    ($($(#[$about:meta])* $name:ident: $schema:expr;)*) => { $(
        $(#[$about])*
        pub(in crate::proof) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                or_null($schema)
            }
        }

        impl ToSchema for $name {}
    )* };
}

or_null! {
    /// Event position in the block, which no hash shows; `null` if unknown to the service.
    IndexInBlock: ObjectBuilder::new().schema_type(Type::Integer).into();
    /// Receipts root; `null` if the ledger has no receipts root.
    ReceiptRoot: Hash::schema();
    /// Address; `null` for a contract creation, or without a receiver.
    Receiver: Address::schema();
}
