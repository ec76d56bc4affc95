//! Output files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Most links followed in a row, as in Linux.
const LINKS_MAX: usize = 40;

/// Writes the bytes to a path.
///
/// A regular or new file is written to a neighbouring file, then renamed: readers find the old or the new bytes, even
/// after a power loss; permissions stay. A link is followed. A device or pipe stays in place and receives the bytes.
///
/// # Errors
/// System errors. A regular file then stays unchanged.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if is_stream(path) {
        return OpenOptions::new().append(true).open(path)?.write_all(bytes);
    }
    let path = follow_links(path)?;
    let mut new = path.as_os_str().to_owned();
    new.push(format!(".{}.new", std::process::id()));
    let new = PathBuf::from(new);
    let write = || -> io::Result<()> {
        let mut file = File::create(&new)?;
        if let Ok(old) = fs::metadata(&path) {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, &path)?;
        sync_folder(&path)
    };
    write().inspect_err(|_| {
        // it may never have been made; the error that counts is the first
        let _ = fs::remove_file(&new);
    })
}

/// Whether the path is a stream that no file can replace: a device, a pipe, or a descriptor inherited by this process.
#[must_use]
pub fn is_stream(path: &Path) -> bool {
    let is_descriptor = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"]
        .iter()
        .any(|descriptors| path.starts_with(descriptors));
    is_descriptor || fs::metadata(path).is_ok_and(|held| !held.is_file() && !held.is_dir())
}

/// Returns a path's final target, existing or not.
///
/// # Errors
/// An endless chain or loop among the links.
pub fn follow_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        match fs::read_link(&path) {
            Ok(target) => path = path.parent().unwrap_or(Path::new("")).join(target),
            // no link, or nothing is there
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "too many links lead from one to the next"))
}

/// Makes a new file name durable.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_written_whole_or_not_at_all_and_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        let free = folder.path().join("free");
        fs::create_dir(&taken).unwrap();
        assert!(write_file(&taken, b"proof").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
        write_file(&free, b"old").unwrap();
        fs::set_permissions(&free, fs::Permissions::from_mode(0o640)).unwrap();
        write_file(&free, b"new").unwrap();
        assert_eq!(fs::read(&free).unwrap(), b"new");
        assert_eq!(fs::metadata(&free).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(names(folder.path()), ["free", "taken"]);
    }

    #[test]
    fn a_link_is_followed_to_its_end_whether_a_file_is_there_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("below")).unwrap();
        symlink("second", path("first")).unwrap();
        symlink("below/target", path("second")).unwrap();
        for bytes in [b"new".as_slice(), b"newer"] {
            write_file(&path("first"), bytes).unwrap();
            assert_eq!(fs::read(path("below/target")).unwrap(), bytes);
        }
        assert!(path("first").is_symlink() && path("second").is_symlink());
        assert_eq!(names(&path("below")), ["target"]);
        symlink("a", path("b")).unwrap();
        symlink("b", path("a")).unwrap();
        assert!(write_file(&path("a"), b"lost").is_err());
        assert!(path("a").is_symlink() && path("b").is_symlink());
    }

    #[test]
    fn what_goes_to_somebody_stays_what_it_is() {
        let (mut reader, writer) = io::pipe().unwrap();
        let descriptor = std::os::fd::AsRawFd::as_raw_fd(&writer);
        let path = PathBuf::from(format!("/dev/fd/{descriptor}"));
        assert!(is_stream(&path) && is_stream(Path::new("/dev/null")));
        write_file(&path, b"proof").unwrap();
        drop(writer);
        let mut read = String::new();
        reader.read_to_string(&mut read).unwrap();
        assert_eq!(read, "proof");
        write_file(Path::new("/dev/null"), b"proof").unwrap();
        let full = write_file(Path::new("/dev/full"), b"proof").unwrap_err();
        assert_eq!(full.kind(), ErrorKind::StorageFull);
        assert!(is_stream(Path::new("/dev/full")), "it is a device still");
        let folder = tempfile::tempdir().unwrap();
        let link = folder.path().join("link");
        symlink("/dev/null", &link).unwrap();
        write_file(&link, b"proof").unwrap();
        assert!(link.is_symlink());
    }
}
