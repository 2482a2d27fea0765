//! [`read`]: files that the user names, or a host has.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long a pipe may take to its end.
const PIPE: Duration = Duration::from_secs(10);

/// Reads a file of at most `limit` bytes. Anything but a regular file, such as a pipe, must end
/// within 10 seconds.
pub(crate) fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    if fs::metadata(path)?.is_file() {
        return all(path, limit);
    }
    let (sender, read) = mpsc::channel();
    let path: PathBuf = path.to_owned();
    // If no process writes to the pipe, the thread ends with the program.
    thread::spawn(move || sender.send(all(&path, limit)));
    read.recv_timeout(PIPE).unwrap_or_else(|_| {
        let text = format!("expected the end of the pipe within {} s", PIPE.as_secs());
        Err(io::Error::new(ErrorKind::TimedOut, text))
    })
}

/// Reads a text in UTF-8 in the same way.
pub(crate) fn text(path: &Path, limit: u64) -> io::Result<String> {
    utf8(read(path, limit)?)
}

/// Reads the text of standard input in UTF-8, of at most `limit` bytes. A user may type it, so it
/// may take any time.
pub(crate) fn stdin(limit: u64) -> io::Result<String> {
    utf8(up_to(io::stdin().lock(), limit, None)?)
}

fn utf8(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn all(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    let size = metadata.is_file().then_some(metadata.len());
    up_to(file, limit, size)
}

/// Reads to the end. The error names the size if it is known.
fn up_to(from: impl Read, limit: u64, size: Option<u64>) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(limit + 1).read_to_end(&mut bytes)?;
    let read = bytes.len() as u64;
    if read <= limit {
        return Ok(bytes);
    }
    let found = match size {
        Some(size) => format!("found {}", size.max(read)),
        None => "found more".to_owned(),
    };
    let text = format!("expected at most {limit} bytes, {found}");
    Err(io::Error::new(ErrorKind::FileTooLarge, text))
}
