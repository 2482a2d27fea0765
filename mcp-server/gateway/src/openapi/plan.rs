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
                Some((place.name(), text("name")?.to_ascii_lowercase()))
            });
        Self(keys.collect())
    }

    pub(super) fn contains(&self, place: Place, name: &str) -> bool {
        self.0.contains(&(place.name(), name.to_ascii_lowercase()))
    }
}
