//! HTTP/1.1 requests as bytes, and a minimal parser for responses.

use anyhow::{Context as _, Result, bail, ensure};
use memchr::memmem;

/// The header line of a POST with JSON.
const JSON: &str = "Content-Type: application/json\r\n\
                    Accept: application/json, text/event-stream\r\n";

/// A request with a body of a known length.
pub(crate) fn post(host: &str, path: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let mut request = post_head(host, path, headers, body.len());
    request.extend_from_slice(body);
    request
}

/// The head of a request whose body has `length` bytes.
pub(crate) fn post_head(host: &str, path: &str, headers: &str, length: usize) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\n{JSON}{headers}Content-Length: {length}\r\n\r\n"
    )
    .into_bytes()
}

/// The head of a request whose body comes in chunks.
pub(crate) fn chunked_head(host: &str, path: &str, headers: &str) -> Vec<u8> {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\n{JSON}{headers}Transfer-Encoding: chunked\r\n\r\n"
    )
    .into_bytes()
}

/// A GET that asks for a stream of events.
pub(crate) fn get(host: &str, path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nAccept: text/event-stream\r\n{headers}\r\n")
        .into_bytes()
}

/// A DELETE of a session.
pub(crate) fn delete(host: &str, path: &str, headers: &str) -> Vec<u8> {
    format!("DELETE {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n").into_bytes()
}

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// `Mcp-Session-Id`.
    pub(crate) session: Option<String>,
    pub(crate) body: Vec<u8>,
    /// Whether the server closes the connection after this response.
    pub(crate) closes: bool,
}

impl Response {
    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// The head of a response, and where its body begins.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    pub(crate) status: u16,
    session: Option<String>,
    size: usize,
    length: Length,
    closes: bool,
}

#[derive(Clone, Copy, Debug)]
enum Length {
    Known(usize),
    Chunked,
}

impl Head {
    /// Reads a head, if all of it has arrived.
    pub(crate) fn read(input: &[u8]) -> Result<Option<Self>> {
        let Some(end) = memmem::find(input, b"\r\n\r\n") else {
            return Ok(None);
        };
        let text = String::from_utf8_lossy(&input[..end]);
        let mut lines = text.split("\r\n");
        let status = lines.next().and_then(|line| line.get(9..12));
        let status = status.context("a response without a status")?.parse()?;
        let mut head = Self {
            status,
            session: None,
            size: end + 4,
            // Statuses such as 202 and 204 need not say that they have no body.
            length: Length::Known(0),
            closes: false,
        };
        for line in lines {
            let (name, value) = line.split_once(':').context("a malformed header")?;
            let value = value.trim();
            if name.eq_ignore_ascii_case("content-length") {
                head.length = Length::Known(value.parse()?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                ensure!(value == "chunked", "transfer encoding {value}");
                head.length = Length::Chunked;
            } else if name.eq_ignore_ascii_case("mcp-session-id") {
                head.session = Some(value.to_owned());
            } else if name.eq_ignore_ascii_case("connection") {
                head.closes = value.eq_ignore_ascii_case("close");
            }
        }
        Ok(Some(head))
    }

    /// Takes the whole response out of the input, if all of it has arrived.
    pub(crate) fn take(&self, input: &mut Vec<u8>) -> Result<Option<Response>> {
        let rest = &input[self.size..];
        let (body, end) = match self.length {
            Length::Known(length) => match rest.get(..length) {
                Some(body) => (body.to_vec(), length),
                None => return Ok(None),
            },
            Length::Chunked => match dechunk(rest)? {
                Some(done) => done,
                None => return Ok(None),
            },
        };
        input.drain(..self.size + end);
        Ok(Some(Response {
            status: self.status,
            session: self.session.clone(),
            body,
            closes: self.closes,
        }))
    }
}

/// Joins chunks, if the last one has arrived. Returns them with the bytes that they occupy.
fn dechunk(input: &[u8]) -> Result<Option<(Vec<u8>, usize)>> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let Some(line) = memmem::find(&input[at..], b"\r\n") else {
            return Ok(None);
        };
        let digits = std::str::from_utf8(&input[at..at + line])?;
        let Ok(size) = usize::from_str_radix(digits, 16) else {
            bail!("`{digits}` is no size of a chunk");
        };
        let begin = at + line + 2;
        let Some(chunk) = input.get(begin..begin + size + 2) else {
            return Ok(None);
        };
        at = begin + size + 2;
        if size == 0 {
            return Ok(Some((body, at)));
        }
        body.extend_from_slice(&chunk[..size]);
    }
}

#[cfg(test)]
mod tests {
    use super::Head;

    #[test]
    fn response_is_taken_once_it_is_complete() {
        let whole = b"HTTP/1.1 200 OK\r\nMcp-Session-Id: s\r\nTransfer-Encoding: chunked\r\n\r\n\
                      3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nHTTP/1.1 404";
        for end in 0..whole.len() - 12 {
            let mut input = whole[..end].to_vec();
            let head = Head::read(&input).expect("valid");
            let response = head.and_then(|head| head.take(&mut input).expect("valid"));
            assert!(response.is_none(), "{end}");
        }
        let mut input = whole.to_vec();
        let head = Head::read(&input).expect("valid").expect("complete");
        let response = head.take(&mut input).expect("valid").expect("complete");
        assert_eq!(response.body, b"abcde");
        assert_eq!(response.session.as_deref(), Some("s"));
        assert_eq!(input, b"HTTP/1.1 404");
    }
}
