//! What is read of a folder: the texts of those members that are short.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::facts::Facts;
use super::place::Place;
use super::tree::{Fault, Tree};

/// How many members are looked at, in the order of their names.
const MEMBERS: usize = 64;
/// How large one may be, and all together, in bytes.
const MEMBER_BYTES: u64 = 16 << 10;
const BYTES: u64 = 128 << 10;

/// The members that are read with a folder: a part of them, the rest is for who lists it.
pub(crate) fn of(tree: &Tree, place: &Place) -> Result<Vec<(Place, Facts)>, Fault> {
    let folder = tree.folder(place)?;
    let entries = tree.entries(place, &folder)?;
    let mut members = Vec::new();
    let mut left = BYTES;
    let files = entries.iter().filter(|entry| !entry.is_folder);
    for entry in files.take(MEMBERS) {
        let facts = match tree.facts_in(&folder, &entry.name) {
            Ok(facts) => facts,
            Err(Fault::NotFound) => continue,
            Err(fault) => return Err(fault),
        };
        if !facts.is_folder && facts.size <= MEMBER_BYTES.min(left) {
            left -= facts.size;
            members.push((place.join(&entry.name), facts));
        }
    }
    Ok(members)
}

/// A version of what is read of a folder: another one after each change of a member that may be
/// read with it, and of the names.
pub(crate) fn version(tree: &Tree, place: &Place, facts: &Facts) -> Result<String, Fault> {
    let mut hasher = DefaultHasher::new();
    for (place, facts) in of(tree, place)? {
        place.hash(&mut hasher);
        facts.version().hash(&mut hasher);
    }
    Ok(format!("{}-{:x}", facts.version(), hasher.finish()))
}

/// The texts.
pub(crate) fn read(tree: &Tree, place: &Place) -> Result<Vec<(Place, Facts, String)>, Fault> {
    let mut texts = Vec::new();
    for (place, _) in of(tree, place)? {
        match tree.read(&place, MEMBER_BYTES) {
            Ok((bytes, facts)) => {
                if let Ok(text) = String::from_utf8(bytes) {
                    texts.push((place, facts, text));
                }
            }
            Err(Fault::NotFound | Fault::Folder | Fault::TooLarge { .. }) => {}
            // One that may not be read, or is being written, is not missed for the others.
            Err(error @ (Fault::Changing | Fault::Io(_))) => {
                tracing::debug!(file = %place, %error, "left out of its folder");
            }
        }
    }
    Ok(texts)
}
