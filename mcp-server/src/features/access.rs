//! [`Access`]: who may use a definition, who sees it in lists, and the states of its group.

use std::sync::Arc;

use crate::protocol::core::Context;
use crate::protocol::error::BuildError;
use crate::protocol::handler::requirements::{HandlerSubject, Requirements};
use crate::protocol::handler::{
    BoxedHandler, Handler, HandlerFuture, IntoResult, NoArguments, boxed, requirements_of,
};
use crate::util::type_map::TypeMap;

/// Decides whether the caller may use a definition.
#[derive(Clone)]
struct Guard {
    run: Arc<BoxedHandler<NoArguments, ()>>,
    /// `true` if it takes an extractor that needs the resource of the request, so that it can only
    /// run where a URI is known.
    names_resource: bool,
}

/// Decides whether a definition is listed for the caller.
type Visibility = Arc<dyn Fn(&Context) -> bool + Send + Sync>;

/// Attached to the context of a call that was admitted before it became a task: the name of the tool.
/// Nothing is checked again for it, because what the guards look at may be gone when the task runs.
#[cfg(feature = "tasks")]
pub(crate) struct Admitted(pub(crate) Box<str>);

/// Returns `true` if the guards of the tool of this name have admitted the caller, before the call
/// became a task.
pub(crate) fn is_admitted(cx: &Context, name: &str) -> bool {
    #[cfg(feature = "tasks")]
    return cx
        .value::<Admitted>()
        .is_some_and(|admitted| *admitted.0 == *name);
    #[cfg(not(feature = "tasks"))]
    {
        let _ = (cx, name);
        false
    }
}

/// The guards, the conditions of visibility and the requirements of a definition or of a group.
#[derive(Clone, Default)]
struct Rules {
    /// What the handlers, guards and extractors require of the server.
    requirements: Requirements,
    guards: Vec<Guard>,
    visibility: Vec<Visibility>,
    /// The scopes that the access token of the caller needs.
    scopes: Vec<String>,
}

/// A group that a definition belongs to.
struct GroupAccess {
    states: Arc<TypeMap>,
    rules: Rules,
}

/// Who may use a definition of any kind, and the groups that it belongs to.
///
/// Handlers and guards of the definition itself see the states of all its groups. Guards of a group
/// see the states of this group and of the groups around it, but not those of groups inside it.
#[doc(hidden)]
#[derive(Clone, Default)]
pub struct Access {
    own: Rules,
    /// The groups, the innermost one first.
    groups: Vec<Arc<GroupAccess>>,
}

impl Access {
    /// Records what a handler of the definition requires of the server.
    pub(crate) fn require<A, M, H: Handler<A, M>>(&mut self, handler: &H) {
        self.own.requirements.extend(&requirements_of(handler));
    }

    /// Records what a handler that lists or completes requires: it runs where no resource is known.
    pub(crate) fn require_without_resource<A, M, H: Handler<A, M>>(&mut self, handler: &H) {
        let requirements = requirements_of(handler).without_resource();
        self.own.requirements.extend(&requirements);
    }

    /// Returns `true` if a handler or guard may ask the client.
    pub(crate) fn may_ask(&self) -> bool {
        self.levels()
            .any(|(rules, _)| rules.requirements.uses_context)
    }

    /// Adds a guard.
    pub(crate) fn add_guard<M, H>(&mut self, guard: H)
    where
        H: Handler<NoArguments, M>,
        H::Output: IntoResult<()> + 'static,
    {
        self.require(&guard);
        let names_resource = requirements_of(&guard).resource.is_some();
        let run = Arc::new(boxed(guard, H::Output::into_result));
        self.own.guards.push(Guard {
            run,
            names_resource,
        });
    }

    /// Adds a condition that a caller has to meet to see the definition.
    pub(crate) fn add_visibility(
        &mut self,
        is_visible: impl Fn(&Context) -> bool + Send + Sync + 'static,
    ) {
        self.own.visibility.push(Arc::new(is_visible));
    }

    /// Adds scopes that the access token of the caller needs.
    pub(crate) fn add_scopes(&mut self, scopes: impl Iterator<Item = String>) {
        self.own.scopes.extend(scopes);
    }

    /// Returns the scopes of the definition and of all its groups.
    fn scopes(&self) -> impl Iterator<Item = &String> {
        self.levels().flat_map(|(rules, _)| &rules.scopes)
    }

    /// Returns a function that puts definitions into a group with these states. `self` has the
    /// rules of the group.
    pub(crate) fn into_group(self, states: TypeMap) -> impl Fn(&mut Access) {
        let group = Arc::new(GroupAccess {
            states: Arc::new(states),
            rules: self.own,
        });
        move |definition| definition.groups.push(Arc::clone(&group))
    }

    /// Returns the rules of the definition and of each of its groups, the outermost group first,
    /// each with the groups whose states it sees.
    fn levels(&self) -> impl Iterator<Item = (&Rules, &[Arc<GroupAccess>])> {
        let groups = self.groups.iter().enumerate().rev();
        let groups = groups.map(|(index, group)| {
            let visible = self.groups.get(index..).unwrap_or_default();
            (&group.rules, visible)
        });
        groups.chain([(&self.own, self.groups.as_slice())])
    }

    /// Returns `true` if everybody may see and use the definition.
    pub(crate) fn is_open(&self) -> bool {
        if self.scopes().next().is_some() {
            return false;
        }
        self.levels()
            .all(|(rules, _)| rules.guards.is_empty() && rules.visibility.is_empty())
    }

    /// Returns `true` if a guard needs the resource of the request.
    pub(crate) fn names_resource(&self) -> bool {
        let mut guards = self.levels().flat_map(|(rules, _)| &rules.guards);
        guards.any(|guard| guard.names_resource)
    }

    /// Returns `true` if lists for some callers do not contain the definition.
    pub(crate) fn is_restricted(&self, cx: &Context) -> bool {
        if cx.core().lists_permitted_only && self.scopes().next().is_some() {
            return true;
        }
        self.levels().any(|(rules, _)| !rules.visibility.is_empty())
    }

    /// Returns `true` if lists for the caller contain the definition.
    ///
    /// The caller may see a definition that is not listed for lack of scopes: the error for a
    /// request names the scopes, by which the client can ask the user for them.
    pub(crate) fn is_listed(&self, cx: &Context) -> bool {
        if cx.core().lists_permitted_only && !self.scopes().all(|scope| cx.has_scope(scope)) {
            return false;
        }
        self.is_visible(cx)
    }

    /// Returns `true` if the caller sees the definition. To others it does not exist.
    pub(crate) fn is_visible(&self, cx: &Context) -> bool {
        self.levels().all(|(rules, groups)| {
            rules.visibility.is_empty() || {
                let cx = with_states(cx, groups);
                rules.visibility.iter().all(|is_visible| is_visible(&cx))
            }
        })
    }

    /// Checks the scopes of the access token, and runs the guards, those of the outermost group
    /// first. The future resolves to the error of the first check that refuses the caller.
    ///
    /// Returns `None` if there is nothing left to check, so that the futures of most requests stay
    /// small.
    pub(crate) fn check(&self, cx: &Context) -> Option<HandlerFuture<()>> {
        self.check_guards(cx, false, |_| true)
    }

    /// As [`check`](Self::check), but a missing scope is the error only if no guard refuses the
    /// caller: for resources, of which a caller with another scope would learn nothing, either.
    pub(crate) fn check_all(&self, cx: &Context) -> Option<HandlerFuture<()>> {
        self.check_guards(cx, true, |_| true)
    }

    /// Checks the scopes, and runs the guards that do not need the resource of the request. For
    /// resource templates where no URI is known.
    pub(crate) fn check_template(&self, cx: &Context) -> Option<HandlerFuture<()>> {
        self.check_guards(cx, true, |guard| !guard.names_resource)
    }

    fn check_guards(
        &self,
        cx: &Context,
        scopes_last: bool,
        wanted: impl Fn(&Guard) -> bool,
    ) -> Option<HandlerFuture<()>> {
        let mut lacking = None;
        if self.scopes().next().is_some()
            && let Err(error) = cx.require_scopes(self.scopes())
        {
            if !scopes_last {
                return Some(Box::pin(std::future::ready(Err(error))));
            }
            lacking = Some(error);
        }
        let mut guards = Vec::new();
        for (rules, groups) in self.levels() {
            let wanted = rules.guards.iter().filter(|guard| wanted(guard));
            guards.extend(wanted.map(|guard| (Arc::clone(&guard.run), with_states(cx, groups))));
        }
        if guards.is_empty() && lacking.is_none() {
            return None;
        }
        Some(Box::pin(async move {
            let mut lacking = lacking;
            for (guard, cx) in guards {
                match guard(NoArguments, cx).await {
                    Err(error) if scopes_last && error.is_insufficient_scope() => {
                        lacking.get_or_insert(error);
                    }
                    checked => checked?,
                }
            }
            lacking.map_or(Ok(()), Err)
        }))
    }

    /// Returns the context with the states of the groups.
    pub(crate) fn scoped(&self, cx: &Context) -> Context {
        let scoped = with_states(cx, &self.groups);
        if self.scopes().next().is_some() {
            return scoped.with_operation_scopes(self.scopes().cloned().collect());
        }
        scoped
    }

    /// Returns an error for each state that the handlers and guards require and the server does not
    /// have.
    pub(crate) fn missing(
        &self,
        kind: &'static str,
        name: &str,
        server: &TypeMap,
    ) -> Vec<BuildError> {
        let missing = self.levels().flat_map(|(rules, groups)| {
            let states = groups.iter().map(|group| &*group.states);
            let states = states.chain([server]);
            rules.requirements.missing(kind, name, states)
        });
        missing.collect()
    }

    /// Returns an error if a handler or guard takes an extractor that needs what the definition
    /// does not have.
    pub(crate) fn unavailable(
        &self,
        subject: HandlerSubject,
        kind: &'static str,
        name: &str,
    ) -> Option<BuildError> {
        let mut errors = self.levels().filter_map(|(rules, _)| {
            let requirements = &rules.requirements;
            requirements.unavailable(subject, kind, name)
        });
        errors.next()
    }
}

/// Returns a context with the states of groups, where a state of an inner group hides one of the
/// same type of an outer group.
fn with_states(cx: &Context, groups: &[Arc<GroupAccess>]) -> Context {
    let outermost_first = groups.iter().rev();
    outermost_first.fold(cx.clone(), |cx, group| {
        cx.with_value(Arc::clone(&group.states))
    })
}

/// Defines the setters of a definition that restrict who may use it.
macro_rules! access_setters {
    () => {
        /// Restricts this to callers that a guard admits. A guard is an async function of
        /// extractors that returns `Ok(())` or the error for the caller, such as
        /// [`HandlerError::forbidden`](crate::HandlerError::forbidden), which over HTTP is status
        /// 403 unless the response has begun. All guards have to admit the caller.
        ///
        /// Whom a guard of a resource or of a resource template forbids to read does not learn that
        /// the resource exists, see the [guide](crate::guide::access).
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

        /// Restricts this to callers whose [access token](crate::AccessToken) permits all these
        /// scopes. Others get the error
        /// [`insufficient_scope`](crate::HandlerError::insufficient_scope), which names the scopes.
        ///
        /// Requests without an access token are refused, too. Over standard input and output there
        /// is none: if the user who starts the process may do everything, attach one with all
        /// scopes by [`Stdio::extension`](crate::Stdio::extension).
        ///
        /// ```
        /// use mcp_server::ToolDef;
        ///
        /// let tool = ToolDef::new("restart")
        ///     .scopes(["machines:control"])
        ///     .handler(async || "restarted");
        /// # drop(tool);
        /// ```
        pub fn scopes<T: Into<String>>(mut self, scopes: impl IntoIterator<Item = T>) -> Self {
            self.access.add_scopes(scopes.into_iter().map(Into::into));
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

/// Defines the methods of [`Definition`](crate::Definition) that return the field `access`.
macro_rules! access_getters {
    () => {
        fn access(&self) -> &Access {
            &self.access
        }

        fn access_mut(&mut self) -> &mut Access {
            &mut self.access
        }
    };
}

/// Defines the setters of what a list has of every definition. The field `$definition` is the listed
/// type.
macro_rules! listing_setters {
    ($definition:ident) => {
        /// Sets a name for people.
        pub fn title(mut self, title: impl Into<String>) -> Self {
            self.$definition.title = Some(title.into());
            self
        }

        /// Adds an icon. Its media type and sizes are checked when the definition is added.
        pub fn icon(mut self, icon: mcp_types::Icon) -> Self {
            self.$definition.icons.get_or_insert_default().push(icon);
            self
        }

        /// Sets further data, the `_meta`.
        pub fn meta(mut self, meta: mcp_types::MetaObject) -> Self {
            self.$definition.meta = Some(meta);
            self
        }
    };
}

pub(crate) use access_getters;
pub(crate) use access_setters;
pub(crate) use listing_setters;
