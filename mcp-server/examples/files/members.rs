//! The contents of a folder: the texts of its short files.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::facts::Facts;
use super::place::Place;
use super::tree::{Tree, TreeError};

/// The maximum number of files that are considered, in the order of their names.
const MEMBERS: usize = 64;
/// The maximum size of a file, and of all files together, in bytes.
const MEMBER_BYTES: u64 = 16 << 10;
const BYTES: u64 = 128 << 10;

/// Returns the files that are read with a folder. Clients list the folder to find the others.
pub(crate) fn of(tree: &Tree, place: &Place) -> Result<Vec<(Place, Facts)>, TreeError> {
    let folder = tree.folder(place)?;
    let entries = tree.entries(place, &folder)?;
    let mut members = Vec::new();
    let mut left = BYTES;
    let files = entries.iter().filter(|entry| !entry.is_folder);
    for entry in files.take(MEMBERS) {
        let facts = match tree.facts_in(&folder, &entry.name) {
            Ok(facts) => facts,
            Err(TreeError::NotFound) => continue,
            Err(error) => return Err(error),
        };
        if !facts.is_folder && facts.size <= MEMBER_BYTES.min(left) {
            left -= facts.size;
            members.push((place.join(&entry.name), facts));
        }
    }
    Ok(members)
}

/// Returns a version of the contents of a folder: it differs after each change of a file that may
/// be read with it, and of the names.
pub(crate) fn version(tree: &Tree, place: &Place, facts: &Facts) -> Result<String, TreeError> {
    let mut hasher = DefaultHasher::new();
    for (place, facts) in of(tree, place)? {
        place.hash(&mut hasher);
        facts.version().hash(&mut hasher);
    }
    Ok(format!("{}-{:x}", facts.version(), hasher.finish()))
}

/// Reads the texts.
pub(crate) fn read(tree: &Tree, place: &Place) -> Result<Vec<(Place, Facts, String)>, TreeError> {
    let mut texts = Vec::new();
    for (place, _) in of(tree, place)? {
        match tree.read(&place, MEMBER_BYTES) {
            Ok((bytes, facts)) => {
                if let Ok(text) = String::from_utf8(bytes) {
                    texts.push((place, facts, text));
                }
            }
            Err(TreeError::NotFound | TreeError::Folder | TreeError::TooLarge { .. }) => {}
            // A file that cannot be read, or is being written, does not prevent reading the others.
            Err(error @ (TreeError::Changing | TreeError::Io(_))) => {
                tracing::debug!(file = %place, %error, "left out of its folder");
            }
        }
    }
    Ok(texts)
}
