//! [`OpenApi`]: a document and settings, from which tools are made.

use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use mcp_server::{Context, HandlerError};

use super::client::{Sender, boxed};
use super::document::{Document, Resolver};
#[cfg(doc)]
use super::error::FaultKind;
use super::error::OpenApiError;
use super::operation::{Operation, operations};
use super::parameter::NestedLists;

/// A request to the API.
pub type ApiRequest = Request<Bytes>;

/// A response of the API, with its whole body.
pub type ApiResponse = Response<Bytes>;

type Authorized = Pin<Box<dyn Future<Output = Result<ApiRequest, HandlerError>> + Send>>;
pub(super) type Authorize = Arc<dyn Fn(ApiRequest, Context) -> Authorized + Send + Sync>;
type Filter = Box<dyn Fn(&Operation) -> bool + Send + Sync>;

/// The maximum size of a response, in bytes, unless a program sets another one.
const RESPONSE: usize = 1 << 20;
/// The maximum time of a call, unless a program sets another one.
const TIME: Duration = Duration::from_secs(30);
/// The size of the schemas of all tools, in bytes, from which they are kept with less detail.
const SCHEMAS: usize = 64 << 20;

/// An OpenAPI document, and settings for the tools that are made from it.
///
/// [The module](super) has an example.
#[must_use = "a document does nothing until its tools are made"]
pub struct OpenApi {
    pub(super) document: Document,
    pub(super) base_url: Option<String>,
    pub(super) allowed: Vec<String>,
    pub(super) variables: BTreeMap<String, String>,
    filters: Vec<Filter>,
    pub(super) authorize: Option<Authorize>,
    pub(super) sender: Option<Sender>,
    pub(super) response_bytes: usize,
    pub(super) time: Duration,
    pub(super) with_output_schemas: bool,
    pub(super) schema_bytes: usize,
}

impl OpenApi {
    /// Parses a document of OpenAPI 3.0, 3.1 or 3.2, in JSON or YAML, of at most 64 MiB.
    ///
    /// # Errors
    ///
    /// If the text is not such a document, or has more than 50,000 operations.
    pub fn parse(text: &str) -> Result<Self, OpenApiError> {
        let document = Document::parse(text)?;
        operations(&Resolver::new(&document))?;
        Ok(Self {
            document,
            base_url: None,
            allowed: Vec::new(),
            variables: BTreeMap::new(),
            filters: Vec::new(),
            authorize: None,
            sender: None,
            response_bytes: RESPONSE,
            time: TIME,
            with_output_schemas: true,
            schema_bytes: SCHEMAS,
        })
    }

    /// Returns the operations of the document, in its order, without those that a filter refused.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        let found = operations(&Resolver::new(&self.document));
        let found = found.map(|all| all.found).unwrap_or_default();
        let found = found.into_iter().map(|it| it.operation);
        found.filter(|it| self.is_wanted(it)).collect()
    }

    /// Sets the URL of the API, instead of the first one in `servers` of the document. All requests go
    /// to its host, and their paths begin with its path.
    ///
    /// An operation may have a server of its own, with another path: in a document with the server
    /// `https://pets.example/v1` and an operation of `https://pets.example/v2`, the URL
    /// `http://localhost/pets/v1` makes `http://localhost/pets/v2` of the latter. If that server has
    /// another host, the operation is called at the URL of the API, with a [fault](FaultKind::Loosened),
    /// unless its host is [allowed](Self::allow_origin).
    ///
    /// A program that does not trust the author of the document should always set it.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// Allows requests to another server than that of the API: those of operations whose `servers` name
    /// this scheme, host and port. They get what [`authorize`](Self::authorize) adds.
    ///
    /// ```
    /// # fn allowed(api: mcp_openapi::OpenApi) -> mcp_openapi::OpenApi {
    /// api.base_url("https://api.github.com").allow_origin("https://uploads.github.com")
    /// # }
    /// ```
    ///
    /// Without this, an operation of another server has a tool if the list `servers` of the document itself
    /// has that server too, and [`base_url`](Self::base_url) is not set. Its requests are not authorized.
    pub fn allow_origin(mut self, url: impl Into<String>) -> Self {
        self.allowed.push(url.into());
        self
    }

    /// Sets how lists within parameters of the style `deepObject` are written.
    pub fn nested_lists(mut self, lists: NestedLists) -> Self {
        self.document.nested_lists = lists;
        self
    }

    /// Sets a variable of the URL in `servers`, instead of its default.
    pub fn variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Makes tools only for the operations for which a function returns `true`. With several filters,
    /// all of them must.
    ///
    /// ```
    /// # fn filtered(api: mcp_openapi::OpenApi) -> mcp_openapi::OpenApi {
    /// api.filter(|operation| operation.method == "GET")
    ///     .filter(|operation| operation.tags.iter().any(|tag| tag == "pets"))
    ///     .filter(|operation| operation.path.starts_with("/pets") && !operation.deprecated)
    /// # }
    /// ```
    pub fn filter(mut self, filter: impl Fn(&Operation) -> bool + Send + Sync + 'static) -> Self {
        self.filters.push(Box::new(filter));
        self
    }

    /// Calls an async function with each request before it is sent, which adds what authorizes it.
    ///
    /// The function also gets the [`Context`] of the call, so it can send the credentials of the caller.
    /// Nothing that it adds comes from the model: headers and parameters that the document names in its
    /// security schemes are not arguments of tools. The extensions of the request have the
    /// [`Operation`]. The function may change everything but the scheme, the host and the port. It is not called
    /// for requests to servers that are not [allowed](Self::allow_origin).
    ///
    /// ```
    /// use mcp_openapi::{ApiRequest, OpenApi};
    /// use mcp_server::{Context, HandlerError, Principal};
    ///
    /// async fn authorize(mut request: ApiRequest, cx: Context) -> Result<ApiRequest, HandlerError> {
    ///     let Some(Principal(user)) = cx.extension() else {
    ///         return Err(HandlerError::forbidden("log in first"));
    ///     };
    ///     let token = format!("Bearer {}", token_of(user)?);
    ///     request.headers_mut().insert("authorization", token.parse()?);
    ///     Ok(request)
    /// }
    /// # fn token_of(user: &str) -> Result<String, HandlerError> { Ok(user.to_owned()) }
    /// # fn authorized(api: OpenApi) -> OpenApi {
    /// api.authorize(authorize)
    /// # }
    /// ```
    pub fn authorize<F, Fut>(mut self, authorize: F) -> Self
    where
        F: Fn(ApiRequest, Context) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ApiRequest, HandlerError>> + Send + 'static,
    {
        self.authorize = Some(Arc::new(move |request, cx| {
            Box::pin(authorize(request, cx))
        }));
        self
    }

    /// Sends requests with an async function of the program, such as one with a proxy, with client
    /// certificates, or one of a test. By default, hyper sends them, over HTTP/1.1, with rustls and the
    /// certificates of the system.
    ///
    /// The function should not follow redirects, and should stop to read a body that is longer than
    /// [`response_bytes`](Self::response_bytes).
    pub fn send_with<F, Fut>(mut self, send: F) -> Self
    where
        F: Fn(ApiRequest) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<ApiResponse, Box<dyn StdError + Send + Sync>>> + Send + 'static,
    {
        self.sender = Some(boxed(send));
        self
    }

    /// Sets the maximum size of a response, 1 MiB by default. A longer one is the failure of the tool.
    pub fn response_bytes(mut self, bytes: usize) -> Self {
        self.response_bytes = bytes;
        self
    }

    /// Sets the maximum time from the connection to the end of the response, 30 seconds by default.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.time = time;
        self
    }

    /// Sets whether tools have the schemas of results, `true` by default.
    ///
    /// A result that does not fit the schema of the document is the member `undocumented` of the
    /// structured content. `false` is right for an API whose document is wrong about many results.
    pub fn output_schemas(mut self, with_output_schemas: bool) -> Self {
        self.with_output_schemas = with_output_schemas;
        self
    }

    pub(super) fn is_wanted(&self, operation: &Operation) -> bool {
        self.filters.iter().all(|filter| filter(operation))
    }
}

impl fmt::Debug for OpenApi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenApi")
            .field("version", &self.document.version)
            .finish_non_exhaustive()
    }
}
