//! Notes, which are lost when the program ends.

use std::sync::{Arc, Mutex, PoisonError};

use mcp_server::{Server, State};
use schemars::JsonSchema;
use serde::Deserialize;

type Notes = Arc<Mutex<Vec<String>>>;

#[derive(Deserialize, JsonSchema)]
struct Note {
    text: String,
}

async fn add(note: Note, State(notes): State<Notes>) -> String {
    let mut notes = notes.lock().unwrap_or_else(PoisonError::into_inner);
    notes.push(note.text);
    format!("{} notes", notes.len())
}

async fn clear(State(notes): State<Notes>) -> &'static str {
    notes.lock().unwrap_or_else(PoisonError::into_inner).clear();
    "no notes"
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::builder("notes", "1.0.0")
        .state(Notes::default())
        .tool("add", "Adds a note", add)
        .tool("clear", "Removes all notes", clear)
        .build()?;
    Ok(server.serve_stdio().await?)
}
