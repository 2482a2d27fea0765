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
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}

fn all(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        let text = format!("expected at most {limit} bytes");
        return Err(io::Error::new(ErrorKind::FileTooLarge, text));
    }
    Ok(bytes)
}
