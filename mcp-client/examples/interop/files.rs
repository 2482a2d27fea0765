//! `@modelcontextprotocol/server-filesystem` from npm, in a folder that is a root.

use mcp_client::types::json::{Object, Value};

use crate::checks::{Checks, check, expect, skipped};
use crate::peer::{Peer, Result};

pub(crate) fn checks() -> Checks {
    vec![
        check("lists tools with annotations and output schemas", tools),
        check("takes its folders from the roots", roots),
        check("writes, reads, searches and edits a file", files),
        check("keeps to its folders", outside),
        skipped("resources", "the server has none"),
        skipped("prompts", "the server has none"),
    ]
}

fn folder() -> Result<String> {
    let folder = std::env::current_dir()?.join("interop-files");
    std::fs::create_dir_all(&folder)?;
    Ok(folder.to_str().ok_or("a path that is no text")?.to_owned())
}

async fn tools(peer: &Peer) -> Result<()> {
    let tools = peer.client.tools().all().await?;
    expect(tools.faults.is_empty(), &tools.faults)?;
    let read = tools
        .items
        .iter()
        .find(|tool| tool.name == "read_text_file");
    let read = read.ok_or("no read_text_file")?;
    let hint = read
        .annotations
        .as_ref()
        .and_then(|hints| hints.read_only_hint);
    expect(hint == Some(true), &read.annotations)?;
    expect(read.output_schema.is_some(), "no output schema")
}

async fn roots(peer: &Peer) -> Result<()> {
    let root = std::env::current_dir()?;
    let root = root.to_str().ok_or("a path that is no text")?;
    // The server requests the roots by itself after the handshake.
    loop {
        let text = peer.text("list_allowed_directories", Object::new()).await?;
        if text.contains(root) {
            return Ok(());
        }
    }
}

async fn files(peer: &Peer) -> Result<()> {
    let path = format!("{}/note.txt", folder()?);
    let written = Object::from([("path", path.as_str()), ("content", "one\ntwo ✓\n")]);
    peer.text("write_file", written).await?;
    let read = peer
        .text("read_text_file", Object::from([("path", path.as_str())]))
        .await?;
    expect(read == "one\ntwo ✓\n", read)?;
    let mut search = Object::from([("path", folder()?)]);
    search.insert("pattern", "**/*.txt");
    let found = peer.text("search_files", search).await?;
    expect(found.contains("note.txt"), found)?;
    let edit = Value::from(Object::from([("oldText", "one"), ("newText", "three")]));
    let mut edits = Object::from([("path", path.as_str())]);
    edits.insert("edits", vec![edit]);
    peer.text("edit_file", edits).await?;
    expect(std::fs::read_to_string(&path)?.starts_with("three"), path)
}

async fn outside(peer: &Peer) -> Result<()> {
    let result = peer
        .call("read_text_file", Object::from([("path", "/etc/hostname")]))
        .await?;
    expect(result.is_error == Some(true), result)
}
