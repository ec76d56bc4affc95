//! Schemas for ledger-specific objects: the possible forms. `docs/ledgers.md` describes the content for families other
//! than Ethereum's.

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{AnyOfBuilder, Ref, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::proof::ledger::members::*;
use crate::proof::ledger::with_objects;

/// Declares a schema with one form per family.
macro_rules! one_of {
    ($($name:ident: $($form:ident)*;)*) => { $(
        #[doc = concat!("One of: ", $("`", stringify!($form), "` ",)* "by the family.")]
        pub struct $name;

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let forms = AnyOfBuilder::new();
                forms$(.item(Ref::from_schema_name(stringify!($form))))*.into()
            }
        }

        impl ToSchema for $name {
            fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
                $(
                    schemas.push((stringify!($form).to_owned(), $form::schema()));
                    $form::schemas(schemas);
                )*
            }
        }
    )* };
}

with_objects!(one_of);

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write;
    use std::path::Path;

    use serde_json::{Value, json};

    use super::*;
    use crate::Case;

    const ABOUT: &str = "# Objects of other ledgers

What `header`, `transaction` and `event` of a proof are for a chain that is not of the EVM family. Names are as under
`/v5`; elsewhere they are in `snake_case`. A hash is `0x` and 64 hex digits, hex is `0x` and bytes; amounts are decimal
text. What is not in an object where it says nothing is marked *optional*.

This page is made of the types in `crates/wire/src/proof/ledger`: `make vectors` writes it anew.
";

    fn type_of(schema: &Value) -> String {
        if let Some(named) = schema["$ref"].as_str() {
            return match named.rsplit('/').next().unwrap() {
                "Hash" => "hash".to_owned(),
                "Hex" => "hex".to_owned(),
                other => format!("`{other}`"),
            };
        }
        if let Some(forms) = schema["oneOf"].as_array() {
            return forms.iter().map(type_of).collect::<Vec<_>>().join(" or ");
        }
        let kinds = match &schema["type"] {
            Value::Array(kinds) => kinds.clone(),
            kind => vec![kind.clone()],
        };
        let kinds = kinds.iter().map(|kind| match kind.as_str().unwrap() {
            "array" => format!("list of {}", type_of(&schema["items"])),
            "string" => "text".to_owned(),
            other => other.to_owned(),
        });
        kinds.collect::<Vec<_>>().join(" or ")
    }

    fn members(schema: &Value) -> String {
        let parts = schema["allOf"].as_array().cloned().unwrap_or_else(|| vec![schema.clone()]);
        let mut text = String::new();
        for part in parts {
            if part["$ref"].is_string() {
                writeln!(text, "\nIts own are beside the members of {}.\n", type_of(&part))
                    .unwrap();
            }
            let required = part["required"].as_array().cloned().unwrap_or_default();
            for (name, member) in part["properties"].as_object().into_iter().flatten() {
                let forms = member["oneOf"].as_array().into_iter().flatten();
                let about = forms.chain([member]).find_map(|one| one["description"].as_str());
                let kind = type_of(member);
                let is_there = required.contains(&json!(name)) || kind.contains("null");
                let kind = if is_there { kind } else { format!("{kind}, *optional*") };
                let about = about.unwrap().replace('\n', " ");
                writeln!(text, "- `{}` ({kind}): {about}", Case::Camel.spell(name)).unwrap();
            }
        }
        text
    }

    /// What stands in a proof stands in the page.
    #[test]
    fn the_page_says_what_is_in_them() {
        let mut all = Vec::new();
        HeaderObject::schemas(&mut all);
        TransactionObject::schemas(&mut all);
        EventObject::schemas(&mut all);
        let families = ["Aptos", "Bitcoin", "Cosmos", "Icp", "Polkadot", "Solana", "Sui", "Tron"];
        let all: BTreeMap<_, _> = all.into_iter().collect();
        let mut page = ABOUT.to_owned();
        for family in families {
            writeln!(page, "\n## {family}").unwrap();
            for (name, schema) in all.iter().filter(|(name, _)| name.starts_with(family)) {
                let schema = json!(schema);
                let about = schema["description"].as_str().unwrap().replace('\n', " ");
                write!(page, "\n### `{name}`\n{about}\n\n{}", members(&schema)).unwrap();
            }
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ledgers.md");
        if std::env::var_os("SUPERROOT_WRITE_VECTORS").is_some() {
            std::fs::write(&path, &page).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), page, "write it anew: make vectors");
    }
}
