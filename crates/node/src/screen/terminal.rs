//! The end of the terminal that belongs to the table: redrawn in place, and out of the way when a log
//! line is written above it.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use console::Term;

/// Lines of the table that stand at the end of the terminal now.
static DRAWN: Mutex<usize> = Mutex::new(0);

/// Height and width of the terminal on standard error; `None` where there is none.
pub(super) fn size() -> Option<(usize, usize)> {
    let term = Term::stderr();
    let (height, width) = term.size_checked().filter(|_| term.is_term())?;
    Some((usize::from(height), usize::from(width)))
}

/// Exchanges the table.
pub(super) fn draw(lines: &[String], width: usize) -> io::Result<()> {
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let term = Term::buffered_stderr();
    term.clear_last_lines(std::mem::take(&mut *drawn))?;
    for line in lines {
        term.write_line(&console::truncate_str(line, width.max(1), "…"))?;
    }
    *drawn = lines.len();
    term.flush()
}

/// Standard error for log lines: what is written stands above the table, which is drawn again soon.
/// Where nobody reads it any more the service goes on without.
#[derive(Debug)]
pub(crate) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = Term::stderr().clear_last_lines(std::mem::take(&mut *drawn));
        let _ = io::stderr().lock().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = io::stderr().flush();
        Ok(())
    }
}
