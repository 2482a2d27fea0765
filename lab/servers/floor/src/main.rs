//! The lower bound of a server's cost: it only parses JSON and writes the same response each time.
//! `floor http REVISION json|events|stream` and `floor stdio REVISION`.
//!
//! With `hasty` as the last argument it parses calls only in part, so that a client under test does
//! not wait for it. Otherwise it parses and writes with `serde_json::Value`, and its responses have
//! the same bytes as those of `mcp-server`. Over HTTP it prints its address in the first line of
//! its output.

mod answer;
mod http;
mod request;
mod stdio;

use answer::Fixed;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let hasty = arguments.pop_if(|last| *last == "hasty").is_some();
    match arguments[..] {
        ["http", revision, form] => {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            runtime.block_on(http::serve(Fixed::new(revision, hasty), form.parse()?))
        }
        ["stdio", revision] => Ok(stdio::serve(Fixed::new(revision, hasty))?),
        _ => Err(
            "usage: floor http REVISION json|events|stream [hasty], floor stdio REVISION [hasty]"
                .into(),
        ),
    }
}
