//! [`Operation`]: the operations of a document, and the names of their tools.

use http::Method;
use mcp_server::types::json::Value;

use super::document::{MEMBERS, Resolver};
use super::error::OpenApiError;
use super::names::Names;

/// The maximum number of operations.
const OPERATIONS: usize = 50_000;
/// The maximum number of tags of an operation that are kept.
const TAGS: usize = 32;
/// The longest tag and the longest `operationId` that are kept, in bytes. Many paths can refer to one
/// object with operations, each of which is an operation of its own.
const TAG: usize = 64;
const ID: usize = 256;

/// An operation of a document, for [filters](super::OpenApi::filter), and in the
/// [extensions](http::Extensions) of each request to the API.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// The name of its tool: the `operationId`, or the method and the path, with other characters than
    /// letters, digits, `_` and `-` replaced. It does not depend on the filter.
    pub name: String,
    /// The `operationId`.
    pub id: Option<String>,
    /// The method.
    pub method: Method,
    /// The path as in the document, with its variables, such as `/pets/{id}`.
    pub path: String,
    /// The tags.
    pub tags: Vec<String>,
    /// Set if the document says that the operation should not be used any more.
    pub deprecated: bool,
}

impl Operation {
    /// Returns the method and the path.
    pub(super) fn title(&self) -> String {
        format!("{} {}", self.method, self.path)
    }
}

/// An operation with its part of the document.
pub(super) struct Found<'a> {
    pub(super) operation: Operation,
    pub(super) item: &'a Value,
    pub(super) value: &'a Value,
}

/// The operations of a document, in its order.
#[derive(Default)]
pub(super) struct Operations<'a> {
    pub(super) found: Vec<Found<'a>>,
    /// Other operations, and why they are not used.
    pub(super) faults: Vec<(String, String)>,
}

/// Returns the operations of a document.
pub(super) fn operations<'a>(resolver: &Resolver<'a>) -> Result<Operations<'a>, OpenApiError> {
    let paths = match resolver.root.get("paths") {
        Some(Value::Object(paths)) => paths,
        // A document of 3.1 may have webhooks only.
        None => return Ok(Operations::default()),
        Some(_) => {
            return Err(OpenApiError::Member {
                at: "paths",
                expected: "an object",
            });
        }
    };
    let mut operations = Operations::default();
    let Operations { found, faults } = &mut operations;
    let mut names = Names::default();
    for (path, item) in paths {
        if path.starts_with("x-") {
            continue;
        }
        let item = match resolver.follow(item) {
            Ok(item) => item,
            Err(reason) => {
                faults.push((path.to_owned(), reason));
                continue;
            }
        };
        let additional = item.get("additionalOperations").and_then(Value::as_object);
        let additional = additional.into_iter().flatten();
        let additional = additional.map(|(method, value)| (method, None, value));
        let members = item.as_object().into_iter().flatten();
        let members = members
            .filter(|(member, _)| *member == "query" || method_of(member).is_some())
            .map(|(member, value)| (member, method_of(member), value));
        for (member, method, value) in members.chain(additional) {
            if found.len() + faults.len() >= OPERATIONS {
                return Err(OpenApiError::Operations { limit: OPERATIONS });
            }
            // OpenAPI 3.2 has the method `query`, and any others in `additionalOperations`.
            let Some(method) = method else {
                let title = format!("{} {path}", member.to_ascii_uppercase());
                faults.push((title, "methods that 3.2 added are not supported".to_owned()));
                continue;
            };
            if value.as_object().is_none_or(|it| it.len() > MEMBERS) {
                let reason = format!("expected an object, with no more than {MEMBERS} members");
                faults.push((format!("{method} {path}"), reason));
                continue;
            }
            let text = |name: &str| value.get(name).and_then(Value::as_str);
            let tags = value.get("tags").and_then(Value::as_array);
            let tags = tags.into_iter().flatten().take(TAGS);
            let tags = tags.filter_map(Value::as_str);
            let tags = tags.filter(|tag| tag.len() <= TAG);
            let id = text("operationId").filter(|id| !id.is_empty() && id.len() <= ID);
            let name = names
                .take(id.unwrap_or(&format!("{} {path}", method.as_str().to_ascii_lowercase())));
            let deprecated = value.get("deprecated").and_then(Value::as_bool);
            let operation = Operation {
                name,
                id: id.map(str::to_owned),
                method,
                path: path.to_owned(),
                tags: tags.map(str::to_owned).collect(),
                deprecated: deprecated == Some(true),
            };
            found.push(Found {
                operation,
                item,
                value,
            });
        }
    }
    Ok(operations)
}

/// Returns the method of a member of a path item. There are no tools for `trace`, whose responses
/// repeat the secrets of requests.
fn method_of(member: &str) -> Option<Method> {
    Some(match member {
        "delete" => Method::DELETE,
        "get" => Method::GET,
        "head" => Method::HEAD,
        "options" => Method::OPTIONS,
        "patch" => Method::PATCH,
        "post" => Method::POST,
        "put" => Method::PUT,
        _ => return None,
    })
}
