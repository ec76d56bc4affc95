//! One file of a recording: a block that once came from a node, and what is known of it.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use superroot_chain::UntrustedBlock;
use superroot_chain::bitcoin::RawBitcoinBlock;
use superroot_chain::evm::raw::{RawBlock, RawEvmBlock, RawTransactions};
use superroot_types::{BlockNumber, Family, Hash};

use crate::error::SourceError;
use crate::rpc::bitcoin::parse_bytes;
use crate::rpc::parse_quantity;

/// Largest recording that is read, unzipped, in bytes.
pub(super) const FILE_BYTES_MAX: u64 = 256 << 20;

/// A recording as its file holds it; block and receipts are the node's JSON, untouched. Of the
/// Bitcoin family the block is `{number, hash, raw}`: the hash as it is hashed, and the hex of what
/// `getblock` or `getblockheader` gave.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capture {
    pub(super) chain_id: u64,
    #[serde(default)]
    pub(super) network: String,
    block: Box<RawValue>,
    #[serde(default)]
    receipts: Option<Box<RawValue>>,
    /// There when the capture shows only part of the transactions.
    #[serde(default)]
    trimmed: Option<IgnoredAny>,
}

/// A JSON object whose values stay as they were written.
pub(crate) type Members = BTreeMap<String, Box<RawValue>>;

#[derive(Deserialize)]
struct Named {
    number: Number,
    #[serde(default)]
    hash: Option<Hash>,
}

/// A block number in the spellings of captures.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Integer(u64),
    Text(String),
}

impl Capture {
    /// Reads a `.json` or `.json.gz` file, of bounded size.
    pub(crate) fn read(path: &Path) -> Result<Self, SourceError> {
        let bytes = read_bounded(path, FILE_BYTES_MAX)?;
        serde_json::from_slice(&bytes).map_err(|source| shape(path, source))
    }

    /// The block's number and hash, as the node claimed them.
    pub(super) fn block_id(&self, path: &Path) -> Result<(u64, Option<Hash>), SourceError> {
        let Named { number, hash } =
            serde_json::from_str(self.block.get()).map_err(|source| shape(path, source))?;
        let number = match &number {
            Number::Integer(number) => Some(*number),
            Number::Text(text) => parse_quantity(text).or_else(|| text.parse().ok()),
        };
        let wrong = || <serde_json::Error as serde::de::Error>::custom("block.number is no number");
        number.map(|number| (number, hash)).ok_or_else(|| shape(path, wrong()))
    }

    /// The block as a source gives it out.
    pub(crate) fn into_untrusted(
        self,
        family: Family,
        path: &Path,
    ) -> Result<UntrustedBlock, SourceError> {
        match family {
            Family::Bitcoin => self.into_bitcoin(path),
            _ => self.into_evm(path),
        }
    }

    fn into_bitcoin(self, path: &Path) -> Result<UntrustedBlock, SourceError> {
        #[derive(Deserialize)]
        struct Raw {
            raw: String,
        }
        let custom = |why| shape(path, <serde_json::Error as serde::de::Error>::custom(why));
        let (number, hash) = self.block_id(path)?;
        let hash = hash.ok_or_else(|| custom("block.hash is missing"))?;
        let Raw { raw } =
            serde_json::from_str(self.block.get()).map_err(|source| shape(path, source))?;
        let bytes = parse_bytes(&raw).ok_or_else(|| custom("block.raw is no hex"))?;
        let number = BlockNumber(number);
        Ok(UntrustedBlock::Bitcoin(Box::new(RawBitcoinBlock { number, hash, bytes })))
    }

    fn into_evm(self, path: &Path) -> Result<UntrustedBlock, SourceError> {
        let wrong = |source| shape(path, source);
        let mut block: RawBlock = serde_json::from_str(self.block.get()).map_err(wrong)?;
        let mut receipts = match &self.receipts {
            Some(receipts) => serde_json::from_str(receipts.get()).map_err(wrong)?,
            None => None,
        };
        if self.trimmed.is_some() {
            block.transactions = RawTransactions::Absent;
            receipts = None;
        }
        Ok(UntrustedBlock::Evm(Box::new(RawEvmBlock { block, receipts })))
    }

    /// The block as a node answers it: transactions in full as far as they were captured, or
    /// as hashes. Of a capture that shows part of the transactions, the header alone.
    pub(crate) fn block_members(&self, full: bool) -> serde_json::Result<Members> {
        let mut members: Members = serde_json::from_str(self.block.get())?;
        if self.trimmed.is_some() {
            members.remove("transactions");
        }
        if let Some(transactions) = members.get_mut("transactions").filter(|_| !full) {
            *transactions = hashes_of(transactions)?;
        }
        Ok(members)
    }

    /// The receipts as a node answers them.
    pub(crate) fn receipts(&self) -> Option<&RawValue> {
        self.receipts.as_deref().filter(|_| self.trimmed.is_none())
    }
}

/// The hashes of a list of transactions; what is not a list of objects stays as it is.
fn hashes_of(transactions: &RawValue) -> serde_json::Result<Box<RawValue>> {
    #[derive(Deserialize, Serialize)]
    struct Hashed {
        hash: Box<RawValue>,
    }
    match serde_json::from_str::<Vec<Hashed>>(transactions.get()) {
        Ok(list) => serde_json::value::to_raw_value(
            &list.into_iter().map(|transaction| transaction.hash).collect::<Vec<_>>(),
        ),
        Err(_) => Ok(transactions.to_owned()),
    }
}

/// Reads a whole file, unzipping it if its name ends in `.gz`.
pub(crate) fn read_bounded(path: &Path, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
    let failed = |source| SourceError::Io { path: path.display().to_string(), source };
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(failed(std::io::Error::new(std::io::ErrorKind::InvalidInput, "no file")));
    }
    let file = File::open(path).map_err(failed)?;
    let reader: Box<dyn Read> = if path.extension().is_some_and(|extension| extension == "gz") {
        Box::new(MultiGzDecoder::new(file))
    } else {
        Box::new(file)
    };
    let mut bytes = Vec::new();
    reader.take(bytes_max.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > bytes_max {
        let path = path.display().to_string();
        return Err(SourceError::FileTooLarge { path, expected: bytes_max });
    }
    Ok(bytes)
}

pub(crate) fn shape(path: &Path, source: serde_json::Error) -> SourceError {
    SourceError::FileShape { path: path.display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn capture(json: &str) -> Capture {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn transactions_become_hashes_and_large_numbers_stay_exact() {
        let capture = capture(
            r#"{"chainId":1,"block":{"number":"0x1","total":58750003716598352816469,
                "transactions":[{"hash":"0xaa","v":1},{"hash":"0xbb"}]},"receipts":null}"#,
        );
        let members = capture.block_members(false).unwrap();
        assert_eq!(members["transactions"].get(), r#"["0xaa","0xbb"]"#);
        assert_eq!(members["total"].get(), "58750003716598352816469");
        assert!(capture.block_members(true).unwrap()["transactions"].get().contains("\"v\":1"));
        assert!(capture.receipts().is_none());
    }

    #[test]
    fn a_trimmed_capture_gives_its_header_alone() {
        let json = |trimmed: &str| {
            format!(
                r#"{{"chainId":1,{trimmed}"block":{{"number":7,"transactions":[]}},"receipts":[]}}"#
            )
        };
        let trimmed = capture(&json(r#""trimmed":"part","#));
        assert!(!trimmed.block_members(true).unwrap().contains_key("transactions"));
        assert!(trimmed.receipts().is_none());
        let whole = capture(&json(""));
        assert!(whole.block_members(true).unwrap().contains_key("transactions"));
        assert!(whole.receipts().is_some());
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        let path = Path::new("some.json");
        for (number, expected) in [("7", 7), (r#""0x10""#, 16), (r#""16""#, 16)] {
            let capture = capture(&format!(r#"{{"chainId":1,"block":{{"number":{number}}}}}"#));
            assert_eq!(capture.block_id(path).unwrap(), (expected, None));
        }
        for number in [r#""x""#, "-1", "null", r#""""#] {
            let capture = capture(&format!(r#"{{"chainId":1,"block":{{"number":{number}}}}}"#));
            let error = capture.block_id(path).unwrap_err();
            assert_eq!(error.to_string(), "some.json is no recording", "{number}");
        }
    }

    #[test]
    fn a_file_past_its_bound_is_refused_also_when_it_unzips_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.json");
        std::fs::write(&plain, [b' '; 100]).unwrap();
        assert_eq!(read_bounded(&plain, 100).unwrap().len(), 100);
        let error = read_bounded(&plain, 99).unwrap_err();
        assert!(matches!(error, SourceError::FileTooLarge { expected: 99, .. }), "{error}");

        let zipped = folder.path().join("a.json.gz");
        let mut encoder = flate2::write::GzEncoder::new(
            File::create(&zipped).unwrap(),
            flate2::Compression::best(),
        );
        encoder.write_all(&[b' '; 1 << 20]).unwrap();
        encoder.finish().unwrap();
        assert!(std::fs::metadata(&zipped).unwrap().len() < 10_000);
        let error = read_bounded(&zipped, 10_000).unwrap_err();
        assert!(matches!(error, SourceError::FileTooLarge { .. }), "{error}");
    }

    #[test]
    fn a_broken_archive_and_a_folder_are_invalid_a_missing_file_is_unavailable() {
        use superroot_types::ErrorKind;
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("a.json.gz");
        std::fs::write(&broken, b"not gzip").unwrap();
        assert_eq!(read_bounded(&broken, 100).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(read_bounded(folder.path(), 100).unwrap_err().kind(), ErrorKind::Invalid);
        let missing = folder.path().join("b.json");
        assert_eq!(read_bounded(&missing, 100).unwrap_err().kind(), ErrorKind::Unavailable);
    }
}
