//! What a server costs that does nothing but to read JSON and to write the same answer each time:
//! `floor http REVISION json|events|stream` and `floor stdio REVISION`.
//!
//! It reads and writes with `serde_json::Value`, and its answers have the bytes of those of
//! `mcp-server`. Over HTTP it says its address in the first line of its output.

mod answer;
mod http;
mod stdio;

use answer::Fixed;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["http", revision, form] => {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(http::serve(Fixed::new(revision), form.parse()?))
        }
        ["stdio", revision] => Ok(stdio::serve(Fixed::new(revision))?),
        _ => Err("usage: floor http REVISION json|events|stream, floor stdio REVISION".into()),
    }
}
