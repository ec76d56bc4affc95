//! Page at `/`: files of `web/` and of the JavaScript client in `sdk/js/src`, served unchanged under `/web/` with
//! the folders that they have there. No build tool, no external resources.
//!
//! ```text
//! index.html ── page.css
//!     `── page.js, panels.js ── dom.js       live data
//!           `── check.js ── verify/srproof.js ── verify/file.js, verify/note.js, verify/ledger/ ── noble/
//!                   chains.js: the rows of this service, made here
//! ```
//! Invariants: no answer text becomes markup (scripts set text only, and the policy refuses markup made by scripts),
//! and the verifier takes nothing from an answer but the proof bytes.

use std::sync::LazyLock;

use serde_json::json;
use superroot_chain::ChainRegistry;
use superroot_proof::hash::keccak256_joined;

use super::file::{CSS, HTML, JS, PageFile};

/// Content security policy: scripts and styles from this service only, none inline; no script makes markup.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'; require-trusted-types-for 'script'";

/// Page source; refers to files without versions.
const INDEX: &str = include_str!("web/index.html");

/// Modules of the JavaScript client, by their paths in `sdk/js/src`.
macro_rules! client {
    ($($path:literal),* $(,)?) => {
        [$(($path, JS, include_str!(concat!("../../../../sdk/js/src/", $path)))),*]
    };
}

static FILES: LazyLock<Vec<(&str, PageFile)>> = LazyLock::new(|| {
    let page = [
        ("page.css", CSS, include_str!("web/page.css")),
        ("page.js", JS, include_str!("web/page.js")),
        ("check.js", JS, include_str!("web/check.js")),
        ("dom.js", JS, include_str!("web/dom.js")),
        ("panels.js", JS, include_str!("web/panels.js")),
    ];
    let client = client![
        "verify/srproof.js",
        "verify/proof.js",
        "verify/file.js",
        "verify/reader.js",
        "verify/trees.js",
        "verify/note.js",
        "verify/policy.js",
        "verify/ed25519.js",
        "verify/hash.js",
        "verify/ledger/index.js",
        "verify/ledger/shown.js",
        "verify/ledger/evm.js",
        "verify/ledger/bitcoin.js",
        "verify/ledger/solana.js",
        "verify/ledger/polkadot.js",
        "verify/ledger/tron.js",
        "verify/ledger/aptos.js",
        "verify/ledger/sui.js",
        "verify/ledger/icp.js",
        "verify/ledger/cosmos.js",
        "verify/ledger/edge.js",
        "verify/ledger/pairs.js",
        "verify/ledger/bcs.js",
        "noble/hashes/sha2.js",
        "noble/hashes/sha3.js",
        "noble/hashes/blake2.js",
        "noble/hashes/_md.js",
        "noble/hashes/_u64.js",
        "noble/hashes/_blake.js",
        "noble/hashes/utils.js",
        "noble/ed25519/index.js",
    ];
    let files = page.into_iter().chain(client);
    files.map(|(name, media_type, text)| (name, PageFile::new(media_type, POLICY, text))).collect()
});

pub(crate) struct Site {
    /// Page with versioned file names: a browser requests each version once.
    pub(super) index: PageFile,
    /// `chains.js`.
    chains: PageFile,
    version: String,
}

impl Site {
    pub(crate) fn of(registry: &ChainRegistry) -> Self {
        let chains = PageFile::new(JS, POLICY, chains(registry));
        let files = FILES.iter().map(|(_, file)| file.bytes());
        let texts: Vec<_> = files.chain([chains.bytes()]).collect();
        let version = const_hex::encode(&keccak256_joined(&texts).0[..8]);
        let index = INDEX.replace("\"/web/", &format!("\"/web/{version}/"));
        let index = PageFile::new(HTML, POLICY, index);
        Self { index, chains, version }
    }

    /// Returns an immutable file by versioned path, or a file by name.
    pub(super) fn find(&self, path: &str) -> Option<(&PageFile, bool)> {
        match path.split_once('/') {
            Some((asked, name)) if asked == self.version => Some((self.file(name)?, true)),
            _ => Some((self.file(path)?, false)),
        }
    }

    fn file(&self, name: &str) -> Option<&PageFile> {
        if name == "chains.js" {
            return Some(&self.chains);
        }
        FILES.iter().find(|(known, _)| *known == name).map(|(_, file)| file)
    }
}

/// Chains for the page's verifier: names, and rules by number.
fn chains(registry: &ChainRegistry) -> String {
    let rows = registry.rows().iter().map(|row| {
        let rules: Vec<_> = row.rules.iter().map(|rule| (rule.from_number, rule.code)).collect();
        let family = row.family().byte();
        let caip2 = &row.caip2;
        json!({ "family": family, "id": row.id, "name": row.name, "caip2": caip2, "rules": rules })
            .to_string()
    });
    let rows: Vec<_> = rows.collect();
    format!(
        "// The chains of this service.\n/** @type {{import(\"./verify/srproof.js\").Chain[]}} */\nexport const CHAINS = [\n{}\n];\n",
        rows.join(",\n")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of the page with all that it loads, before compression.
    const BYTES_MAX: usize = 380_000;

    #[test]
    fn the_page_loads_its_own_files_alone_and_stays_small() {
        let site = Site::of(ChainRegistry::builtin());
        let names = FILES.iter().map(|(name, _)| *name).chain(["chains.js"]);
        let files = names.clone().map(|name| site.file(name).unwrap());
        let text = |file: &PageFile| String::from_utf8(file.bytes().to_vec()).unwrap();
        let files: Vec<String> = files.map(text).collect();
        // comments of published packages name addresses
        let own = names.clone().zip(&files).filter(|(name, _)| !name.starts_with("noble/"));
        let all = own.map(|(_, text)| text.as_str()).chain([INDEX]);
        let bytes: usize = files.iter().map(String::len).sum();
        assert!(bytes <= BYTES_MAX, "{bytes} bytes");
        for text in all {
            for outside in ["http://", "https://", "innerHTML", "style=", "onclick", "eval("] {
                // the name space of SVG is no address that is loaded
                let text = text.replace("http://www.w3.org/2000/svg", "");
                assert!(!text.contains(outside), "{outside}");
            }
        }
        for name in INDEX.split('"').filter_map(|text| text.strip_prefix("/web/")) {
            assert!(site.file(name).is_some(), "{name}");
        }
        for (importer, text) in names.zip(&files) {
            let strings = text.split(['"', '\'']);
            let paths = strings.filter(|text| text.starts_with("./") || text.starts_with("../"));
            for path in paths {
                let name = resolved(importer, path);
                assert!(site.file(&name).is_some(), "{name}, which {importer} imports");
            }
        }
        assert!(site.file("../Cargo.toml").is_none());
    }

    /// Path of a module that another imports: `../noble/sha2.js` of `verify/hash.js` is `noble/sha2.js`.
    fn resolved(importer: &str, path: &str) -> String {
        let mut folders: Vec<&str> = importer.split('/').collect();
        folders.pop();
        for part in path.split('/') {
            match part {
                "." => {}
                ".." => assert!(folders.pop().is_some(), "{path} of {importer}"),
                part => folders.push(part),
            }
        }
        folders.join("/")
    }

    #[test]
    fn the_verifier_knows_every_row() {
        let text = chains(ChainRegistry::builtin());
        assert_eq!(text.matches("\"caip2\"").count(), ChainRegistry::builtin().rows().len());
        assert!(text.contains("\"caip2\":\"eip155:1\"") && text.contains("[25349537,1]"), "{text}");
    }
}
