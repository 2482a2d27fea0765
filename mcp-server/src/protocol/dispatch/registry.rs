//! [`Registry`]: the handlers and capabilities of a server that is being built.

use std::collections::BTreeSet;
use std::future::Future;

#[cfg(feature = "proposals")]
use mcp_types::Proposal;
use mcp_types::revision::Versioned;
use mcp_types::{Notification, Request, Revision, json::Object};
use mcp_wire::capability::{LOGGING, with_member};

use crate::protocol::core::{About, Context, Route, Routed, Routes};
use crate::protocol::dispatch::route::{self, AnyNotificationHandler, NotificationHandler, Typed};
use crate::protocol::error::BuildError;
use crate::protocol::error::handler_error::HandlerError;
use crate::protocol::handler::params::{AnyNotification, NotificationParams};
use crate::protocol::handler::requirements::{HandlerSubject, Requirements};
use crate::protocol::handler::{Handler, IntoResult, boxed, requirements_of};
use crate::protocol::message::raw_object::FromMembers;
use crate::util::type_map::TypeMap;

/// The handlers and capabilities of a server that is being built, and the errors found so far.
pub(crate) struct Registry {
    pub(crate) routes: Routes,
    pub(crate) about: About,
    /// The keys of `_meta` that extensions use.
    pub(crate) meta_keys: BTreeSet<String>,
    pub(crate) errors: Vec<BuildError>,
    /// What the application's handlers require of the server, by method.
    requirements: Vec<(&'static str, Requirements)>,
}

impl Default for Registry {
    fn default() -> Self {
        Self {
            routes: Routes::default(),
            about: About {
                capabilities: with_member(LOGGING, &Object::new()),
                revisions: Revision::ALL,
                proposals: BTreeSet::new(),
                modern_extensions: BTreeSet::new(),
            },
            meta_keys: BTreeSet::new(),
            errors: Vec::new(),
            requirements: Vec::new(),
        }
    }
}

impl Registry {
    /// Records the error of a definition, which `build` returns.
    pub(crate) fn check(&mut self, result: Result<(), BuildError>) {
        self.errors.extend(result.err());
    }

    /// Returns `true` if a method has a handler.
    pub(crate) fn has_route(&self, method: &str) -> bool {
        self.routes.requests.get(method).is_some()
    }

    /// Returns `true` if a feature handles its methods: if it has definitions, or if only the
    /// capability is declared and the application handles none of the methods.
    pub(crate) fn is_served(&self, offered: bool, declared: bool, methods: &[&str]) -> bool {
        let handled =
            self.routes.fallback.is_some() || methods.iter().any(|method| self.has_route(method));
        offered || (declared && !handled)
    }

    /// Returns `true` if the program opted into a proposal.
    #[cfg(feature = "proposals")]
    pub(crate) fn offers(&self, proposal: Proposal) -> bool {
        self.about.proposals.contains(&proposal)
    }

    /// Adds the application's handler of a notification.
    pub(crate) fn on_notification<N, M, H>(&mut self, handler: H)
    where
        N: Notification + 'static,
        H: Handler<NotificationParams<N>, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.require(N::METHOD, &handler);
        let handler = boxed(handler, H::Output::into_result);
        let listener = Box::new(NotificationHandler::<N>::new(handler));
        let added = self.routes.listeners.add(N::METHOD, listener);
        self.check(added);
    }

    /// Adds the application's handler of notifications without a handler of their own.
    pub(crate) fn fallback_notification<M, H>(&mut self, handler: H)
    where
        H: Handler<AnyNotification, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.require("notifications", &handler);
        let handler = boxed(handler, H::Output::into_result);
        self.routes.fallback_listener = Some(Box::new(AnyNotificationHandler(handler)));
    }

    /// Adds the application's handler of a request, which replaces the one of a feature. A second
    /// one for a method is an error.
    pub(crate) fn on(&mut self, method: &'static str, route: Box<dyn Route>) {
        let added = self.routes.requests.add(method, Routed::new(method, route));
        self.check(added);
    }

    /// Adds the handler of a request that has the same form in all revisions. A second one for a
    /// method is an error.
    pub(crate) fn on_any_revision(&mut self, method: &'static str, route: Box<dyn Route>) {
        let added = self
            .routes
            .requests
            .add(method, Routed::at_any_revision(route));
        self.check(added);
    }

    /// Records what the application's handler of a method requires of the server.
    pub(crate) fn require<A, M, H: Handler<A, M>>(&mut self, method: &'static str, handler: &H) {
        self.requirements.push((method, requirements_of(handler)));
    }

    /// Returns the states that the application's handlers require and the server does not have.
    pub(crate) fn missing(&self, server: &TypeMap) -> Vec<BuildError> {
        let mut errors = Vec::new();
        for (method, requirements) in &self.requirements {
            errors.extend(requirements.missing("method", method, std::iter::once(server)));
            errors.extend(requirements.unavailable(HandlerSubject::Other, "method", method));
        }
        errors
    }

    /// Adds a feature's handler, unless the application has one for the method.
    pub(crate) fn handle<R, F>(
        &mut self,
        handler: impl Fn(R::Params, Context) -> F + Send + Sync + 'static,
    ) where
        R: Request + 'static,
        R::Params: Versioned,
        R::Result: Versioned,
        F: Future<Output = Result<R::Result, HandlerError>> + Send + 'static,
    {
        let typed = Typed::<_, R::Result, _, _>::new(route::versioned, handler);
        self.route(R::METHOD, Box::new(typed));
    }

    /// Adds a feature's handler whose params are the same in all revisions.
    pub(crate) fn serve<P, T, F>(
        &mut self,
        method: &'static str,
        handler: impl Fn(P, Context) -> F + Send + Sync + 'static,
    ) where
        P: FromMembers + 'static,
        T: Versioned + 'static,
        F: Future<Output = Result<T, HandlerError>> + Send + 'static,
    {
        let typed = Typed::<P, T, _, _>::new(route::common, handler);
        self.route(method, Box::new(typed));
    }

    /// Adds a feature's handler, unless the application has one for the method.
    pub(crate) fn route(&mut self, method: &'static str, route: Box<dyn Route>) {
        let routed = Routed::new(method, route);
        self.routes.requests.add_default(method, routed);
    }
}
