//! Table of chains, fitted to the window. Pure, for tests.

use superroot_types::first_chars;

use super::line::ChainLine;

pub(super) const WHY_LINES_MAX: usize = 3;

/// Table within width and height. If too large, reasons move above the table, chains in trouble come first, and
/// unfollowed chains share one line below.
pub(super) fn within(lines: &[ChainLine], width: usize, height: usize) -> Vec<String> {
    let whole = table(lines, width);
    if whole.len() <= height {
        return whole;
    }
    let (out, mut lines): (Vec<_>, Vec<_>) =
        lines.iter().cloned().partition(ChainLine::is_left_out);
    let mut page = if lines.is_empty() { Vec::new() } else { table(&lines, width) };
    if page.len() + 1 > height {
        lines.sort_by_key(|line| !line.is_in_trouble());
        let reasons = lines.iter().filter(|line| line.is_in_trouble());
        page = reasons
            .map(|line| first_chars(&format!("{}: {}", line.name, line.why), width).to_owned())
            .collect();
        page.extend(rows(&lines, false));
    }
    if !out.is_empty() {
        let names: Vec<_> = out.iter().map(|line| line.name.as_str()).collect();
        page.push(format!("not followed: {}", names.join(", ")));
    }
    page
}

/// Table within a width. If a reason does not fit in a row, all reasons follow below, wrapped.
pub(super) fn table(lines: &[ChainLine], width: usize) -> Vec<String> {
    let whole = rows(lines, true);
    if whole.iter().all(|row| row.chars().count() <= width) {
        return whole;
    }
    let mut rows = rows(lines, false);
    for line in lines.iter().filter(|line| !line.why.is_empty()) {
        rows.extend(wrapped(&format!("{}: {}", line.name, line.why), width));
    }
    rows
}

/// Wrapped text with indented later lines, cut after three lines.
pub(super) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let count = lines.len();
        let Some(line) = lines.last_mut() else { break };
        if line.trim().is_empty() || line.chars().count() + 1 + word.chars().count() <= width {
            line.push_str(if line.trim().is_empty() { "" } else { " " });
            line.push_str(word);
        } else if count == WHY_LINES_MAX {
            line.push_str(" ...");
            break;
        } else {
            lines.push(format!("  {word}"));
        }
    }
    lines
}

fn rows(lines: &[ChainLine], has_reasons: bool) -> Vec<String> {
    let head = ["chain", "state", "head", "finalized", "anchored", "lag", "nodes", "why"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(lines.iter().map(ChainLine::cells));
    let width =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 8] = std::array::from_fn(width);
    let line = |row: &[String; 8]| {
        let cells =
            row.iter().zip(widths).enumerate().map(|(column, (cell, width))| match column {
                0 | 1 => format!("{cell:<width$}"),
                7 if has_reasons => cell.clone(),
                7 => String::new(),
                _ => format!("{cell:>width$}"),
            });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// At most `height` lines; the last then counts the missing ones.
pub(super) fn fitting(mut lines: Vec<String>, height: usize) -> Vec<String> {
    let height = height.max(2);
    if lines.len() > height {
        let missing = lines.len() - (height - 1);
        lines.truncate(height - 1);
        lines.push(format!("... {missing} more lines: a taller window, or /api/v1/status"));
    }
    lines
}
