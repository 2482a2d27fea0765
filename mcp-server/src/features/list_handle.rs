//! [`ListHandle`]: a list that changes while the server runs.

use std::sync::Arc;

use crate::features::catalog::{self, Definition, List};
use crate::protocol::changes::Change;
use crate::protocol::core::Core;
use crate::protocol::error::BuildError;

/// A list of a running server. Changes are announced to all clients that subscribed.
///
/// If the server had no item of a kind when it was built, requests for the kind are only answered
/// if its capability was declared: `.capabilities(|c|
/// c.tools(ToolsCapability::new().list_changed(true)))`.
#[derive(Clone, Copy)]
pub struct ListHandle<'a, T> {
    core: &'a Core,
    list: &'a List<T>,
}

impl<'a, T> ListHandle<'a, T> {
    pub(crate) fn new(core: &'a Core, list: &'a List<T>) -> Self {
        Self { core, list }
    }
}

impl<T: Definition> ListHandle<'_, T> {
    /// Appends an item. Clients that subscribed to the URI of a [`ResourceDef`](crate::ResourceDef)
    /// are notified: it may have been removed before, with other contents.
    ///
    /// # Errors
    ///
    /// [`BuildError::DuplicateName`] if the name is taken, [`BuildError::MissingState`] if a
    /// handler needs a state that the server does not have, and [`BuildError::Invalid`] for another
    /// error in the definition.
    pub fn add(&self, item: T) -> Result<(), BuildError> {
        self.check(&item)?;
        let contents = item.content_change(None);
        let key = item.key().to_owned();
        self.list.add(item)?;
        if let Some(item) = self.list.get(&T::canonical_key(&key)) {
            item.warn();
        }
        self.announce(contents);
        Ok(())
    }

    /// Replaces the item of the same name. If no item has that name, adds it at the end.
    ///
    /// If a [`ResourceDef`](crate::ResourceDef) has other contents or another version than the one
    /// it replaces, its subscribers are notified, too. The contents that a handler makes are not
    /// known: if they changed and the definition has no version, call
    /// [`Server::resource_updated`](crate::Server::resource_updated).
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), except that the name may be taken.
    pub fn replace(&self, item: T) -> Result<(), BuildError> {
        self.check(&item)?;
        let mut item = item;
        self.list.check(&mut item)?;
        item.warn();
        let item = Arc::new(item);
        let replaced = self.list.replace(Arc::clone(&item));
        self.announce(item.content_change(replaced.as_deref()));
        Ok(())
    }

    /// Announces a change of the list, and one of contents if there is one.
    fn announce(&self, contents: Option<Change>) {
        self.core.announce(T::change());
        if let Some(change) = contents {
            self.core.announce(change);
        }
    }

    /// Checks that the server has what the handlers of an item need.
    fn check(&self, item: &T) -> Result<(), BuildError> {
        match catalog::missing(item, &self.core.states).into_iter().next() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Removes the item with that name, URI or template. Returns `false` if it does not exist.
    /// Running requests that use it continue.
    #[must_use = "there may be no such item"]
    pub fn remove(&self, key: &str) -> bool {
        let key = T::canonical_key(key);
        if let Some(item) = self.list.get(&key)
            && !item.access().is_open()
        {
            self.core.hub.withdraw(|uri| item.has_uri(uri));
        }
        let removed = self.list.remove(&key);
        if removed {
            self.core.announce(T::change());
        }
        removed
    }

    /// Returns `true` if the list has an item with that name, URI or template.
    #[must_use]
    pub fn contains(&self, key: &str) -> bool {
        self.list.get(&T::canonical_key(key)).is_some()
    }
}
