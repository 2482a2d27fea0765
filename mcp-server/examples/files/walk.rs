//! Lists a folder, or everything below it, page by page in a stable order.

use std::num::NonZeroUsize;
use std::sync::Arc;

use cap_std::fs::Dir;

use super::facts::Facts;
use super::place::Place;
use super::tree::{Entry, Tree, TreeError};

/// The request for a page.
pub(crate) struct PageRequest {
    /// The folder that is listed.
    pub(crate) folder: Place,
    /// `true` to list the contents of its folders as well, each after the folder.
    pub(crate) is_deep: bool,
    /// The place after which the page begins. It may no longer exist.
    pub(crate) after: Option<Place>,
    /// The number of places on a page.
    pub(crate) size: Option<NonZeroUsize>,
}

/// A page.
#[derive(Default)]
pub(crate) struct Page {
    pub(crate) found: Vec<(Place, Facts)>,
    /// `true` if more may follow.
    pub(crate) more: bool,
}

/// A folder that is being listed.
struct OpenFolder {
    entries: Arc<[Entry]>,
    /// The index of its first entry that is not listed yet.
    next: usize,
}

/// Returns a page. A file that exists all the time is listed exactly once, whatever is added or
/// removed. If the folders do not change, the cost is that of the page.
pub(crate) fn page(tree: &Tree, wanted: &PageRequest) -> Result<Page, TreeError> {
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
            Err(error) => {
                skip(&at, error)?;
                level.next = level.entries.len();
                continue;
            }
        };
        let folder = open.insert(folder);
        let facts = match tree.facts_in(folder, &entry.name) {
            Ok(facts) => facts,
            // It was removed or replaced.
            Err(error) => {
                skip(&at, error)?;
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

/// Returns the levels from the folder down to the place after which the page begins.
fn descend(
    tree: &Tree,
    wanted: &PageRequest,
    at: &mut Place,
) -> Result<Vec<OpenFolder>, TreeError> {
    let folder = tree.folder(at)?;
    let entries = tree.entries(at, &folder)?;
    let mut levels = vec![OpenFolder { entries, next: 0 }];
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

/// Opens a folder; `None` if it is no longer a folder, or cannot be read.
fn enter(tree: &Tree, at: &Place) -> Result<Option<(OpenFolder, Dir)>, TreeError> {
    let entered = tree.folder(at).and_then(|folder| {
        let entries = tree.entries(at, &folder)?;
        Ok((OpenFolder { entries, next: 0 }, folder))
    });
    match entered {
        Ok(entered) => Ok(Some(entered)),
        Err(error) => skip(at, error).map(|()| None),
    }
}

/// A folder that cannot be read does not prevent listing the others.
fn skip(at: &Place, error: TreeError) -> Result<(), TreeError> {
    match error {
        TreeError::NotFound => Ok(()),
        TreeError::Io(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
            tracing::warn!(folder = %at, %error, "cannot list the contents of a folder");
            Ok(())
        }
        error => Err(error),
    }
}
