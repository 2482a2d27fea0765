//! [`Access`]: who may use a definition, who sees it in lists, and the states of its group.

use std::sync::Arc;

use crate::protocol::core::Context;
use crate::protocol::error::BuildError;
use crate::protocol::handler::{
    BoxedHandler, Handler, HandlerFuture, IntoResult, NoArguments, boxed, requirements_of,
};
use crate::protocol::requirements::Requirements;
use crate::protocol::states::States;

/// Decides whether the caller may use a definition.
type Guard = Arc<BoxedHandler<NoArguments, ()>>;

/// Decides whether a definition is listed for the caller.
type Visibility = Arc<dyn Fn(&Context) -> bool + Send + Sync>;

/// The requirements, guards, visibility and group states of a definition of any kind.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct Access {
    /// What the handlers require of the server.
    requirements: Requirements,
    /// The states of the groups that the definition belongs to, the innermost group first.
    states: Vec<Arc<States>>,
    /// The innermost group first.
    guards: Vec<Guard>,
    visibility: Vec<Visibility>,
}

impl Access {
    /// Records what a handler of the definition requires of the server.
    pub(crate) fn require<A, M, H: Handler<A, M>>(&mut self, handler: &H) {
        self.requirements.extend(&requirements_of(handler));
    }

    /// Returns `true` if a handler or guard may ask the client.
    pub(crate) fn may_ask(&self) -> bool {
        self.requirements.uses_context()
    }

    /// Adds a guard, which runs before the existing ones.
    pub(crate) fn add_guard<M, H>(&mut self, guard: H)
    where
        H: Handler<NoArguments, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.require(&guard);
        self.guards
            .push(Arc::new(boxed(guard, H::Output::into_result)));
    }

    /// Adds a condition that a caller has to meet to see the definition.
    pub(crate) fn add_visibility(
        &mut self,
        is_visible: impl Fn(&Context) -> bool + Send + Sync + 'static,
    ) {
        self.visibility.push(Arc::new(is_visible));
    }

    /// Adds the states, guards and conditions of a group that contains the definition.
    pub(crate) fn enter_group(&mut self, states: &Arc<States>, group: &Self) {
        self.states.push(Arc::clone(states));
        self.requirements.extend(&group.requirements);
        self.guards.extend(group.guards.iter().cloned());
        self.visibility.extend(group.visibility.iter().cloned());
    }

    /// Returns `true` if some callers do not see the definition.
    pub(crate) fn is_restricted(&self) -> bool {
        !self.visibility.is_empty()
    }

    /// Returns `true` if the caller sees the definition. To others it does not exist.
    pub(crate) fn is_visible(&self, cx: &Context) -> bool {
        if self.visibility.is_empty() {
            return true;
        }
        let cx = self.scoped(cx);
        self.visibility.iter().all(|is_visible| is_visible(&cx))
    }

    /// Runs the guards, those of the outermost group first. Returns `None` if there are none, so that
    /// the futures of requests without guards stay small.
    ///
    /// The future resolves to the error of the first guard that refuses the caller.
    pub(crate) fn check(&self, cx: &Context) -> Option<HandlerFuture<()>> {
        if self.guards.is_empty() {
            return None;
        }
        let (guards, cx) = (self.guards.clone(), self.scoped(cx));
        Some(Box::pin(async move {
            for guard in guards.iter().rev() {
                guard(NoArguments, cx.clone()).await?;
            }
            Ok(())
        }))
    }

    /// Returns the context with the states of the groups.
    pub(crate) fn scoped(&self, cx: &Context) -> Context {
        let outermost_first = self.states.iter().rev();
        outermost_first.fold(cx.clone(), |cx, states| cx.with_value(Arc::clone(states)))
    }

    /// Returns an error for each state that the handlers require and the server does not have.
    pub(crate) fn missing(
        &self,
        kind: &'static str,
        name: &str,
        server: &States,
    ) -> Vec<BuildError> {
        let states = self.states.iter().map(|states| &**states);
        let missing = self.requirements.missing(states.chain([server]));
        let missing = missing.map(|type_name| BuildError::MissingState {
            kind,
            name: name.to_owned(),
            type_name,
        });
        missing.collect()
    }

    /// Returns an error if a handler takes an extractor that only resources have.
    pub(crate) fn not_a_resource(&self, kind: &'static str, name: &str) -> Option<BuildError> {
        let type_name = self.requirements.needs_resource()?;
        Some(BuildError::NotAResource {
            kind,
            name: name.to_owned(),
            type_name,
        })
    }
}

/// Defines the setters of a definition that restrict who may use it.
macro_rules! access_setters {
    () => {
        /// Restricts this to callers that a guard admits. A guard is an async function of
        /// extractors that returns `Ok(())` or the error for the caller, such as
        /// [`HandlerError::forbidden`](crate::HandlerError::forbidden), which over HTTP is status
        /// 403 unless the response has begun. All guards have to admit the caller.
        ///
        /// ```
        /// use mcp_server::{HandlerError, Principal, Server, ToolDef};
        ///
        /// async fn only_admins(Principal(name): Principal) -> Result<(), HandlerError> {
        ///     if name != "admin" {
        ///         return Err(HandlerError::forbidden("only administrators may do this"));
        ///     }
        ///     Ok(())
        /// }
        ///
        /// let tool = ToolDef::new("restart")
        ///     .guard(only_admins)
        ///     .handler(async || "restarted");
        /// # drop(tool);
        /// ```
        pub fn guard<M, H>(mut self, guard: H) -> Self
        where
            H: crate::Handler<crate::protocol::handler::NoArguments, M>,
            H::Output: crate::IntoResult<()> + 'static,
        {
            self.access.add_guard(guard);
            self
        }

        /// Shows this only to callers for which the function returns `true`. For others it is not
        /// listed, and a request for it is answered as if it did not exist. All conditions have to
        /// hold.
        ///
        /// ```
        /// use mcp_server::{Principal, ToolDef};
        ///
        /// let tool = ToolDef::new("restart")
        ///     .visible_if(|cx| cx.extension::<Principal>().is_some())
        ///     .handler(async || "restarted");
        /// # drop(tool);
        /// ```
        pub fn visible_if(
            mut self,
            is_visible: impl Fn(&crate::Context) -> bool + Send + Sync + 'static,
        ) -> Self {
            self.access.add_visibility(is_visible);
            self
        }
    };
}

pub(crate) use access_setters;
