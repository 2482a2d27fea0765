//! An HTTP API of a file as a server: its OpenAPI document as tools.

use std::fs::File;
use std::io::Read;

use hyper::header::{HeaderName, HeaderValue};
use mcp_gateway::config::Expanded;
use mcp_openapi::{ApiRequest, OpenApi, Operation};
use mcp_server::{Context, Server};

use crate::failure::Failure;
use crate::output::print_message;

/// The maximum size of a document in bytes.
const BYTES: u64 = 64 << 20;

/// An entry of the file.
pub(super) struct Api {
    pub(super) document: Expanded,
    pub(super) url: Option<Expanded>,
    pub(super) headers: Vec<(String, Expanded)>,
    pub(super) include: Vec<Expanded>,
    pub(super) exclude: Vec<Expanded>,
}

impl Api {
    /// Reads the document, and returns its tools as a server.
    pub(super) fn server(self, name: &str) -> Result<Server, Failure> {
        let fault = |reason: String| Failure::Usage(format!("`{name}`: {reason}"));
        let mut text = String::new();
        let path = self.document.expose();
        let read = File::open(path).and_then(|file| file.take(BYTES + 1).read_to_string(&mut text));
        read.map_err(|error| fault(format!("cannot read {:?}: {error}", self.document)))?;
        let api = OpenApi::parse(&text);
        let mut api = api.map_err(|error| fault(error.to_string()))?;
        match self.url {
            Some(url) => api = api.base_url(url.into_exposed()),
            None if !self.headers.is_empty() => {
                let reason = "the entry has `headers` without `url`: the author of the document \
                              would decide who gets them";
                return Err(fault(reason.to_owned()));
            }
            None => {}
        }
        let mut headers = Vec::new();
        for (header, value) in self.headers {
            let value = HeaderValue::from_str(value.expose()).ok();
            let parsed = HeaderName::from_bytes(header.as_bytes()).ok().zip(value);
            let (parsed, mut value) =
                parsed.ok_or_else(|| fault(format!("invalid header `{header}`")))?;
            value.set_sensitive(true);
            headers.push((parsed, value));
        }
        let (include, exclude) = (self.include, self.exclude);
        let api = api
            .filter(move |operation| include.is_empty() || is_listed(operation, &include))
            .filter(move |operation| !is_listed(operation, &exclude))
            .authorize(move |mut request: ApiRequest, _: Context| {
                for (name, value) in &headers {
                    request.headers_mut().insert(name, value.clone());
                }
                async { Ok(request) }
            });
        let made = api.tools().map_err(|error| fault(error.to_string()))?;
        for reason in &made.faults {
            print_message(&format!("`{name}`: {reason}"));
        }
        let server = Server::builder(name, env!("CARGO_PKG_VERSION")).merge(made.into_group());
        server.build().map_err(|error| fault(error.to_string()))
    }
}

/// Returns `true` if a list has the name of a tool, or one of its tags. A `*` at the end of a text stands
/// for any characters.
fn is_listed(operation: &Operation, list: &[Expanded]) -> bool {
    let mut names = operation.tags.iter().chain([&operation.name]);
    names.any(|name| {
        list.iter()
            .any(|wanted| match wanted.expose().split_once('*') {
                Some((start, "")) => name.starts_with(start),
                _ => name == wanted.expose(),
            })
    })
}
