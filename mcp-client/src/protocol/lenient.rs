//! [`read`]: decodes results of servers that deviate from their revision.

pub(crate) mod decorations;
mod forms;
mod message;
mod surrogates;
mod tool_result;

use mcp_types::json::{self, Map};
use mcp_types::revision::{VersionError, Versioned};
use mcp_types::{
    CallToolRequest, ListPromptsRequest, ListResourceTemplatesRequest, ListResourcesRequest,
    ListToolsRequest, Request, Revision,
};
use serde_json::value::RawValue;

use crate::protocol::error::DroppedMember;
use decorations::read_trimmed;
pub(crate) use forms::{complete, forms, newer};
pub(crate) use message::{error_object, repair};

/// Decodes a result with `read`. If that fails, tries again without what servers do wrong:
///
/// * Escapes of half a surrogate pair are replaced.
/// * Members that are `null` are absent; a list that is `null` is empty.
/// * Members are added that a result of its revision [lacks](complete), or it is read in the
///   [form](forms) of a newer revision.
/// * Malformed members that only [decorate](decorations) are left out.
/// * Contents of a tool that cannot be read are [replaced](tool_result::repair).
///
/// Each repair is logged. A result that is valid costs nothing.
pub(crate) fn read<T>(
    revision: Revision,
    method: &str,
    text: &str,
    read: impl Fn(Revision, &str) -> Result<T, VersionError>,
) -> Result<T, VersionError> {
    read_reporting(revision, method, text, read).map(|(result, _)| result)
}

/// Decodes a result like [`read`], and returns the members that were left out.
pub(crate) fn read_reporting<T>(
    revision: Revision,
    method: &str,
    text: &str,
    read: impl Fn(Revision, &str) -> Result<T, VersionError>,
) -> Result<(T, Vec<DroppedMember>), VersionError> {
    match read(revision, text) {
        Ok(result) => Ok((result, Vec::new())),
        Err(fault) => repaired(revision, method, text, read).ok_or(fault),
    }
}

#[cold]
fn repaired<T>(
    revision: Revision,
    method: &str,
    text: &str,
    read: impl Fn(Revision, &str) -> Result<T, VersionError>,
) -> Option<(T, Vec<DroppedMember>)> {
    let again = |text: &str| {
        forms(revision, method, text).find_map(|(form, text)| {
            let result = read(form, &text).ok()?;
            tracing::debug!(method, %form, "the result of the server was repaired");
            Some((result, Vec::new()))
        })
    };
    let replaced = surrogates::replace(text).map(|(text, count)| {
        tracing::warn!(
            method,
            count,
            "halves of surrogate pairs were replaced by U+FFFD"
        );
        text
    });
    let text = replaced.as_deref().unwrap_or(text);
    let without = without_nulls(method, text);
    let text = without.as_deref().unwrap_or(text);
    again(text)
        .or_else(|| {
            let mut forms = forms(revision, method, text);
            forms.find_map(|(form, text)| read_trimmed(&text, |text| read(form, text)))
        })
        .or_else(|| {
            let is_call = method == CallToolRequest::METHOD;
            let text = is_call.then(|| tool_result::repair(revision, text))??;
            again(&text)
        })
}

/// Removes the members that are `null`, and replaces a list that is `null` by an empty one.
fn without_nulls(method: &str, text: &str) -> Option<String> {
    let mut members: Map<Box<RawValue>> = serde_json::from_str(text).ok()?;
    let list = match method {
        ListToolsRequest::METHOD => "tools",
        ListPromptsRequest::METHOD => "prompts",
        ListResourcesRequest::METHOD => "resources",
        ListResourceTemplatesRequest::METHOD => "resourceTemplates",
        _ => "",
    };
    let count = members.len();
    let was_null = members.get(list).is_some_and(|list| list.get() == "null");
    members.retain(|_, value| value.get() != "null");
    if members.len() == count {
        return None;
    }
    if was_null {
        members.insert(list, RawValue::from_string("[]".to_owned()).ok()?);
    }
    tracing::debug!(method, "members of a result are null");
    json::to_string(&members).ok()
}

/// Decodes the params of a notification in the form of a revision, or of one of the [newer](newer)
/// ones, if necessary without malformed members that only [decorate](decorations).
pub(crate) fn decode<T: Versioned>(revision: Revision, text: &str) -> Result<T, VersionError> {
    revision.decode(text).or_else(|fault| {
        let other = newer(revision).find_map(|newer| newer.decode(text).ok());
        let trimmed = || read_trimmed(text, |text| revision.decode(text)).map(|(value, _)| value);
        other.or_else(trimmed).ok_or(fault)
    })
}
