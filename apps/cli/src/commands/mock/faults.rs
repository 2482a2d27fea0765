//! [`FAULTS`]: for each statement of the proposals, how the server can violate it.

use http::header::{
    CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, HeaderValue, IF_MATCH, IF_NONE_MATCH, LOCATION,
    RANGE, X_CONTENT_TYPE_OPTIONS,
};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use mcp_client::types::NOT_MODIFIED;
use mcp_server::HandlerError;
use serde_json::{Value, json};

use super::changes::{
    another_icon, everywhere, header, instead, refuse, resource, result, twice, unknown, whole,
    without,
};
use super::content::{FOLDER, LINKED, NOTE, PLAIN, PNG, Place};
use super::traps::{Answer, complete};
use crate::wire::rules::Rule;

/// How a result is changed. The first argument are the params of the request.
type ChangeAnswer = fn(&Value, Answer) -> Answer;

/// How the answer to a request for a URL is changed.
type ChangeResponse = fn(&Parts, &mut Response<Vec<u8>>, Place);

/// What a fault changes.
pub(super) enum Change {
    /// The answers to a method, or to all methods if it is empty.
    Answer(&'static str, ChangeAnswer),
    /// What is at URLs.
    Url(ChangeResponse),
    /// Nothing that is changed here: the server is another one.
    World,
}

/// A violation of a statement.
pub(super) struct Fault {
    pub(super) rule: Rule,
    /// What distinguishes it from other violations of the statement.
    detail: &'static str,
    pub(super) change: Change,
}

impl Fault {
    /// Returns `true` if only resources with URLs show it.
    pub(super) fn needs_urls(&self) -> bool {
        self.rule.id().starts_with("https-url/")
    }

    /// Returns the name for the command line.
    pub(super) fn name(&self) -> String {
        match self.detail {
            "" => self.rule.id().to_owned(),
            detail => format!("{}:{detail}", self.rule.id()),
        }
    }
}

const fn answer(
    rule: Rule,
    detail: &'static str,
    method: &'static str,
    change: ChangeAnswer,
) -> Fault {
    Fault {
        rule,
        detail,
        change: Change::Answer(method, change),
    }
}

const fn url(rule: Rule, detail: &'static str, change: ChangeResponse) -> Fault {
    Fault {
        rule,
        detail,
        change: Change::Url(change),
    }
}

const fn world(rule: Rule) -> Fault {
    Fault {
        rule,
        detail: "",
        change: Change::World,
    }
}

/// The criteria of filters that the server knows.
const CRITERIA: [&str; 3] = ["kind", "uriPrefix", "metadata"];

const LIST: &str = "resources/list";
const METADATA: &str = "resources/metadata";
const READ: &str = "resources/read";
const GET: &str = "resources/get";
const EVERY: &str = "";

/// All faults, in the order of the statements.
pub(super) const FAULTS: &[Fault] = &[
    answer(Rule::TypeIsSet, "", EVERY, |_, it| {
        everywhere(it, PLAIN, |it| without(it, "resourceType"))
    }),
    answer(Rule::MetadataAnswers, "", METADATA, |of, it| {
        refuse(of, PLAIN, it)
    }),
    answer(Rule::MetadataUri, "", METADATA, |of, it| {
        resource(of, it, |it| it["uri"] = "mock://x".into())
    }),
    answer(Rule::MetadataAgree, "name", METADATA, |of, it| {
        resource(of, it, |it| it["name"] = "x".into())
    }),
    answer(Rule::MetadataAgree, "title", METADATA, |of, it| {
        resource(of, it, |it| it["title"] = "x".into())
    }),
    answer(Rule::MetadataAgree, "description", METADATA, |of, it| {
        resource(of, it, |it| it["description"] = "x".into())
    }),
    answer(Rule::MetadataAgree, "mimeType", METADATA, |of, it| {
        resource(of, it, |it| it["mimeType"] = "text/html".into())
    }),
    answer(Rule::MetadataAgree, "icons", METADATA, |of, it| {
        resource(of, it, |it| it["icons"] = json!([]))
    }),
    answer(Rule::MetadataAgree, "annotations", METADATA, |of, it| {
        resource(of, it, |it| it["annotations"]["priority"] = 1.into())
    }),
    answer(Rule::MetadataAgree, "size", METADATA, |of, it| {
        resource(of, it, |it| it["size"] = 1.into())
    }),
    answer(Rule::MetadataAgree, "resourceType", METADATA, |of, it| {
        resource(of, it, |it| it["resourceType"] = "collection".into())
    }),
    answer(Rule::MetadataAgree, "kind", METADATA, |of, it| {
        resource(of, it, |it| it["kind"] = "x".into())
    }),
    answer(Rule::MetadataAgree, "metadata", METADATA, |of, it| {
        resource(of, it, |it| it["metadata"]["owner"] = "Bob".into())
    }),
    answer(Rule::MetadataUnknown, "result", METADATA, |of, it| {
        unknown(of, it, |uri| {
            Ok(complete(json!({ "resource": { "uri": uri, "name": "x" } })))
        })
    }),
    answer(Rule::MetadataUnknown, "code", METADATA, |of, it| {
        unknown(of, it, |_| Err(HandlerError::internal("refused")))
    }),
    answer(Rule::DocumentContents, "empty", READ, |of, it| {
        result(of, PLAIN, it, |it| it["contents"] = json!([]))
    }),
    answer(Rule::DocumentContents, "error", READ, |of, it| {
        refuse(of, PLAIN, it)
    }),
    answer(Rule::DocumentUri, "", READ, |of, it| {
        result(of, PLAIN, it, |it| {
            it["contents"][0]["uri"] = "mock://x".into()
        })
    }),
    answer(Rule::DocumentList, "", LIST, |of, it| {
        instead(of, PLAIN, it, || {
            Ok(complete(
                json!({ "resources": [{ "uri": NOTE, "name": "note" }] }),
            ))
        })
    }),
    answer(Rule::ContentsAgree, "name", READ, |of, it| {
        result(of, PLAIN, it, |it| it["contents"][0]["name"] = "x".into())
    }),
    answer(Rule::ContentsAgree, "title", READ, |of, it| {
        result(of, PLAIN, it, |it| it["contents"][0]["title"] = "x".into())
    }),
    answer(Rule::ContentsAgree, "annotations", READ, |of, it| {
        result(of, PLAIN, it, |it| {
            it["contents"][0]["annotations"] = json!({ "priority": 0 })
        })
    }),
    answer(Rule::ContentsName, "", READ, |of, it| {
        result(of, PLAIN, it, |it| without(&mut it["contents"][0], "name"))
    }),
    answer(Rule::ContentsSize, "contents", READ, |of, it| {
        result(of, PLAIN, it, |it| it["contents"][0]["size"] = 1.into())
    }),
    answer(Rule::ContentsSize, "list", EVERY, |_, it| {
        everywhere(it, PLAIN, |it| {
            if it.get("text").is_none() {
                it["size"] = 1.into();
            }
        })
    }),
    answer(Rule::ContentsType, "", EVERY, |_, it| {
        everywhere(it, PLAIN, |it| {
            if it.get("text").is_none() {
                it["mimeType"] = "text/html".into();
            }
        })
    }),
    answer(Rule::CollectionList, "", LIST, |of, it| {
        refuse(of, FOLDER, it)
    }),
    answer(Rule::CollectionOnce, "collection", LIST, |of, it| {
        result(of, FOLDER, it, twice)
    }),
    answer(Rule::CollectionOnce, "all", LIST, |of, it| {
        result(of, "", it, twice)
    }),
    answer(Rule::CollectionPages, "", LIST, |of, it| {
        let is_folder = of["uri"] == FOLDER;
        let is_next = is_folder && of["cursor"] == "again";
        let mut answer = if is_next {
            Ok(complete(json!({ "resources": [] })))
        } else {
            it
        };
        if let Ok(result) = &mut answer
            && is_folder
        {
            result["nextCursor"] = "again".into();
        }
        answer
    }),
    answer(Rule::UnknownList, "", LIST, |of, it| {
        unknown(of, it, |_| {
            Ok(complete(
                json!({ "resources": [{ "uri": NOTE, "name": "note" }] }),
            ))
        })
    }),
    answer(Rule::EmbeddedAnnotations, "", "prompts/get", |_, it| {
        it.map(|mut it| {
            it["messages"][0]["content"]["annotations"] = json!({ "priority": 1 });
            it
        })
    }),
    answer(Rule::GetAnswers, "", GET, |of, it| refuse(of, PLAIN, it)),
    answer(Rule::GetUri, "", GET, |of, it| {
        resource(of, it, |it| it["uri"] = "mock://x".into())
    }),
    answer(Rule::GetVersion, "", GET, |of, it| {
        resource(of, it, |it| without(it, "version"))
    }),
    answer(Rule::GetForm, "type", GET, |of, it| {
        result(of, PLAIN, it, |it| {
            without(&mut it["contents"], "contentType")
        })
    }),
    answer(Rule::GetForm, "none", GET, |of, it| {
        result(of, PLAIN, it, |it| without(&mut it["contents"], "content"))
    }),
    answer(Rule::GetForm, "both", GET, |of, it| {
        result(of, PLAIN, it, |it| it["contents"]["blob"] = "".into())
    }),
    answer(Rule::GetForm, "blob", GET, |of, it| {
        result(of, PLAIN, it, |it| {
            without(&mut it["contents"], "content");
            it["contents"]["blob"] = "no base64!".into();
        })
    }),
    answer(Rule::GetContents, "", GET, |of, it| {
        result(of, PLAIN, it, |it| it["contents"]["content"] = "x".into())
    }),
    answer(Rule::GetUnknown, "", GET, |of, it| {
        unknown(of, it, |uri| {
            let contents = json!({ "contentType": "text/plain", "content": "x" });
            let resource = json!({ "uri": uri, "name": "x", "version": "1" });
            Ok(complete(
                json!({ "resource": resource, "contents": contents }),
            ))
        })
    }),
    answer(Rule::NotModified, "", GET, |of, it| {
        instead(of, PLAIN, it, || {
            let contents = json!({ "contentType": "text/plain", "content": "A document with all metadata.\n" });
            let resource = json!({ "uri": PLAIN, "name": "plain", "version": "7" });
            Ok(complete(
                json!({ "resource": resource, "contents": contents }),
            ))
        })
    }),
    answer(Rule::NotModifiedCode, "", GET, |of, it| {
        let is_known = of["uri"] == PLAIN && of["version"] == "7";
        if is_known {
            Err(HandlerError::internal("no"))
        } else {
            it
        }
    }),
    answer(Rule::OldVersion, "not-modified", GET, |of, it| {
        let is_other = of["uri"] == PLAIN && of["version"].is_string() && of["version"] != "7";
        if is_other {
            Err(HandlerError::protocol(NOT_MODIFIED, "Not Modified"))
        } else {
            it
        }
    }),
    answer(Rule::OldVersion, "error", GET, |of, it| {
        let is_other = of["uri"] == PLAIN && of["version"].is_string() && of["version"] != "7";
        if is_other {
            Err(HandlerError::internal("no"))
        } else {
            it
        }
    }),
    answer(Rule::VersionsAgree, "list", LIST, |_, it| {
        everywhere(it, PLAIN, |it| it["version"] = "8".into())
    }),
    answer(Rule::VersionsAgree, "metadata", METADATA, |of, it| {
        resource(of, it, |it| it["version"] = "8".into())
    }),
    world(Rule::VersionChanges),
    world(Rule::VersionStays),
    answer(Rule::FilterKind, "misses", LIST, |of, it| {
        let is_kind = of["filter"]["kind"] == "note";
        it.map(|mut it| {
            if let Some(list) = it["resources"].as_array_mut().filter(|_| is_kind) {
                list.pop();
            }
            it
        })
    }),
    answer(Rule::FilterKind, "selects", LIST, |of, it| {
        let is_kind = of["filter"]["kind"] == "note";
        it.map(|mut it| {
            if let Some(list) = it["resources"].as_array_mut().filter(|_| is_kind) {
                list.push(json!({ "uri": PLAIN, "name": "plain" }));
            }
            it
        })
    }),
    answer(Rule::FilterUnknown, "", LIST, |of, it| {
        let criteria = of["filter"].as_object();
        let is_known = |name: &String| CRITERIA.contains(&&**name);
        if criteria.is_none_or(|criteria| criteria.keys().all(is_known)) {
            return it;
        }
        Ok(complete(
            json!({ "resources": [{ "uri": PLAIN, "name": "plain" }] }),
        ))
    }),
    answer(Rule::UrlAllowed, "", EVERY, |_, it| {
        everywhere(it, LINKED, |it| {
            if it.get("httpUrl").is_some() {
                it["httpUrl"] = "http://files.example/linked".into();
            }
        })
    }),
    answer(Rule::UrlExpiry, "past", EVERY, |_, it| {
        everywhere(it, LINKED, |it| {
            if it.get("httpUrl").is_some() {
                it["httpUrlExpiresAt"] = "2001-01-01T00:00:00Z".into();
            }
        })
    }),
    answer(Rule::UrlExpiry, "form", EVERY, |_, it| {
        everywhere(it, LINKED, |it| {
            if it.get("httpUrl").is_some() {
                it["httpUrlExpiresAt"] = "tomorrow".into();
            }
        })
    }),
    url(Rule::UrlAnswers, "", |_, it, _| {
        *it.status_mut() = StatusCode::FORBIDDEN
    }),
    url(Rule::UrlBytes, "", |_, it, _| {
        // Ranges begin at the second byte.
        if it.status() == StatusCode::OK
            && let Some(first) = it.body_mut().first_mut()
        {
            *first = b'X';
        }
    }),
    url(Rule::UrlType, "", |_, it, _| {
        header(it, CONTENT_TYPE, "application/pdf")
    }),
    url(Rule::UrlLength, "", |_, it, _| {
        it.headers_mut().remove(CONTENT_LENGTH);
    }),
    url(Rule::UrlHead, "status", |of, it, _| {
        if of.method == Method::HEAD {
            *it.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
        }
    }),
    url(Rule::UrlHead, "headers", |of, it, _| {
        if of.method == Method::HEAD {
            header(it, CONTENT_TYPE, "text/html");
        }
    }),
    url(Rule::UrlRange, "bytes", |_, it, _| {
        if it.status() == StatusCode::PARTIAL_CONTENT
            && let Some(first) = it.body_mut().first_mut()
        {
            *first = b'X';
        }
    }),
    url(Rule::UrlRange, "header", |_, it, _| {
        if it.status() == StatusCode::PARTIAL_CONTENT {
            header(it, CONTENT_RANGE, "bytes 0-1/2");
        }
    }),
    url(Rule::UrlRange, "status", |_, it, _| {
        if it.status() == StatusCode::PARTIAL_CONTENT {
            *it.status_mut() = StatusCode::OK;
        }
    }),
    url(Rule::UrlBeyond, "", |of, it, _| {
        if of.headers.contains_key(RANGE) && it.status() == StatusCode::RANGE_NOT_SATISFIABLE {
            *it.status_mut() = StatusCode::BAD_REQUEST;
        }
    }),
    url(Rule::UrlMatch, "", |of, it, _| {
        if of.headers.contains_key(IF_NONE_MATCH) {
            whole(it);
        }
    }),
    url(Rule::UrlOther, "", |of, it, _| {
        if of.headers.contains_key(IF_MATCH) {
            whole(it);
        }
    }),
    url(Rule::UrlToken, "", |_, it, _| {
        if it.status() == StatusCode::FORBIDDEN {
            whole(it);
        }
    }),
    url(Rule::UrlExpired, "", |_, it, _| {
        if it.status() == StatusCode::GONE {
            whole(it);
        }
    }),
    url(Rule::UrlRedirect, "", |_, it, place| {
        *it.status_mut() = StatusCode::FOUND;
        let location = format!(
            "https://127.0.0.1:{}/trap/elsewhere",
            place.https.unwrap_or_default()
        );
        if let Ok(location) = HeaderValue::try_from(location) {
            it.headers_mut().insert(LOCATION, location);
        }
    }),
    url(Rule::UrlSniffing, "", |_, it, _| {
        it.headers_mut().remove(X_CONTENT_TYPE_OPTIONS);
    }),
    answer(Rule::IconSource, "scheme", EVERY, |_, it| {
        another_icon(it, || json!({ "src": "http://example.com/icon.png" }))
    }),
    answer(Rule::IconSource, "origin", EVERY, |_, it| {
        another_icon(it, || json!({ "src": "https://example.com/icon.png" }))
    }),
    answer(Rule::IconLoads, "bytes", EVERY, |_, it| {
        another_icon(it, || json!({ "src": "data:image/png;base64,AAAA" }))
    }),
    answer(Rule::IconLoads, "type", EVERY, |_, it| {
        another_icon(it, || json!({ "src": PNG, "mimeType": "image/jpeg" }))
    }),
    answer(Rule::IconScript, "", EVERY, |_, it| {
        another_icon(
            it,
            || json!({ "src": "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=" }),
        )
    }),
    answer(Rule::IconSizes, "pixels", EVERY, |_, it| {
        another_icon(
            it,
            || json!({ "src": PNG, "mimeType": "image/png", "sizes": ["48x48"] }),
        )
    }),
    answer(Rule::IconSizes, "form", EVERY, |_, it| {
        another_icon(
            it,
            || json!({ "src": PNG, "mimeType": "image/png", "sizes": ["large"] }),
        )
    }),
    answer(Rule::IconChoice, "theme", EVERY, |_, it| {
        everywhere(it, PLAIN, |it| {
            if it.get("icons").is_some() {
                it["icons"] = json!([{ "src": PNG, "mimeType": "image/png", "theme": "dark" }]);
            }
        })
    }),
    world(Rule::Website),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{FAULTS, Rule};

    #[test]
    fn every_statement_has_a_fault() {
        let missing: Vec<&str> = Rule::ALL
            .iter()
            .filter(|rule| !FAULTS.iter().any(|fault| fault.rule == **rule))
            .map(|rule| rule.id())
            .collect();
        assert_eq!(missing, Vec::<&str>::new());
    }

    #[test]
    fn faults_have_different_names() {
        let names: HashSet<_> = FAULTS.iter().map(super::Fault::name).collect();
        assert_eq!(names.len(), FAULTS.len());
    }
}
