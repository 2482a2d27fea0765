//! [`save`]: writes binary contents to files.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use mcp_client::types::{AnyResourceContents, Base64Text, ContentBlock};

use crate::failure::Failure;
use crate::output::print_message;

/// Writes the images, the audio and the binary resources among some contents: the first to `path`,
/// and the others beside it, with their number before the extension, if there is no such file.
pub(crate) fn save<'a>(
    path: &Path,
    method: &'static str,
    blocks: impl IntoIterator<Item = &'a ContentBlock>,
) -> Result<(), Failure> {
    let mut count = 0;
    for data in blocks.into_iter().filter_map(data) {
        count += 1;
        let bytes = data.decode().map_err(|error| Failure::Answer {
            method,
            source: error.into(),
        })?;
        let path = write(path, count, &bytes)?;
        print_message(&format!("{} bytes in {}", bytes.len(), path.display()));
    }
    if count == 0 {
        let message = "nothing to save: the result has no images, audio or binary resources";
        return Err(Failure::Absent(message.to_owned()));
    }
    Ok(())
}

/// Writes one of several contents, by its number from one, and returns the path. Only the file that
/// the user named may replace another: the server chooses how many there are.
pub(crate) fn write(path: &Path, number: usize, bytes: &[u8]) -> Result<PathBuf, Failure> {
    let path = numbered(path, number);
    let mut options = File::options();
    options.write(true);
    if number == 1 {
        options.create(true).truncate(true);
    } else {
        options.create_new(true);
    }
    let written = options
        .open(&path)
        .and_then(|mut file| file.write_all(bytes));
    match written {
        Ok(()) => Ok(path),
        Err(source) => Err(Failure::File { path, source }),
    }
}

fn data(block: &ContentBlock) -> Option<&Base64Text> {
    match block {
        ContentBlock::Image(image) => Some(&image.data),
        ContentBlock::Audio(audio) => Some(&audio.data),
        ContentBlock::Resource(resource) => match &resource.resource {
            AnyResourceContents::Blob(contents) => Some(&contents.blob),
            _ => None,
        },
        _ => None,
    }
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}
