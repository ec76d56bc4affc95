//! Commands of the built binary, and what an operator finds in a data folder.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use super::superroot;

/// Runs a command to its end; its exit code and all that it printed.
pub fn run(command: &mut Command) -> (i32, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let text = String::from_utf8_lossy(&[stdout, stderr].concat()).into_owned();
    (status.code().unwrap(), text)
}

/// What a command prints, once it has succeeded.
pub fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    text
}

/// A demo on a data folder.
pub fn demo(data: &Path) -> Command {
    let mut command = superroot();
    command.args(["demo", "--listen", "127.0.0.1:0", "--no-reorg", "--data"]).arg(data);
    command
}

/// `superroot admin` on a data folder, with what it does as JSON.
pub fn admin(data: &Path, line: &str, why: Option<&str>) -> Command {
    let mut command = superroot();
    command.arg("admin").args(line.split(' ')).arg("--data").arg(data);
    command.args(["--who", "ana", "--json"]);
    if let Some(why) = why {
        command.args(["--why", why]);
    }
    command
}

/// The lines of a folder's journal.
pub fn journal(data: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(data.join("admin.log")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Status and body of what comes back for these bytes through the folder's socket.
pub fn exchange(data: &Path, request: &str) -> (u16, String) {
    let mut stream = UnixStream::connect(data.join("admin.sock")).unwrap();
    // what is refused early is not read to its end
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.get(9..12).and_then(|digits| digits.parse().ok());
    let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
    (status.unwrap_or_else(|| panic!("{answer}")), body.unwrap_or_default())
}

/// The same for a POST.
pub fn post(data: &Path, path: &str, body: &str) -> (u16, String) {
    let length = body.len();
    let head = format!("POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n");
    exchange(data, &format!("{head}Content-Length: {length}\r\n\r\n{body}"))
}
