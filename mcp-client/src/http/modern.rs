//! Requests of the newest revision: each is a POST of its own, and says in its headers what it is.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderName, HeaderValue, Method};
use mcp_types::headers::{self, encode_value, name_member};
use mcp_types::json::{self, Object, Value};
use mcp_types::rpc::{self, Message};
use mcp_types::{CallToolRequest, HEADER_MISMATCH, ListToolsRequest, Request, RequestId, Revision};

use super::answer::Asked;
use super::error::HttpError;
use super::link::HttpLink;
use super::session::{BOTH, JSON, PROTOCOL_VERSION, SESSION_ID};
use crate::calls::Reply;
use crate::core::Core;
use crate::error::TransportError;
use crate::exchange::{Wait, exchange};
use crate::link::Outgoing;
use crate::params::{Params, Part};

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
        let params = name_member(request.method).and_then(|_| params(&request.message));
        let params = &params.unwrap_or_default();
        let Outgoing {
            id,
            method,
            message,
            sent,
        } = request;
        let asked = Asked { id, method };
        let body = Bytes::from(message);
        let calls_tool = method == CallToolRequest::METHOD;
        let mut read_again = false;
        loop {
            let named = named(method, params)?;
            let repeated = if calls_tool {
                self.params.headers(params)?
            } else {
                Vec::new()
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
                return match self.answer(core, asked, response).await? {
                    None => Ok(()),
                    Some(broken) => Err(broken.error),
                };
            }
            let error = self.refusal(response).await?;
            if error.code == HEADER_MISMATCH && calls_tool && !read_again {
                read_again = true;
                if self.read_again(core, params).await {
                    continue;
                }
            }
            core.calls.reply(&RequestId::from(id), Reply::Error(error));
            return Ok(());
        }
    }

    /// Reads the list of tools until it says something new of a tool; `false` where it does not.
    async fn read_again(&self, core: &Arc<Core>, params: &Object) -> bool {
        let Some(tool) = params.get("name").and_then(Value::as_str) else {
            return false;
        };
        let before = self.params.of(tool);
        let mut cursor: Option<Value> = None;
        for _ in 0..PAGES {
            let wait = Wait::new(core.limits.call_time);
            let page = exchange(core, ListToolsRequest::METHOD, wait, |_| {
                let params = match &cursor {
                    Some(cursor) => Params::new().with("cursor", Part::Value(cursor)),
                    None => Params::new(),
                };
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

/// The params of a request, of which headers repeat parts.
fn params(message: &[u8]) -> Option<Object> {
    match rpc::parse(message) {
        Ok(Message::Request { params, .. }) => json::from_str(params?.get()).ok(),
        _ => None,
    }
}

/// What a request says of itself in its headers.
fn named(
    method: &str,
    params: &Object,
) -> Result<[Option<(HeaderName, HeaderValue)>; 2], HttpError> {
    let header = |name: HeaderName, value: &str| {
        let value = HeaderValue::try_from(value).map_err(|_| HttpError::Header {
            name: name.as_str().to_owned(),
        })?;
        Ok(Some((name, value)))
    };
    let about = name_member(method).and_then(|member| params.get(member)?.as_str());
    Ok([
        header(METHOD, method)?,
        match about {
            Some(about) => header(NAME, &encode_value(about))?,
            None => None,
        },
    ])
}
