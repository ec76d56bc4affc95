//! Log name: chosen once, stored next to the data.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};

pub(crate) const FILE: &str = "origin";
/// Longest origin file, in bytes. An origin has at most 255.
const FILE_BYTES_MAX: u64 = 1024;
/// Name prefix for recorded and simulated logs.
pub(crate) const RECORDED: &str = "recorded/";
pub(crate) const SIMULATED: &str = "simulated/";
/// Demo file, with the log name.
pub(crate) const DEMO: &str = "demo.json";

/// Origin of the live log in the folder: the stored one, else the configured one, else a new one. A log keeps one
/// origin for good.
pub(crate) fn of_live_log(data: &Path, configured: &str) -> anyhow::Result<String> {
    let is_live = |origin: &str| !origin.starts_with(RECORDED) && !origin.starts_with(SIMULATED);
    of_log(data, configured, is_live, || format!("live/{:016x}", rand::random::<u64>()))
}

/// Like [`of_live_log`], for a log of recordings.
pub(crate) fn of_recorded_log(data: &Path, configured: &str) -> anyhow::Result<String> {
    let new = || format!("{RECORDED}{:08x}", rand::random::<u32>());
    of_log(data, configured, |origin| origin.starts_with(RECORDED), new)
}

fn of_log(
    data: &Path,
    configured: &str,
    is_of_kind: impl Fn(&str) -> bool,
    new: impl FnOnce() -> String,
) -> anyhow::Result<String> {
    let file = data.join(FILE);
    let shown = data.display();
    if !configured.is_empty() && !is_of_kind(configured) {
        bail!(
            "log.origin is {configured:?}: that of recordings begins with {RECORDED}, that of a demo \
             with {SIMULATED}, and that of live chains with neither"
        );
    }
    if !file.exists() {
        if data.join("db").exists() && configured.is_empty() {
            if data.join(DEMO).exists() {
                bail!(
                    "{shown} holds the log of a demo, which is of another kind: name another --data"
                );
            }
            bail!(
                "{} is missing, which names the log of the data in {shown}: put it back, or name another \
                 --data (`superroot fsck` tells the name that goes into it)",
                file.display()
            );
        }
        return begin(data, configured, new);
    }
    let begun = read(&file)?;
    if !is_of_kind(&begun) {
        bail!("{shown} holds the log {begun}, which is of another kind: name another --data");
    }
    if !configured.is_empty() && configured != begun {
        bail!(
            "log.origin is {configured:?}, but {shown} was begun as {begun:?}, and a log keeps its \
             origin: use that, or another --data"
        );
    }
    Ok(begun)
}

/// Fault in the folder's origin file; `None` if the file names the log.
pub(crate) fn fault(data: &Path, origin: &str) -> Option<String> {
    if !data.join(FILE).exists() {
        return Some(format!("{FILE} is missing: it holds the line {origin}"));
    }
    match read(&data.join(FILE)) {
        Ok(begun) if begun == origin => None,
        Ok(begun) => Some(format!("{FILE} names the log {begun}, and the data are of {origin}")),
        Err(error) => Some(format!("{error:#}")),
    }
}

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

/// Writes the file atomically: a log must not return under half a name.
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

    /// Two logs under one name would look like a fork to a client.
    #[test]
    fn every_log_has_a_name_of_its_own_and_keeps_it() {
        for (of, beginning, length) in [
            (of_live_log as fn(&Path, &str) -> anyhow::Result<String>, "live/", 21),
            (of_recorded_log, "recorded/", 17),
        ] {
            let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
            let [a, b] = folders.each_ref().map(|data| of(data.path(), "").unwrap());
            assert_ne!(a, b);
            assert!(a.starts_with(beginning) && a.len() == length, "{a}");
            assert_eq!(of(folders[0].path(), "").unwrap(), a);
            assert_eq!(of(folders[0].path(), &a).unwrap(), a);
            let other = format!("{beginning}other");
            let error = of(folders[0].path(), &other).unwrap_err().to_string();
            assert!(error.contains(&a) && error.contains(&other), "{error}");
        }
    }

    #[test]
    fn a_configured_name_is_taken_unless_it_is_of_another_kind() {
        let data = tempfile::tempdir().unwrap();
        let folder = data.path().join("new");
        for origin in ["recorded/mine", "simulated/mine"] {
            assert!(of_live_log(&folder, origin).is_err());
        }
        assert!(of_recorded_log(&folder, "live/mine").is_err() && !folder.exists());
        assert_eq!(of_live_log(&folder, "example.org/log").unwrap(), "example.org/log");
        assert_eq!(of_live_log(&folder, "").unwrap(), "example.org/log");
        let error = of_recorded_log(&folder, "").unwrap_err().to_string();
        assert!(error.contains("another --data"), "{error}");
    }

    #[test]
    fn a_folder_without_a_name_or_with_a_damaged_one_is_refused() {
        let data = tempfile::tempdir().unwrap();
        std::fs::create_dir(data.path().join("db")).unwrap();
        let error = of_live_log(data.path(), "").unwrap_err().to_string();
        assert!(error.contains("is missing") && error.contains("superroot fsck"), "{error}");
        assert_eq!(
            fault(data.path(), "live/1").unwrap(),
            "origin is missing: it holds the line live/1"
        );
        std::fs::write(data.path().join(DEMO), "{}").unwrap();
        let error = of_live_log(data.path(), "").unwrap_err().to_string();
        assert!(error.contains("of a demo") && error.contains("another --data"), "{error}");
        for text in ["", "with space\n", &"x".repeat(2000), "two\nlines\n"] {
            std::fs::write(data.path().join(FILE), text).unwrap();
            assert!(of_live_log(data.path(), "").is_err(), "{text:?}");
            assert!(fault(data.path(), text.trim_end()).is_some(), "{text:?}");
        }
        std::fs::write(data.path().join(FILE), "live/1\n").unwrap();
        assert_eq!(fault(data.path(), "live/1"), None);
        assert!(fault(data.path(), "live/2").unwrap().contains("names the log live/1"));
    }
}
