//! secp256k1 key files of 64 hexadecimal digits: the log's key for contracts, and keys of accounts that pay.

use std::fs::{self, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use k256::ecdsa::SigningKey;
use superroot_accumulate::EvmSigner;
use superroot_store::Store;
use zeroize::Zeroizing;

use crate::config::{LogConfig, LogSigner};

/// The log's key for contracts, in the data folder.
pub(crate) const FILE: &str = "log.evm.key";
/// Longest key file, in bytes: 64 digits, `0x`, and a line end.
const FILE_BYTES_MAX: u64 = 80;

pub(crate) type EvmSecret = Zeroizing<[u8; 32]>;

pub(crate) fn own(data: &Path) -> PathBuf {
    data.join(FILE)
}

pub(crate) fn path(data: &Path, config: &LogConfig) -> PathBuf {
    let file = &config.evm_key_file;
    if file.as_os_str().is_empty() { own(data) } else { file.clone() }
}

/// The log's key for contracts, created if the log never had one; `None` if signing is off, or the key is gone. A key
/// that is not the one of the newest signature is said: contracts fix the key that they take.
pub(crate) fn signer(
    data: &Path,
    config: &LogConfig,
    store: &dyn Store,
) -> anyhow::Result<Option<EvmSigner>> {
    if config.signer == LogSigner::None {
        return Ok(None);
    }
    let file = path(data, config);
    let shown = file.display();
    let newest = superroot_accumulate::newest_evm_signature(store)?;
    if !file.exists() {
        if let Some(newest) = newest {
            let address = superroot_account::show_wallet(&newest.signer);
            tracing::warn!(
                "the log's key for contracts is missing: put the key of {address} at {shown} (chmod 600) and start \
                 again; until then no contract takes this log's SuperRoots"
            );
            return Ok(None);
        }
        write_new(&file)?;
        say!("made the log's key for contracts: {shown}; keep a copy of it (docs/contracts.md)");
    }
    let secret = read_private(&file)?;
    let signer = EvmSigner::new(&secret).with_context(|| format!("{shown} holds no key"))?;
    if let Some(newest) = newest.filter(|newest| newest.signer != signer.address()) {
        let show = superroot_account::show_wallet;
        tracing::warn!(
            "the key at {shown} is of {}, and the newest SuperRoot was signed for contracts by {}: an anchor contract of \
             that key takes none of these signatures",
            show(&signer.address()),
            show(&newest.signer)
        );
    }
    Ok(Some(signer))
}

/// Writes a new key for the owner alone, never over another file.
pub(crate) fn write_new(file: &Path) -> anyhow::Result<EvmSecret> {
    let secret = loop {
        let secret = Zeroizing::new(rand::random::<[u8; 32]>());
        // next to every number is a key
        if SigningKey::from_slice(&*secret).is_ok() {
            break secret;
        }
    };
    put(file, &secret)?;
    Ok(secret)
}

/// Writes a key for the owner alone, never over another file.
pub(crate) fn put(file: &Path, secret: &EvmSecret) -> anyhow::Result<()> {
    let shown = file.display();
    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    let text = Zeroizing::new(format!("{}\n", const_hex::encode(**secret)));
    let write = || -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        let mut out = options.write(true).create_new(true).mode(0o600).open(file)?;
        out.write_all(text.as_bytes())?;
        out.sync_all()
    };
    write().with_context(|| format!("cannot make {shown}"))
}

/// Reads a key that nobody else may read.
pub(crate) fn read_private(file: &Path) -> anyhow::Result<EvmSecret> {
    let shown = file.display();
    let metadata = fs::metadata(file).with_context(|| format!("cannot read the key {shown}"))?;
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        bail!("others can read the key {shown} (mode {mode:o}): chmod 600 {shown}");
    }
    read(file)
}

pub(crate) fn read(file: &Path) -> anyhow::Result<EvmSecret> {
    let shown = file.display();
    let opened = fs::File::open(file).with_context(|| format!("cannot read {shown}"))?;
    let mut text = Zeroizing::new(String::new());
    let read = opened.take(FILE_BYTES_MAX).read_to_string(&mut text);
    read.with_context(|| format!("cannot read {shown}"))?;
    let digits = text.trim();
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    let mut secret = Zeroizing::new([0; 32]);
    let decoded = const_hex::decode_to_slice(digits, &mut *secret);
    if decoded.is_err() || SigningKey::from_slice(&*secret).is_err() {
        bail!("{shown} holds no key: expected 64 hexadecimal digits");
    }
    Ok(secret)
}

#[cfg(test)]
mod tests {
    use superroot_store::MemoryStore;

    use super::*;

    #[test]
    fn a_log_keeps_the_key_that_it_was_begun_with() {
        let data = tempfile::tempdir().unwrap();
        let store = MemoryStore::new();
        let key =
            || signer(data.path(), &LogConfig::for_tests(), &store).unwrap().unwrap().address();
        assert_eq!(key(), key());
        let file = own(data.path());
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(write_new(&file).is_err(), "it was written over");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o604)).unwrap();
        let error = signer(data.path(), &LogConfig::for_tests(), &store).unwrap_err().to_string();
        assert!(error.contains("(mode 604): chmod 600"), "{error}");
        let none = LogConfig { signer: LogSigner::None, ..LogConfig::for_tests() };
        assert!(signer(data.path(), &none, &store).unwrap().is_none());
    }
}
