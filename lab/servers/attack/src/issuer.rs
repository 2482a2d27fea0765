//! The authorization server of the attacks with access tokens. It is part of the attacker, and
//! takes its time, as a server behind a network does.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use memchr::memmem;

/// The subject of the tokens of good clients.
pub(crate) const GOOD: &str = "good";
/// The subject of the tokens of an attacker with an account.
pub(crate) const GREEDY: &str = "greedy";
/// The identifier of the server that is attacked.
pub(crate) const RESOURCE: &str = "https://attacked.example/mcp";
/// How long an introspection takes.
const INTROSPECTION_TIME: Duration = Duration::from_millis(5);
/// How long a request for keys takes.
const KEYS_TIME: Duration = Duration::from_secs(2);

/// Starts the server, which runs until the attacker ends. Returns its identifier.
pub(crate) fn start() -> Result<String> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
    let url = format!("http://{}", listener.local_addr()?);
    let issuer = url.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let issuer = issuer.clone();
            thread::spawn(move || serve(stream, &issuer));
        }
    });
    Ok(url)
}

/// Answers the requests of a connection until the server closes it.
fn serve(mut stream: TcpStream, issuer: &str) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut input = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let Some(size) = request_size(&input) else {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                return Ok(());
            }
            input.extend_from_slice(&buffer[..count]);
            continue;
        };
        let request: Vec<u8> = input.drain(..size).collect();
        let body = answer(&request, issuer);
        let length = body.len();
        let response = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        stream.write_all(response.as_bytes())?;
    }
}

/// Returns the size of the first request, if all of it has arrived.
fn request_size(input: &[u8]) -> Option<usize> {
    let head = memmem::find(input, b"\r\n\r\n")? + 4;
    let text = String::from_utf8_lossy(&input[..head]).to_ascii_lowercase();
    let length = text.split("content-length:").nth(1);
    let length = length.and_then(|rest| rest.lines().next()?.trim().parse().ok());
    let size = head + length.unwrap_or(0);
    (input.len() >= size).then_some(size)
}

fn answer(request: &[u8], issuer: &str) -> String {
    let has = |text: &str| memmem::find(request, text.as_bytes()).is_some();
    if request.starts_with(b"GET /jwks") {
        thread::sleep(KEYS_TIME);
        return r#"{"keys":[]}"#.to_owned();
    }
    if request.starts_with(b"POST /introspect") {
        thread::sleep(INTROSPECTION_TIME);
        let has_subject = |subject: &&str| has(&format!("token={subject}-"));
        let Some(subject) = [GOOD, GREEDY].into_iter().find(has_subject) else {
            return r#"{"active":false}"#.to_owned();
        };
        // The token ends with the thumbprint of its key.
        let text = String::from_utf8_lossy(request);
        let token = text.rsplit("token=").next().unwrap_or_default();
        let token = token.split('&').next().unwrap_or_default();
        let thumbprint = token.rsplit('.').next().unwrap_or_default();
        return format!(
            r#"{{"active":true,"iss":"{issuer}","aud":"{RESOURCE}","sub":"{subject}","exp":9999999999,"cnf":{{"jkt":"{thumbprint}"}}}}"#
        );
    }
    format!(
        r#"{{"issuer":"{issuer}","jwks_uri":"{issuer}/jwks","introspection_endpoint":"{issuer}/introspect"}}"#
    )
}
