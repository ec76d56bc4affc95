//! Reading a proof from a file or from standard input, bounded.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Largest file that is read: 16 MiB, as large as a proof file can be.
pub(crate) const FILE_BYTES_MAX: usize = superroot_proof::bundle::BUNDLE_BYTES_MAX;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    /// The system does not give it out.
    #[error("cannot read {name}: {cause}")]
    Unreadable {
        /// The file.
        name: String,
        /// What the system says.
        cause: io::Error,
    },
    /// It has more bytes than any proof.
    #[error("{name} has more than {FILE_BYTES_MAX} bytes, as no proof has")]
    TooLarge {
        /// The file.
        name: String,
    },
    /// It has none.
    #[error("{name} is empty")]
    Empty {
        /// The file.
        name: String,
    },
}

/// The bytes of a file; of standard input for `-`.
///
/// # Errors
/// [`InputError`] naming the file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    if path == Path::new("-") {
        return read_bounded("standard input", io::stdin().lock());
    }
    let name = path.display().to_string();
    match File::open(path) {
        Ok(file) => read_bounded(&name, file),
        Err(cause) => Err(InputError::Unreadable { name, cause }),
    }
}

fn read_bounded(name: &str, from: impl Read) -> Result<Vec<u8>, InputError> {
    let name = name.to_owned();
    let mut bytes = Vec::new();
    let limit = u64::try_from(FILE_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    match from.take(limit).read_to_end(&mut bytes) {
        Err(cause) => Err(InputError::Unreadable { name, cause }),
        Ok(0) => Err(InputError::Empty { name }),
        Ok(count) if count > FILE_BYTES_MAX => Err(InputError::TooLarge { name }),
        Ok(_) => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An endless source must not fill the memory.
    #[test]
    fn no_more_than_the_largest_proof_is_read() {
        let error = read_bounded("zeros", io::repeat(0)).unwrap_err();
        assert!(matches!(error, InputError::TooLarge { .. }), "{error}");
        let largest = io::repeat(7).take(FILE_BYTES_MAX as u64);
        assert_eq!(read_bounded("sevens", largest).unwrap().len(), FILE_BYTES_MAX);
    }

    #[test]
    fn every_refusal_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (empty, missing) = (folder.path().join("empty"), folder.path().join("missing"));
        std::fs::write(&empty, []).unwrap();
        for path in [empty.as_path(), missing.as_path(), folder.path()] {
            let error = read(path).unwrap_err().to_string();
            assert!(error.contains(&path.display().to_string()), "{error}");
        }
    }
}
