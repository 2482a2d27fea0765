//! [`Page`]: a page of a list without its malformed elements.

use std::fmt;

use mcp_types::error::{DecodeError, Path, Segment};
use mcp_types::json::{self, Map};
use mcp_types::peer_text::PeerDisplay;
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{Cursor, ListToolsRequest, Outcome, Request, Revision};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::repair;
use crate::features::calls::Decoded;
use crate::features::inspect::{Inspect, KnownResult};
use crate::protocol::error::{DroppedMember, ElementError};
use crate::protocol::lenient;
use crate::protocol::lenient::decorations::{inside_part, trim};

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
    /// The members that were left out of elements, because they are malformed and only decorate,
    /// or because they are an invalid `outputSchema`. After 1,000 of them, elements with further
    /// ones are malformed.
    pub dropped: Vec<DroppedMember>,
    /// The size of the page as text.
    pub(super) bytes: usize,
}

impl<R: Paged> Inspect for Page<R> {
    fn inspect(&mut self) -> KnownResult<'_> {
        KnownResult::of(&mut self.result)
    }
}

/// Decodes a page. Only a page that cannot be decoded is read again, without its malformed
/// elements.
pub(super) fn read<R: Paged>(
    revision: Revision,
    text: &str,
) -> Result<Decoded<Page<R>>, VersionError> {
    let bytes = text.len();
    let (result, faults, dropped) = match revision.decode::<R::Result>(text) {
        Ok(result) => (result, Vec::new(), Vec::new()),
        Err(error) => match separate::<R>(revision, text) {
            Some(page) => (page.form.decode(&page.text)?, page.faults, page.dropped),
            None => return Decoded::not_final(revision, text, Some(error)),
        },
    };
    match result.complete() {
        Ok(result) => Ok(Decoded::Final(Page {
            result,
            faults,
            dropped,
            bytes,
        })),
        Err(_) => Decoded::not_final(revision, text, None),
    }
}

/// A page without its malformed elements.
struct FilteredPage {
    /// The revision whose form it has.
    form: Revision,
    text: String,
    faults: Vec<ElementError>,
    dropped: Vec<DroppedMember>,
}

/// Separates the malformed elements of a page from the others; `None` if no element is malformed.
///
/// Elements that are valid in the newest form only are kept in it, and so are tools that can be
/// [repaired](repair::tool), and elements that are valid without their [decoration](trim).
#[cold]
fn separate<R: Paged>(revision: Revision, text: &str) -> Option<FilteredPage> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let items: Vec<&RawValue> = serde_json::from_str(members.get(R::ITEMS)?.get()).ok()?;
    let (mut valid, mut faults, mut dropped) = (Vec::new(), Vec::new(), Vec::new());
    let mut form = revision;
    for (index, raw) in items.into_iter().enumerate() {
        if faults.len() == FAULTS {
            let reason = "the page has too many malformed elements; the rest of it is left out";
            let source = VersionError::Decode(DecodeError::data(reason));
            faults.push(fault::<R>(index, source, raw.to_owned()));
            break;
        }
        match element::<R>(revision, raw, dropped.len() < FAULTS) {
            Ok(element) => {
                form = form.max(element.form);
                let located = element.dropped.into_iter();
                dropped.extend(located.map(|dropped| dropped.inside(R::ITEMS, index)));
                valid.push((index, element.raw));
            }
            Err(source) => faults.push(fault::<R>(index, source, raw.to_owned())),
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
    } else if faults.is_empty() && dropped.is_empty() && form != Revision::LATEST {
        return None;
    }
    if let Some(first) = dropped.first() {
        let (method, count, first) = (R::METHOD, dropped.len(), PeerDisplay(first));
        tracing::warn!(method, count, %first, "malformed members of a list were left out");
    }
    let valid: Vec<_> = valid.iter().map(|(_, raw)| raw).collect();
    members.insert(R::ITEMS, json::to_raw(&valid).ok()?);
    let text = json::to_string(&members).ok()?;
    let text = lenient::complete(form, R::METHOD, &text).unwrap_or(text);
    Some(FilteredPage {
        form,
        text,
        faults,
        dropped,
    })
}

/// A valid element of a page.
struct Element {
    form: Revision,
    raw: Box<RawValue>,
    dropped: Vec<DroppedMember>,
}

/// Returns an element that is valid, or becomes valid.
fn element<R: Paged>(
    revision: Revision,
    raw: &RawValue,
    may_drop: bool,
) -> Result<Element, VersionError> {
    let source = match check::<R>(revision, raw) {
        Ok(()) => {
            return Ok(Element {
                form: revision,
                raw: raw.to_owned(),
                dropped: Vec::new(),
            });
        }
        Err(source) => source,
    };
    if let Some(element) = newest::<R>(raw) {
        return Ok(element);
    }
    let is_tool = R::METHOD == ListToolsRequest::METHOD;
    let trimmed = [revision, Revision::LATEST].into_iter().find_map(|form| {
        let trimmed = trim(raw, |raw| match repair::without_schemas(raw) {
            Some(tool) if is_tool => check::<R>(form, &tool),
            _ => check::<R>(form, raw),
        })?;
        let mut element = if check::<R>(form, &trimmed.value).is_ok() {
            Element {
                form,
                raw: trimmed.value,
                dropped: Vec::new(),
            }
        } else {
            newest::<R>(&trimmed.value)?
        };
        element.dropped.splice(..0, trimmed.dropped);
        Some(element)
    });
    trimmed.filter(|_| may_drop).ok_or(source)
}

/// Returns an element if it is valid in the newest form, or a tool that becomes valid.
fn newest<R: Paged>(raw: &RawValue) -> Option<Element> {
    let check = |raw: &RawValue| check::<R>(Revision::LATEST, raw);
    let (raw, dropped) = if check(raw).is_ok() {
        (raw.to_owned(), None)
    } else if R::METHOD == ListToolsRequest::METHOD {
        repair::tool(raw, check)?
    } else {
        return None;
    };
    Some(Element {
        form: Revision::LATEST,
        raw,
        dropped: dropped.into_iter().collect(),
    })
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
        let _: R::Result = revision
            .decode(&page)
            .map_err(|error| inside_part(error, 2))?;
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
