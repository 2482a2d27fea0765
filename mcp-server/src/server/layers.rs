//! Middleware and extensions of a [`ServerBuilder`].

use crate::protocol::dispatch::extension::ServerExtension;
use crate::protocol::dispatch::middleware::{self, Middleware};
use crate::server::builder::ServerBuilder;

impl ServerBuilder {
    /// Adds a [middleware] around all messages. The first one that is added is the outermost, next
    /// to the client: it sees what the client sends first, and what the server sends last.
    ///
    /// Every such middleware sees the call of a tool before it may become a [task](crate::guide::tasks),
    /// whether it is added before or after the extension `Tasks`: a call that it refuses is no task.
    /// The handler of a task runs without it, see [`inner_layer`](Self::inner_layer).
    pub fn layer(mut self, middleware: impl Middleware) -> Self {
        self.layers.push(middleware::erased(middleware));
        self
    }

    /// Adds a [middleware] next to the handlers, inside of all that [`layer`](Self::layer) and
    /// [`extension`](Self::extension) add. It also runs in a [task](crate::guide::tasks), each time
    /// when its handler starts, perhaps in another process: to attach a value for handlers, or to
    /// measure them. What it refuses there fails a task that the client has the id of.
    ///
    /// ```
    /// use mcp_server::middleware::{self, Next, Outcome, Request};
    /// use mcp_server::{Extension, Server};
    ///
    /// #[derive(Clone)]
    /// struct Region(&'static str);
    ///
    /// async fn attach(request: Request, next: Next) -> Outcome {
    ///     next.run(request.with_extension(Region("north"))).await
    /// }
    ///
    /// let server = Server::builder("demo", "1.0.0")
    ///     .inner_layer(middleware::from_fn(attach))
    ///     .tool("where", "Names the region", async |Extension(Region(name))| name)
    ///     .build()?;
    /// # drop(server);
    /// # Ok::<(), mcp_server::BuildErrors>(())
    /// ```
    pub fn inner_layer(mut self, middleware: impl Middleware) -> Self {
        self.inner_layers.push(middleware::erased(middleware));
        self
    }

    /// Adds an extension of the protocol: its settings, methods, notifications and middleware. Its
    /// middleware has the place of this call among the [layers](Self::layer); that of `Tasks` is
    /// behind all of them.
    ///
    /// `build` returns an error for an identifier, a method or a `_meta` key that occurs twice, and
    /// for methods and `_meta` keys that the protocol itself defines or reserves.
    pub fn extension(mut self, extension: impl Into<ServerExtension>) -> Self {
        let mut extension = extension.into();
        let layers = if extension.is_innermost {
            &mut self.task_layers
        } else {
            &mut self.layers
        };
        layers.append(&mut extension.layers);
        self.built.append(&mut extension.built);
        extension.register(&mut self.registry);
        self
    }
}
