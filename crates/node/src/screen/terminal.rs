//! The end of the terminal that belongs to the table: redrawn in place, and out of the way when a log
//! line is written above it.

use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use console::Term;

/// Lines of the table that stand at the end of the terminal now.
static DRAWN: Mutex<usize> = Mutex::new(0);

fn drawn() -> MutexGuard<'static, usize> {
    DRAWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Height and width of the terminal on standard error; `None` where there is none.
pub(super) fn size() -> Option<(usize, usize)> {
    let term = Term::stderr();
    let (height, width) = term.size_checked().filter(|_| term.is_term())?;
    Some((usize::from(height), usize::from(width)))
}

/// Exchanges the table.
pub(super) fn draw(lines: &[String], width: usize) -> io::Result<()> {
    let mut drawn = drawn();
    let mut out = io::stderr().lock();
    let cut = lines.iter().map(|line| console::truncate_str(line, width.max(1), "…"));
    let lines: Vec<_> = cut.collect();
    out.write_all(exchange(*drawn, &lines.join("\n")).as_bytes())?;
    out.flush()?;
    *drawn = lines.len();
    Ok(())
}

/// What exchanges so many lines at the end for this text.
fn exchange(lines: usize, text: &str) -> String {
    let up = if lines == 0 { String::new() } else { format!("\u{1b}[{lines}A") };
    let newline = if text.is_empty() { "" } else { "\n" };
    format!("{up}\r\u{1b}[J{text}{newline}")
}

/// Standard error for log lines: what is written stands above the table, which is drawn again soon.
/// Where nobody reads it any more the service goes on without.
#[derive(Debug)]
pub(crate) struct LogWriter;

impl Write for LogWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut drawn = drawn();
        let mut out = io::stderr().lock();
        if *drawn > 0 {
            let _ = out.write_all(exchange(*drawn, "").as_bytes());
            *drawn = 0;
        }
        let _ = out.write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let _ = io::stderr().flush();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A terminal of the simplest kind: the lines it shows after these bytes.
    fn shown(bytes: &str) -> Vec<String> {
        let (mut lines, mut at) = (vec![String::new()], 0);
        let mut rest = bytes;
        while let Some(character) = rest.chars().next() {
            rest = &rest[character.len_utf8()..];
            match character {
                '\u{1b}' if rest.starts_with("[J") => {
                    rest = &rest[2..];
                    lines.truncate(at + 1);
                    lines[at].clear();
                }
                '\u{1b}' => {
                    let (count, after) = rest[1..].split_once('A').unwrap();
                    at -= count.parse::<usize>().unwrap();
                    rest = after;
                }
                '\n' => {
                    at += 1;
                    if lines.len() == at {
                        lines.push(String::new());
                    }
                }
                '\r' => {}
                other => lines[at].push(other),
            }
        }
        lines
    }

    #[test]
    fn a_table_takes_the_place_of_the_one_before_it() {
        let bytes = ["above\n".to_owned(), exchange(0, "a\nb\nc"), exchange(3, "d\ne")].concat();
        assert_eq!(shown(&bytes), ["above", "d", "e", ""]);
    }

    #[test]
    fn a_log_line_stands_above_the_table() {
        let log = exchange(2, "") + "a log line\n";
        let bytes = [exchange(0, "a\nb"), log, exchange(0, "c\nd")].concat();
        assert_eq!(shown(&bytes), ["a log line", "c", "d", ""]);
    }
}
