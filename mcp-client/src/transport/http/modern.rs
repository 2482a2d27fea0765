//! Requests of the newest revision: each is a POST of its own, and says in its headers what it is.

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};
use mcp_types::headers::{self, encode_value, name_member};
use mcp_types::json::{self, Object, Value};
use mcp_types::{CallToolRequest, HEADER_MISMATCH, ListToolsRequest, Request, RequestId, Revision};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::Asked;
use super::link::HttpLink;
use super::session::{BOTH, JSON, PROTOCOL_VERSION, SESSION_ID};
use crate::protocol::connection::Core;
use crate::protocol::error::HttpError;
use crate::protocol::error::TransportError;
use crate::protocol::link::Outgoing;
use crate::protocol::params::{Params, Part};
use crate::protocol::pending::Reply;
use crate::protocol::roundtrip::{Wait, exchange};

const METHOD: HeaderName = HeaderName::from_static(headers::METHOD);
const NAME: HeaderName = HeaderName::from_static(headers::NAME);

/// Pages of a list of tools that are read for the sake of one of them.
const PAGES: usize = 64;

impl HttpLink {
    pub(super) async fn modern(
        &self,
        core: &Arc<Core>,
        request: Outgoing<'_>,
    ) -> Result<(), TransportError> {
        let Outgoing {
            id,
            method,
            message,
            sent,
        } = request;
        let asked = Asked { id, method };
        let body = Bytes::from(message);
        let (about, arguments) = said(method, &body);
        let named = named(method, about.as_deref())?;
        let tool = about.filter(|_| method == CallToolRequest::METHOD);
        let mut read_again = false;
        loop {
            let repeated = match &tool {
                Some(tool) => self.params.headers(tool, arguments)?,
                None => Vec::new(),
            };
            sent.store(true, Ordering::Relaxed);
            let response = self
                .wire
                .send(Method::POST, &self.wire.url, body.clone(), |headers| {
                    headers.reserve(5 + repeated.len());
                    headers.remove(SESSION_ID);
                    headers.insert(ACCEPT, BOTH);
                    headers.insert(CONTENT_TYPE, JSON);
                    let latest = HeaderValue::from_static(Revision::LATEST.as_str());
                    headers.insert(PROTOCOL_VERSION, latest);
                    for (name, value) in named.iter().flatten().chain(&repeated) {
                        headers.insert(name, value.clone());
                    }
                });
            let response = response.await?;
            if response.status().is_success() {
                return match self.answer(core, asked, 0, response).await? {
                    None => Ok(()),
                    Some(broken) => Err(broken.error),
                };
            }
            let error = self.refusal(response).await?;
            if let (HEADER_MISMATCH, Some(tool), false) = (error.code, &tool, read_again) {
                read_again = true;
                if self.read_again(core, tool).await {
                    continue;
                }
            }
            core.calls.reply(&RequestId::from(id), Reply::Error(error));
            return Ok(());
        }
    }

    /// Reads the list of tools until it says something new of a tool; `false` where it does not.
    async fn read_again(&self, core: &Arc<Core>, tool: &str) -> bool {
        let before = self.params.of(tool);
        let mut cursor: Option<Value> = None;
        for _ in 0..PAGES {
            let wait = Wait::new(core.limits.call_time);
            let page = exchange(core, ListToolsRequest::METHOD, wait, |_| {
                let mut params = Params::new();
                if let Some(cursor) = &cursor {
                    params = params.with("cursor", Part::Value(cursor));
                }
                params.described(core, Revision::LATEST, None)
            });
            let Ok(page) = page.await else {
                return false;
            };
            if self.params.of(tool) != before {
                return true;
            }
            let page: Option<Object> = json::from_str(page.get()).ok();
            cursor = page.and_then(|mut page| page.remove("nextCursor"));
            if !matches!(cursor, Some(Value::String(_))) {
                return false;
            }
        }
        false
    }
}

/// What headers repeat of the params of a request: what it is about, and the arguments of a tool.
fn said<'a>(method: &str, body: &'a [u8]) -> (Option<Cow<'a, str>>, Option<&'a RawValue>) {
    #[derive(Deserialize)]
    struct Body<'a> {
        #[serde(borrow)]
        params: Option<Said<'a>>,
    }
    #[derive(Deserialize)]
    struct Said<'a> {
        #[serde(borrow)]
        name: Option<Cow<'a, str>>,
        #[serde(borrow)]
        uri: Option<Cow<'a, str>>,
        #[serde(borrow, rename = "taskId")]
        task: Option<Cow<'a, str>>,
        #[serde(borrow)]
        arguments: Option<&'a RawValue>,
    }
    let Some(member) = name_member(method) else {
        return (None, None);
    };
    let body: Option<Body<'_>> = serde_json::from_slice(body).ok();
    let Some(said) = body.and_then(|body| body.params) else {
        return (None, None);
    };
    let about = match member {
        "name" => said.name,
        "uri" => said.uri,
        _ => said.task,
    };
    (about, said.arguments)
}

/// What a request says of itself in its headers.
fn named(
    method: &str,
    about: Option<&str>,
) -> Result<[Option<(HeaderName, HeaderValue)>; 2], HttpError> {
    let header = |name: HeaderName, value: &str| {
        let value = HeaderValue::try_from(value).map_err(|_| HttpError::Header {
            name: name.as_str().to_owned(),
        })?;
        Ok(Some((name, value)))
    };
    Ok([
        header(METHOD, method)?,
        match about {
            Some(about) => header(NAME, &encode_value(about))?,
            None => None,
        },
    ])
}
