//! [`Page`]: a page of which the sound elements can be used.

use std::any::Any;

use mcp_types::error::{DecodeError, Path, Segment};
use mcp_types::json::{self, Map};
use mcp_types::revision::VersionError;
use mcp_types::{Outcome, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::paged::Paged;
use crate::features::calls::decoded::Decoded;
use crate::protocol::error::ElementError;

/// One page of a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page<R: Paged> {
    /// The result, with the elements that are sound.
    pub result: R::Result,
    /// The elements that are not, in the order of the server.
    pub faults: Vec<ElementError>,
    /// How long the page was as text.
    pub(super) bytes: usize,
}

impl<R: Paged> Page<R> {
    pub(super) fn result_mut(&mut self) -> &mut dyn Any {
        &mut self.result
    }
}

/// Decodes a page. Only a page that cannot be decoded is read again, without its malformed elements.
pub(super) fn read<R: Paged>(
    revision: Revision,
    text: &str,
) -> Result<Decoded<Page<R>>, VersionError> {
    let bytes = text.len();
    let (result, faults) = match revision.decode::<R::Result>(text) {
        Ok(result) => (result, Vec::new()),
        Err(error) => match sort_out::<R>(revision, text) {
            Some((rest, faults)) => (revision.decode(&rest)?, faults),
            None => return Decoded::not_final(revision, text, Some(error)),
        },
    };
    match result.complete() {
        Ok(result) => Ok(Decoded::Final(Page {
            result,
            faults,
            bytes,
        })),
        Err(_) => Decoded::not_final(revision, text, None),
    }
}

/// The page without its malformed elements, and those; `None` where no element is malformed.
#[cold]
fn sort_out<R: Paged>(revision: Revision, text: &str) -> Option<(String, Vec<ElementError>)> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let items: Vec<Box<RawValue>> = serde_json::from_str(members.get(R::ITEMS)?.get()).ok()?;
    let (mut sound, mut faults) = (Vec::new(), Vec::new());
    for (index, raw) in items.into_iter().enumerate() {
        match check::<R>(revision, &raw) {
            Ok(()) => sound.push(raw),
            Err(source) => faults.push(fault::<R>(index, source, raw)),
        }
    }
    if faults.is_empty() {
        return None;
    }
    members.insert(R::ITEMS, json::to_raw(&sound).ok()?);
    Some((json::to_string(&members).ok()?, faults))
}

/// Whether an element is sound. Each is looked at alone, so that many malformed ones cost no more
/// than as many sound ones.
fn check<R: Paged>(revision: Revision, raw: &RawValue) -> Result<(), VersionError> {
    if revision == Revision::LATEST {
        json::from_str::<R::Item>(raw.get())?;
    } else {
        // Elements have no older form of their own; pages have, and need no other member there.
        let page = format!("{{\"{}\":[{raw}]}}", R::ITEMS);
        let _: R::Result = revision.decode(&page).map_err(|error| match error {
            VersionError::Decode(error) => {
                let inner = error.path().segments().iter().skip(2).cloned();
                let path = inner.collect();
                VersionError::Decode(error.with_path(path))
            }
            other => other,
        })?;
    }
    Ok(())
}

fn fault<R: Paged>(index: usize, source: VersionError, raw: Box<RawValue>) -> ElementError {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }
    let place = |error: DecodeError| error.inside_index(index).inside_member(R::ITEMS);
    let (path, source) = match source {
        VersionError::Decode(error) => {
            let error = place(error);
            (error.path().clone(), VersionError::Decode(error))
        }
        other => {
            let member = Segment::Member(R::ITEMS.to_owned());
            let path = Path::from_iter([member, Segment::Index(index)]);
            (path, other)
        }
    };
    let named = serde_json::from_str::<Named>(raw.get()).ok();
    ElementError {
        index,
        name: named.map(|named| named.name),
        path,
        source,
        raw,
    }
}
