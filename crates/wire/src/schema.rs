//! What the documents say of members that may be of more than one type.

use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaType};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

/// A chain, by its id or any of its names.
pub struct ChainName;

impl PartialSchema for ChainName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type([Type::Integer, Type::String].into_iter().collect::<SchemaType>())
            .into()
    }
}

impl ToSchema for ChainName {}

/// A text, or a list of them.
pub struct OneOrMany;

impl PartialSchema for OneOrMany {
    fn schema() -> RefOr<Schema> {
        let either = [Type::String, Type::Array].into_iter().collect::<SchemaType>();
        let text = ObjectBuilder::new().schema_type(Type::String);
        ArrayBuilder::new().schema_type(either).items(text).into()
    }
}

impl ToSchema for OneOrMany {}
