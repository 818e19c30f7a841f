//! A server under way, and the plainest of clients.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::program::command;

/// Nothing takes that long unless it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// `fdc serve`, ended when the test is.
pub(crate) struct Served {
    pub child: Child,
    pub port: u16,
    pub token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub status: u16,
    /// Lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Served {
    /// Serves `case.fdc` of a folder.
    pub(crate) fn start(folder: &Path, arguments: &[&str]) -> Self {
        let all = [
            &[
                "serve",
                "case.fdc",
                "--metric",
                "split",
                "--formula",
                "ochiai",
            ],
            arguments,
        ]
        .concat();
        let mut child = command(folder, &all)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut address).unwrap();
        let rest = address.trim_end().strip_prefix("http://127.0.0.1:");
        let (port, token) = rest.unwrap().split_once("/?token=").unwrap();
        Served {
            child,
            port: port.parse().unwrap(),
            token: token.to_owned(),
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are; the whole answer, if there is one.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Option<Answer> {
        let mut stream = self.connect();
        // The server may have refused, and closed, before it has seen everything.
        let _ = stream.write_all(bytes);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        Answer::parse(&answer)
    }

    /// A request with these headers beside `Host` and `Connection`.
    pub(crate) fn send(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let host = format!("127.0.0.1:{}", self.port);
        let hosted = headers.iter().any(|(name, _)| *name == "Host");
        let host = [("Host", host.as_str())];
        let host = if hosted { &[][..] } else { &host[..] };
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in host.iter().chain(headers) {
            text += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            text += &format!("Content-Length: {}\r\n", body.len());
        }
        text += "\r\n";
        text += body;
        self.raw(text.as_bytes())
            .unwrap_or_else(|| panic!("no answer to {line}"))
    }

    /// With the token in a header.
    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send(&format!("GET {path}"), &[("x-fdc-token", &self.token)], "")
    }

    /// As the page does.
    pub(crate) fn post(&self, request: &Value) -> Answer {
        let headers = [
            ("x-fdc-token", self.token.as_str()),
            ("Content-Type", "application/json"),
        ];
        self.send("POST /api/do", &headers, &request.to_string())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Answer {
    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(bytes);
        let (head, body) = text.split_once("\r\n\r\n")?;
        let mut lines = head.lines();
        let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_lowercase(), value.trim().to_owned()))
        };
        Some(Answer {
            status,
            headers: lines.filter_map(header).collect(),
            body: body.to_owned(),
        })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter();
        let (_, value) = all.find(|(known, _)| known == name)?;
        Some(value)
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// What a request of the protocol was answered by.
    #[track_caller]
    pub(crate) fn done(&self) -> Value {
        assert_eq!(self.status, 200, "{self:?}");
        self.json()
    }
}
