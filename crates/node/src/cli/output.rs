//! Command output: standard output, which may be closed or full, and named files.

use core::fmt;
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;

use anyhow::{Context, bail};
use superroot_client::write_file;

use super::style::plain;

static FAILURE: OnceLock<ErrorKind> = OnceLock::new();

/// Standard output, without colours if not a terminal. Failures are noted for [`end`].
pub(crate) struct StandardOutput(anstream::Stdout);

pub(crate) fn stdout() -> StandardOutput {
    StandardOutput(anstream::stdout())
}

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).map_err(|error| noted(&error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush().map_err(|error| noted(&error))
    }
}

fn noted(error: &io::Error) -> io::Error {
    FAILURE.get_or_init(|| error.kind());
    io::Error::new(error.kind(), format!("cannot write to standard output: {error}"))
}

/// Writes a line on standard output. A failure does not stop a service, which may outlive the terminal or pipe; a short
/// command reports the failure in [`end`].
pub(crate) fn put(text: fmt::Arguments<'_>) {
    let _ = writeln!(stdout(), "{text}");
}

/// Writes a text and returns `code`. Early closed output is no error.
pub(crate) fn print(
    out: &mut dyn io::Write,
    text: &str,
    code: ExitCode,
) -> anyhow::Result<ExitCode> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        Ok(()) | Err(_) => Ok(code),
    }
}

/// Result of a command, replaced by an error if standard output failed.
pub(crate) fn end(ended: anyhow::Result<ExitCode>) -> anyhow::Result<ExitCode> {
    match (ended, FAILURE.get()) {
        (Ok(_), Some(kind)) if *kind != ErrorKind::BrokenPipe => {
            Err(anyhow::Error::msg(format!("cannot write to standard output: {kind}")))
        }
        // whoever read has had enough
        (Err(error), Some(ErrorKind::BrokenPipe)) if is_broken_pipe(&error) => {
            Ok(ExitCode::SUCCESS)
        }
        (ended, _) => ended,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
    kind == Some(ErrorKind::BrokenPipe)
}

pub(crate) fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Rejects standard output for a private key or a folder.
pub(crate) fn refuse_stdout(path: &Path) -> anyhow::Result<()> {
    if is_stdout(path) {
        bail!("{} is standard output, expected a path: ./- is one of that name", path.display());
    }
    Ok(())
}

/// Target for messages: standard error if the command's data goes to standard output.
pub(crate) fn words<'a>(
    written: Option<&Path>,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
) -> &'a mut dyn Write {
    if written.is_some_and(is_stdout) { err } else { out }
}

/// Writes to a user's path. `-` is standard output, just as commands read `-` from standard input.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    if is_stdout(path) {
        let mut out = io::stdout().lock();
        let written = out.write_all(bytes).and_then(|()| out.flush());
        return Ok(written.map_err(|error| noted(&error))?);
    }
    write_file(path, bytes).with_context(|| format!("cannot write {}", path.display()))
}

/// Path quoted for a shell.
pub(crate) fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    // what begins with a dash is read as an option
    let path = if path.starts_with('-') { format!("./{path}") } else { path };
    match shlex::try_quote(&path) {
        Ok(quoted) if plain(&quoted) == quoted => quoted.into_owned(),
        // no terminal shows such a name as it is
        Ok(_) | Err(_) => "FILE".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Refuses(ErrorKind);

    impl Write for Refuses {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A reader that has had enough does not turn a false proof into a true one.
    #[test]
    fn a_closed_output_keeps_the_code_and_a_full_one_is_an_error() {
        let code = |kind| print(&mut Refuses(kind), "FALSE", ExitCode::from(1));
        assert_eq!(code(ErrorKind::BrokenPipe).unwrap(), ExitCode::from(1));
        assert!(code(ErrorKind::StorageFull).is_err());
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        for (path, expected) in [
            ("a/proof-1.srproof", "a/proof-1.srproof"),
            ("sp ace/p.srproof", "'sp ace/p.srproof'"),
            ("it's", "\"it's\""),
            ("$(rm x)", "'$(rm x)'"),
            ("-rf", "./-rf"),
            ("a\u{1b}[2J", "FILE"),
        ] {
            assert_eq!(quoted(Path::new(path)), expected);
        }
    }
}
