//! Lists what is in a folder, or below it: page by page, in an order that stays the same.

use std::num::NonZeroUsize;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::facts::Facts;
use super::place::Place;
use super::tree::{Entry, Fault, Tree};

/// Which page.
pub(crate) struct Wanted {
    /// Where what is listed is.
    pub(crate) folder: Place,
    /// Whether what is in the folders there is listed, too: behind each of them.
    pub(crate) is_deep: bool,
    /// Behind which place it begins. This need not be there any more.
    pub(crate) after: Option<Place>,
    /// How many there are on a page.
    pub(crate) size: Option<NonZeroUsize>,
}

/// What is on a page.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) found: Vec<(Place, Facts)>,
    /// Whether there may be more behind the last one.
    pub(crate) more: bool,
}

/// A folder that is being listed.
struct Level {
    entries: Arc<[Entry]>,
    /// The first of them that was not listed yet.
    next: usize,
}

/// Makes a page. What was there all the time is on one page, however much comes and goes; the
/// work is that of the page, if the folders do not change.
pub(crate) fn page(tree: &Tree, wanted: &Wanted) -> Result<Page, Fault> {
    let size = wanted.size.map_or(usize::MAX, NonZeroUsize::get);
    let mut at = wanted.folder.clone();
    let mut page = Page::default();
    let mut levels = descend(tree, wanted, &mut at)?;
    // The folder of the last level, while it is open.
    let mut open: Option<Dir> = None;
    while let Some(level) = levels.last_mut() {
        let Some(entry) = level.entries.get(level.next) else {
            levels.pop();
            if !levels.is_empty() {
                at.pop();
            }
            open = None;
            continue;
        };
        level.next += 1;
        let folder = match open.take().map_or_else(|| tree.folder(&at), Ok) {
            Ok(folder) => folder,
            Err(fault) => {
                skip(&at, fault)?;
                level.next = level.entries.len();
                continue;
            }
        };
        let folder = open.insert(folder);
        let facts = match tree.facts_in(folder, &entry.name) {
            Ok(facts) => facts,
            // It went away, or has become something else.
            Err(fault) => {
                skip(&at, fault)?;
                continue;
            }
        };
        let place = at.join(&entry.name);
        if facts.is_folder && wanted.is_deep {
            at.push(&entry.name);
            if let Some((level, inner)) = enter(tree, &at)? {
                levels.push(level);
                open = Some(inner);
            } else {
                at.pop();
            }
        }
        page.found.push((place, facts));
        if page.found.len() >= size {
            page.more = levels.iter().any(|level| level.next < level.entries.len());
            break;
        }
    }
    Ok(page)
}

/// The levels from the folder down to the place behind which the page begins.
fn descend(tree: &Tree, wanted: &Wanted, at: &mut Place) -> Result<Vec<Level>, Fault> {
    let folder = tree.folder(at)?;
    let entries = tree.entries(at, &folder)?;
    let mut levels = vec![Level { entries, next: 0 }];
    let names = wanted.after.as_ref().map_or(&[][..], Place::names);
    for name in names.get(wanted.folder.names().len()..).unwrap_or_default() {
        let Some(level) = levels.last_mut() else {
            break;
        };
        level.next = level.entries.partition_point(|entry| entry.name < *name);
        let Some(entry) = level.entries.get(level.next) else {
            break;
        };
        if entry.name != *name {
            break;
        }
        level.next += 1;
        if !entry.is_folder || !wanted.is_deep {
            break;
        }
        at.push(name);
        let Some((level, _)) = enter(tree, at)? else {
            at.pop();
            break;
        };
        levels.push(level);
    }
    Ok(levels)
}

/// `None` where it is no folder any more, or one that may not be read.
fn enter(tree: &Tree, at: &Place) -> Result<Option<(Level, Dir)>, Fault> {
    let entered = tree.folder(at).and_then(|folder| {
        let entries = tree.entries(at, &folder)?;
        Ok((Level { entries, next: 0 }, folder))
    });
    match entered {
        Ok(entered) => Ok(Some(entered)),
        Err(fault) => skip(at, fault).map(|()| None),
    }
}

/// What is in one folder is not missed for the sake of the others.
fn skip(at: &Place, fault: Fault) -> Result<(), Fault> {
    match fault {
        Fault::NotFound => Ok(()),
        Fault::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            tracing::warn!(folder = %at, %error, "what is in a folder cannot be listed");
            Ok(())
        }
        fault => Err(fault),
    }
}
