//! [`Group`]: tools, prompts and resources that are defined together and merged into a server.

use crate::features::access::{Access, access_setters};
use crate::server::catalogs::Definitions;
use crate::server::definitions::definition_methods;
use crate::util::type_map::TypeMap;

/// Tools, prompts, resources and completions that are defined together, for example by a function
/// of a module, and [merged](crate::ServerBuilder::merge) into a server.
///
/// Only the handlers of a group see its states. Its prefix, guards and conditions of visibility
/// apply to all of its definitions. Groups can be merged into groups.
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use mcp_server::{Group, HandlerError, Principal, Server, State};
///
/// type Notes = Arc<Mutex<Vec<String>>>;
///
/// async fn count(State(notes): State<Notes>) -> usize {
///     notes.lock().map_or(0, |notes| notes.len())
/// }
///
/// async fn signed_in(_: Principal) -> Result<(), HandlerError> {
///     Ok(())
/// }
///
/// fn notes(notes: Notes) -> Group {
///     Group::new()
///         .prefix("notes_")
///         .state(notes)
///         .guard(signed_in)
///         .tool("count", "Counts the notes", count)
/// }
///
/// let server = Server::builder("office", "1.0.0")
///     .merge(notes(Notes::default()))
///     .build()?;
/// assert!(server.tools().contains("notes_count"));
/// # Ok::<(), mcp_server::BuildErrors>(())
/// ```
#[derive(Default)]
#[must_use = "a group does nothing until it is merged"]
pub struct Group {
    pub(crate) definitions: Definitions,
    prefix: String,
    states: TypeMap,
    access: Access,
}

impl Group {
    /// Creates an empty group.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a prefix for the names of the group's tools and prompts. URIs of resources stay as they
    /// are.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Shares a value with the handlers of the group, which extract it as
    /// [`State<T>`](crate::State). Hides a state of the same type that the server has.
    pub fn state<T: Clone + Send + Sync + 'static>(mut self, state: T) -> Self {
        let added = self.states.add_state(state);
        self.definitions.check(added);
        self
    }

    access_setters!();

    /// Moves the definitions of the group to others.
    pub(crate) fn merge_into(self, target: &mut Definitions) {
        let Self {
            definitions,
            prefix,
            states,
            access,
        } = self;
        target.merge(definitions, &prefix, access.into_group(states));
    }
}

definition_methods!(Group);
