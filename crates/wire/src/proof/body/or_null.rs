//! What the documents say of members that are there and may be `null`, where others are left out that say nothing.

use superroot_types::{Address, Hash};
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

/// A schema that also takes `null`: by a list of types, which makers of clients know, where a choice between a reference
/// and `null` makes some of them name a type that is not there.
fn or_null(schema: RefOr<Schema>) -> RefOr<Schema> {
    let RefOr::T(Schema::Object(mut object)) = schema else { return schema };
    if let SchemaType::Type(kind) = object.schema_type {
        object.schema_type = SchemaType::Array(vec![kind, Type::Null]);
    }
    RefOr::T(Schema::Object(object))
}

/// A value, or `null`.
macro_rules! or_null {
    ($($(#[$about:meta])* $name:ident: $schema:expr;)*) => { $(
        $(#[$about])*
        pub(super) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                or_null($schema)
            }
        }

        impl ToSchema for $name {}
    )* };
}

or_null! {
    /// Where an event stands in its block, which no hash shows; `null` where the service does not know.
    IndexInBlock: ObjectBuilder::new().schema_type(Type::Integer).into();
    /// A root of receipts; `null` where the ledger has none.
    ReceiptRoot: Hash::schema();
    /// An address; `null` where a contract is made, or nobody is named.
    Receiver: Address::schema();
}
