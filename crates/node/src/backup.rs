//! Atomic backup of a data folder, while the service runs.
//!
//! ```text
//! TO.partial/   the stores, each of one moment; the small files; all of it synced
//!      └─ rename ─► TO/
//! ```
//! A partial copy never has the final name, and a store in a partial copy does not open before the copy is complete.

use std::fs::{self, DirBuilder, File};
use std::ops::ControlFlow;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use superroot_store::{EmbeddedStore, Table};

use crate::accounts::{self, demo_keys};
use crate::admin::ProgressEvent;
use crate::{evm_key, log_key, origin};

/// Small files that belong to the log, without keys.
const FILES: [&str; 4] = [origin::FILE, origin::DEMO, demo_keys::FILE, "admin.log"];

#[derive(Clone)]
pub(crate) struct Original {
    pub(crate) data: PathBuf,
    pub(crate) chains: Arc<EmbeddedStore>,
    /// `None`: no service ran on the folder yet.
    pub(crate) accounts: Option<Arc<EmbeddedStore>>,
    pub(crate) key: PathBuf,
    /// The log's key for contracts.
    pub(crate) evm_key: PathBuf,
}

/// Copies the original to a missing or empty folder, and creates parent folders. `tell` receives progress and can
/// cancel. A failed copy leaves nothing behind.
pub(crate) fn copy(
    original: &Original,
    to: &Path,
    with_key: bool,
    tell: &mut dyn FnMut(ProgressEvent) -> ControlFlow<()>,
) -> anyhow::Result<()> {
    let partial = room(&original.data, to)?;
    let copied = fill(original, &partial, with_key, tell).and_then(|counted| {
        fs::rename(&partial, to).with_context(|| format!("cannot name it {}", to.display()))?;
        sync(to.parent().context("it has no folder")?)?;
        Ok(counted)
    });
    match copied {
        Ok((rows, account_rows)) => {
            let _ =
                tell(ProgressEvent::Copied { to: to.display().to_string(), rows, account_rows });
            Ok(())
        }
        Err(error) => {
            let _ = fs::remove_dir_all(&partial);
            Err(error)
        }
    }
}

fn room(data: &Path, to: &Path) -> anyhow::Result<PathBuf> {
    let shown = to.display();
    if !to.is_absolute() {
        bail!("{shown} is no absolute path");
    }
    let folder = to.parent().with_context(|| format!("{shown} has no folder"))?;
    let data = data.canonicalize()?;
    let expect_outside = |folder: &Path| -> anyhow::Result<()> {
        let folder = folder.canonicalize().with_context(|| format!("the folder of {shown}"))?;
        anyhow::ensure!(!folder.starts_with(&data), "{shown} lies in the data folder itself");
        Ok(())
    };
    // before any folder is made; and again, as dots may lead elsewhere through what was not there
    expect_outside(folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder))?;
    let made = DirBuilder::new().mode(0o700).recursive(true).create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))?;
    expect_outside(folder)?;
    if to.exists() && fs::read_dir(to).with_context(|| format!("{shown}"))?.next().is_some() {
        bail!("{shown} is not empty: a copy is never put over another");
    }
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    if partial.exists() {
        let left = partial.display();
        bail!("{left} is there: another copy is being made, or one was cut off; remove it then");
    }
    let made = DirBuilder::new().mode(0o700).create(&partial);
    made.with_context(|| format!("cannot make {}", partial.display()))?;
    Ok(partial)
}

/// Returns the row counts for chains and accounts.
fn fill(
    original: &Original,
    partial: &Path,
    with_key: bool,
    tell: &mut dyn FnMut(ProgressEvent) -> ControlFlow<()>,
) -> anyhow::Result<(u64, u64)> {
    let Original { data, chains, accounts, key, evm_key } = original;
    let mut told = |of: &str, table: Table, rows: u64| {
        tell(ProgressEvent::Copying { what: format!("{of}{table}"), rows })
    };
    // what each names of the next is in it: admin.log acts of accounts, chains how many commits these have
    for file in FILES.iter().filter(|file| data.join(file).is_file()) {
        copy_file(&data.join(file), &partial.join(file))?;
    }
    let rows = chains.copy_to(partial, &mut |table, rows| told("", table, rows))?;
    let account_rows = match accounts {
        Some(accounts) => {
            let folder = partial.join(accounts::FOLDER);
            accounts.copy_to(&folder, &mut |table, rows| told("accounts ", table, rows))?
        }
        None => 0,
    };
    if with_key {
        let signer = log_key::read(key).context("--with-key")?;
        log_key::write_new(&log_key::own(partial), &signer)?;
        if evm_key.exists() {
            let secret = evm_key::read_private(evm_key).context("--with-key")?;
            evm_key::put(&evm_key::own(partial), &secret)?;
        }
    }
    sync(partial)?;
    Ok((rows, account_rows))
}

/// Keeps the file mode.
fn copy_file(from: &Path, to: &Path) -> anyhow::Result<()> {
    let copy = || -> std::io::Result<()> {
        fs::copy(from, to)?;
        File::open(to)?.sync_all()
    };
    copy().with_context(|| format!("cannot copy {}", from.display()))
}

fn sync(folder: &Path) -> anyhow::Result<()> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.with_context(|| format!("cannot sync {}", folder.display()))
}
