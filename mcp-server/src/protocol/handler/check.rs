//! [`check_handler`]: why a function is not a handler.
//!
//! The compiler reports one text if no implementation of [`Handler`](super::Handler) fits. Here each
//! condition is a bound of its own, with a text of its own.

use crate::protocol::handler::Input;
use crate::protocol::handler::extract::FromContext;

/// Checks that a function is a [handler](crate::Handler), and does nothing else. If it is none, the
/// compiler says what is wrong with it: it is not async, its future is not `Send`, its arguments are
/// not the first parameter, there are several of them, or a parameter is neither arguments nor an
/// [extractor](crate::FromContext).
///
/// For functions whose error is hard to read where they are added to the server. A `const` next to
/// the function costs nothing when the server runs. The types that a tool, a prompt or a resource can
/// return are not checked.
///
/// ```
/// use mcp_server::{State, check_handler};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Query {
///     text: String,
/// }
///
/// async fn count(query: Query, State(library): State<String>) -> usize {
///     library.matches(&query.text).count()
/// }
///
/// const _: () = check_handler(&count);
/// ```
///
/// Without `State`, the error is "`String` and `Query` are both arguments":
///
/// ```compile_fail,E0277
/// # use mcp_server::check_handler;
/// # #[derive(serde::Deserialize)]
/// # struct Query { text: String }
/// async fn count(query: Query, library: String) -> usize {
///     library.matches(&query.text).count()
/// }
///
/// const _: () = check_handler(&count);
/// ```
pub const fn check_handler<P, M, F>(handler: &F)
where
    F: HandlerFunction<P> + Send + Sync + 'static,
    P: ParameterKinds<M>,
    F::Returned: AsyncReturn + Send + 'static,
{
    let _ = handler;
}

/// A function of the parameters `P`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of at most nine parameters",
    label = "not a function that can be a handler",
    note = "a handler takes its arguments, if it has any, and up to eight extractors"
)]
pub trait HandlerFunction<P> {
    /// What the function returns.
    type Returned;
}

/// What an async function returns.
#[diagnostic::on_unimplemented(
    message = "the handler is not async: it returns `{Self}`, which is not a future",
    label = "this handler is not async",
    note = "write `async fn`, or `async move` for the body of a closure"
)]
pub trait AsyncReturn {}

impl<T: Future> AsyncReturn for T {}

/// Marks arguments.
#[derive(Debug)]
pub struct IsArguments;

/// Marks extractors.
#[derive(Debug)]
pub struct IsExtractor;

/// A parameter of the kind `K`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is neither the arguments of a handler nor an extractor",
    label = "this handler takes a `{Self}`",
    note = "a value that the program shares is taken as `State<{Self}>`",
    note = "arguments implement `serde::Deserialize` and, for tools and prompts, \
            `schemars::JsonSchema`"
)]
pub trait Parameter<K> {}

impl<T: Input> Parameter<IsArguments> for T {}
impl<T: FromContext + 'static> Parameter<IsExtractor> for T {}

/// The kind of a parameter that can follow the parameter `First` of the kind `K`, which may be an
/// extractor.
#[diagnostic::on_unimplemented(
    message = "`{First}` and `{Next}` are both arguments: a handler has one parameter for all of them",
    label = "this handler takes arguments twice",
    note = "make one struct of both",
    note = "a value that the program shares is taken as `State<{Next}>`"
)]
pub trait AfterArguments<K, First, Next> {}

impl<K, First, Next> AfterArguments<K, First, Next> for IsExtractor {}
impl<First, Next> AfterArguments<IsExtractor, First, Next> for IsArguments {}

/// The kind of a parameter that can follow the parameter `First` of the kind `K`, which may be the
/// arguments.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Next}` come after the extractor `{First}`: they are the first parameter \
               of a handler",
    label = "this handler takes its arguments after an extractor",
    note = "move `{Next}` to the front"
)]
pub trait AfterExtractor<K, First, Next> {}

impl<K, First, Next> AfterExtractor<K, First, Next> for IsExtractor {}
impl<First, Next> AfterExtractor<IsArguments, First, Next> for IsArguments {}

/// The parameters of a handler, a tuple, of the kinds `K`.
pub trait ParameterKinds<K> {}

impl<F: Fn() -> R, R> HandlerFunction<()> for F {
    type Returned = R;
}

impl ParameterKinds<()> for () {}

/// Implements the traits for functions of one parameter and as many others.
macro_rules! function {
    ($($next:ident: $kind:ident)*) => {
        impl<F, R, First, $($next,)*> HandlerFunction<(First, $($next,)*)> for F
        where
            F: Fn(First, $($next,)*) -> R,
        {
            type Returned = R;
        }

        impl<First, K, $($next, $kind,)*> ParameterKinds<(K, $($kind,)*)> for (First, $($next,)*)
        where
            First: Parameter<K>,
            $(
                $next: Parameter<$kind>,
                $kind: AfterArguments<K, First, $next> + AfterExtractor<K, First, $next>,
            )*
        {
        }
    };
}

function! {}
function! { A: KA }
function! { A: KA B: KB }
function! { A: KA B: KB C: KC }
function! { A: KA B: KB C: KC D: KD }
function! { A: KA B: KB C: KC D: KD E: KE }
function! { A: KA B: KB C: KC D: KD E: KE G: KG }
function! { A: KA B: KB C: KC D: KD E: KE G: KG H: KH }
function! { A: KA B: KB C: KC D: KD E: KE G: KG H: KH I: KI }
