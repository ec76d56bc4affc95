//! The page at `/`: files of this crate, served as they stand. It needs no build tool, and loads nothing
//! from elsewhere.
//!
//! ```text
//! index.html ── page.css
//!     `── page.js, panels.js ── dom.js       live data
//!           `── check.js ── srproof.js ── file.js, evm.js, bitcoin.js, note.js ── trees.js, hash.js, ed25519.js
//!                   chains.js: the rows of this service, made here
//! ```
//! What must hold: no text of an answer becomes markup (scripts set text alone, and the policy refuses
//! markup made by scripts), and the verifier takes nothing from an answer but the bytes of the proof.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;
use superroot_chain::Registry;
use superroot_proof::hash::{keccak256, keccak256_joined};
use superroot_types::Hash;

use crate::seen::{Seen, tag_of};

/// Scripts and styles of this service alone, none of them in the markup; and no script makes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'";

/// A file of the page.
#[derive(Clone, Debug)]
pub(super) struct File {
    media_type: &'static str,
    text: Cow<'static, str>,
}

/// The page itself, which names its files without their version.
static INDEX: File = html(include_str!("web/index.html"));

/// What it loads, by name.
static FILES: [(&str, File); 13] = [
    (
        "page.css",
        File {
            media_type: "text/css; charset=utf-8",
            text: Cow::Borrowed(include_str!("web/page.css")),
        },
    ),
    ("page.js", script(include_str!("web/page.js"))),
    ("check.js", script(include_str!("web/check.js"))),
    ("dom.js", script(include_str!("web/dom.js"))),
    ("panels.js", script(include_str!("web/panels.js"))),
    ("srproof.js", script(include_str!("web/srproof.js"))),
    ("file.js", script(include_str!("web/file.js"))),
    ("trees.js", script(include_str!("web/trees.js"))),
    ("evm.js", script(include_str!("web/evm.js"))),
    ("bitcoin.js", script(include_str!("web/bitcoin.js"))),
    ("note.js", script(include_str!("web/note.js"))),
    ("ed25519.js", script(include_str!("web/ed25519.js"))),
    ("hash.js", script(include_str!("web/hash.js"))),
];

const fn html(text: &'static str) -> File {
    File { media_type: "text/html; charset=utf-8", text: Cow::Borrowed(text) }
}

const fn script(text: &'static str) -> File {
    File { media_type: "text/javascript; charset=utf-8", text: Cow::Borrowed(text) }
}

/// The page, which names its files under their version: whoever has them asks for none of them again.
pub(super) fn index(registry: &Registry) -> File {
    let folder = format!("\"/web/{}/", version(registry));
    File { text: Cow::Owned(INDEX.text.replace("\"/web/", &folder)), ..html("") }
}

/// The file under its version, and then it never changes; or the file of that name.
pub(super) fn find(path: &str, registry: &Registry) -> Option<(File, bool)> {
    match path.split_once('/') {
        Some((asked, name)) if asked == version(registry) => Some((file(name, registry)?, true)),
        Some(_) => None,
        None => Some((file(path, registry)?, false)),
    }
}

fn file(name: &str, registry: &Registry) -> Option<File> {
    if name == "chains.js" {
        let text = Cow::Owned(chains(registry));
        return Some(File { text, ..script("") });
    }
    FILES.iter().find(|(known, _)| *known == name).map(|(_, file)| file.clone())
}

/// Version of all files together.
fn version(registry: &Registry) -> String {
    static OF_FILES: LazyLock<Hash> = LazyLock::new(|| {
        let texts: Vec<_> = FILES.iter().map(|(_, file)| file.text.as_bytes()).collect();
        keccak256_joined(&texts)
    });
    let all = keccak256_joined(&[&OF_FILES.0, chains(registry).as_bytes()]);
    const_hex::encode(&all.0[..8])
}

/// The chains as the page's verifier brings them: what they are called, and their rules by number.
fn chains(registry: &Registry) -> String {
    let rows = registry.rows().iter().map(|row| {
        let rules: Vec<_> = row.rules.iter().map(|rule| (rule.from_number, rule.code)).collect();
        let (family, caip2) = (row.family().byte(), &row.caip2);
        json!({ "family": family, "id": row.id, "name": row.name, "caip2": caip2, "rules": rules })
            .to_string()
    });
    let rows: Vec<_> = rows.collect();
    format!(
        "// The chains of this service.\n/** @type {{import(\"./srproof.js\").Chain[]}} */\nexport const CHAINS = [\n{}\n];\n",
        rows.join(",\n")
    )
}

/// The file, or 304 where the caller has it.
pub(super) fn response(file: &File, is_fixed: bool, seen: &Seen) -> Response {
    let kept = if is_fixed { "public, max-age=31536000, immutable" } else { "no-cache" };
    let tag = tag_of(&keccak256(file.text.as_bytes()).0);
    let known = seen.known_as(&tag);
    let tag = HeaderValue::from_str(known.as_ref().unwrap_or(&tag));
    let tagged = [
        (header::CACHE_CONTROL, HeaderValue::from_static(kept)),
        (header::ETAG, tag.unwrap_or(HeaderValue::from_static("\"\""))),
    ];
    if known.is_some() {
        let varies = [(header::VARY, "accept-encoding")];
        return (StatusCode::NOT_MODIFIED, tagged, varies).into_response();
    }
    let own = [(header::CONTENT_TYPE, file.media_type), (header::CONTENT_SECURITY_POLICY, POLICY)];
    (tagged, own, file.text.clone()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the page with all that it loads, before compression.
    const BYTES_MAX: usize = 120_000;

    #[test]
    fn the_page_loads_its_own_files_alone_and_stays_small() {
        let registry = Registry::builtin();
        let names = FILES.iter().map(|(name, _)| *name).chain(["chains.js"]);
        let files: Vec<_> = names.map(|name| (name, file(name, registry).unwrap())).collect();
        let all = files.iter().map(|(_, file)| file).chain([&INDEX]);
        let bytes: usize = all.clone().map(|file| file.text.len()).sum();
        assert!(bytes <= BYTES_MAX, "{bytes} bytes");
        for file in all {
            for outside in ["http://", "https://", "innerHTML", "style=", "onclick", "eval("] {
                // the name space of SVG is no address that is loaded
                let text = file.text.replace("http://www.w3.org/2000/svg", "");
                assert!(!text.contains(outside), "{outside}");
            }
        }
        let loaded = files.iter().flat_map(|(_, file)| file.text.split('"'));
        let loaded = loaded
            .filter_map(|text| text.strip_prefix("./"))
            .chain(INDEX.text.split('"').filter_map(|text| text.strip_prefix("/web/")));
        for name in loaded {
            assert!(file(name, registry).is_some(), "{name}");
        }
        assert!(file("../Cargo.toml", registry).is_none());
    }

    #[test]
    fn the_verifier_knows_every_row() {
        let text = chains(Registry::builtin());
        assert_eq!(text.matches("\"caip2\"").count(), Registry::builtin().rows().len());
        assert!(text.contains("\"caip2\":\"eip155:1\"") && text.contains("[25349537,1]"), "{text}");
    }
}
