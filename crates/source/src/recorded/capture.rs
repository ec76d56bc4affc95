//! File in a recording: a block once received from a node, with metadata.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::value::RawValue;
use superroot_types::Hash;

use crate::error::SourceError;
use crate::ledger::evm::parse_quantity;

/// Largest recording after decompression, in bytes.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// A recording file's content; block and receipts in the ledger's format.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Capture {
    #[serde(skip)]
    path: PathBuf,
    pub(super) chain_id: u64,
    pub(crate) block: Box<RawValue>,
    #[serde(default)]
    pub(crate) receipts: Option<Box<RawValue>>,
    /// Present if only a part of the transactions is included.
    #[serde(default)]
    trimmed: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Integer(u64),
    Text(String),
}

impl Capture {
    /// Reads a `.json` or `.json.gz` file with bounded size.
    ///
    /// # Errors
    /// [`SourceError::Recording`] for a damaged file, where a retry would not help; [`SourceError::Io`] where a retry
    /// may help, or for a missing file.
    pub(crate) fn read(path: &Path) -> Result<Self, SourceError> {
        let bytes = read_bounded(path, FILE_BYTES_MAX).map_err(|error| damaged(path, error))?;
        let read: Self = parse_file(path, &bytes)?;
        Ok(Self { path: path.to_path_buf(), ..read })
    }

    pub(crate) fn block_id(&self) -> Result<(u64, Option<Hash>), SourceError> {
        #[derive(Deserialize)]
        struct CaptureName {
            number: Number,
            #[serde(default)]
            hash: Option<Hash>,
        }
        let CaptureName { number, hash } = self.parse(&self.block)?;
        let number = match &number {
            Number::Integer(number) => Some(*number),
            Number::Text(text) => parse_quantity(text).or_else(|| text.parse().ok()),
        };
        let number = number.ok_or_else(|| self.wrong("block.number is no number"))?;
        Ok((number, hash))
    }

    /// Parses a part. The error names the faulty member: `transactions[3].input`.
    pub(crate) fn parse<'a, T: Deserialize<'a>>(
        &self,
        part: &'a RawValue,
    ) -> Result<T, SourceError> {
        self.parse_named("", part)
    }

    /// Parses a part with a name prefix in errors: `receipts[1].logs`.
    pub(crate) fn parse_named<'a, T: Deserialize<'a>>(
        &self,
        name: &str,
        part: &'a RawValue,
    ) -> Result<T, SourceError> {
        // as answers of nodes are read, so that one parser of each type serves both
        serde_json::from_slice(part.get().as_bytes()).map_err(|error| {
            let member = member_at(name, part.get(), &error);
            SourceError::recording(&self.path, format!("is no recording: {member}{error}"))
        })
    }

    /// Whether only a part of the transactions is included.
    pub(crate) const fn is_trimmed(&self) -> bool {
        self.trimmed.is_some()
    }

    pub(crate) fn wrong(&self, why: &str) -> SourceError {
        SourceError::recording(&self.path, format!("is no recording: {why}"))
    }
}

/// Member rejected by the parser, with a colon: `transactions[3].input: `. Empty for the whole text.
fn member_at(name: &str, json: &str, error: &serde_json::Error) -> String {
    let lines = json.split_inclusive('\n').take(error.line().saturating_sub(1));
    let stopped = lines.map(str::len).sum::<usize>() + error.column();
    // raw parts are slices of the text, so their addresses say where they stand
    let holds = |part: &RawValue| {
        let begins = part.get().as_ptr() as usize - json.as_ptr() as usize;
        (begins..=begins + part.get().len()).contains(&stopped)
    };
    let mut path = name.to_owned();
    let mut within = json;
    loop {
        if let Ok(members) = serde_json::from_str::<HashMap<String, &RawValue>>(within) {
            let Some((name, part)) = members.into_iter().find(|(_, part)| holds(part)) else {
                break;
            };
            let dot = if path.is_empty() { "" } else { "." };
            (path, within) = (format!("{path}{dot}{name}"), part.get());
        } else if let Ok(entries) = serde_json::from_str::<Vec<&RawValue>>(within) {
            let Some(place) = entries.iter().position(|part| holds(part)) else { break };
            (path, within) = (format!("{path}[{place}]"), entries[place].get());
        } else {
            break;
        }
    }
    if path.is_empty() { path } else { path + ": " }
}

/// Reads a whole file; decompresses names ending in `.gz`.
pub(super) fn read_bounded(path: &Path, bytes_max: u64) -> Result<Vec<u8>, SourceError> {
    let failed = |source| SourceError::io(path, source);
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
        let why = format!("is too large, expected at most {bytes_max} bytes");
        return Err(SourceError::recording(path, why));
    }
    Ok(bytes)
}

/// Classifies a read error: faults of the file (truncated, wrong checksum, not gzip, no read permission) are recording
/// faults.
fn damaged(path: &Path, error: SourceError) -> SourceError {
    use std::io::ErrorKind::{InvalidData, InvalidInput, PermissionDenied, UnexpectedEof};
    match error {
        SourceError::Io { source, .. }
            if matches!(
                source.kind(),
                InvalidData | InvalidInput | PermissionDenied | UnexpectedEof
            ) =>
        {
            SourceError::recording(path, format!("cannot be read: {source}"))
        }
        error => error,
    }
}

/// Parses JSON from a recording or index; invalid JSON is [`SourceError::Recording`].
pub(super) fn parse_file<T: DeserializeOwned>(path: &Path, bytes: &[u8]) -> Result<T, SourceError> {
    let none = |why: String| SourceError::recording(path, format!("is no recording: {why}"));
    let text = superroot_types::json_text(bytes).map_err(|error| none(error.to_string()))?;
    serde_json::from_slice(text).map_err(|error| none(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn capture(json: &str) -> Capture {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn numbers_are_read_in_every_spelling() {
        for (number, expected) in [("7", 7), (r#""0x10""#, 16), (r#""16""#, 16)] {
            let capture = capture(&format!(r#"{{"chainId":1,"block":{{"number":{number}}}}}"#));
            assert_eq!(capture.block_id().unwrap(), (expected, None));
        }
        for number in [r#""x""#, "-1", "null", r#""""#] {
            let capture = capture(&format!(r#"{{"chainId":1,"block":{{"number":{number}}}}}"#));
            let error = capture.block_id().unwrap_err();
            assert!(error.to_string().contains("is no recording: "), "{number}: {error}");
        }
    }

    #[test]
    fn an_error_names_the_member_at_fault_in_every_layout() {
        #[derive(Debug, Deserialize)]
        struct Inner {
            #[expect(dead_code)]
            input: String,
        }
        #[derive(Debug, Deserialize)]
        struct Outer {
            #[expect(dead_code)]
            list: Vec<Inner>,
        }
        for (json, member) in [
            (r#"{"list":[{"input":"a"},{"input":5}]}"#, "list[1].input: invalid type: integer `5`"),
            (
                "{\n \"list\": [\n  {\"input\": \"ö\"},\n  {\"input\": [] }]}",
                "list[1].input: invalid type: sequence",
            ),
            (r#"{"list":[{"other":"a"}]}"#, "list[0]: missing field `input`"),
            (r#"{"list":true}"#, "list: invalid type: boolean"),
            (r#"{"a":{"b":[1,2]}}"#, "missing field `list`"),
            ("[]", "invalid length 0"),
            ("7", "invalid type: integer `7`"),
        ] {
            let part: Box<RawValue> = serde_json::from_str(json).unwrap();
            let error = capture(r#"{"chainId":1,"block":1}"#).parse::<Outer>(&part).unwrap_err();
            assert!(error.to_string().contains(&format!("is no recording: {member}")), "{error}");
            let error = capture(r#"{"chainId":1,"block":1}"#);
            let error = error.parse_named::<Outer>("receipts", &part).unwrap_err().to_string();
            assert!(error.contains("is no recording: receipts"), "{error}");
        }
    }

    #[test]
    fn a_file_past_its_bound_is_refused_also_when_it_unzips_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let plain = folder.path().join("a.json");
        std::fs::write(&plain, [b' '; 100]).unwrap();
        assert_eq!(read_bounded(&plain, 100).unwrap().len(), 100);
        let error = read_bounded(&plain, 99).unwrap_err();
        assert!(error.to_string().ends_with("is too large, expected at most 99 bytes"), "{error}");

        let zipped = folder.path().join("a.json.gz");
        let mut encoder = flate2::write::GzEncoder::new(
            File::create(&zipped).unwrap(),
            flate2::Compression::best(),
        );
        encoder.write_all(&[b' '; 1 << 20]).unwrap();
        encoder.finish().unwrap();
        assert!(std::fs::metadata(&zipped).unwrap().len() < 10_000);
        let error = read_bounded(&zipped, 10_000).unwrap_err();
        assert!(error.to_string().contains("is too large"), "{error}");
    }

    #[test]
    fn a_recording_is_read_behind_a_byte_order_mark_and_utf_16_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let (file, text) = (folder.path().join("a.json"), "\u{feff}{\"chainId\": 7, \"block\": 1}");
        std::fs::write(&file, text).unwrap();
        assert_eq!(Capture::read(&file).unwrap().chain_id, 7);
        std::fs::write(&file, text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>())
            .unwrap();
        let error = Capture::read(&file).unwrap_err().to_string();
        assert!(error.contains("it is UTF-16, expected UTF-8"), "{error}");
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
