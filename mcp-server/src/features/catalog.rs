//! Lists of definitions in the order in which they were added. They can be read page by page and
//! can change while the server runs.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use mcp_types::{CacheScope, Cursor};
use mcp_wire::SeqVec;

use crate::features::access::Access;
use crate::features::definition_error::DefinitionError;
use crate::protocol::changes::Change;
use crate::protocol::core::{Context, Core};
use crate::protocol::error::BuildError;
use crate::protocol::handler::requirements::HandlerSubject;
use crate::util::type_map::TypeMap;

/// An item of a list: [`ToolDef`](crate::ToolDef), [`ResourceDef`](crate::ResourceDef),
/// [`TemplateDef`](crate::TemplateDef) and [`PromptDef`](crate::PromptDef).
pub trait Definition: Sized + Send + Sync + 'static {
    /// The kind of definition, as errors call it.
    #[doc(hidden)]
    const KIND: &'static str;

    /// What it is about, which decides about the extractors of its handlers and guards.
    #[doc(hidden)]
    const SUBJECT: HandlerSubject = HandlerSubject::Other;

    /// Returns the name, URI or template, which is unique in the list.
    fn key(&self) -> &str;

    /// Returns the form of a key that is equal for all equivalent ones.
    #[doc(hidden)]
    #[must_use]
    fn canonical_key(key: &str) -> Cow<'_, str> {
        Cow::Borrowed(key)
    }

    /// Checks the definition when it is added to a list.
    ///
    /// # Errors
    ///
    /// If the definition is invalid.
    #[doc(hidden)]
    fn check(&mut self) -> Result<(), DefinitionError>;

    /// Sets whether arguments that the definition does not have are ignored, unless it says so
    /// itself.
    #[doc(hidden)]
    fn set_extra_arguments_default(&mut self, _ignore: bool) {}

    /// Checks the name, if the definition has one. Called again when a prefix was prepended.
    #[doc(hidden)]
    fn check_name(&self) -> Result<(), DefinitionError> {
        Ok(())
    }

    /// Writes warnings to the log for what some clients refuse.
    #[doc(hidden)]
    fn warn(&self) {}

    /// Prepends a prefix to the name, if the definition has one.
    #[doc(hidden)]
    fn prefix(&mut self, _prefix: &str) {}

    /// Returns the change that is announced when the list changes.
    #[doc(hidden)]
    fn change() -> Change;

    /// Returns the change of contents that subscribers learn of when this definition is added, or
    /// replaces another one with the same key; `None` if only the list changed.
    #[doc(hidden)]
    fn content_change(&self, _replaced: Option<&Self>) -> Option<Change> {
        None
    }

    /// Returns `true` if a resource with this URI is one of the definition.
    #[doc(hidden)]
    fn has_uri(&self, _uri: &str) -> bool {
        false
    }

    /// Returns who may use the definition.
    #[doc(hidden)]
    fn access(&self) -> &Access;

    #[doc(hidden)]
    fn access_mut(&mut self) -> &mut Access;
}

/// A definition that appears in the result of a list request.
pub(crate) trait ListItem: Definition {
    /// The type of an item on a page.
    type Item;
    /// The type of a page.
    type Page;

    fn item(&self) -> Self::Item;

    fn page(items: Vec<Self::Item>, hints: &CacheHints, next: Option<Cursor>) -> Self::Page;
}

/// Implements [`ListItem`] for a definition that has its item in a field.
macro_rules! list_item {
    ($definition:ty, $field:ident: $item:ty, $page:ident) => {
        impl crate::features::catalog::ListItem for $definition {
            type Item = $item;
            type Page = $page;

            fn item(&self) -> $item {
                self.$field.clone()
            }

            fn page(
                items: Vec<$item>,
                hints: &crate::features::catalog::CacheHints,
                next: Option<mcp_types::Cursor>,
            ) -> $page {
                let mut page = $page::new(items, hints.ttl_ms, hints.scope);
                page.next_cursor = next;
                page
            }
        }
    };
}

pub(crate) use list_item;

/// For how long, and for whom, caches may keep a result.
#[derive(Clone)]
pub(crate) struct CacheHints {
    pub(crate) ttl_ms: i64,
    pub(crate) scope: CacheScope,
}

impl CacheHints {
    pub(crate) fn new(ttl: Duration, scope: CacheScope) -> Self {
        Self {
            ttl_ms: i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX),
            scope,
        }
    }

    /// Returns the hints of a list. A list that differs between callers must not be shared.
    pub(crate) fn of(&self, restricted: bool) -> Self {
        Self {
            ttl_ms: self.ttl_ms,
            scope: if restricted {
                CacheScope::Private
            } else {
                self.scope
            },
        }
    }
}

impl Default for CacheHints {
    fn default() -> Self {
        Self::new(Duration::ZERO, CacheScope::Private)
    }
}

/// Definitions by key, in order. No lock is held while a handler runs.
pub(crate) struct List<T> {
    pub(crate) hints: CacheHints,
    /// The number of items on a page; `None` for a single page.
    pub(crate) page_size: Option<std::num::NonZeroUsize>,
    /// Whether items ignore arguments that they do not have.
    pub(crate) ignores_extra_arguments: Option<bool>,
    items: RwLock<Items<T>>,
}

struct Items<T> {
    indexes: HashMap<String, u64>,
    /// Positions are never reused, so that cursors stay valid when items are added or removed.
    in_order: SeqVec<Arc<T>>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self {
            hints: CacheHints::default(),
            page_size: None,
            ignores_extra_arguments: None,
            items: RwLock::new(Items {
                indexes: HashMap::new(),
                in_order: SeqVec::default(),
            }),
        }
    }
}

// How often an item was looked up on this thread, for tests.
#[cfg(test)]
thread_local! {
    pub(crate) static LOOKUPS: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

impl<T: Definition> List<T> {
    fn read(&self) -> RwLockReadGuard<'_, Items<T>> {
        self.items.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Items<T>> {
        self.items.write().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.read().in_order.all().is_empty()
    }

    pub(crate) fn get(&self, key: &str) -> Option<Arc<T>> {
        #[cfg(test)]
        LOOKUPS.set(LOOKUPS.get() + 1);
        let items = self.read();
        items.in_order.get(*items.indexes.get(key)?).cloned()
    }

    /// Returns the item with this key, if the caller sees it.
    pub(crate) fn get_visible(&self, key: &str, cx: &Context) -> Option<Arc<T>> {
        let item = self.get(key)?;
        item.access().is_visible(cx).then_some(item)
    }

    /// Writes the warnings of all items.
    pub(crate) fn warn(&self) {
        for (_, item) in self.read().in_order.all() {
            item.warn();
        }
    }

    /// Returns the states that the handlers of the items require and the server does not have.
    pub(crate) fn missing(&self, server: &TypeMap) -> Vec<BuildError> {
        let items = self.read();
        let items = items.in_order.all().iter();
        items
            .flat_map(|(_, item)| missing(&**item, server))
            .collect()
    }

    /// Returns all items in order.
    pub(crate) fn all(&self) -> Vec<Arc<T>> {
        let items = self.read();
        let all = items.in_order.all().iter();
        all.map(|(_, item)| Arc::clone(item)).collect()
    }

    /// Returns the first result of `find`, in the order of the items.
    pub(crate) fn find<U>(&self, what: impl Fn(&Arc<T>) -> Option<U>) -> Option<U> {
        let items = self.read();
        items.in_order.all().iter().find_map(|(_, item)| what(item))
    }

    /// Adds an item at the end.
    pub(crate) fn add(&self, mut item: T) -> Result<(), BuildError> {
        self.check(&mut item)?;
        self.add_checked(item)
    }

    /// Applies the settings of the list to an item, and checks it.
    pub(crate) fn check(&self, item: &mut T) -> Result<(), BuildError> {
        if let Some(ignore) = self.ignores_extra_arguments {
            item.set_extra_arguments_default(ignore);
        }
        named(item)?;
        item.check().map_err(|reason| invalid(item, &reason))
    }

    fn add_checked(&self, item: T) -> Result<(), BuildError> {
        let key = item.key().to_owned();
        let mut items = self.write();
        if items.indexes.contains_key(&key) {
            let kind = T::KIND;
            return Err(BuildError::DuplicateName { kind, name: key });
        }
        items.push(key, Arc::new(item));
        Ok(())
    }

    /// Replaces the item with the same key and returns it, or appends the item.
    pub(crate) fn replace(&self, item: Arc<T>) -> Option<Arc<T>> {
        let key = item.key().to_owned();
        let mut items = self.write();
        let index = items.indexes.get(&key).copied();
        if let Some(known) = index.and_then(|index| items.in_order.get_mut(index)) {
            return Some(std::mem::replace(known, item));
        }
        items.push(key, item);
        None
    }

    /// Moves the items of another list to this one, with a prefix for their keys.
    pub(crate) fn merge(
        &self,
        other: Self,
        prefix: &str,
        enter: impl Fn(&mut Access),
    ) -> Vec<BuildError> {
        let other = other
            .items
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        let mut errors = Vec::new();
        for (_, item) in other.in_order.into_all() {
            // A list that was never served has no other owners of its items.
            let Some(mut item) = Arc::into_inner(item) else {
                continue;
            };
            item.prefix(prefix);
            enter(item.access_mut());
            let checked = match self.ignores_extra_arguments {
                Some(_) => self.check(&mut item),
                None => named(&item),
            };
            errors.extend(checked.and_then(|()| self.add_checked(item)).err());
        }
        errors
    }

    pub(crate) fn remove(&self, key: &str) -> bool {
        let mut items = self.write();
        let Some(index) = items.indexes.remove(key) else {
            return false;
        };
        items.in_order.remove(index).is_some()
    }

    /// Returns all items from a position on, if not everybody may use all of them.
    pub(crate) fn guarded(&self, from: u64) -> Option<Vec<(u64, Arc<T>)>> {
        let items = self.read();
        let rest = items.in_order.from(from);
        let mut closed = rest.iter().filter(|(_, item)| !item.access().is_open());
        closed.next().is_some().then(|| rest.to_vec())
    }

    /// Returns the first item from a position on that matches, with its position.
    pub(crate) fn first(&self, from: u64, wanted: impl Fn(&T) -> bool) -> Option<(u64, Arc<T>)> {
        let items = self.read();
        let mut rest = items.in_order.from(from).iter();
        rest.find(|(_, item)| wanted(item)).cloned()
    }
}

impl<T: ListItem> List<T> {
    /// Returns up to `size` items that the caller sees, from a position on.
    pub(crate) fn page(&self, from: u64, size: usize, cx: &Context) -> Slice<T::Item> {
        let items = self.read();
        let rest = items.in_order.from(from);
        let restricted = rest.iter().any(|(_, item)| item.access().is_restricted(cx));
        if !restricted {
            let all = rest.iter().map(|(index, item)| (*index, item.item()));
            return Slice::of(all, size, restricted);
        }
        let rest = rest.to_vec();
        // Conditions are code of the program, so no lock is held while they run.
        drop(items);
        let visible = rest.iter().filter(|(_, item)| item.access().is_listed(cx));
        let visible = visible.map(|(index, item)| (*index, item.item()));
        Slice::of(visible, size, restricted)
    }
}

/// Returns the states that the handlers of a definition require and the server does not have.
pub(crate) fn missing<T: Definition>(item: &T, server: &TypeMap) -> Vec<BuildError> {
    let access = item.access();
    let mut missing = access.missing(T::KIND, item.key(), server);
    missing.extend(access.unavailable(T::SUBJECT, T::KIND, item.key()));
    missing
}

fn named<T: Definition>(item: &T) -> Result<(), BuildError> {
    item.check_name().map_err(|reason| invalid(item, &reason))
}

fn invalid<T: Definition>(item: &T, reason: &DefinitionError) -> BuildError {
    BuildError::Invalid {
        kind: T::KIND,
        name: item.key().to_owned(),
        reason: reason.to_string(),
    }
}

impl<T> Items<T> {
    fn push(&mut self, key: String, item: Arc<T>) {
        let index = self.in_order.push(item);
        self.indexes.insert(key, index);
    }
}

/// Consecutive items of a list.
pub(crate) struct Slice<I> {
    pub(crate) items: Vec<I>,
    /// The position of the last item.
    pub(crate) last: Option<u64>,
    /// `true` if more items follow.
    pub(crate) more: bool,
    /// `true` if other callers may see other items.
    pub(crate) restricted: bool,
}

impl<I> Slice<I> {
    /// Creates a slice without items.
    pub(crate) fn new(restricted: bool) -> Self {
        Self {
            items: Vec::new(),
            last: None,
            more: false,
            restricted,
        }
    }

    /// Creates a slice with the first `size` of the items, which have positions.
    pub(crate) fn of(items: impl Iterator<Item = (u64, I)>, size: usize, restricted: bool) -> Self {
        let mut slice = Self::new(restricted);
        for (position, item) in items {
            if !slice.add(position, item, size) {
                break;
            }
        }
        slice
    }

    /// Adds the next item. Returns `false` if the slice has `size` items already, and remembers that
    /// more items follow.
    pub(crate) fn add(&mut self, position: u64, item: I, size: usize) -> bool {
        let fits = self.items.len() < size;
        self.more = !fits;
        if fits {
            self.last = Some(position);
            self.items.push(item);
        }
        fits
    }
}

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
        match missing(item, &self.core.states).into_iter().next() {
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
