//! Lists of what a server offers: named items in the order in which they were added, in pages,
//! which may change while the server runs.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use mcp_types::{CacheScope, Cursor, Revision};

use crate::features::access::Access;
use crate::features::definition_error::DefinitionError;
use crate::protocol::changes::Change;
use crate::protocol::core::Context;
use crate::protocol::error::BuildError;
use crate::protocol::states::States;
use crate::util::seq_vec::SeqVec;

/// What a list contains: [`ToolDef`](crate::ToolDef), [`ResourceDef`](crate::ResourceDef),
/// [`PromptDef`](crate::PromptDef), and `TemplateDef` with the feature `templates`.
pub trait Definition: Sized + Send + Sync + 'static {
    /// What it is called in errors.
    #[doc(hidden)]
    const KIND: &'static str;

    /// Whether its handlers can take the extractors that only resources have.
    #[doc(hidden)]
    const IS_RESOURCE: bool = false;

    /// The name, the URI or the template that is unique in the list.
    fn key(&self) -> &str;

    /// Checks it, once, before it enters the list.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    #[doc(hidden)]
    fn check(&mut self) -> Result<(), DefinitionError>;

    /// Puts a prefix in front of its name, if it has one.
    #[doc(hidden)]
    fn prefix(&mut self, prefix: &str) {
        let _ = prefix;
    }

    /// What is announced when the list changes.
    #[doc(hidden)]
    fn change() -> Change;

    /// Who may use it.
    #[doc(hidden)]
    fn access(&self) -> &Access;

    #[doc(hidden)]
    fn access_mut(&mut self) -> &mut Access;
}

/// How a definition is listed.
pub(crate) trait ListItem: Definition {
    /// One item of a page.
    type Item;
    /// One page.
    type Page;

    fn item(&self, revision: Revision) -> Self::Item;

    fn page(items: Vec<Self::Item>, hints: &Hints, next: Option<Cursor>) -> Self::Page;
}

/// How long and for whom a result may be kept by a cache.
#[derive(Clone)]
pub(crate) struct Hints {
    pub(crate) ttl_ms: i64,
    pub(crate) scope: CacheScope,
}

impl Hints {
    pub(crate) fn new(ttl: Duration, scope: CacheScope) -> Self {
        Self {
            ttl_ms: i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX),
            scope,
        }
    }

    /// Returns the hints of a list. What other callers may see differently must not be shared.
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

impl Default for Hints {
    fn default() -> Self {
        Self::new(Duration::ZERO, CacheScope::Private)
    }
}

/// Items by key and in order. No lock is held while a handler runs.
pub(crate) struct List<T> {
    pub(crate) hints: Hints,
    /// Items of one page; all of them if absent.
    #[cfg(feature = "pagination")]
    pub(crate) page_size: Option<std::num::NonZeroUsize>,
    items: RwLock<Items<T>>,
}

struct Items<T> {
    places: HashMap<String, u64>,
    /// Places are never used twice, so that a cursor stays right whatever is added or removed.
    in_order: SeqVec<Arc<T>>,
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self {
            hints: Hints::default(),
            #[cfg(feature = "pagination")]
            page_size: None,
            items: RwLock::new(Items {
                places: HashMap::new(),
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
        items.in_order.get(*items.places.get(key)?).cloned()
    }

    /// Returns the item with this key, if the caller sees it.
    pub(crate) fn get_visible(&self, key: &str, cx: &Context) -> Option<Arc<T>> {
        let item = self.get(key)?;
        item.access().is_visible(cx).then_some(item)
    }

    /// Returns what the handlers of the items need and the server does not have.
    pub(crate) fn missing(&self, server: &States) -> Vec<BuildError> {
        let items = self.read();
        let items = items.in_order.all().iter();
        items
            .flat_map(|(_, item)| missing(&**item, server))
            .collect()
    }

    /// The first item, in order, for which there is something.
    #[cfg(feature = "templates")]
    pub(crate) fn find<U>(&self, what: impl Fn(&Arc<T>) -> Option<U>) -> Option<U> {
        let items = self.read();
        items.in_order.all().iter().find_map(|(_, item)| what(item))
    }

    /// Adds an item at the end.
    pub(crate) fn add(&self, mut item: T) -> Result<(), BuildError> {
        checked(&mut item)?;
        self.add_checked(item)
    }

    fn add_checked(&self, item: T) -> Result<(), BuildError> {
        let key = item.key().to_owned();
        let mut items = self.write();
        if items.places.contains_key(&key) {
            let kind = T::KIND;
            return Err(BuildError::DuplicateName { kind, name: key });
        }
        items.push(key, item);
        Ok(())
    }

    /// Puts an item in the place of the one with its key, or at the end.
    pub(crate) fn replace(&self, mut item: T) -> Result<(), BuildError> {
        checked(&mut item)?;
        let key = item.key().to_owned();
        let mut items = self.write();
        let place = items.places.get(&key).copied();
        match place.and_then(|place| items.in_order.get_mut(place)) {
            Some(known) => *known = Arc::new(item),
            None => items.push(key, item),
        }
        Ok(())
    }

    /// Moves the items of another list here, with a prefix for their keys.
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
            // Nobody else has the items of a list that was never served.
            let Some(mut item) = Arc::into_inner(item) else {
                continue;
            };
            item.prefix(prefix);
            enter(item.access_mut());
            errors.extend(self.add_checked(item).err());
        }
        errors
    }

    pub(crate) fn remove(&self, key: &str) -> bool {
        let mut items = self.write();
        let Some(place) = items.places.remove(key) else {
            return false;
        };
        items.in_order.remove(place).is_some()
    }

    /// The first item from a place on that is as wanted, with its place.
    #[cfg(all(feature = "pagination", feature = "templates"))]
    pub(crate) fn first(&self, from: u64, wanted: impl Fn(&T) -> bool) -> Option<(u64, Arc<T>)> {
        let items = self.read();
        let mut rest = items.in_order.from(from).iter();
        rest.find(|(_, item)| wanted(item)).cloned()
    }
}

impl<T: ListItem> List<T> {
    /// Returns up to `size` of the items that the caller sees, from a place on.
    pub(crate) fn page(&self, from: u64, size: usize, cx: &Context) -> Slice<T::Item> {
        let items = self.read();
        let rest = items.in_order.from(from);
        let restricted = rest.iter().any(|(_, item)| item.access().is_restricted());
        if !restricted {
            return slice(rest.iter(), size, cx.revision(), restricted);
        }
        let rest = rest.to_vec();
        // The conditions are the program's code: no lock is held while they run.
        drop(items);
        let visible = rest.iter().filter(|(_, item)| item.access().is_visible(cx));
        slice(visible, size, cx.revision(), restricted)
    }
}

/// Returns the first `size` of the items.
fn slice<'a, T: ListItem>(
    mut items: impl Iterator<Item = &'a (u64, Arc<T>)>,
    size: usize,
    revision: Revision,
    restricted: bool,
) -> Slice<T::Item> {
    let mut seen = Vec::with_capacity(items.size_hint().0.min(size));
    #[cfg(feature = "pagination")]
    let mut last = None;
    for entry in items.by_ref().take(size) {
        seen.push(entry.1.item(revision));
        #[cfg(feature = "pagination")]
        {
            last = Some(entry.0);
        }
    }
    Slice {
        items: seen,
        #[cfg(feature = "pagination")]
        last,
        #[cfg(feature = "pagination")]
        more: items.next().is_some(),
        restricted,
    }
}

/// Items that follow each other in a list.
pub(crate) struct Slice<I> {
    pub(crate) items: Vec<I>,
    /// The place of the last one.
    #[cfg(feature = "pagination")]
    pub(crate) last: Option<u64>,
    /// Whether there are more behind it.
    #[cfg(feature = "pagination")]
    pub(crate) more: bool,
    /// Whether other callers may see other items.
    pub(crate) restricted: bool,
}

/// Returns what the handlers of a definition need and the server does not have.
pub(crate) fn missing<T: Definition>(item: &T, server: &States) -> Vec<BuildError> {
    let access = item.access();
    let mut missing = access.missing(T::KIND, item.key(), server);
    if !T::IS_RESOURCE {
        missing.extend(access.not_a_resource(T::KIND, item.key()));
    }
    missing
}

fn checked<T: Definition>(item: &mut T) -> Result<(), BuildError> {
    item.check().map_err(|reason| BuildError::Invalid {
        kind: T::KIND,
        name: item.key().to_owned(),
        reason: reason.to_string(),
    })
}

impl<T> Items<T> {
    fn push(&mut self, key: String, item: T) {
        let place = self.in_order.push(Arc::new(item));
        self.places.insert(key, place);
    }
}
