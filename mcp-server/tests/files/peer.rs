//! The process of the example, and a peer on its standard streams.

use std::io::{BufRead as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::process::{Process, example};

/// Longer than any successful operation.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// The command that starts the example with a folder.
pub(crate) fn command(root: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(example("files"));
    command.arg(root).args(options);
    command
}

/// A peer of the newest revision that supports all proposals.
pub(crate) struct FilesPeer {
    process: Process,
    lines: Receiver<Value>,
    /// Messages that arrived while another one was expected.
    pub(crate) heard: Vec<Value>,
    next: u64,
}

impl FilesPeer {
    pub(crate) fn start(root: &Path, options: &[&str]) -> Self {
        let mut process = Process::start(&mut command(root, options));
        let stdout = process.stdout.take().expect("a pipe");
        let (sender, lines) = mpsc::channel();
        // The thread ends with the process or the peer.
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let message = serde_json::from_str(&line).expect("a message and nothing else");
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            process,
            lines,
            heard: Vec::new(),
            next: 0,
        }
    }

    /// Sends a request and returns its id.
    pub(crate) fn send(&mut self, method: &str, mut params: Value) -> u64 {
        self.next += 1;
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "experimental": {
                "https-url": {}, "sep-2093": {}, "versioned-resources": {},
            } },
        });
        let (id, stdin) = (self.next, self.process.stdin.as_mut().expect("open"));
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(stdin, "{request}").expect("written");
        id
    }

    /// Receives the next message.
    pub(crate) fn receive(&mut self) -> Value {
        self.lines.recv_timeout(TIMEOUT).expect("a message")
    }

    /// Returns the first message that matches, of those already received or the next ones.
    pub(crate) fn wait(&mut self, fits: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.heard.iter().position(&fits) {
            return self.heard.remove(at);
        }
        loop {
            let message = self.receive();
            if fits(&message) {
                return message;
            }
            self.heard.push(message);
        }
    }

    /// Returns the result of a request, or the error.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        let mut answer = self.wait(|message| message["id"] == id);
        match answer.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(answer["result"].take()),
        }
    }

    pub(crate) fn read(&mut self, uri: &str) -> Result<Value, Value> {
        self.ask("resources/read", json!({ "uri": uri }))
    }

    /// Returns the text of a file.
    pub(crate) fn text(&mut self, uri: &str) -> String {
        let read = self
            .read(uri)
            .unwrap_or_else(|error| panic!("{uri}: {error}"));
        let text = read["contents"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{read}")).to_owned()
    }

    /// Returns the URIs on each page of a list.
    pub(crate) fn pages(&mut self, collection: Option<&str>) -> Vec<Vec<String>> {
        let mut pages = Vec::new();
        let mut params = json!({});
        if let Some(uri) = collection {
            params["uri"] = uri.into();
        }
        loop {
            let page = self.ask("resources/list", params.clone()).expect("a page");
            pages.push(uris(&page));
            match page.get("nextCursor") {
                Some(cursor) => params["cursor"] = cursor.clone(),
                None => return pages,
            }
        }
    }

    /// Returns all URIs of a list.
    pub(crate) fn list(&mut self, collection: Option<&str>) -> Vec<String> {
        self.pages(collection).concat()
    }

    /// Subscribes to resources, and to changes of the list.
    pub(crate) fn listen(&mut self, uris: &[String]) {
        let filter = json!({ "resourcesListChanged": true, "resourceSubscriptions": uris });
        self.send("subscriptions/listen", json!({ "notifications": filter }));
        self.wait(|message| message["method"] == "notifications/subscriptions/acknowledged");
    }

    /// Waits for a notification that contains the changed resource.
    pub(crate) fn updated(&mut self, uri: &str) {
        let message = self.wait(|message| {
            let contains = message["method"] == "notifications/resources/content_changed";
            contains && changed(message) == Some(uri)
        });
        let resource = &message["params"]["resource"];
        assert!(resource["version"].is_string(), "{message}");
    }

    /// Waits for a notification of a change of a resource that does not exist any more.
    pub(crate) fn gone(&mut self, uri: &str) {
        self.wait(|message| {
            let is_bare = message["method"] == "notifications/resources/updated";
            is_bare && changed(message) == Some(uri)
        });
    }

    /// Sends a signal to the process.
    #[cfg(unix)]
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.child.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("it runs").success());
    }

    /// Interrupts the process while its input is open. Returns the exit code.
    #[cfg(unix)]
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        self.signal("-INT");
        self.process.child.wait().expect("waited for").code()
    }

    /// Closes the input. Returns the exit code of the process.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.process.stdin = None;
        self.process.child.wait().expect("waited for").code()
    }
}

/// A flag that is reset when its guard is dropped, also if the test fails.
#[derive(Default)]
pub(crate) struct RunFlag(AtomicBool);

pub(crate) struct Guard<'a>(&'a RunFlag);

impl RunFlag {
    pub(crate) fn guard(&self) -> Guard<'_> {
        Guard(self)
    }

    pub(crate) fn is_running(&self) -> bool {
        !self.0.load(Ordering::Relaxed)
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn uris(page: &Value) -> Vec<String> {
    let resources = page["resources"].as_array().expect("resources");
    let uri = |resource: &Value| resource["uri"].as_str().expect("a URI").to_owned();
    resources.iter().map(uri).collect()
}

/// Returns the URI in a notification.
pub(crate) fn changed(message: &Value) -> Option<&str> {
    let params = &message["params"];
    match message["method"].as_str()? {
        "notifications/resources/updated" => params["uri"].as_str(),
        "notifications/resources/content_changed" => params["resource"]["uri"].as_str(),
        _ => None,
    }
}

/// Writes a file and creates its parent folders.
pub(crate) fn write(root: &Path, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
    std::fs::write(path, bytes).expect("written");
}
