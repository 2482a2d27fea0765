//! `cargo xtask bench files`: runs the example `files` of `mcp-server` on a large tree and a large
//! file.

mod download;
mod server;

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use self::server::Server;
use crate::{subject, workspace};

/// The number of files in a subscription.
const SUBSCRIBED: usize = 1_000;

/// The size of the tree and of the measurement.
struct Size {
    folders: usize,
    files: usize,
    changes: usize,
    /// The size of a file that is read at its URL, in bytes.
    download: u64,
}

/// Runs the command.
pub(super) fn run(quick: bool) -> Result<bool> {
    let size = if quick {
        Size {
            folders: 100,
            files: 10_000,
            changes: 1_000,
            download: 100_000_000,
        }
    } else {
        Size {
            folders: 1_000,
            files: 100_000,
            changes: 10_000,
            download: 1_000_000_000,
        }
    };
    let program = subject::build_for_speed("mcp-server", "files")?;
    let root = workspace::target()?.join("bench-files");
    println!(
        "{} files in {} folders, and all in one",
        size.files, size.folders
    );
    for folders in [size.folders, 1] {
        fill(&root, folders, size.files).with_context(|| workspace::display_path(&root))?;
        // Modification times differ from the current time, as in any tree that is not new.
        thread::sleep(Duration::from_secs(1));
        println!("\n{folders} folders");
        for page in ["500", "5000"] {
            list(&program, &root, page, &[], folders + size.files)?;
        }
    }
    println!(
        "\n{} folders, each file described by a handler of its own",
        size.folders
    );
    fill(&root, size.folders, size.files).with_context(|| workspace::display_path(&root))?;
    list(
        &program,
        &root,
        "500",
        &["--describe-each"],
        size.folders + size.files,
    )?;
    let reported = burst(&program, &root, &size)?;
    fs::remove_dir_all(&root).with_context(|| workspace::display_path(&root))?;
    download::run(&program, &root, size.download)?;
    Ok(reported)
}

/// Returns the path of a file below the root.
fn path(folders: usize, number: usize) -> String {
    format!("folder-{:04}/file-{number:06}.txt", number % folders)
}

fn fill(root: &Path, folders: usize, files: usize) -> std::io::Result<()> {
    if root.exists() {
        fs::remove_dir_all(root)?;
    }
    for folder in 0..folders {
        fs::create_dir_all(root.join(format!("folder-{folder:04}")))?;
    }
    for number in 0..files {
        fs::write(root.join(path(folders, number)), "some text\n")?;
    }
    Ok(())
}

/// Lists everything; `expected` does not include the root.
fn list(program: &Path, root: &Path, page: &str, options: &[&str], expected: usize) -> Result<()> {
    let start = Instant::now();
    let mut server = Server::start(program, root, &[&["--page-size", page], options].concat())?;
    server.ask("ready", "resources/templates/list", &json!({}))?;
    let ready = start.elapsed();
    let before = server.memory();
    let start = Instant::now();
    let mut first = None;
    let (mut pages, mut params) = (Vec::new(), json!({}));
    loop {
        server.send("list", "resources/list", &params)?;
        let (line, at) = server.line()?;
        first.get_or_insert(at - start);
        // Only the server is measured: pages are parsed later.
        let cursor = line.rsplit_once("\"nextCursor\":\"").map(|(_, rest)| rest);
        let cursor = cursor.and_then(|rest| rest.split('"').next());
        params = cursor.map_or(Value::Null, |cursor| json!({ "cursor": cursor }));
        pages.push(line);
        if params.is_null() {
            break;
        }
    }
    let all = start.elapsed();
    let mut uris = HashSet::new();
    let mut count = 0;
    for line in &pages {
        let page: Value = serde_json::from_str(line)?;
        let resources = page["result"]["resources"].as_array();
        for resource in resources.context("a page without resources")? {
            count += 1;
            uris.insert(resource["uri"].as_str().unwrap_or_default().to_owned());
        }
    }
    ensure!(
        count == uris.len(),
        "{count} listed, {} of them different",
        uris.len()
    );
    ensure!(
        count == expected + 1,
        "{count} listed, and {} there",
        expected + 1
    );
    let bytes: usize = pages.iter().map(String::len).sum();
    println!(
        "  {page} a page: ready after {} ms; first page {:.1} ms, all {} pages {} ms, {} MB; \
         memory {} MB before, {} MB at most",
        ready.as_millis(),
        first.unwrap_or_default().as_secs_f64() * 1e3,
        pages.len(),
        all.as_millis(),
        bytes / 1_000_000,
        before,
        server.peak_memory(),
    );
    Ok(())
}

/// Changes many files as fast as possible, and checks that all changes are reported.
fn burst(program: &Path, root: &Path, size: &Size) -> Result<bool> {
    let mut server = Server::start(program, root, &[])?;
    let step = size.files / size.changes;
    let changed: Vec<String> = (0..size.changes)
        .map(|number| path(size.folders, number * step))
        .collect();
    let uri = |path: &String| format!("file:///{path}");
    for (number, part) in changed.chunks(SUBSCRIBED).enumerate() {
        let uris: Vec<String> = part.iter().map(uri).collect();
        let filter = json!({ "notifications": { "resourceSubscriptions": uris } });
        server.send(&format!("listen-{number}"), "subscriptions/listen", &filter)?;
        let (line, _) = server.line()?;
        ensure!(line.contains("acknowledged"), "no subscription: {line}");
    }
    let start = Instant::now();
    for path in &changed {
        fs::write(root.join(path), "changed\n")?;
    }
    let written = start.elapsed();
    // The last notification of each file, with its time.
    let mut reported: HashMap<String, (Value, Instant)> = HashMap::new();
    let mut received = 0;
    while reported.len() < changed.len() {
        let Some((message, at)) = server.message()? else {
            break;
        };
        received += note(&message, at, &mut reported);
    }
    // The last notification of a file must report its current state.
    let mut unreported = 0;
    for path in &changed {
        let uri = uri(path);
        server.send("now", "resources/metadata", &json!({ "uri": uri }))?;
        let now = loop {
            let Some((message, at)) = server.message()? else {
                bail!("no metadata of {uri}");
            };
            if message["id"] == "now" {
                break message["result"]["resource"]["version"].clone();
            }
            received += note(&message, at, &mut reported);
        };
        let last = |reported: &HashMap<String, (Value, Instant)>| {
            reported
                .get(&uri)
                .is_some_and(|(version, _)| *version == now)
        };
        while !last(&reported) {
            let Some((message, at)) = server.message()? else {
                unreported += 1;
                break;
            };
            received += note(&message, at, &mut reported);
        }
    }
    let last = reported.values().map(|(_, at)| *at).max().unwrap_or(start);
    let took = (last - start).as_secs_f64();
    println!(
        "\n{} files changed in {} ms: {received} notifications in {:.0} ms, {:.0} a second; {unreported} \
         files whose last version was not reported; memory {} MB at most",
        changed.len(),
        written.as_millis(),
        took * 1e3,
        f64::from(received) / took,
        server.peak_memory(),
    );
    Ok(unreported == 0)
}

/// Records a notification of a change. Returns 1 for such a
/// notification and 0 for another message.
fn note(message: &Value, at: Instant, reported: &mut HashMap<String, (Value, Instant)>) -> u32 {
    let resource = &message["params"]["resource"];
    match (message["method"].as_str(), resource["uri"].as_str()) {
        (Some("notifications/resources/content_changed"), Some(uri)) => {
            reported.insert(uri.to_owned(), (resource["version"].clone(), at));
            1
        }
        _ => 0,
    }
}
