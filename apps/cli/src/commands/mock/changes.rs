//! Changes of answers and responses, for the table of [faults](super::faults::FAULTS).

use http::header::{CONTENT_LENGTH, HeaderValue};
use http::{Response, StatusCode};
use mcp_server::HandlerError;
use serde_json::Value;

use super::content::{LINKED_TEXT, PLAIN};
use super::traps::Answer;

/// Changes every description of a resource, and its contents, wherever they are.
pub(super) fn everywhere(answer: Answer, uri: &str, change: fn(&mut Value)) -> Answer {
    fn walk(value: &mut Value, uri: &str, change: fn(&mut Value)) {
        if value["uri"] == uri {
            change(value);
        }
        match value {
            Value::Object(members) => {
                members
                    .values_mut()
                    .for_each(|value| walk(value, uri, change));
            }
            Value::Array(values) => values.iter_mut().for_each(|value| walk(value, uri, change)),
            _ => {}
        }
    }
    answer.map(|mut result| {
        walk(&mut result, uri, change);
        result
    })
}

/// Changes the result for a URI; for the list of all resources if the URI is empty.
pub(super) fn result(params: &Value, uri: &str, answer: Answer, change: fn(&mut Value)) -> Answer {
    let is_of = params["uri"].as_str().unwrap_or_default() == uri;
    answer.map(|mut result| {
        if is_of {
            change(&mut result);
        }
        result
    })
}

/// Changes the description in the result for the document without a URL.
pub(super) fn resource(params: &Value, answer: Answer, change: fn(&mut Value)) -> Answer {
    let is_of = params["uri"] == PLAIN;
    answer.map(|mut result| {
        if is_of {
            change(&mut result["resource"]);
        }
        result
    })
}

/// Answers what is asked for a URI that this server does not have.
pub(super) fn unknown(params: &Value, answer: Answer, other: fn(&str) -> Answer) -> Answer {
    let uri = params["uri"]
        .as_str()
        .filter(|uri| !uri.starts_with("mock://"));
    uri.map_or(answer, other)
}

/// Refuses what is asked for a URI.
pub(super) fn refuse(params: &Value, uri: &str, answer: Answer) -> Answer {
    instead(params, uri, answer, || {
        Err(HandlerError::internal("refused"))
    })
}

/// Answers what is asked for a URI.
pub(super) fn instead(params: &Value, uri: &str, answer: Answer, other: fn() -> Answer) -> Answer {
    if params["uri"] == uri {
        other()
    } else {
        answer
    }
}

pub(super) fn without(value: &mut Value, member: &str) {
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
}

/// Lists the first resource of a list twice.
pub(super) fn twice(result: &mut Value) {
    if let Some(list) = result["resources"].as_array_mut()
        && let Some(first) = list.first().cloned()
    {
        list.push(first);
    }
}

/// Adds an icon to those of the document.
pub(super) fn another_icon(answer: Answer, icon: fn() -> Value) -> Answer {
    let mut answer = answer?;
    let add = |entry: &mut Value| {
        if let Some(icons) = entry.get_mut("icons").and_then(Value::as_array_mut) {
            icons.push(icon());
        }
    };
    for list in ["resources", "contents"] {
        let entries = answer.get_mut(list).and_then(Value::as_array_mut);
        let entries = entries.into_iter().flatten();
        entries.filter(|entry| entry["uri"] == PLAIN).for_each(add);
    }
    if answer["resource"]["uri"] == PLAIN {
        add(&mut answer["resource"]);
    }
    Ok(answer)
}

pub(super) fn header(
    response: &mut Response<Vec<u8>>,
    name: http::HeaderName,
    value: &'static str,
) {
    response
        .headers_mut()
        .insert(name, HeaderValue::from_static(value));
}

/// Sends the contents, whatever the response was.
pub(super) fn whole(response: &mut Response<Vec<u8>>) {
    *response.status_mut() = StatusCode::OK;
    LINKED_TEXT.as_bytes().clone_into(response.body_mut());
    let length = HeaderValue::from(LINKED_TEXT.len());
    response.headers_mut().insert(CONTENT_LENGTH, length);
}
