//! A large file that is read at its URL.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::server::{Server, request};
use crate::workspace;

/// The address that the server puts into URLs. Requests are sent to the server itself.
const PUBLIC: &str = "https://files.example.com";

/// Reads a file of `size` bytes at its URL, and prints time and memory.
pub(super) fn run(program: &Path, root: &Path, size: u64) -> Result<()> {
    fs::create_dir_all(root).with_context(|| workspace::display_path(root))?;
    // The file has no blocks on the disk, so that only the server is measured.
    File::create(root.join("large"))
        .and_then(|file| file.set_len(size))
        .with_context(|| workspace::display_path(root))?;
    let options = ["--http", "127.0.0.1:0", "--public-url", PUBLIC];
    let mut server = Server::start(program, root, &options)?;
    let (line, _) = server.line()?;
    let address = line
        .strip_prefix("listening on http://")
        .and_then(|rest| rest.strip_suffix("/mcp"))
        .with_context(|| format!("expected an address, found {line:?}"))?;
    let path = path(address)?;
    let before = server.memory();
    let start = Instant::now();
    let mut reply = send(address, &format!("GET {path} HTTP/1.1\r\n"), "")?;
    let head = head(&mut reply)?;
    ensure!(head.starts_with("HTTP/1.1 200"), "cannot download: {head}");
    let mut buffer = vec![0; 1 << 20];
    let mut total = 0;
    loop {
        let count = reply.read(&mut buffer)? as u64;
        if count == 0 {
            break;
        }
        total += count;
    }
    let taken = start.elapsed();
    ensure!(total == size, "{total} bytes downloaded, expected {size}");
    println!(
        "\na file of {} MB read at its URL in {:.2} s, {} MB a second; memory {before} MB before, \
         {} MB at most",
        size / 1_000_000,
        taken.as_secs_f64(),
        u128::from(size) / taken.as_micros().max(1),
        server.peak_memory(),
    );
    drop(server);
    fs::remove_dir_all(root).with_context(|| workspace::display_path(root))
}

/// Returns the path of the URL of the file.
fn path(address: &str) -> Result<String> {
    let method = "resources/metadata";
    let body = request("url", method, &json!({ "uri": "file:///large" })).to_string();
    let head_lines = format!(
        "POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\n"
    );
    let mut reply = send(address, &head_lines, &body)?;
    head(&mut reply)?;
    let answer: Value = serde_json::from_reader(reply)?;
    let url = answer["result"]["resource"]["httpUrl"].as_str();
    let path = url.and_then(|url| url.strip_prefix(PUBLIC));
    Ok(path
        .with_context(|| format!("no URL: {answer}"))?
        .to_owned())
}

/// Sends a request, and returns a reader of the response.
fn send(address: &str, head: &str, body: &str) -> Result<BufReader<TcpStream>> {
    let mut stream = TcpStream::connect(address)?;
    let length = body.len();
    write!(
        stream,
        "{head}Host: {address}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    )?;
    Ok(BufReader::with_capacity(1 << 20, stream))
}

/// Reads the head of a response.
fn head(reply: &mut BufReader<TcpStream>) -> Result<String> {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        ensure!(
            reply.read_line(&mut head)? > 0,
            "the response ended early: {head}"
        );
    }
    Ok(head)
}
