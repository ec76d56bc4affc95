//! Signing key for a log or witness: a private file next to the data.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use superroot_proof::note::{KeyKind, Note, Signer};
use zeroize::Zeroizing;

use crate::config::{LogConfig, LogSigner};

pub(crate) const FILE: &str = "log.key";
/// Longest key file, in bytes. An origin has at most 255.
const FILE_BYTES_MAX: u64 = 1024;

pub(crate) fn own(data: &Path) -> PathBuf {
    data.join(FILE)
}

pub(crate) fn path(data: &Path, config: &LogConfig) -> PathBuf {
    if config.key_file.as_os_str().is_empty() { own(data) } else { config.key_file.clone() }
}

/// Why a signed log's key is unavailable; `None` if the key is there or not needed. A new key would sign under the old
/// key's name.
pub(crate) fn missing(data: &Path, config: &LogConfig, is_signed: bool) -> Option<String> {
    let file = path(data, config);
    match config.signer {
        LogSigner::File if is_signed && !file.exists() => Some(format!(
            "Put it at {} (chmod 600) and start again; without it this folder serves proofs and \
             publishes nothing",
            file.display()
        )),
        LogSigner::File | LogSigner::None => None,
    }
}

/// Why these keys do not match the newest note; `None` if one of them signed the note, or signing is off. During a
/// planned key change both keys sign every note.
pub(crate) fn other(
    data: &Path,
    config: &LogConfig,
    signers: &[Signer],
    note: &Note,
) -> Option<String> {
    let signed = |signer: &Signer| note.verify(signer.verifier()).is_ok();
    if signers.is_empty() || signers.iter().any(signed) {
        return None;
    }
    Some(format!(
        "The key at {} did not sign the newest note: put the log's own there and start again; without it \
         this folder serves proofs and publishes nothing",
        path(data, config).display()
    ))
}

/// Signers for the log: none if signing is off; else the log key, created if missing, and the configured successor, if
/// any.
pub(crate) fn signers(
    data: &Path,
    config: &LogConfig,
    origin: &str,
) -> anyhow::Result<Vec<Signer>> {
    match config.signer {
        LogSigner::None => return Ok(Vec::new()),
        LogSigner::File => {}
    }
    let file = path(data, config);
    let is_new = !file.exists();
    if is_new {
        write_new(&file, &make(origin, KeyKind::Log)?)?;
    }
    let mut signers = vec![read(&file)?];
    if !config.next_key_file.as_os_str().is_empty() {
        signers.push(read(&config.next_key_file)?);
    }
    for signer in &signers {
        let key = signer.verifier();
        if key.kind() != KeyKind::Log {
            bail!("{} is the key of a witness, not of a log", file.display());
        }
        if key.name() != origin {
            bail!("{} is the key of {:?}, and this log is {origin:?}", file.display(), key.name());
        }
    }
    if is_new {
        say!("made the log's key: {}; keep a copy of it, a lost key ends the log", file.display());
    }
    Ok(signers)
}

pub(crate) fn make(name: &str, kind: KeyKind) -> anyhow::Result<Signer> {
    let secret = Zeroizing::new(rand::random::<[u8; 32]>());
    Signer::new(name, kind, &secret).with_context(|| format!("the name {name:?}"))
}

/// Writes a new key file, never over another file and never in part.
pub(crate) fn write_new(file: &Path, signer: &Signer) -> anyhow::Result<()> {
    let shown = file.display();
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    if file.exists() {
        bail!("{shown} is there already: a key is never written over");
    }
    let mut unfinished = file.as_os_str().to_owned();
    unfinished.push(".new");
    let unfinished = PathBuf::from(unfinished);
    let write = || -> std::io::Result<()> {
        match fs::remove_file(&unfinished) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let mut options = OpenOptions::new();
        let mut out = options.write(true).create_new(true).mode(0o600).open(&unfinished)?;
        writeln!(out, "{}", *signer.to_secret())?;
        out.sync_all()?;
        // a link to a name that is taken fails, where a rename would take the place of another key
        fs::hard_link(&unfinished, file)?;
        fs::remove_file(&unfinished)?;
        fs::File::open(folder)?.sync_all()
    };
    write().with_context(|| format!("cannot write the key {shown}"))
}

pub(crate) fn read(file: &Path) -> anyhow::Result<Signer> {
    let shown = file.display();
    let open = fs::File::open(file).with_context(|| format!("cannot read the key {shown}"))?;
    let mode = open.metadata().with_context(|| format!("cannot read the key {shown}"))?;
    let mode = mode.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        bail!("others can read the key {shown} (mode {mode:o}): chmod 600 {shown}");
    }
    let mut text = Zeroizing::new(String::new());
    let read = open.take(FILE_BYTES_MAX).read_to_string(&mut text);
    read.with_context(|| format!("cannot read the key {shown}"))?;
    Signer::from_secret(&text).with_context(|| format!("the key {shown}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_the_key_that_it_was_begun_with() {
        let data = tempfile::tempdir().unwrap();
        let first = signers(data.path(), &LogConfig::for_tests(), "live/one").unwrap();
        let again = signers(data.path(), &LogConfig::for_tests(), "live/one").unwrap();
        assert_eq!(first[0].verifier(), again[0].verifier());
        let mode = fs::metadata(data.path().join(FILE)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let error =
            signers(data.path(), &LogConfig::for_tests(), "live/two").unwrap_err().to_string();
        assert!(
            error.ends_with("is the key of \"live/one\", and this log is \"live/two\""),
            "{error}"
        );
        let none = LogConfig { signer: LogSigner::None, ..LogConfig::for_tests() };
        assert!(signers(data.path(), &none, "live/two").unwrap().is_empty());
    }

    #[test]
    fn a_key_that_takes_the_place_of_another_signs_beside_it() {
        let data = tempfile::tempdir().unwrap();
        let next = data.path().join("keys/next.key");
        write_new(&next, &make("live/one", KeyKind::Log).unwrap()).unwrap();
        assert!(
            write_new(&next, &make("live/one", KeyKind::Log).unwrap()).is_err(),
            "it was written over"
        );
        let both = LogConfig { next_key_file: next, ..LogConfig::for_tests() };
        let keys = signers(data.path(), &both, "live/one").unwrap();
        assert_ne!(keys[0].verifier(), keys[1].verifier());
    }

    #[test]
    fn the_key_of_a_witness_signs_no_log() {
        let data = tempfile::tempdir().unwrap();
        let key = make("live/one", KeyKind::Witness).unwrap();
        write_new(&data.path().join(FILE), &key).unwrap();
        let error =
            signers(data.path(), &LogConfig::for_tests(), "live/one").unwrap_err().to_string();
        assert!(error.ends_with("is the key of a witness, not of a log"), "{error}");
    }

    #[test]
    fn a_key_that_others_can_read_or_that_is_none_is_refused() {
        let data = tempfile::tempdir().unwrap();
        signers(data.path(), &LogConfig::for_tests(), "live/one").unwrap();
        let file = data.path().join(FILE);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let error =
            signers(data.path(), &LogConfig::for_tests(), "live/one").unwrap_err().to_string();
        assert!(error.contains("chmod 600"), "{error}");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        for text in ["", "PRIVATE+KEY+live/one", "\u{0}"] {
            fs::write(&file, text).unwrap();
            assert!(signers(data.path(), &LogConfig::for_tests(), "live/one").is_err(), "{text}");
        }
    }
}
