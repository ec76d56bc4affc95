//! Bounded proof input from a file or standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;
use superroot_proof::bundle::{BUNDLE_BYTES_MAX, MAGIC};
use superroot_proof::calldata::CalldataForm;
use superroot_wire::{WireError, expand_batch, parse_json};

/// Reads a file, up to the largest proof size; `-` reads standard input.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path == Path::new("-") {
        return read_bounded("standard input", io::stdin().lock());
    }
    let name = path.display().to_string();
    let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    read_bounded(&name, file)
}

fn read_bounded(name: &str, from: impl Read) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut limited = from.take(BUNDLE_BYTES_MAX as u64 + 1);
    match limited.read_to_end(&mut bytes).with_context(|| format!("cannot read {name}"))? {
        0 => bail!("{name} is empty"),
        count if count > BUNDLE_BYTES_MAX => {
            bail!("{name} has more than {BUNDLE_BYTES_MAX} bytes, as no proof has")
        }
        _ => Ok(bytes),
    }
}

/// Bytes of a proof in the form for contracts: as a service sends them, or in hex as `superroot prove` writes them;
/// `None` for any other body.
pub(crate) fn calldata(body: &[u8]) -> Option<Result<Vec<u8>, const_hex::FromHexError>> {
    let text = body.trim_ascii();
    match text.starts_with(b"0x01") || text.starts_with(b"0x02") {
        true => Some(const_hex::decode(text)),
        false => CalldataForm::from_byte(*body.first()?).map(|_| Ok(body.to_vec())),
    }
}

/// Proof batch: each proof as a body, and member names not covered by any proof.
pub(crate) struct BatchInput {
    pub(crate) items: Vec<Value>,
    pub(crate) unproven: Vec<String>,
}

/// Reads a batch; `None` for any other body.
pub(crate) fn batch(body: &[u8]) -> Option<Result<BatchInput, WireError>> {
    if body.starts_with(&MAGIC) {
        return None;
    }
    let body = parse_json(body).ok()?;
    let members = body.as_object()?;
    let is_known = |name: &&String| matches!(name.as_str(), "items" | "nodes");
    let is_batch = members.keys().filter(is_known).count() == 2;
    let unproven = members.keys().filter(|name| !is_known(name)).cloned().collect();
    is_batch.then(|| expand_batch(&body).map(|items| BatchInput { items, unproven }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An endless source must not fill the memory.
    #[test]
    fn no_more_than_the_largest_proof_is_read() {
        let error = read_bounded("zeros", io::repeat(0)).unwrap_err().to_string();
        assert!(error.contains("zeros has more than 16777216 bytes"), "{error}");
        let largest = io::repeat(7).take(BUNDLE_BYTES_MAX as u64);
        assert_eq!(read_bounded("sevens", largest).unwrap().len(), BUNDLE_BYTES_MAX);
    }
}
