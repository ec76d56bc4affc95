//! The name of a live log: chosen once, kept beside its data.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, bail};

/// File of the data folder that holds it.
const FILE: &str = "origin";
/// Longest file that is read, in bytes; an origin has 255 at most.
const FILE_BYTES_MAX: u64 = 1024;
/// What names of other networks' logs begin with.
const NOT_LIVE: [&str; 2] = ["recorded/", "simulated/"];

/// The origin of the live log in that folder: the one it was begun with, or else the configured one,
/// or else a new one. One log keeps one origin for good.
pub(crate) fn of_live_log(data: &Path, configured: &str) -> anyhow::Result<String> {
    if let Some(prefix) = NOT_LIVE.iter().find(|prefix| configured.starts_with(**prefix)) {
        bail!("log.origin is {configured:?}: a log of live chains does not begin with {prefix}");
    }
    let file = data.join(FILE);
    if file.exists() {
        let kept = read(&file)?;
        if !configured.is_empty() && configured != kept {
            bail!(
                "log.origin is {configured:?}, but {} was begun as {kept:?}, and a log keeps its \
                 origin: use that, or another --data",
                data.display()
            );
        }
        return Ok(kept);
    }
    if data.join("db").exists() && configured.is_empty() {
        bail!(
            "{} holds a log of recorded or simulated blocks: live chains want another --data",
            data.display()
        );
    }
    let origin = match configured {
        "" => format!("live/{:016x}", rand::random::<u64>()),
        origin => origin.to_owned(),
    };
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

    #[test]
    fn a_damaged_file_is_refused() {
        let data = tempfile::tempdir().unwrap();
        for text in ["", "with space\n", &"x".repeat(2000), "two\nlines\n"] {
            std::fs::write(data.path().join(FILE), text).unwrap();
            assert!(of_live_log(data.path(), "").is_err(), "{text:?}");
        }
    }
}
