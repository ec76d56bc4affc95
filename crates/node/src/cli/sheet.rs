//! JSON for people: names and values in two columns, lists of rows as tables below.
//!
//! ```text
//! account     0123e567-..
//! has.tier    builder
//!
//! keys
//! key          state    label
//! 7f21..       active   build server
//! ```
//! Every text is made safe for the terminal.

use std::fmt::Write as _;

use serde_json::{Map, Value};
use superroot_types::shorten;

use super::style::plain;

/// Longest cell, in characters: fits an audit act with amounts. JSON shows the whole text.
const CELL_CHARS_MAX: usize = 240;

pub(crate) fn of(value: &Value) -> String {
    let Value::Object(members) = value else { return format!("{}\n", cell(value)) };
    // a document, such as a CSV file, is printed as it is
    if let Some(Value::String(text)) = members.get("text").filter(|_| members.len() == 1) {
        return text.clone();
    }
    let mut lines = Vec::new();
    let mut tables = Vec::new();
    gather("", members, &mut lines, &mut tables);
    let width = lines.iter().map(|(name, _): &(String, String)| name.chars().count()).max();
    let mut text = String::new();
    for (name, value) in lines {
        let _ = writeln!(text, "{name:width$}  {value}", width = width.unwrap_or(0));
    }
    for (name, rows) in tables {
        let _ = write!(text, "{}{}", if text.is_empty() { "" } else { "\n" }, table(&name, rows));
    }
    text
}

fn gather<'a>(
    above: &str,
    members: &'a Map<String, Value>,
    lines: &mut Vec<(String, String)>,
    tables: &mut Vec<(String, &'a [Value])>,
) {
    for (name, value) in members {
        let name = if above.is_empty() { name.clone() } else { format!("{above}.{name}") };
        match value {
            Value::Object(members) => gather(&name, members, lines, tables),
            Value::Array(rows) if rows.is_empty() || rows.iter().any(Value::is_object) => {
                tables.push((name, rows));
            }
            value => lines.push((name, cell(value))),
        }
    }
}

fn table(name: &str, rows: &[Value]) -> String {
    let rows: Vec<_> = rows.iter().map(flat).collect();
    let mut columns: Vec<Vec<String>> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for (name, _) in rows.iter().flatten().filter(|(name, _)| seen.insert(name.as_str())) {
        let cells = rows.iter().map(|row| {
            let found = row.iter().find(|(other, _)| other == name);
            found.map_or_else(|| "-".to_owned(), |(_, cell)| cell.clone())
        });
        let column: Vec<_> = std::iter::once(name.clone()).chain(cells).collect();
        // a column of nothing says nothing
        if column[1..].iter().any(|cell| cell != "-") {
            columns.push(column);
        }
    }
    if columns.is_empty() {
        return format!("{name}: none\n");
    }
    let mut text = format!("{name}\n");
    for line in 0..=rows.len() {
        let cells = columns.iter().map(|column| {
            let width = column.iter().map(|cell| cell.chars().count()).max().unwrap_or(0);
            format!("{:width$}", column[line])
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// Flat names and values of a row. Nested names follow the outer name.
fn flat(row: &Value) -> Vec<(String, String)> {
    let mut cells = Vec::new();
    for (name, value) in row.as_object().into_iter().flatten() {
        if value.is_object() {
            let below = flat(value).into_iter();
            cells.extend(below.map(|(inner, cell)| (format!("{name}.{inner}"), cell)));
        } else {
            cells.push((name.clone(), cell(value)));
        }
    }
    cells
}

fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => "-".to_owned(),
        Value::Object(members) => members.values().map(cell).collect::<Vec<_>>().join(" "),
        Value::String(text) => plain(text),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(", "),
        value => plain(&value.to_string()),
    };
    shorten(&text, CELL_CHARS_MAX)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tree_is_names_and_values_and_its_lists_are_tables() {
        let value = json!({
            "account": "a", "has": { "tier": "builder", "grids": ["G1", "G2"] }, "closed_at": null,
            "keys": [{ "key": 1, "label": "ci", "end": null }, { "key": 22, "label": "é", "end": null }],
            "wallets": [],
        });
        let expected = "account    a\nclosed_at  -\nhas.grids  G1, G2\nhas.tier   builder\n\
                        \nkeys\nkey  label\n1    ci\n22   é\n\nwallets: none\n";
        assert_eq!(of(&value), expected);
    }

    /// Amounts are read off a table, wherever they stand in a row.
    #[test]
    fn what_is_inside_a_row_is_shown_whole() {
        let lines = json!([{ "book": "cash", "usdc": "1.5" }, { "book": "credit", "usdc": "1" }]);
        let value = json!({ "steps": [
            { "at": 1, "lines": lines },
            { "at": 2, "moved": { "paid": { "usdc": "1.5" }, "tier": "builder" } },
        ]});
        let expected = "steps\nat  lines               moved.paid.usdc  moved.tier\n\
                        1   cash 1.5, credit 1  -                -\n\
                        2   -                   1.5              builder\n";
        assert_eq!(of(&value), expected);
    }

    #[test]
    fn a_terminal_obeys_nothing_and_a_long_cell_is_cut() {
        let text = of(&json!({ "label": "\u{1b}[2J\nx", "long": "x".repeat(CELL_CHARS_MAX + 9) }));
        assert!(!text.contains('\u{1b}') && text.lines().count() == 2, "{text}");
        let long = format!("{}… ({} bytes)", "x".repeat(CELL_CHARS_MAX), CELL_CHARS_MAX + 9);
        assert!(text.contains(&long), "{text}");
    }

    #[test]
    fn a_document_is_printed_as_it_is() {
        assert_eq!(of(&json!({ "text": "a,b\r\n1,2\r\n" })), "a,b\r\n1,2\r\n");
        assert_eq!(of(&json!(7)), "7\n");
    }
}
