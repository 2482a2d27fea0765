//! [`Page`]: a page of a list without its malformed elements.

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
use crate::protocol::lenient;

/// One page of a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page<R: Paged> {
    /// The result, with the valid elements.
    pub result: R::Result,
    /// The malformed elements, in the order of the server.
    pub faults: Vec<ElementError>,
    /// The size of the page as text.
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
        Err(error) => match separate::<R>(revision, text) {
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

/// Returns the page without its malformed elements, and those; `None` if no element is malformed.
#[cold]
fn separate<R: Paged>(revision: Revision, text: &str) -> Option<(String, Vec<ElementError>)> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let items: Vec<Box<RawValue>> = serde_json::from_str(members.get(R::ITEMS)?.get()).ok()?;
    let (mut valid, mut faults) = (Vec::new(), Vec::new());
    for (index, raw) in items.into_iter().enumerate() {
        match check::<R>(revision, &raw) {
            Ok(()) => valid.push(raw),
            Err(source) => faults.push(fault::<R>(index, source, raw)),
        }
    }
    if faults.is_empty() {
        return None;
    }
    members.insert(R::ITEMS, json::to_raw(&valid).ok()?);
    Some((json::to_string(&members).ok()?, faults))
}

/// Decodes one element. Each is decoded alone, so that many malformed elements cost no more than as
/// many valid ones.
fn check<R: Paged>(revision: Revision, raw: &RawValue) -> Result<(), VersionError> {
    if revision == Revision::LATEST {
        // Both forms of an element are the same.
        json::from_str::<R::Item>(raw.get())?;
    } else {
        // Only pages have an older form. The other members that they require are added.
        let page = format!("{{\"{}\":[{raw}]}}", R::ITEMS);
        let page = lenient::read(revision, R::METHOD, &page, Revision::decode);
        let _: R::Result = page.map_err(|error| match error {
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
    struct ElementName {
        name: String,
    }
    let locate = |error: DecodeError| error.inside_index(index).inside_member(R::ITEMS);
    let (path, source) = match source {
        VersionError::Decode(error) => {
            let error = locate(error);
            (error.path().clone(), VersionError::Decode(error))
        }
        other => {
            let member = Segment::Member(R::ITEMS.to_owned());
            let path = Path::from_iter([member, Segment::Index(index)]);
            (path, other)
        }
    };
    let named = serde_json::from_str::<ElementName>(raw.get()).ok();
    ElementError {
        index,
        name: named.map(|named| named.name),
        path,
        source,
        raw,
    }
}
