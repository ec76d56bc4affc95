//! Pages for people: plain HTML, no scripts, no external resources.

use std::fmt::Write;

use serde_json::Value;

use crate::error::codes::{CODES, RetryHint};
use crate::openapi::resolved;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;\
padding:0 1rem;color:#1a1a1a;background:#fff}code,pre{font:14px/1.4 ui-monospace,monospace;\
background:#f2f2f4;padding:.1em .3em;border-radius:4px;overflow-wrap:anywhere}\
h2{margin-top:2.5rem;border-bottom:1px solid #ddd}h3{margin-bottom:.2rem}table{border-collapse:\
collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;\
border-bottom:1px solid #eee}.off{color:#8a4b00}a{color:#0b57d0}@media(prefers-color-scheme:dark){\
body{background:#16181c;color:#e6e6e6}code,pre{background:#25282e}a{color:#8ab4f8}\
h2,td,th{border-color:#333}.off{color:#ffb870}}";

pub(crate) fn page(document: &Value) -> String {
    let mut body = String::new();
    let title = text(&document["info"]["title"]);
    push(&mut body, format_args!("<h1>{title} {}</h1>", text(&document["info"]["version"])));
    for paragraph in document["info"]["description"].as_str().unwrap_or("").split("\n\n") {
        push(&mut body, format_args!("<p>{}</p>", escape(paragraph)));
    }
    push(
        &mut body,
        format_args!(
            "<p><a href=\"/docs/try\">Try the routes out</a>. As files: \
             <a href=\"/openapi.json\">/openapi.json</a>, and what is pushed: \
             <a href=\"/asyncapi.json\">/asyncapi.json</a></p>"
        ),
    );
    for tag in document["tags"].as_array().into_iter().flatten() {
        let heading = (text(&tag["name"]), text(&tag["description"]));
        push(&mut body, format_args!("<h2>{}: {}</h2>", heading.0, heading.1));
        for (path, method, operation) in operations(document, &tag["name"]) {
            write_operation(&mut body, document, path, method, operation);
        }
    }
    write_codes(&mut body);
    write_schemas(&mut body, &document["components"]["schemas"]);
    whole("SuperRoot API", "", &body)
}

/// Complete page. `head` is extra markup for its head.
pub(crate) fn whole(title: &str, head: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>{head}\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <style>{STYLE}</style></head><body>{body}</body></html>"
    )
}

/// Operations with a tag: path, method, operation.
fn operations<'a>(
    document: &'a Value,
    tag: &'a Value,
) -> impl Iterator<Item = (&'a str, &'a str, &'a Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let all = paths.flat_map(|(path, item)| {
        let methods = item.as_object().into_iter().flatten();
        methods.map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    });
    all.filter(move |(.., operation)| operation["tags"][0] == *tag)
}

fn write_operation(
    body: &mut String,
    document: &Value,
    path: &str,
    method: &str,
    operation: &Value,
) {
    let method = method.to_uppercase();
    let good =
        ["200", "201", "101"].into_iter().find_map(|status| operation["responses"].get(status));
    push(body, format_args!("<h3><code>{method} {}</code></h3>", escape(path)));
    push(body, format_args!("<p>{}. {}</p>", text(&operation["summary"]), about(operation)));
    let access = text(&operation["x-access"]);
    let weight = &operation["x-billing-weight"];
    let weight = weight.as_u64().unwrap_or(0);
    let rule = operation["x-billing-rule"].as_str().map(|rule| format!(" for {rule}"));
    let rule = rule.unwrap_or_default();
    push(body, format_args!("<p>Open to: {access}. Billing weight: {weight}{rule}.</p>"));
    let rows = operation["parameters"].as_array().into_iter().flatten().map(|parameter| {
        let parameter = resolved(document, parameter);
        let name = (text(&parameter["name"]), text(&parameter["in"]));
        format!(
            "<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>",
            name.0,
            name.1,
            about(parameter)
        )
    });
    let rows: String = rows.collect();
    if !rows.is_empty() {
        push(body, format_args!("<table>{rows}</table>"));
    }
    if let Some(schema) = schema_name(&operation["requestBody"]["content"]) {
        push(body, format_args!("<p>Body: <a href=\"#{schema}\">{schema}</a></p>"));
    }
    if let Some(schema) = good.and_then(|good| schema_name(&good["content"])) {
        push(body, format_args!("<p>Returns: <a href=\"#{schema}\">{schema}</a></p>"));
    }
}

fn schema_name(content: &Value) -> Option<String> {
    let schema = &content["application/json"]["schema"];
    let target = schema["$ref"].as_str().or(schema["allOf"][0]["$ref"].as_str())?;
    Some(escape(target.rsplit('/').next()?))
}

fn write_codes(body: &mut String) {
    body.push_str("<h2 id=\"errors\">Errors</h2><table><tr><th>code</th><th>status</th>");
    body.push_str("<th>meaning</th><th>ask again</th></tr>");
    for code in CODES {
        let again = match code.again {
            RetryHint::Never => "no",
            RetryHint::Later => "yes",
            RetryHint::Depends => "where it says when",
        };
        push(
            body,
            format_args!(
                "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{again}</td></tr>",
                code.name, code.status, code.title
            ),
        );
    }
    body.push_str("</table>");
}

fn write_schemas(body: &mut String, schemas: &Value) {
    body.push_str("<h2>Objects</h2>");
    for (name, schema) in schemas.as_object().into_iter().flatten() {
        let name = escape(name);
        push(body, format_args!("<h3 id=\"{name}\">{name}</h3><p>{}</p><table>", about(schema)));
        for (member, value) in schema["properties"].as_object().into_iter().flatten() {
            let required = schema["required"].as_array().into_iter().flatten();
            let always =
                if required.into_iter().any(|one| one == member) { "" } else { "optional" };
            let member = escape(member);
            push(
                body,
                format_args!(
                    "<tr><td><code>{member}</code></td><td>{}</td><td>{always}</td><td>{}</td></tr>",
                    kind(value),
                    about(value)
                ),
            );
        }
        body.push_str("</table>");
    }
}

fn kind(value: &Value) -> String {
    if let Some(target) = value["$ref"].as_str() {
        let name = escape(target.rsplit('/').next().unwrap_or(target));
        return format!("<a href=\"#{name}\">{name}</a>");
    }
    if let Some(kinds) = value["oneOf"].as_array() {
        return kinds.iter().map(kind).collect::<Vec<_>>().join(" or ");
    }
    match &value["type"] {
        Value::String(word) if word == "array" => format!("list of {}", kind(&value["items"])),
        Value::String(word) => escape(word),
        Value::Array(words) => {
            let words: Vec<_> = words.iter().filter_map(Value::as_str).map(escape).collect();
            words.join(" or ")
        }
        _ => "value".to_owned(),
    }
}

fn about(value: &Value) -> String {
    text(&value["description"])
}

fn text(value: &Value) -> String {
    escape(value.as_str().unwrap_or(""))
}

pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

fn push(body: &mut String, text: std::fmt::Arguments<'_>) {
    // writing to a String cannot fail
    let _ = body.write_fmt(text);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_elsewhere_is_never_markup() {
        assert_eq!(escape("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;");
    }

    #[test]
    fn the_page_names_every_route() {
        let table = crate::routes::table();
        let document = crate::openapi::openapi();
        let page = page(&document);
        let operations = table.iter().flat_map(|route| {
            route
                .operations
                .iter()
                .map(move |operation| (crate::openapi::shown_path(route), operation))
        });
        for (path, operation) in operations {
            let heading = format!("<code>{} {path}</code>", operation.method);
            assert!(page.contains(&heading), "{heading}");
            let is_empty = matches!(operation.returns, crate::route::Returns::Nothing);
            assert!(!is_empty, "{heading} says nothing of its answer");
        }
        for code in CODES {
            assert!(page.contains(code.name));
        }
        assert!(!page.contains("<code></code>"), "a parameter without a name");
        for outside in ["http://", "https://", "<script", "src="] {
            assert!(!page.contains(outside), "{outside}");
        }
    }
}
