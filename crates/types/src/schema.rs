use crate::{Address, BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};

/// Describes a type with one JSON text or integer: name, kind, meaning, and a pattern for text.
#[macro_export]
macro_rules! scalar_schema {
    ($name:ident: $kind:ident, $about:literal $(, $pattern:literal)?) => {
        impl $crate::utoipa::PartialSchema for $name {
            fn schema() -> $crate::utoipa::openapi::RefOr<$crate::utoipa::openapi::Schema> {
                let schema = $crate::utoipa::openapi::ObjectBuilder::new()
                    .schema_type($crate::utoipa::openapi::Type::$kind)
                    .description(Some($about));
                $(let schema = schema.pattern(Some($pattern));)?
                schema.into()
            }
        }

        impl $crate::utoipa::ToSchema for $name {}
    };
}

scalar_schema!(Hash: String, "32 bytes: 0x and 64 hex digits", "^0x[0-9a-fA-F]{64}$");
scalar_schema!(Address: String, "20 bytes: 0x and 40 hex digits", "^0x[0-9a-fA-F]{40}$");
scalar_schema!(BlockNumber: Integer, "Block number, below 2^53");
scalar_schema!(ChainId: Integer, "Chain id, below 2^53");
scalar_schema!(UnixSeconds: Integer, "Unix seconds");
scalar_schema!(Family: String, "Ledger family", "^[a-z0-9_]+$");
scalar_schema!(Network: String, "live, recorded or simulated", "^(live|recorded|simulated)$");
