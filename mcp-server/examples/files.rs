//! Serves a folder: `cargo run -p mcp-server --all-features --example files -- FOLDER`
//!
//! Folders are collections and files are documents. They are listed page by page, described, read
//! and completed, with versions, icons and times. Subscribed clients are notified of changes.
//! `--help` describes the options.
//!
//! The modules, each of which uses those before it:
//!
//! - `place` is a path below the root, and its URI.
//! - `facts` is the metadata of a file or folder.
//! - `tree` opens files and folders below the root, and nothing else.
//! - `walk` lists them page by page.
//! - `media` knows media types and icons.
//! - `members` reads the short files of a folder.
//! - `describe` makes the description of a resource.
//! - `offer` defines the resources of the server.
//! - `seen` and `watch` find changes.
//! - `options` and `http` are the command line and the HTTP transport.

#[path = "files/describe.rs"]
mod describe;
#[path = "files/facts.rs"]
mod facts;
#[path = "files/http.rs"]
mod http;
#[path = "files/media.rs"]
mod media;
#[path = "files/members.rs"]
mod members;
#[path = "files/offer.rs"]
mod offer;
#[path = "files/options.rs"]
mod options;
#[path = "files/place.rs"]
mod place;
#[path = "files/seen.rs"]
mod seen;
#[path = "files/tree.rs"]
mod tree;
#[path = "files/walk.rs"]
mod walk;
#[path = "files/watch.rs"]
mod watch;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use mcp_server::{Proposal, Server, terminated};

use offer::Offer;
use options::Options;
use tree::Tree;
use watch::Watch;

#[tokio::main]
async fn main() -> ExitCode {
    let options = Options::parse();
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing::Level::INFO)
        .init();
    match serve(&options).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let mut text = error.to_string();
            let mut source = error.source();
            while let Some(error) = source {
                text.push_str(&format!(": {error}"));
                source = error.source();
            }
            eprintln!("files: {text}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: &Options) -> Result<(), Box<dyn Error>> {
    let unusable = |error| format!("{}: {error}", options.root.display());
    let root = std::fs::canonicalize(&options.root).map_err(unusable)?;
    let tree = Arc::new(Tree::open(&root, options.hidden).map_err(unusable)?);
    let urls = http::urls(options)?;
    let offer = Offer {
        tree: Arc::clone(&tree),
        max_read: options.max_read,
        has_urls: urls.is_some(),
        describe_each: options.describe_each,
    };
    let mut builder = Server::builder("files", env!("CARGO_PKG_VERSION"))
        .title("Files")
        .description("The files below a folder")
        .page_size(options.page_size.get())
        .proposals(Proposal::ALL.iter().copied());
    if let Some(urls) = urls {
        builder = builder.http_urls(urls);
    }
    let server = offer.add_to(builder).build()?;
    let _watch = if options.no_watch {
        None
    } else {
        Some(Watch::start(tree, &root, server.clone())?)
    };
    let interrupted = terminated()?;
    let serving = async {
        match &options.http {
            Some(address) => http::serve(&server, address, options).await,
            None => Ok(server.serve_stdio().await?),
        }
    };
    tokio::select! {
        ended = serving => ended,
        () = interrupted => Ok(()),
    }
}
