//! Builds the request of a call.

use std::borrow::Cow;
use std::collections::HashSet;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, COOKIE, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use http::{Method, Request};
use mcp_server::types::json::{Object, Value};
use percent_encoding::percent_decode_str;

use super::base::{Base, has_dots};
use super::parameter::{Place, pairs};
use super::plan::{BodyPlan, Plan, Secrets, Segment, Source, base_name};

/// The value of the header `User-Agent`.
const AGENT: &str = concat!("mcp-gateway/", env!("CARGO_PKG_VERSION"));
/// The longest URL. Most servers refuse longer ones.
const URL_BYTES: usize = 16 << 10;

impl Plan {
    /// Builds a request. The scheme, the host, and the beginning of the path are those of `base`.
    ///
    /// # Errors
    ///
    /// What is wrong with the arguments.
    pub(super) fn request(
        &self,
        method: &Method,
        base: &Base,
        accept: &HeaderValue,
        secrets: &Secrets,
        mut arguments: Object,
    ) -> Result<Request<Bytes>, String> {
        let path = self.path(&arguments)?;
        let mut query = Vec::from_iter((!self.query.is_empty()).then(|| self.query.clone()));
        let mut cookies = Vec::new();
        let mut headers = HeaderMap::new();
        let fixed: Vec<_> = self.query.split('&').map(name_of).collect();
        let fixed = fixed.iter().map(|name| (Place::Query, &**name));
        let own = self.parameters.iter().map(|bound| &bound.parameter);
        let own = own.map(|own| (own.place, &*own.name));
        let own: HashSet<(Place, &str)> = own.chain(fixed).collect();
        for bound in &self.parameters {
            let parameter = &bound.parameter;
            let argument = &bound.argument;
            let Some(value) = arguments.get(argument).filter(|value| !value.is_null()) else {
                continue;
            };
            let fault = |reason: String| format!("`{argument}`: {reason}");
            match parameter.place {
                Place::Path => {}
                Place::Query | Place::Cookie => {
                    let pairs = pairs(&parameter.name, parameter.format, value).map_err(fault)?;
                    // The members of an object can have any names.
                    for name in pairs.iter().map(|pair| name_of(pair)) {
                        if secrets.contains(parameter.place, &name) {
                            return Err(fault(format!("`{name}` authorizes requests")));
                        }
                        let is_own = |name| own.contains(&(parameter.place, name));
                        let base = base_name(&name);
                        let is_base = base != base_name(&parameter.name) && is_own(base);
                        if name != parameter.name && (is_own(&*name) || is_base) {
                            let text =
                                format!("`{name}` is set by another argument, or by the API");
                            return Err(fault(text));
                        }
                    }
                    match parameter.place {
                        Place::Cookie => cookies.extend(pairs),
                        _ => query.extend(pairs),
                    }
                }
                Place::Header => {
                    let name = HeaderName::from_bytes(parameter.name.as_bytes())
                        .map_err(|_| fault("the API names an invalid header".to_owned()))?;
                    let text = parameter.in_header(value);
                    let value = HeaderValue::from_str(&text)
                        .ok()
                        .filter(|_| text.is_ascii());
                    let expected = "expected visible ASCII characters, without line breaks";
                    headers.insert(name, value.ok_or_else(|| fault(expected.to_owned()))?);
                }
            }
        }
        if !cookies.is_empty() {
            let cookies = HeaderValue::from_str(&cookies.join("; "));
            headers.insert(
                COOKIE,
                cookies.map_err(|error| format!("a cookie: {error}"))?,
            );
        }
        headers.insert(ACCEPT, accept.clone());
        headers
            .entry(USER_AGENT)
            .or_insert(HeaderValue::from_static(AGENT));
        let mut content = Bytes::new();
        if let Some(body) = &self.body
            && let Some((media_type, bytes)) = body.write(&mut arguments)?
        {
            let media_type = HeaderValue::from_str(&media_type);
            let media_type = media_type.map_err(|_| "the API names an invalid media type")?;
            headers.insert(CONTENT_TYPE, media_type);
            content = bytes;
        }
        let query = query.join("&");
        if path.len() + query.len() > URL_BYTES {
            return Err(format!(
                "the arguments make a URL of more than {URL_BYTES} bytes"
            ));
        }
        let url = base
            .url(&path, &query)
            .map_err(|error| format!("the URL: {error}"))?;
        if !base.is_origin_of(&url) {
            return Err("the URL leads to another host".to_owned());
        }
        let mut request = Request::new(content);
        *request.method_mut() = method.clone();
        *request.uri_mut() = url;
        *request.headers_mut() = headers;
        Ok(request)
    }

    /// Writes the path. A value cannot begin another segment, and cannot lead upwards: some servers
    /// decode a path before they look at its segments.
    fn path(&self, arguments: &Object) -> Result<String, String> {
        let mut path = String::new();
        for segment in &self.path {
            let at = match segment {
                Segment::Text(text) => {
                    path.push_str(text);
                    continue;
                }
                Segment::Parameter(at) => *at,
            };
            let Some(bound) = self.parameters.get(at) else {
                continue;
            };
            let argument = &bound.argument;
            let value = arguments.get(argument).filter(|value| !value.is_null());
            let value = value.ok_or_else(|| format!("`{argument}` is missing"))?;
            let written = bound.parameter.in_path(value);
            if written.is_empty() {
                return Err(format!("`{argument}`: expected a value that is not empty"));
            }
            // A server may decode a path twice.
            let decoded = percent_decode_str(&written).decode_utf8_lossy();
            if decoded.chars().any(char::is_control) {
                return Err(format!(
                    "`{argument}`: a path must not contain control characters"
                ));
            }
            if has_dots(&written) || has_dots(&decoded) {
                return Err(format!(
                    "`{argument}`: a path must not contain the segment `.` or `..`"
                ));
            }
            path.push_str(&written);
        }
        if has_dots(&path) {
            return Err("the arguments make a path with a segment `.` or `..`".to_owned());
        }
        Ok(path)
    }
}

/// Returns the name in a pair `name=value`.
fn name_of(pair: &str) -> Cow<'_, str> {
    let name = pair.split('=').next().unwrap_or_default();
    percent_decode_str(name).decode_utf8_lossy()
}

impl BodyPlan {
    /// Writes the body. Returns its media type and its bytes; `None` if it is left out.
    fn write(&self, arguments: &mut Object) -> Result<Option<(String, Bytes)>, String> {
        let value = match &self.source {
            Source::Whole(argument) => match arguments.remove(argument) {
                Some(value) => value,
                None => return Ok(None),
            },
            Source::Members(members) => {
                let mut body = Object::new();
                for (argument, name) in members {
                    if let Some(value) = arguments.remove(argument) {
                        body.push(name, value);
                    }
                }
                if body.is_empty() && !self.required {
                    return Ok(None);
                }
                Value::Object(body)
            }
        };
        self.writing
            .write(self.kind, &self.media_type, &value)
            .map(Some)
    }
}
