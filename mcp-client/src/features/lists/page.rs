//! [`Page`]: a page of a list without its malformed elements.

use std::any::Any;
use std::fmt;

use mcp_types::error::{DecodeError, Path, Segment};
use mcp_types::json::{self, Map};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Cursor, ListToolsRequest, Outcome, Request, Revision};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::repair;
use crate::features::calls::decoded::Decoded;
use crate::protocol::error::ElementError;
use crate::protocol::lenient;

/// The maximum number of malformed elements of a page. An error takes much more memory than a short
/// element.
const FAULTS: usize = 1_000;

/// One page of a list.
#[derive(Debug)]
#[non_exhaustive]
pub struct Page<R: Paged> {
    /// The result, with the valid elements.
    pub result: R::Result,
    /// The malformed elements, in the order of the server. After 1,000 of them, the rest of the
    /// page is left out, and the next element stands for it.
    pub faults: Vec<ElementError>,
    /// The size of the page as text.
    pub(super) bytes: usize,
}

impl<R: Paged> Page<R> {
    pub(super) fn result_mut(&mut self) -> &mut dyn Any {
        &mut self.result
    }
}

/// Decodes a page. Only a page that cannot be decoded is read again, without its malformed
/// elements.
pub(super) fn read<R: Paged>(
    revision: Revision,
    text: &str,
) -> Result<Decoded<Page<R>>, VersionError> {
    let bytes = text.len();
    let (result, faults) = match revision.decode::<R::Result>(text) {
        Ok(result) => (result, Vec::new()),
        Err(error) => match separate::<R>(revision, text) {
            Some((form, rest, faults)) => (form.decode(&rest)?, faults),
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

/// Returns the page without its malformed elements, the revision whose form it has, and those
/// elements; `None` if no element is malformed.
///
/// Elements that are valid in the newest form only are kept in it, and so are tools that can be
/// [repaired](repair::tool).
#[cold]
fn separate<R: Paged>(
    revision: Revision,
    text: &str,
) -> Option<(Revision, String, Vec<ElementError>)> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let items: Vec<&RawValue> = serde_json::from_str(members.get(R::ITEMS)?.get()).ok()?;
    let (mut valid, mut faults) = (Vec::new(), Vec::new());
    let mut form = revision;
    for (index, raw) in items.into_iter().enumerate() {
        if faults.len() == FAULTS {
            let reason = "the page has too many malformed elements; the rest of it is left out";
            let source = VersionError::Decode(DecodeError::data(reason));
            faults.push(fault::<R>(index, source, raw.to_owned()));
            break;
        }
        match check::<R>(revision, raw) {
            Ok(()) => valid.push((index, raw.to_owned())),
            Err(source) => match newest::<R>(raw) {
                Some(raw) => {
                    form = Revision::LATEST;
                    valid.push((index, raw));
                }
                None => faults.push(fault::<R>(index, source, raw.to_owned())),
            },
        }
    }
    if form != revision {
        // Nearly all elements of older revisions are valid in the newest form, too.
        valid.retain_mut(|(index, raw)| match check::<R>(form, raw) {
            Ok(()) => true,
            Err(source) => {
                faults.push(fault::<R>(*index, source, std::mem::take(raw)));
                false
            }
        });
        faults.sort_by_key(|fault| fault.index);
    } else if faults.is_empty() && form != Revision::LATEST {
        return None;
    }
    let valid: Vec<_> = valid.iter().map(|(_, raw)| raw).collect();
    members.insert(R::ITEMS, json::to_raw(&valid).ok()?);
    let rest = json::to_string(&members).ok()?;
    let rest = lenient::complete(form, R::METHOD, &rest).unwrap_or(rest);
    Some((form, rest, faults))
}

/// Returns an element if it is valid in the newest form, or a tool that becomes valid.
fn newest<R: Paged>(raw: &RawValue) -> Option<Box<RawValue>> {
    let check = |raw: &RawValue| check::<R>(Revision::LATEST, raw).is_ok();
    if check(raw) {
        return Some(raw.to_owned());
    }
    if R::METHOD != ListToolsRequest::METHOD {
        return None;
    }
    repair::tool(raw, check)
}

/// Decodes one element. Each is decoded alone, so that many malformed elements cost no more than as
/// many valid ones.
fn check<R: Paged>(revision: Revision, raw: &RawValue) -> Result<(), VersionError> {
    // The type of an element has the form of the newest revision.
    if revision == Revision::LATEST {
        json::from_str::<R::Item>(raw.get())?;
    } else {
        // Only pages have the form of another revision.
        let page = format!("{{\"{}\":[{raw}]}}", R::ITEMS);
        let page = lenient::complete(revision, R::METHOD, &page).unwrap_or(page);
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

/// A request whose result is one page of a list.
pub trait Paged:
    Request<Params: Versioned, Result: Versioned + Outcome<Complete = Self::Result> + fmt::Debug>
    + Send
    + Sized
    + 'static
{
    /// The type of the elements.
    type Item: DeserializeOwned + fmt::Debug + Send + Unpin + 'static;
    /// The member of a page that contains them.
    const ITEMS: &'static str;

    /// Returns the params for the page at a cursor.
    fn start_at(params: Self::Params, from: Cursor) -> Self::Params;

    /// Returns the elements of a page, and the cursor of the next one.
    fn split(page: Self::Result) -> (Vec<Self::Item>, Option<Cursor>);
}
