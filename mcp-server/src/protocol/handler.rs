//! [`Handler`]: the async functions that serve requests.

pub(crate) mod access_token;
pub(crate) mod check;
pub(crate) mod extract;
#[cfg(feature = "http")]
pub(crate) mod http_parts;
pub(crate) mod params;
pub(crate) mod requirements;

use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::protocol::core::Context;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::extract::FromContext;
use crate::protocol::handler::requirements::Requirements;
use crate::util::and_then::and_then;

/// An async function that serves requests.
///
/// Its parameters are the arguments `A` of the request, which may be left out, and up to eight
/// [extractors](FromContext). All of these are handlers of a tool:
///
/// ```
/// use mcp_server::{Context, HandlerError, Json, Server, State};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Query {
///     text: String,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Hits {
///     lines: Vec<String>,
/// }
///
/// #[derive(Clone)]
/// struct Library(&'static str);
///
/// async fn today() -> &'static str {
///     "Monday"
/// }
///
/// async fn length(query: Query) -> usize {
///     query.text.len()
/// }
///
/// async fn find(query: Query, State(library): State<Library>) -> Json<Hits> {
///     let lines = library.0.lines().filter(|line| line.contains(&query.text));
///     Json(Hits { lines: lines.map(str::to_owned).collect() })
/// }
///
/// async fn load(cx: Context) -> Result<String, HandlerError> {
///     cx.progress(1.0, 2.0, "reading").await?;
///     Ok(std::fs::read_to_string("library.txt")?)
/// }
///
/// let server = Server::builder("library", "1.0.0")
///     .state(Library("An old book\nA new book"))
///     .tool("today", "Returns the day of the week", today)
///     .tool("length", "Returns the length of a text", length)
///     .tool("find", "Finds lines in the library", find)
///     .tool("load", "Loads the library", load)
///     .tool("shout", "Returns a text in capitals", |query: Query| async move {
///         query.text.to_uppercase()
///     })
///     .tool("size", "Returns the size of the file", async || -> Result<u64, HandlerError> {
///         Ok(std::fs::metadata("library.txt")?.len())
///     })
///     .build()?;
/// # drop(server);
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
///
/// A closure that returns a `Result` has to name its error type, as the last one does: the
/// compiler cannot infer it from `?`.
///
/// The trait is implemented for functions and closures; programs have no need to implement it.
/// If the compiler says that a function is not a handler, [`check_handler`](crate::check_handler)
/// makes it say why.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a handler that can be used here",
    label = "not a handler",
    note = "a handler is an async function or closure of typed arguments, if it takes any, followed by \
            extractors such as `Context` or `State<T>`",
    note = "typed arguments implement `serde::Deserialize` and, for tools and prompts, \
            `schemars::JsonSchema`; the future must be `Send`",
    note = "to see what is wrong with a function, write below it, with its name: \
            `const _: () = mcp_server::check_handler(&name);`"
)]
pub trait Handler<A, M>: Send + Sync + 'static {
    /// What the function returns.
    type Output;

    /// Names what the extractors need.
    #[doc(hidden)]
    fn requirements(requirements: &mut Requirements);

    /// Extracts the parameters and calls the function.
    #[doc(hidden)]
    fn call(
        self: Arc<Self>,
        arguments: A,
        cx: Context,
    ) -> impl Future<Output = Result<Self::Output, HandlerError>> + Send + 'static;
}

/// A type that can be the first parameter of a handler: the arguments or params of a request.
#[doc(hidden)]
pub trait Input: Send + 'static {}

impl<T: DeserializeOwned + Send + 'static> Input for T {}

/// The arguments of handlers that take none.
#[doc(hidden)]
#[derive(Debug)]
pub struct NoArguments;

impl Input for NoArguments {}

/// Marks handlers whose first parameter are arguments.
#[doc(hidden)]
#[derive(Debug)]
pub struct WithArguments;

/// Marks handlers without arguments.
#[doc(hidden)]
#[derive(Debug)]
pub struct WithoutArguments;

/// Adds what an extractor requires of the server.
fn require<E: FromContext>(requirements: &mut Requirements) {
    requirements.context(E::USES_CONTEXT);
    E::requirements(requirements);
}

/// Implements [`Handler`] for functions of the given extractors, behind arguments if `[]` has their
/// type and their value.
macro_rules! handler_of {
    (
        $value:ident: $arguments:ident, $marker:ident, [$($kind:ident $passed:ident)?]
        $($extracted:ident: $extractor:ident)*
    ) => {
        impl<F, Fut, $($kind,)? $($extractor,)*>
            Handler<$arguments, ($marker, $($kind,)? $($extractor,)*)> for F
        where
            F: Fn($($kind,)? $($extractor,)*) -> Fut + Send + Sync + 'static,
            Fut: Future<Output: Send> + Send + 'static,
            $($kind: Input,)?
            $($extractor: FromContext + 'static,)*
        {
            type Output = Fut::Output;

            fn requirements(requirements: &mut Requirements) {
                let _ = &requirements;
                $(require::<$extractor>(requirements);)*
            }

            async fn call(
                self: Arc<Self>,
                $value: $arguments,
                cx: Context,
            ) -> Result<Self::Output, HandlerError> {
                $(let $extracted = $extractor::from_context(&cx).await?;)*
                drop(cx);
                Ok(self($($passed,)? $($extracted,)*).await)
            }
        }
    };
}

/// Implements [`Handler`] for functions of arguments and the given extractors, and for functions of
/// the extractors alone.
macro_rules! handler {
    ($($extracted:ident: $extractor:ident)*) => {
        handler_of! { value: A, WithArguments, [A value] $($extracted: $extractor)* }
        handler_of! { _none: NoArguments, WithoutArguments, [] $($extracted: $extractor)* }
    };
}

handler! {}
handler! { e1: E1 }
handler! { e1: E1 e2: E2 }
handler! { e1: E1 e2: E2 e3: E3 }
handler! { e1: E1 e2: E2 e3: E3 e4: E4 }
handler! { e1: E1 e2: E2 e3: E3 e4: E4 e5: E5 }
handler! { e1: E1 e2: E2 e3: E3 e4: E4 e5: E5 e6: E6 }
handler! { e1: E1 e2: E2 e3: E3 e4: E4 e5: E5 e6: E6 e7: E7 }
handler! { e1: E1 e2: E2 e3: E3 e4: E4 e5: E5 e6: E6 e7: E7 e8: E8 }

/// The future of a running handler.
pub(crate) type HandlerFuture<T> = Pin<Box<dyn Future<Output = Result<T, HandlerError>> + Send>>;

/// A handler with its type erased: a function of arguments that returns a `T`.
pub(crate) type BoxedHandler<A, T> = Box<dyn Fn(A, Context) -> HandlerFuture<T> + Send + Sync>;

/// Erases the type of a handler. `convert` converts the return value of the function to the result.
pub(crate) fn boxed<A, M, H, T>(
    handler: H,
    convert: fn(H::Output) -> Result<T, HandlerError>,
) -> BoxedHandler<A, T>
where
    A: Input,
    H: Handler<A, M>,
    H::Output: 'static,
    T: 'static,
{
    let handler = Arc::new(handler);
    Box::new(move |arguments, cx| {
        let running = Arc::clone(&handler).call(arguments, cx);
        Box::pin(and_then(running, convert))
    })
}

/// Returns what the extractors of a handler need.
pub(crate) fn requirements_of<A, M, H: Handler<A, M>>(_: &H) -> Requirements {
    let mut requirements = Requirements::default();
    H::requirements(&mut requirements);
    requirements
}

/// The result `T` of a handler, plain or in a `Result` with any error that becomes a
/// [`HandlerError`].
pub trait IntoResult<T> {
    /// Converts the result.
    ///
    /// # Errors
    ///
    /// The error of the handler.
    fn into_result(self) -> Result<T, HandlerError>;
}

impl<T> IntoResult<T> for T {
    fn into_result(self) -> Result<T, HandlerError> {
        Ok(self)
    }
}

impl<T, E: Into<HandlerError>> IntoResult<T> for Result<T, E> {
    fn into_result(self) -> Result<T, HandlerError> {
        self.map_err(Into::into)
    }
}
