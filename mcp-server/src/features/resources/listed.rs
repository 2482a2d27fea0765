//! [`ListAt`] and [`ResourcePage`]: the params and the result of handlers that list resources.

#[cfg(feature = "proposals")]
pub(crate) mod filter;

use std::num::NonZeroUsize;

use mcp_types::Resource;
use mcp_types::json::Map;
use serde::de::DeserializeOwned;

#[cfg(feature = "proposals")]
use crate::features::resources::listed::filter::ResourceFilter;
use crate::features::resources::request;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::Input;
use crate::util::uri_syntax::make_canonical;

/// Which part of which list a handler returns.
///
/// The handler of a [`TemplateDef`](crate::TemplateDef) lists resources of the template in
/// `resources/list`, after those with definitions of their own, for clients of every revision.
/// Under SEP-2093 it also lists the members of a [collection](Self::collection) whose URI matches
/// the template. The handler of a [`ResourceDef`](crate::ResourceDef) only lists the members of
/// that resource.
///
/// ```
/// use mcp_server::types::Resource;
/// use mcp_server::{ListAt, ResourceUri, Server, TemplateDef};
///
/// const PAGES: [&str; 3] = ["about", "news", "shop"];
///
/// let pages = TemplateDef::new("site://{page}", "page")
///     .handler(|ResourceUri(uri): ResourceUri| async move { format!("This is {uri}.") })
///     .list(|at: ListAt| async move {
///         // Those after the last one of the previous page.
///         let rest = PAGES.into_iter().filter(|page| at.after.as_deref() < Some(*page));
///         let rest = rest.map(|page| Resource::new(format!("site://{page}"), page));
///         at.page(rest, |page| page.name.clone())
///     });
/// let server = Server::builder("site", "1.0.0").add_resource_template(pages).build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListAt {
    /// The URI of the collection whose members are listed; `None` for all resources.
    pub collection: Option<String>,
    /// Where to continue: the position that the handler passed to [`ResourcePage::next`]. `None` at
    /// the beginning. The client sent it back sealed, so it is unchanged.
    pub after: Option<String>,
    /// The number of resources on a page; `None` without a
    /// [page size](crate::ServerBuilder::page_size). If the handler returns more, all are sent.
    pub size: Option<NonZeroUsize>,
    /// The criteria of the client, by the proposal `versioned-resources`. The server applies them
    /// to what the handler returns, so a handler may ignore them, or apply those that it
    /// understands: then a page has as many matching resources as fit on it, and a database does
    /// the search.
    #[cfg(feature = "proposals")]
    pub filter: Option<ResourceFilter>,
    pub(crate) variables: Map<String>,
}

impl Input for ListAt {}

impl ListAt {
    /// Returns the variables of the template in the URI of the collection; `None` for all
    /// resources.
    ///
    /// # Errors
    ///
    /// -32602 if the variables cannot be decoded as a `P`.
    pub fn variables<P: DeserializeOwned>(&self) -> Result<Option<P>, HandlerError> {
        let Some(uri) = &self.collection else {
            return Ok(None);
        };
        request::typed(uri, self.variables.clone()).map(Some)
    }

    /// Makes the page from the resources after [`after`](Self::after), in the order of the list: as
    /// many as fit on it. If there are more, the list continues after the last one of the page,
    /// whose position `position` returns. Takes one resource more from the iterator than the page
    /// has.
    pub fn page<I, P>(&self, resources: I, position: impl FnOnce(&Resource) -> P) -> ResourcePage
    where
        I: IntoIterator<Item = Resource>,
        P: Into<String>,
    {
        let mut resources = resources.into_iter();
        let Some(size) = self.size else {
            return ResourcePage::new(resources);
        };
        let page = ResourcePage::new(resources.by_ref().take(size.get()));
        match (resources.next(), page.resources.last()) {
            (Some(_), Some(last)) => {
                let last = position(last);
                page.next(last)
            }
            _ => page,
        }
    }

    /// Returns the number of rows to select from a database, for `LIMIT`: one more than there is
    /// space for, so that [`page`](Self::page) knows whether another page follows. [`i64::MAX`]
    /// without a page size.
    #[must_use]
    pub fn limit(&self) -> i64 {
        let size = self.size.map(|size| i64::try_from(size.get()));
        size.and_then(Result::ok)
            .map_or(i64::MAX, |size| size.saturating_add(1))
    }

    /// Returns `true` if the page has as many resources as requested.
    #[must_use]
    pub fn is_full(&self, listed: &ResourcePage) -> bool {
        self.size
            .is_some_and(|size| listed.resources.len() >= size.get())
    }
}

/// A page of resources that a handler lists, in a stable order. [`ListAt::page`] makes one.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResourcePage {
    /// The resources.
    pub resources: Vec<Resource>,
    next: Option<String>,
    is_complete: bool,
}

impl ResourcePage {
    /// Creates a page with these resources, the last page of the list.
    pub fn new(resources: impl IntoIterator<Item = Resource>) -> Self {
        Self {
            resources: resources.into_iter().collect(),
            next: None,
            is_complete: false,
        }
    }

    /// Announces another page, which is requested with this position as [`ListAt::after`]. The best
    /// position is the name of the last resource of this page, which stays valid when resources are
    /// added or removed.
    #[must_use]
    pub fn next(mut self, position: impl Into<String>) -> Self {
        self.next = Some(position.into());
        self
    }

    /// States that the resources have all members that they have elsewhere: the handler that
    /// [describes](crate::ResourceDef::describe) does not run for them, and nothing is added from
    /// the definition but a [presigned](crate::ResourceDef::presign) URL. For handlers that know
    /// everything when they list, such as those of a database.
    #[must_use]
    pub fn complete(mut self) -> Self {
        self.is_complete = true;
        self
    }

    /// Returns the resources, where they come from, and where the handler continues.
    pub(crate) fn into_parts(mut self) -> (Vec<Resource>, ResourceSource, Option<String>) {
        for resource in &mut self.resources {
            make_canonical(&mut resource.uri);
        }
        let source = if self.is_complete {
            ResourceSource::CompleteHandler
        } else {
            ResourceSource::Handler
        };
        (self.resources, source, self.next)
    }
}

/// Resources, and the position of the next page.
#[derive(Default)]
pub(crate) struct ListedPage {
    pub(crate) resources: Vec<Resource>,
    /// Where each of the resources comes from.
    #[cfg(feature = "proposals")]
    pub(crate) sources: Vec<ResourceSource>,
    pub(crate) next: Option<Position>,
    /// `true` if other callers may see other resources.
    pub(crate) restricted: bool,
}

/// Where a resource of a list comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceSource {
    /// Its own definition.
    Definition,
    /// A handler that lists. The definition that has the URI may know more.
    Handler,
    /// A handler that lists, and that returns all members.
    CompleteHandler,
    /// A link, whose target may not exist.
    #[cfg(feature = "proposals")]
    Link,
}

impl ListedPage {
    pub(crate) fn extend(
        &mut self,
        resources: impl IntoIterator<Item = Resource>,
        source: ResourceSource,
    ) {
        self.resources.extend(resources);
        #[cfg(feature = "proposals")]
        self.sources.resize(self.resources.len(), source);
        #[cfg(not(feature = "proposals"))]
        let _ = source;
    }
}

/// Where a list continues. Positions are never reused, so nothing is listed twice or omitted when
/// definitions are added or removed.
#[derive(Debug, PartialEq)]
pub(crate) enum Position {
    /// At the beginning.
    Beginning,
    /// After a position of the list of resources.
    Listed(u64),
    /// Within the resources of a template: the position of the template, and the one that its
    /// handler returned.
    Within(u64, String),
    /// After a template.
    After(u64),
    /// Within the members of a collection: the position that its handler returned.
    Member(String),
}

impl Position {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (tag, index, text) = match self {
            Self::Beginning => (0, 0, ""),
            Self::Listed(index) => (1, *index, ""),
            Self::Within(index, position) => (2, *index, position.as_str()),
            Self::After(index) => (3, *index, ""),
            Self::Member(position) => (4, 0, position.as_str()),
        };
        let mut bytes = vec![tag];
        bytes.extend(index.to_be_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        let (index, text) = rest.split_first_chunk()?;
        let index = u64::from_be_bytes(*index);
        let text = str::from_utf8(text).ok()?.to_owned();
        Some(match tag {
            0 => Self::Beginning,
            1 => Self::Listed(index),
            2 => Self::Within(index, text),
            3 => Self::After(index),
            4 => Self::Member(text),
            _ => return None,
        })
    }
}
