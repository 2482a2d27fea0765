//! Tasks and skills with rmcp.
//!
//! ```text
//! extensions-rmcp server SKILLS            on standard input and output
//! extensions-rmcp server SKILLS PORT       at http://127.0.0.1:PORT/mcp
//! extensions-rmcp client stdio PROGRAM ARGUMENT...
//! extensions-rmcp client http URL
//! ```
//!
//! The client checks what the example `everything` of `mcp-server` does. The server has the same
//! tools and skills.

mod client;
mod server;

use std::error::Error;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["server", skills] => server::stdio(skills).await,
        ["server", skills, port] => server::http(skills, port.parse()?).await,
        ["client", "stdio", program, ref arguments @ ..] => client::stdio(program, arguments).await,
        ["client", "http", url] => client::http(url).await,
        _ => Err("server or client?".into()),
    }
}
