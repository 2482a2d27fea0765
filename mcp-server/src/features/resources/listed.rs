//! [`ListAt`] and [`ResourcePage`]: resources that are listed when asked.

use std::num::NonZeroUsize;

use mcp_types::Resource;
use mcp_types::json::Map;
use serde::de::DeserializeOwned;

use super::variables;
use crate::protocol::handler::Input;
use crate::protocol::handler_error::HandlerError;

/// Which part of which list a handler is asked for.
///
/// A handler on a [`TemplateDef`](crate::TemplateDef) lists resources of the template in
/// `resources/list`, behind those that have definitions of their own: every peer gets them. Under
/// SEP-2093 it also lists the members of a [collection](Self::collection) whose URI the template
/// makes. A handler on a [`ResourceDef`](crate::ResourceDef) is asked for the members of that
/// resource alone.
///
/// ```
/// # #[cfg(feature = "templates")] {
/// use mcp_server::types::Resource;
/// use mcp_server::{ListAt, ResourcePage, ResourceUri, Server, TemplateDef};
///
/// const PAGES: [&str; 3] = ["about", "news", "shop"];
///
/// let pages = TemplateDef::new("site://{page}", "page")
///     .handler(|ResourceUri(uri): ResourceUri| async move { format!("This is {uri}.") })
///     .list(|at: ListAt| async move {
///         // Behind the last one that was listed, and no more than are asked for.
///         let rest = PAGES.iter().filter(|page| at.after.as_deref() < Some(**page));
///         let mut rest = rest.peekable();
///         let mut listed = ResourcePage::default();
///         while let Some(page) = rest.next() {
///             listed.resources.push(Resource::new(format!("site://{page}"), *page));
///             if at.is_full(&listed) && rest.peek().is_some() {
///                 return listed.next(*page);
///             }
///         }
///         listed
///     });
/// let server = Server::builder("site", "1.0.0").add_resource_template(pages).build()?;
/// # drop(server);
/// # }
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ListAt {
    /// The URI of the collection whose members are asked for; absent where all resources are.
    pub collection: Option<String>,
    /// Where to go on: what the handler gave to [`ResourcePage::next`]. Absent at the beginning. It
    /// went through the peer, sealed, and is as the handler gave it.
    pub after: Option<String>,
    /// How many are wanted at most; absent where there is [no
    /// limit](crate::ServerBuilder::page_size). What is more than that is sent nevertheless.
    pub size: Option<NonZeroUsize>,
    variables: Map<String>,
}

impl Input for ListAt {}

impl ListAt {
    pub(crate) fn new(after: Option<String>, size: Option<NonZeroUsize>) -> Self {
        Self {
            collection: None,
            after,
            size,
            variables: Map::new(),
        }
    }

    /// The members of a collection.
    #[cfg(feature = "sep-2093")]
    pub(crate) fn within(mut self, collection: String, variables: Map<String>) -> Self {
        self.collection = Some(collection);
        self.variables = variables;
        self
    }

    /// The variables of the template in the URI of the collection; `None` where all resources are
    /// asked for.
    ///
    /// # Errors
    ///
    /// -32602 where the variables are not as the type asks for.
    pub fn variables<P: DeserializeOwned>(&self) -> Result<Option<P>, HandlerError> {
        let Some(uri) = &self.collection else {
            return Ok(None);
        };
        variables::typed(uri, self.variables.clone()).map(Some)
    }

    /// Whether as many are listed as are wanted.
    #[must_use]
    pub fn is_full(&self, listed: &ResourcePage) -> bool {
        self.size
            .is_some_and(|size| listed.resources.len() >= size.get())
    }
}

/// Resources that a handler lists, in an order that stays the same. [`ListAt`] has an example.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ResourcePage {
    /// The resources.
    pub resources: Vec<Resource>,
    next: Option<String>,
}

impl ResourcePage {
    /// These resources, and no more after them.
    pub fn new(resources: impl IntoIterator<Item = Resource>) -> Self {
        Self {
            resources: resources.into_iter().collect(),
            next: None,
        }
    }

    /// There are more: the next page is asked for with this position as [`ListAt::after`]. The
    /// best position is the name of the last resource of this page, which stays right whatever is
    /// added or removed.
    #[must_use]
    pub fn next(mut self, position: impl Into<String>) -> Self {
        self.next = Some(position.into());
        self
    }

    pub(crate) fn into_parts(self) -> (Vec<Resource>, Option<String>) {
        (self.resources, self.next)
    }
}
