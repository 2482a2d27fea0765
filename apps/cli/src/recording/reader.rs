//! [`Recording`]: a file as it was read.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::de::DeserializeOwned;

use super::RecordingError;
use super::format::{Entry, Header, VERSION};
use crate::failure::Failure;

/// The maximum size of a recording, in bytes. All of it is in memory.
const LIMIT: u64 = 1 << 30;

/// The maximum size of the first line, in bytes.
const FIRST: u64 = 4 << 20;

/// The maximum size of another line, in bytes: that of a recording, unless `--max-size` sets one.
const LINE: u64 = 256 << 20;

/// The longest recording, in milliseconds: more than a century.
const LONGEST: f64 = 1e13;

/// A recording.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) header: Header,
    pub(crate) entries: Vec<Entry>,
}

impl Recording {
    /// Reads a file.
    ///
    /// The last line may be cut off, as after a full disk. It is left out.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let failed = |source| Failure::File {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(failed)?;
        let mut lines = BufReader::new(file.take(LIMIT + 1));
        let (mut text, mut number, mut size) = (Vec::new(), 0, 0);
        let mut header = None;
        let mut entries = Vec::new();
        loop {
            text.clear();
            let limit = if header.is_none() { FIRST } else { LINE };
            let mut rest = lines.by_ref().take(limit + 1);
            let read = rest.read_until(b'\n', &mut text).map_err(failed)? as u64;
            size += read;
            number += 1;
            if text.is_empty() {
                break;
            }
            if size > LIMIT {
                let file = path.to_owned();
                return Err(RecordingError::TooLarge { file, limit: LIMIT }.into());
            }
            if read > limit {
                let reason = format!("the line has more than {limit} bytes");
                return Err(match header {
                    None => not_a_recording(path, &reason),
                    Some(_) => fault(path, number, reason),
                }
                .into());
            }
            if header.is_none() {
                header = Some(first(path, &text)?);
                continue;
            }
            match line::<Entry>(path, number, &text) {
                Ok(entry) if !(0.0..=LONGEST).contains(&entry.ms) => {
                    let reason = format!("`ms` is not between 0 and {LONGEST}");
                    return Err(fault(path, number, reason).into());
                }
                Ok(entry) => entries.push(entry),
                Err(_) if text.last() != Some(&b'\n') => break,
                Err(error) => return Err(error.into()),
            }
        }
        let header = header.ok_or_else(|| not_a_recording(path, "the file is empty"))?;
        Ok(Self { header, entries })
    }
}

fn first(path: &Path, text: &[u8]) -> Result<Header, RecordingError> {
    let header: Header = line(path, 1, text).map_err(|error| match error {
        RecordingError::Line { reason, .. } => not_a_recording(path, &reason),
        error => error,
    })?;
    if header.version != VERSION {
        let found = header.version;
        let reason = format!("the format has the version {found}, this program reads {VERSION}");
        return Err(not_a_recording(path, &reason));
    }
    Ok(header)
}

fn not_a_recording(path: &Path, reason: &str) -> RecordingError {
    let reason = format!("expected the first line of a recording by `mcp record`: {reason}");
    fault(path, 1, reason)
}

fn fault(path: &Path, line: usize, reason: String) -> RecordingError {
    let file = path.to_owned();
    RecordingError::Line { file, line, reason }
}

fn line<T: DeserializeOwned>(path: &Path, line: usize, text: &[u8]) -> Result<T, RecordingError> {
    serde_json::from_slice(text).map_err(|error| fault(path, line, error.to_string()))
}
