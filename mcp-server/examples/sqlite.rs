//! Serves notes of a SQLite database:
//! `cargo run -p mcp-server --all-features --example sqlite -- notes.db`
//!
//! Notes have versions, and clients can find them by their kind. The tool `write` changes notes, of
//! which subscribed clients are notified. `--help` describes the options.

use std::error::Error;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Parser;
use mcp_server::types::{Resource, ResourceLink, ResourceType};
use mcp_server::{
    Context, HandlerError, Http, HttpUrls, ListAt, Proposal, ResourcePage, ResourceUri, Server,
    ServerBuilder, State, TemplateDef, Variables, Versioned,
};
use rusqlite::{Connection, OptionalExtension as _, Row, params};
use schemars::JsonSchema;
use serde::Deserialize;

/// Each change gives a note a new version: a random one, because a counter would begin again if a
/// note was deleted and another one got its name.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS note (
    name TEXT PRIMARY KEY CHECK (name != '' AND name NOT GLOB '*[^a-z0-9-]*'),
    kind TEXT NOT NULL,
    text TEXT NOT NULL,
    version TEXT NOT NULL DEFAULT (hex(randomblob(8))))";
const DESCRIBE: &str = "SELECT name, kind, version, octet_length(text) FROM note WHERE name = ?1";
const READ: &str = "SELECT text, version FROM note WHERE name = ?1";
const LIST: &str = "SELECT name, kind, version, octet_length(text) FROM note WHERE name > ?1
    AND (?2 IS NULL OR kind IN (SELECT value FROM json_each(?2))) ORDER BY name LIMIT ?3";

#[derive(Deserialize)]
struct At {
    name: String,
}

fn notes() -> TemplateDef {
    let notes = TemplateDef::new("note://{name}", "note").mime_type("text/plain");
    notes.handler(read).describe(describe).list(list)
}

fn resource(row: &Row<'_>) -> rusqlite::Result<Resource> {
    let name: String = row.get(0)?;
    Ok(Resource::new(format!("note://{name}"), name)
        .mime_type("text/plain")
        .resource_type(ResourceType::Document)
        .kind(row.get::<_, String>(1)?)
        .version(row.get::<_, String>(2)?)
        .size(row.get(3)?))
}

/// Returns what is known without the text: for metadata, notifications, and requests by URL.
async fn describe(
    note: Resource,
    Variables(At { name }): Variables<At>,
    State(db): State<Database>,
) -> Result<Resource, HandlerError> {
    let found = db.run(move |db| db.query_row(DESCRIBE, [name], resource).optional());
    let found = found.await?;
    found.ok_or_else(|| HandlerError::resource_not_found(note.uri))
}

/// Reads the text together with the version that it has at this moment.
async fn read(
    At { name }: At,
    ResourceUri(uri): ResourceUri,
    State(db): State<Database>,
) -> Result<Versioned<String>, HandlerError> {
    let note = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
    let found = db.run(move |db| db.query_row(READ, [name], note).optional());
    let found: Option<(String, String)> = found.await?;
    let (text, version) = found.ok_or_else(|| HandlerError::resource_not_found(uri))?;
    Ok(Versioned::new(text, version))
}

/// The database selects by kind. The server applies the other criteria to what it finds.
async fn list(at: ListAt, State(db): State<Database>) -> Result<ResourcePage, HandlerError> {
    let (after, limit) = (at.after.clone().unwrap_or_default(), at.limit());
    let kinds = at.filter.as_ref().and_then(|filter| filter.kinds.as_ref());
    let kinds = kinds.map(serde_json::to_string).transpose()?;
    let notes = db.run(move |db| {
        let mut query = db.prepare(LIST)?;
        let notes = query.query_map(params![after, kinds, limit], resource)?;
        notes.collect::<Result<Vec<_>, _>>()
    });
    let page = at.page(notes.await?, |last| last.name.clone());
    // A row has everything that `describe` returns.
    Ok(page.complete())
}

const UPDATE: &str = "UPDATE note SET kind = ?2, text = ?3, version = hex(randomblob(8))
    WHERE name = ?1";
const INSERT: &str = "INSERT INTO note (name, kind, text) VALUES (?1, ?2, ?3)";

#[derive(Deserialize, JsonSchema)]
struct Note {
    /// Lower-case letters, digits and hyphens
    name: String,
    /// A word for what it is, such as "recipe"
    kind: String,
    text: String,
}

/// Replaces or adds a note, and then notifies the clients that subscribed.
async fn write(
    note: Note,
    State(db): State<Database>,
    cx: Context,
) -> Result<ResourceLink, HandlerError> {
    let uri = format!("note://{}", note.name);
    let link = ResourceLink::new(&*uri, &*note.name);
    let is_new = db.run(move |db| {
        let values = params![note.name, note.kind, note.text];
        let is_new = db.execute(UPDATE, values)? == 0;
        if is_new {
            db.execute(INSERT, values)?;
        }
        Ok(is_new)
    });
    if is_new.await? {
        cx.server().resources_changed();
    } else {
        cx.server().resource_updated(uri);
    }
    Ok(link)
}

/// A connection that the handlers share.
#[derive(Clone)]
pub(crate) struct Database(Arc<Mutex<Connection>>);

impl Database {
    /// Opens a file, which is created if it does not exist.
    pub(crate) fn open(file: &Path) -> rusqlite::Result<Self> {
        let connection = Connection::open(file)?;
        connection.execute(TABLE, [])?;
        Ok(Self(Arc::new(Mutex::new(connection))))
    }

    /// Runs queries on a thread that may block.
    async fn run<T: Send + 'static>(
        &self,
        queries: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, HandlerError> {
        let connection = Arc::clone(&self.0);
        let run = move || queries(&connection.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(tokio::task::spawn_blocking(run).await??)
    }
}

/// Adds the resources and the tool to a server.
pub(crate) fn add_notes(builder: ServerBuilder, database: Database) -> ServerBuilder {
    builder
        .proposals(Proposal::ALL.iter().copied())
        .state(database)
        .add_resource_template(notes())
        .tool("write", "Adds a note, or replaces it", write)
}

/// Serves notes of a SQLite database to clients of the Model Context Protocol.
///
/// Uses standard input and output, or HTTP with `--http`.
#[derive(Parser)]
#[command(name = "sqlite", version)]
struct Options {
    /// The file of the database. It is created if it does not exist.
    database: PathBuf,

    /// Serves Streamable HTTP at this address, such as 127.0.0.1:8080, instead of standard input
    /// and output. Port 0 chooses a free port; the first line on standard output names it.
    #[arg(long, value_name = "ADDRESS")]
    http: Option<String>,

    /// The address of a proxy that serves the paths below `/notes/`, `https://` and a host. Notes
    /// then have URLs there, for programs that do not speak the protocol. The protocol itself is
    /// only served to this machine.
    #[arg(long, value_name = "URL", requires = "http")]
    public_url: Option<String>,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let database = Database::open(&options.database)?;
    let mut builder = Server::builder("sqlite", env!("CARGO_PKG_VERSION")).page_size(50);
    if let Some(public) = &options.public_url {
        let base = format!("{}/notes/", public.trim_end_matches('/'));
        builder = builder.http_urls(HttpUrls::new(base)?);
    }
    let server = add_notes(builder, database).build()?;
    let Some(address) = options.http else {
        return Ok(server.serve_stdio().await?);
    };
    let serving = server.serve_http(Http::at(address))?;
    let mut output = std::io::stdout();
    writeln!(output, "listening on http://{}/mcp", serving.local_addr())?;
    output.flush()?;
    Ok(serving.await?)
}
