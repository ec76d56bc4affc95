//! Folder of proof files, the only files for an agent's tools.

use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::cli::verify::input;

pub(super) struct ProofFolder(PathBuf);

impl ProofFolder {
    /// Opens a folder; creates a missing one.
    pub(super) fn open(path: PathBuf) -> anyhow::Result<Self> {
        let name = path.display().to_string();
        fs::create_dir_all(&path).with_context(|| format!("cannot create {name}"))?;
        let whole = path.canonicalize().with_context(|| format!("cannot open {name}"))?;
        Ok(Self(whole))
    }

    /// Reads a file of the folder, up to the largest proof size.
    pub(super) fn read(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let path = self.0.join(file_name(name)?);
        let whole =
            path.canonicalize().with_context(|| format!("the folder has no file {name}"))?;
        ensure!(whole.starts_with(&self.0), "{name} leads out of the folder of proof files");
        ensure!(whole.is_file(), "{name} is no file");
        input::read(&whole)
    }

    /// Writes a file. Replaces a link instead of following.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> anyhow::Result<PathBuf> {
        let path = self.0.join(file_name(name)?);
        let is_link = fs::symlink_metadata(&path).is_ok_and(|about| about.is_symlink());
        if is_link {
            fs::remove_file(&path).with_context(|| format!("cannot replace the link {name}"))?;
        }
        superroot_client::write_file(&path, bytes)
            .with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    }
}

/// One name, without any folder.
fn file_name(name: &str) -> anyhow::Result<&Path> {
    let path = Path::new(name);
    let mut parts = path.components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(one)), None) if one == path.as_os_str() => Ok(path),
        _ => bail!("expected the name of a file in the folder of proof files, without any folder"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let work = tempfile::tempdir().unwrap();
        fs::write(work.path().join("secret"), b"secret").unwrap();
        let folder = ProofFolder::open(work.path().join("proofs")).unwrap();
        let inside = folder.write("a.srproof", b"proof").unwrap();
        assert_eq!(folder.read("a.srproof").unwrap(), b"proof");
        assert!(inside.starts_with(work.path().canonicalize().unwrap()));
        let secret = work.path().join("secret");
        for name in [
            "../secret",
            "/etc/passwd",
            "",
            ".",
            "..",
            "a/../../secret",
            "./a.srproof",
            secret.to_str().unwrap(),
        ] {
            assert!(folder.read(name).is_err(), "{name}");
            assert!(folder.write(name, b"x").is_err(), "{name}");
        }
        std::os::unix::fs::symlink(&secret, work.path().join("proofs/link")).unwrap();
        let why = folder.read("link").unwrap_err().to_string();
        assert!(why.contains("out of the folder"), "{why}");
        folder.write("link", b"proof").unwrap();
        assert_eq!(fs::read(&secret).unwrap(), b"secret");
        assert!(folder.read("absent").is_err());
    }
}
