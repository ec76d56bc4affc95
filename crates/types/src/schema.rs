//! How these values are described in an OpenAPI document: as texts and integers with names of their
//! own.

use crate::{Address, BlockNumber, ChainId, Family, Hash, Network, UnixSeconds};

/// Describes a type that JSON carries as one text or one integer: name, kind, meaning, example, and of
/// a text the pattern.
#[macro_export]
macro_rules! scalar_schema {
    ($name:ident: $kind:ident, $about:literal, $example:expr $(, $pattern:literal)?) => {
        impl $crate::utoipa::PartialSchema for $name {
            fn schema() -> $crate::utoipa::openapi::RefOr<$crate::utoipa::openapi::Schema> {
                let schema = $crate::utoipa::openapi::ObjectBuilder::new()
                    .schema_type($crate::utoipa::openapi::Type::$kind)
                    .description(Some($about))
                    .examples([$example]);
                $(let schema = schema.pattern(Some($pattern));)?
                schema.into()
            }
        }

        impl $crate::utoipa::ToSchema for $name {}
    };
}

scalar_schema!(Hash: String, "32 bytes: 0x and 64 hex digits",
    "0x9f1c2f0e5d8a4b6c7e3d2a1b0c9f8e7d6c5b4a39281706f5e4d3c2b1a0f9e8d7", "^0x[0-9a-f]{64}$");
scalar_schema!(Address: String, "20 bytes: 0x and 40 hex digits",
    "0xdac17f958d2ee523a2206206994597c13d831ec7", "^0x[0-9a-f]{40}$");
scalar_schema!(BlockNumber: Integer, "Block number, below 2^53", 19_000_000);
scalar_schema!(ChainId: Integer, "Chain id, below 2^53", 1);
scalar_schema!(UnixSeconds: Integer, "Unix seconds", 1_700_000_000);
scalar_schema!(Family: String, "Ledger family", "evm", "^[a-z0-9_]+$");
scalar_schema!(Network: String, "live, recorded or simulated", "live", "^(live|recorded|simulated)$");
