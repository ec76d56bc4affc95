//! Table at the end of the terminal: redrawn in place, below log lines.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use console::Term;

/// Current table lines at the end of the terminal.
static DRAWN: Mutex<usize> = Mutex::new(0);

/// Terminal height and width on standard error; `None` without a terminal.
pub(super) fn size() -> Option<(usize, usize)> {
    let term = Term::stderr();
    let (height, width) = term.size_checked().filter(|_| term.is_term())?;
    Some((usize::from(height), usize::from(width)))
}

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

/// Standard error for log lines, written above the table, with a redraw soon after. Write failures do not stop the
/// service.
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
