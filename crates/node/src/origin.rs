//! The name of a log: chosen once, kept beside its data.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};
use superroot_store::{EmbeddedConfig, EmbeddedStore};

/// File of the data folder that holds it.
const FILE: &str = "origin";
/// Longest file that is read, in bytes; an origin has 255 at most.
const FILE_BYTES_MAX: u64 = 1024;
/// What names of recorded and of simulated logs begin with.
const RECORDED: &str = "recorded/";
const SIMULATED: &str = "simulated/";

/// The origin of the live log in that folder: the one it was begun with, or else the configured one,
/// or else a new one. One log keeps one origin for good.
pub(crate) fn of_live_log(data: &Path, configured: &str) -> anyhow::Result<String> {
    let is_other = |origin: &&&str| configured.starts_with(**origin);
    if let Some(prefix) = [RECORDED, SIMULATED].iter().find(is_other) {
        bail!("log.origin is {configured:?}: a log of live chains does not begin with {prefix}");
    }
    let begun = begun_as(data, configured)?;
    let is_of_others =
        begun.as_ref().is_some_and(|it| it.starts_with(RECORDED) || it.starts_with(SIMULATED));
    if is_of_others || (begun.is_none() && data.join("db").exists() && configured.is_empty()) {
        bail!(
            "{} holds a log of recorded or simulated blocks: live chains want another --data",
            data.display()
        );
    }
    let new = || format!("live/{:016x}", rand::random::<u64>());
    begun.map_or_else(|| begin(data, configured, new), Ok)
}

/// The origin of the log of recordings in that folder, as for a live one. A folder from before the
/// name stood beside the data is asked itself.
///
/// # Errors
/// Also where the folder is of another kind, or in use.
pub(crate) fn of_recorded_log(
    data: &Path,
    configured: &str,
    settings: &EmbeddedConfig,
) -> anyhow::Result<String> {
    if !configured.is_empty() && !configured.starts_with(RECORDED) {
        bail!("log.origin is {configured:?}: a log of recordings begins with {RECORDED}");
    }
    let begun = match begun_as(data, configured)? {
        None if data.join("db").exists() => stored(data, settings)?,
        begun => begun,
    };
    if let Some(begun) = &begun {
        if !begun.starts_with(RECORDED) {
            bail!("{} holds the log {begun}: recordings want another --data", data.display());
        }
        agree(data, configured, begun)?;
    }
    let new = || format!("{RECORDED}{:08x}", rand::random::<u32>());
    begin(data, begun.as_deref().unwrap_or(configured), new)
}

/// What the folder's file says, where there is one.
fn begun_as(data: &Path, configured: &str) -> anyhow::Result<Option<String>> {
    let file = data.join(FILE);
    if !file.exists() {
        return Ok(None);
    }
    let begun = read(&file)?;
    agree(data, configured, &begun)?;
    Ok(Some(begun))
}

fn agree(data: &Path, configured: &str, begun: &str) -> anyhow::Result<()> {
    if !configured.is_empty() && configured != begun {
        bail!(
            "log.origin is {configured:?}, but {} was begun as {begun:?}, and a log keeps its \
             origin: use that, or another --data",
            data.display()
        );
    }
    Ok(())
}

/// The origin of the log that the database holds, if one was begun in it.
fn stored(data: &Path, settings: &EmbeddedConfig) -> anyhow::Result<Option<String>> {
    let about = || format!("cannot open the data in {}", data.display());
    let store = EmbeddedStore::open_existing(data, settings).with_context(about)?;
    superroot_accumulate::check_origin(&store).with_context(about)
}

/// Keeps the name that was chosen, or a new one.
fn begin(data: &Path, chosen: &str, new: impl FnOnce() -> String) -> anyhow::Result<String> {
    let origin = if chosen.is_empty() { new() } else { chosen.to_owned() };
    let file = data.join(FILE);
    keep(data, &file, &origin).with_context(|| format!("cannot write {}", file.display()))?;
    Ok(origin)
}

fn read(file: &Path) -> anyhow::Result<String> {
    let shown = file.display();
    let size = std::fs::metadata(file).with_context(|| format!("cannot read {shown}"))?.len();
    if size > FILE_BYTES_MAX {
        bail!("{shown} has {size} bytes, expected at most {FILE_BYTES_MAX}");
    }
    let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {shown}"))?;
    let origin = text.trim_end_matches('\n');
    superroot_proof::superroot::log_id(origin)
        .with_context(|| format!("{shown} holds {origin:?}"))?;
    Ok(origin.to_owned())
}

/// Writes it whole or not at all: a log must not come back under half a name.
fn keep(data: &Path, file: &Path, origin: &str) -> std::io::Result<()> {
    std::fs::create_dir_all(data)?;
    let beside = data.join(format!("{FILE}.new"));
    let mut new = File::create(&beside)?;
    new.write_all(format!("{origin}\n").as_bytes())?;
    new.sync_all()?;
    std::fs::rename(&beside, file)?;
    File::open(data)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_the_name_it_was_begun_with() {
        let data = tempfile::tempdir().unwrap();
        let origin = of_live_log(data.path(), "").unwrap();
        assert!(origin.starts_with("live/") && origin.len() == 21, "{origin}");
        assert_eq!(of_live_log(data.path(), "").unwrap(), origin);
        assert_eq!(of_live_log(data.path(), &origin).unwrap(), origin);
        let error = of_live_log(data.path(), "live/other").unwrap_err().to_string();
        assert!(error.contains(&origin) && error.contains("live/other"), "{error}");
    }

    #[test]
    fn two_logs_have_two_names() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [a, b] = folders.each_ref().map(|data| of_live_log(data.path(), "").unwrap());
        assert_ne!(a, b);
    }

    #[test]
    fn a_configured_name_is_taken_unless_it_is_of_another_network() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("new");
        for origin in ["recorded/mine", "simulated/mine"] {
            assert!(of_live_log(&folder, origin).is_err());
            assert!(!folder.exists());
        }
        assert_eq!(of_live_log(&folder, "example.org/log").unwrap(), "example.org/log");
        assert_eq!(of_live_log(&folder, "").unwrap(), "example.org/log");
    }

    #[test]
    fn a_folder_of_another_kind_of_log_is_refused() {
        let data = tempfile::tempdir().unwrap();
        std::fs::create_dir(data.path().join("db")).unwrap();
        let error = of_live_log(data.path(), "").unwrap_err().to_string();
        assert!(error.contains("another --data"), "{error}");
    }

    fn recorded(data: &Path, configured: &str) -> anyhow::Result<String> {
        of_recorded_log(data, configured, &EmbeddedConfig::default())
    }

    /// Two logs under one name could be shown to one client as one that forks.
    #[test]
    fn every_folder_of_recordings_has_a_name_of_its_own_and_keeps_it() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let [a, b] = folders.each_ref().map(|data| recorded(data.path(), "").unwrap());
        assert_ne!(a, b);
        assert!(a.starts_with("recorded/") && a.len() == 17, "{a}");
        assert_eq!(recorded(folders[0].path(), "").unwrap(), a);
        assert!(recorded(folders[0].path(), "recorded/other").is_err());
        assert!(recorded(folders[0].path(), "live/other").is_err());
        let error = of_live_log(folders[0].path(), "").unwrap_err().to_string();
        assert!(error.contains("another --data"), "{error}");
    }

    /// A log that began without the file goes on under the name that its data say.
    #[test]
    fn a_log_without_the_file_is_asked_itself() {
        for (begun, is_taken) in [("recorded/local", true), ("simulated/demo-3", false)] {
            let data = tempfile::tempdir().unwrap();
            let settings = EmbeddedConfig::default();
            let store = EmbeddedStore::open(data.path(), &settings).unwrap();
            let store: std::sync::Arc<dyn superroot_store::Store> = std::sync::Arc::new(store);
            let rows = crate::chains::known().proof_registry().clone();
            drop(superroot_accumulate::Accumulator::open(store, rows, begun).unwrap());
            match recorded(data.path(), "") {
                Ok(origin) => assert!(is_taken && origin == begun, "{origin}"),
                Err(error) => assert!(!is_taken && error.to_string().contains(begun), "{error:#}"),
            }
            assert!(recorded(data.path(), "recorded/other").is_err());
        }
    }

    #[test]
    fn a_damaged_file_is_refused() {
        let data = tempfile::tempdir().unwrap();
        for text in ["", "with space\n", &"x".repeat(2000), "two\nlines\n"] {
            std::fs::write(data.path().join(FILE), text).unwrap();
            assert!(of_live_log(data.path(), "").is_err(), "{text:?}");
        }
    }
}
