//! [`Recorder`]: writes a recording in a thread of its own, so that a slow disk does not delay the
//! messages.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::{self, JoinHandle};

use mcp_client::types::headers::{METHOD, NAME, name_member};
use mcp_client::types::json::Writer;
use serde::Serialize;
use serde_json::value::RawValue;

use super::clock::{Clock, Moment};
use super::format::{Entry, Header, HttpPart, Secrets, Side, Stream};
use crate::failure::Failure;
use crate::output;
use crate::secrets::{self, KeyLines, TaskIds};

/// The number of bytes that wait to be written. What does not fit is not recorded.
const WAITING: usize = 64 << 20;

/// The number of bytes that are kept of what is not JSON.
pub(crate) const TEXT: usize = 4096;

/// What passed, before it is written.
#[derive(Debug)]
pub(crate) struct Passed {
    pub(crate) from: Side,
    pub(crate) stream: Option<Stream>,
    pub(crate) http: Option<Box<HttpPart>>,
    pub(crate) body: Body,
}

#[derive(Debug)]
pub(crate) enum Body {
    /// Nothing, for a step of HTTP.
    Empty,
    /// A message, or a text.
    Bytes(Vec<u8>),
    /// The start of something too large, and its complete size.
    Start(Vec<u8>, u64),
    /// Something of this size that is not recorded, such as a form.
    Size(u64),
}

/// What is to be written; `None` at the end.
type Queue = Sender<Option<(Moment, Passed)>>;

/// Records what passes.
#[derive(Clone, Debug)]
pub(crate) struct Recorder {
    clock: Clock,
    queue: Queue,
    waiting: Arc<AtomicUsize>,
    lost: Arc<AtomicU64>,
}

/// The thread that writes.
#[derive(Debug)]
pub(crate) struct Writing {
    queue: Queue,
    thread: JoinHandle<()>,
}

impl Writing {
    /// Waits until everything that was recorded is written.
    pub(crate) fn finish(self) {
        // It fails if the thread has ended, which has printed why.
        let _ = self.queue.send(None);
        let _ = self.thread.join();
    }
}

/// Creates the file, and starts the thread that writes it.
pub(crate) fn start(
    path: &Path,
    server: super::format::Server,
    secrets: Secrets,
    max_size: u64,
) -> Result<(Recorder, Writing), Failure> {
    let failed = |source| Failure::File {
        path: path.to_owned(),
        source,
    };
    let clock = Clock::start();
    let header = Header {
        version: super::format::VERSION,
        program: format!("mcp {}", env!("CARGO_PKG_VERSION")),
        time: clock.now().time,
        server,
        secrets,
    };
    let mut log = Log {
        file: create(path).map_err(failed)?,
        path: path.to_owned(),
        left: Some(max_size),
        cleaner: (secrets == Secrets::Removed).then(Cleaner::default),
        line: Vec::new(),
    };
    log.write(&header).map_err(failed)?;
    let (queue, passed) = mpsc::channel();
    let recorder = Recorder {
        clock,
        queue: queue.clone(),
        waiting: Arc::default(),
        lost: Arc::default(),
    };
    let (waiting, lost) = (Arc::clone(&recorder.waiting), Arc::clone(&recorder.lost));
    let thread = thread::Builder::new().name("recorder".to_owned());
    let thread = thread.spawn(move || log.run(&passed, &waiting, &lost));
    let thread = thread.map_err(failed)?;
    Ok((recorder, Writing { queue, thread }))
}

/// Creates or replaces a file that only the user can read.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    // The mode above is only for new files, and devices such as `/dev/null` keep theirs.
    #[cfg(unix)]
    if file.metadata()?.is_file() {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        file.set_permissions(mode)?;
    }
    Ok(file)
}

impl Recorder {
    /// Records what passes at this moment. Returns at once.
    pub(crate) fn record(&self, passed: Passed) {
        let size = passed.body.size();
        if self.waiting.fetch_add(size, Ordering::Relaxed) > WAITING {
            self.waiting.fetch_sub(size, Ordering::Relaxed);
            self.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        // If the thread has ended, it has printed why.
        let _ = self.queue.send(Some((self.clock.now(), passed)));
    }

    /// Records a remark.
    pub(crate) fn remark(&self, text: &str) {
        self.record(Passed {
            from: Side::Recorder,
            stream: None,
            http: None,
            body: Body::Bytes(text.into()),
        });
    }
}

impl Body {
    fn size(&self) -> usize {
        // An entry needs some memory for itself.
        1024 + match self {
            Self::Empty | Self::Size(_) => 0,
            Self::Bytes(bytes) | Self::Start(bytes, _) => bytes.len(),
        }
    }
}

/// The file.
struct Log {
    file: File,
    path: PathBuf,
    /// How many bytes may still be written; `None` if the recording has stopped.
    left: Option<u64>,
    /// Removes secrets; `None` if they are kept.
    cleaner: Option<Cleaner>,
    line: Vec<u8>,
}

/// Removes secrets from what is recorded.
#[derive(Debug, Default)]
struct Cleaner {
    tasks: TaskIds,
    /// Private keys in the standard error of the server.
    keys: KeyLines,
}

impl Log {
    fn run(
        mut self,
        passed: &Receiver<Option<(Moment, Passed)>>,
        waiting: &AtomicUsize,
        lost: &AtomicU64,
    ) {
        while let Ok(Some((moment, passed))) = passed.recv() {
            let size = passed.body.size();
            if self.left.is_some()
                && let Err(error) = self.add(moment, passed, lost.swap(0, Ordering::Relaxed))
            {
                let path = self.path.display();
                output::print_error(&format!("the recording `{path}` stopped: {error}"));
                self.left = None;
            }
            waiting.fetch_sub(size, Ordering::Relaxed);
        }
    }

    fn add(&mut self, moment: Moment, passed: Passed, lost: u64) -> io::Result<()> {
        if lost > 0 {
            let text =
                format!("{lost} messages are missing: they came faster than they were written");
            self.write(&remark(moment.clone(), text))?;
        }
        let entry = entry(moment.clone(), passed, self.cleaner.as_mut());
        if self.write(&entry)? {
            return Ok(());
        }
        let text = "the recording stopped: it has the maximum size";
        self.encode(&remark(moment, text.to_owned()))?;
        self.left = None;
        output::print_error(&format!("{text} (`--max-size`)"));
        self.file.write_all(&self.line)
    }

    /// Writes a line, which is then in the file even if this program is killed. Returns `false` if
    /// it would exceed the maximum size.
    fn write(&mut self, line: &impl Serialize) -> io::Result<bool> {
        self.encode(line)?;
        let Some(left) = self.left else {
            return Ok(true);
        };
        let size = self.line.len() as u64;
        self.left = left.checked_sub(size);
        if self.left.is_some() {
            self.file.write_all(&self.line)?;
        }
        Ok(self.left.is_some())
    }

    /// Encodes a line. Line breaks between the tokens of a message become spaces.
    fn encode(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        Writer::new(&mut self.line).write(line)?;
        self.line.push(b'\n');
        Ok(())
    }
}

fn remark(moment: Moment, text: String) -> Entry {
    Entry {
        time: moment.time,
        ms: moment.ms,
        from: Side::Recorder,
        stream: None,
        http: None,
        message: None,
        text: Some(text),
        bytes: None,
    }
}

fn entry(moment: Moment, passed: Passed, mut cleaner: Option<&mut Cleaner>) -> Entry {
    let mut entry = Entry {
        from: passed.from,
        stream: passed.stream,
        http: passed.http,
        text: None,
        ..remark(moment, String::new())
    };
    if let (Some(http), Some(cleaner)) = (&mut entry.http, &mut cleaner) {
        cleaner.task_header(http);
    }
    match passed.body {
        Body::Empty => {}
        Body::Bytes(bytes) if bytes.is_empty() => {}
        Body::Size(size) => entry.bytes = Some(size),
        Body::Start(start, size) => {
            entry.text = Some(shortened(&start, entry.stream, cleaner));
            entry.bytes = Some(size);
        }
        Body::Bytes(bytes) if entry.from == Side::Recorder => {
            entry.text = Some(String::from_utf8_lossy(&bytes).into_owned());
        }
        // The query of the endpoint of HTTP+SSE is the session.
        Body::Bytes(bytes) if is_endpoint(&entry) && cleaner.is_some() => {
            entry.text = Some(secrets::path(&String::from_utf8_lossy(&bytes)));
        }
        Body::Bytes(bytes) => {
            if entry.stream != Some(Stream::Stderr) {
                entry.message = parsed(&bytes, cleaner.as_deref_mut());
            }
            if entry.message.is_none() {
                entry.bytes = (bytes.len() > TEXT).then_some(bytes.len() as u64);
                entry.text = Some(shortened(&bytes, entry.stream, cleaner));
            }
        }
    }
    entry
}

impl Cleaner {
    /// Removes the id of a task from the header that repeats it.
    fn task_header(&mut self, http: &mut HttpPart) {
        let method = http.headers.get(METHOD);
        let has_id = method.and_then(|method| name_member(method)) == Some("taskId");
        if has_id && let Some(id) = http.headers.get_mut(NAME) {
            *id = self.tasks.number(id);
        }
    }
}

fn is_endpoint(entry: &Entry) -> bool {
    let http = entry.http.as_deref();
    http.and_then(|http| http.event.as_deref()) == Some("endpoint")
}

/// Returns an object or an array as it was sent, except for secrets; `None` if it nests deeper than
/// messages can.
fn parsed(bytes: &[u8], cleaner: Option<&mut Cleaner>) -> Option<Box<RawValue>> {
    let text = std::str::from_utf8(bytes).ok()?.trim();
    if !text.starts_with(['{', '[']) || secrets::is_too_deep(text) {
        return None;
    }
    let message: &RawValue = serde_json::from_str(text).ok()?;
    let Some(cleaner) = cleaner else {
        return Some(message.to_owned());
    };
    let clean = secrets::message(text, Some(&mut cleaner.tasks));
    RawValue::from_string(clean.into_owned()).ok()
}

fn shortened(bytes: &[u8], stream: Option<Stream>, cleaner: Option<&mut Cleaner>) -> String {
    let start = bytes.get(..TEXT).unwrap_or(bytes);
    let text = String::from_utf8_lossy(start);
    let text = match cleaner {
        None => text,
        Some(cleaner) => {
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            let clean = is_json.then(|| secrets::message(&text, Some(&mut cleaner.tasks)));
            let clean = clean.unwrap_or(Cow::Borrowed(&text));
            if stream == Some(Stream::Stderr) {
                cleaner.keys.clean(&clean).into()
            } else {
                secrets::text(&clean).into_owned().into()
            }
        }
    };
    text.trim_end_matches(['\r', '\n']).to_owned()
}
