//! [`Plan`]: how the arguments of a tool become a request, and the schema of the arguments.

mod path;
mod planner;

use std::collections::HashSet;

use mcp_server::types::json::{Object, Value};

use super::body::{Kind, Writing};
use super::document::Resolver;
use super::parameter::{Parameter, Place};

pub(super) use planner::Planner;

/// How to build the requests of a tool.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) path: Vec<Segment>,
    /// The part of the query that is the same in all requests. May be empty.
    pub(super) query: String,
    pub(super) parameters: Vec<Bound>,
    pub(super) body: Option<BodyPlan>,
}

impl Plan {
    /// Returns about how many bytes the plan has besides those of the path.
    pub(super) fn size(&self) -> usize {
        const BOUND: usize = size_of::<Bound>();
        let names = self.parameters.iter().map(|bound| &bound.parameter.name);
        let body = self.body.as_ref().map(|body| match &body.source {
            Source::Whole(_) => 0,
            Source::Members(members) => {
                let names = members.iter().map(|(_, name)| name.len() + BOUND);
                names.sum::<usize>()
            }
        });
        names.map(|name| name.len() + BOUND).sum::<usize>() + body.unwrap_or_default()
    }
}

/// A part of a path.
#[derive(Debug)]
pub(super) enum Segment {
    Text(String),
    /// The index of a parameter.
    Parameter(usize),
}

/// A parameter and the argument that has its value.
#[derive(Debug)]
pub(super) struct Bound {
    pub(super) argument: String,
    pub(super) parameter: Parameter,
}

/// The body of a request.
#[derive(Debug)]
pub(super) struct BodyPlan {
    pub(super) kind: Kind,
    pub(super) media_type: String,
    pub(super) required: bool,
    pub(super) source: Source,
    pub(super) writing: Writing,
}

/// Where the value of a body is.
#[derive(Debug)]
pub(super) enum Source {
    /// In this argument.
    Whole(String),
    /// In one argument for each member: the argument, and the name of the member.
    Members(Vec<(String, String)>),
}

/// Names that the API uses to authorize requests.
#[derive(Debug, Default)]
pub(super) struct Secrets(HashSet<(&'static str, String)>);

impl Secrets {
    pub(super) fn read(resolver: &Resolver<'_>) -> Self {
        let schemes = resolver.root.get("components");
        let schemes = schemes.and_then(|it| it.get("securitySchemes")?.as_object());
        let keys = schemes
            .into_iter()
            .flat_map(Object::values)
            .filter_map(|scheme| {
                let scheme = resolver.follow(scheme).ok()?;
                let text = |name: &str| scheme.get(name).and_then(Value::as_str);
                let place = Place::parse(text("in")?).filter(|_| text("type") == Some("apiKey"))?;
                Some((place.name(), normalized(place, text("name")?)))
            });
        Self(keys.collect())
    }

    pub(super) fn contains(&self, place: Place, name: &str) -> bool {
        self.0.contains(&(place.name(), normalized(place, name)))
    }
}

/// Returns what servers may make of a name: the case is that of letters in headers, `-`, `.`, and spaces
/// become `_` in CGI and PHP, and a query `a[]` or `a[b]` sets `a` in many frameworks.
fn normalized(place: Place, name: &str) -> String {
    let name = match place {
        Place::Query | Place::Cookie => base_name(name),
        Place::Path | Place::Header => name,
    };
    name.trim()
        .to_ascii_lowercase()
        .replace(['-', '.', ' '], "_")
}

/// Returns what a name has before its brackets: `a` of `a[]` and of `a[b]`.
pub(super) fn base_name(name: &str) -> &str {
    match name.find('[') {
        None | Some(0) => name,
        Some(at) => &name[..at],
    }
}

/// Headers that a model must not set, in lower case and with `_` for `-`: they belong to the connection,
/// to the body, or to the authorization, or proxies tell servers in them who sends a request.
const HEADERS: [&str; 28] = [
    "accept",
    "accept_encoding",
    "authorization",
    "cf_connecting_ip",
    "client_ip",
    "connection",
    "content_encoding",
    "content_length",
    "content_type",
    "cookie",
    "expect",
    "fastly_client_ip",
    "forwarded",
    "host",
    "keep_alive",
    "remote_user",
    "te",
    "trailer",
    "transfer_encoding",
    "true_client_ip",
    "upgrade",
    "via",
    "x_client_ip",
    "x_cluster_client_ip",
    "x_host",
    "x_http_method",
    "x_method_override",
    "x_remote_user",
];
/// The beginnings of the names of further such headers.
const PREFIXES: [&str; 7] = [
    "proxy_",
    "x_forwarded",
    "x_http_method_",
    "x_original_",
    "x_real_",
    "x_rewrite_",
    "x_auth_request_",
];

/// Returns `true` for headers that are never arguments.
pub(super) fn is_reserved_header(name: &str) -> bool {
    let name = normalized(Place::Header, name);
    HEADERS.contains(&&*name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}
