//! Invoices as CSV and as a page to print.

use core::fmt::Write as _;

use super::MonthInvoice;
use crate::money::usdc_text;

impl MonthInvoice {
    /// CSV (RFC 4180): header first, total last. Texts that a spreadsheet would read as formulas begin with an
    /// apostrophe.
    #[must_use]
    pub fn to_csv(&self) -> String {
        let mut csv = String::from(
            "number,month,kind,label,chain,requests,tokens,free_tokens,amount_usdc\r\n",
        );
        let number = self.printed_number();
        let month = self.month;
        for line in &self.lines {
            let chain = line.chain.map(|chain| chain.to_string()).unwrap_or_default();
            let kind = line.kind.name();
            let label = csv_text(&line.label);
            let requests = line.requests;
            let tokens = line.tokens;
            let free = line.free_tokens;
            let amount = usdc_text(line.amount_usdc_e6.into());
            let row = format!(
                "{number},{month},{kind},{label},{chain},{requests},{tokens},{free},{amount}"
            );
            csv.push_str(&row);
            csv.push_str("\r\n");
        }
        let requests = self.requests();
        let tokens = self.tokens();
        let amount = usdc_text(self.total_usdc_e6.into());
        let _ = write!(csv, "{number},{month},total,,,{requests},{tokens},,{amount}\r\n");
        csv
    }

    /// Printable page: one file without scripts, every text escaped.
    #[must_use]
    pub fn to_html(&self) -> String {
        let number = self.printed_number();
        let title = format!("Invoice {number}");
        let mut rows = String::new();
        for line in &self.lines {
            let chain = line.chain.map(|chain| chain.to_string()).unwrap_or_default();
            let _ = writeln!(
                rows,
                "<tr><td>{}</td><td>{}</td><td>{chain}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
                line.kind.name().replace('_', " "),
                html_text(&line.label),
                line.requests,
                line.tokens,
                line.free_tokens,
                usdc_text(line.amount_usdc_e6.into()),
            );
        }
        format!(
            "{HEAD}<title>{title}</title></head><body><h1>{title}</h1>\
             <p>{billed_to}<br>Account {account}<br>Month {month} (UTC), issued {date}</p>\
             <table><thead><tr><th>Kind</th><th>Item</th><th>Chain</th><th>Requests</th>\
             <th>Tokens</th><th>Free</th><th>USDC</th></tr></thead><tbody>\n{rows}</tbody>\
             <tfoot><tr><td colspan=\"3\">Total</td><td>{requests}</td><td>{tokens}</td><td></td>\
             <td>{total}</td></tr></tfoot></table></body></html>\n",
            billed_to = html_text(&self.billed_to),
            account = self.account,
            month = self.month,
            date = self.issued_at.day(),
            requests = self.requests(),
            tokens = self.tokens(),
            total = usdc_text(self.total_usdc_e6.into()),
        )
    }
}

const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
    'unsafe-inline'\"><style>body{font:12pt sans-serif;margin:2cm}table{border-collapse:collapse;\
    width:100%}td,th{border-bottom:1px solid #999;padding:4px;text-align:left}\
    td:nth-last-child(-n+4){text-align:right}tfoot td{font-weight:bold}</style>";

/// Quoted CSV field.
fn csv_text(text: &str) -> String {
    let printed: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let first = printed.trim_start().chars().next();
    let is_formula =
        first.is_some_and(|first| "=+-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}".contains(first));
    let guard = if is_formula { "'" } else { "" };
    format!("\"{guard}{}\"", printed.replace('"', "\"\""))
}

fn html_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_a_spreadsheet_would_run_is_guarded() {
        let guarded = ["=1+1", "+1", "-1", "@a", " =1", "\t=1", "\r\n=1", "\u{ff1d}1"];
        for text in guarded {
            let field = csv_text(text);
            assert!(field.starts_with("\"'"), "{text:?}: {field}");
            assert!(!field.contains(['\r', '\n', '\t']), "{field:?}");
        }
        assert_eq!(csv_text("/price/:chain"), "\"/price/:chain\"");
        assert_eq!(csv_text("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(csv_text(""), "\"\"");
    }

    #[test]
    fn no_text_becomes_markup() {
        let text = html_text("<script>alert('1')</script>&\"\u{7}");
        assert_eq!(text, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&quot; ");
    }
}
