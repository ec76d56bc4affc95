//! One connection that is kept, from an address of the loopback network of one's choice: what the
//! service sees as one client among many.

use std::io;
use std::net::{IpAddr, SocketAddr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    /// Status line and headers, names in lower case.
    pub head: String,
    pub body: String,
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| *found == name).map(|(_, value)| value)
    }
}

/// A connection.
pub struct Connection {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Connection {
    /// Opens one to a service from that address.
    pub async fn open(url: &str, from: &str) -> io::Result<Self> {
        let address: SocketAddr = url.trim_start_matches("http://").parse().unwrap();
        let from: IpAddr = from.parse().unwrap();
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::new(from, 0))?;
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// Asks without a body; `headers` are whole lines.
    pub async fn get(&mut self, path: &str, headers: &str) -> io::Result<Answer> {
        self.ask("GET", path, headers).await
    }

    /// Asks without a body; `headers` are whole lines.
    pub async fn ask(&mut self, method: &str, path: &str, headers: &str) -> io::Result<Answer> {
        let request = format!("{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n");
        self.stream.write_all(request.as_bytes()).await?;
        let head = loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break self.take(end + 4);
            }
            self.more().await?;
        };
        let (first, rest) = head.split_once("\r\n").unwrap_or_default();
        let status = first.get(9..12).and_then(|digits| digits.parse().ok());
        let status = status.ok_or_else(|| io::Error::other(head.clone()))?;
        let answer = Answer { status, head: rest.to_owned(), body: String::new() };
        let length = answer.header("content-length").map_or(0, |text| text.parse().unwrap());
        while self.read.len() < length {
            self.more().await?;
        }
        let body = self.take(length);
        Ok(Answer { body, ..answer })
    }

    fn take(&mut self, bytes: usize) -> String {
        let rest = self.read.split_off(bytes);
        String::from_utf8_lossy(&std::mem::replace(&mut self.read, rest)).into_owned()
    }

    async fn more(&mut self) -> io::Result<()> {
        match self.stream.read_buf(&mut self.read).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}
