//! Schemas for members with more than one type.

use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder, Schema, SchemaType};
use utoipa::openapi::{RefOr, Type};
use utoipa::{PartialSchema, ToSchema};

/// Chain id, or any chain name.
pub struct ChainName;

impl PartialSchema for ChainName {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type([Type::Integer, Type::String].into_iter().collect::<SchemaType>())
            .into()
    }
}

impl ToSchema for ChainName {}

/// Text, or a list of texts.
pub struct OneOrMany;

impl PartialSchema for OneOrMany {
    fn schema() -> RefOr<Schema> {
        let either = [Type::String, Type::Array].into_iter().collect::<SchemaType>();
        let text = ObjectBuilder::new().schema_type(Type::String);
        ArrayBuilder::new().schema_type(either).items(text).into()
    }
}

impl ToSchema for OneOrMany {}
