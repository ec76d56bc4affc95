//! What the documents say of members that are there and may be `null`, where others are left out that say nothing.

use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Ref, Schema};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

/// A value, or `null`.
macro_rules! or_null {
    ($($(#[$about:meta])* $name:ident: $kind:expr;)*) => { $(
        $(#[$about])*
        pub(super) struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let null = ObjectBuilder::new().schema_type(Type::Null);
                AnyOfBuilder::new().item($kind).item(null).into()
            }
        }

        impl ToSchema for $name {}
    )* };
}

or_null! {
    /// Where an event stands in its block, which no hash shows; `null` where the service does not know.
    IndexInBlock: ObjectBuilder::new().schema_type(Type::Integer);
    /// A root of receipts; `null` where the ledger has none.
    ReceiptRoot: Ref::from_schema_name("Hash");
    /// An address; `null` where a contract is made, or nobody is named.
    Receiver: Ref::from_schema_name("Address");
}
