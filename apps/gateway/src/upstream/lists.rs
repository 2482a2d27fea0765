//! [`Query`]: requests a list of an upstream.

use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::time::Duration;

use mcp_server::types::Revision;
use mcp_server::types::json::{self, Map, Object, Value};
use mcp_server::{Change, HandlerError};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::Kind;
use super::connection::{Connected, LinkRequest, Purpose};
use super::list_cache::{Caching, List, ListKey};
use super::pool::Pool;
use crate::fault::UpstreamReport;
use crate::translate;

/// The extension for skills, and its method that lists.
pub(crate) const SKILLS: &str = "io.modelcontextprotocol/skills";
const SKILLS_LIST: &str = "skills/list";

/// The methods that list, each with the member of its result and the kind of its items.
const LISTS: [(&str, &str, Kind); 5] = [
    ("tools/list", "tools", Kind::Tool),
    ("prompts/list", "prompts", Kind::Prompt),
    ("resources/list", "resources", Kind::Resource),
    (
        "resources/templates/list",
        "resourceTemplates",
        Kind::ResourceTemplate,
    ),
    // Skills are known by the URIs of their files.
    (SKILLS_LIST, "skills", Kind::Resource),
];

/// The time for which a list is kept if its upstream announces changes.
const ANNOUNCED: Duration = Duration::from_secs(300);

/// The maximum size of the list of an upstream: half of what clients accept as a message, so that it can
/// be sent beside the lists of others.
const LIST_BYTES: usize = 8 << 20;

/// The number of pages without items in a row after which a list is cut off.
const EMPTY_PAGES: usize = 8;

/// A method that lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ListMethod {
    pub(crate) method: &'static str,
    pub(crate) member: &'static str,
    pub(crate) kind: Kind,
}

impl ListMethod {
    pub(crate) fn of(method: &str) -> Option<Self> {
        Self::all().find(|known| known.method == method)
    }

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        LISTS.into_iter().map(|(method, member, kind)| Self {
            method,
            member,
            kind,
        })
    }

    /// Returns what is announced when the list changes.
    pub(crate) fn change(self) -> Change {
        match self.kind {
            Kind::Tool => Change::Tools,
            Kind::Prompt => Change::Prompts,
            Kind::Resource | Kind::ResourceTemplate => Change::Resources,
        }
    }
}

/// A list of an upstream, for a client.
#[derive(Clone)]
pub(crate) struct Query {
    pub(crate) wanted: LinkRequest,
    pub(crate) list: ListMethod,
    /// The revision of the client.
    pub(crate) to: Revision,
}

impl Query {
    pub(crate) fn key(&self) -> ListKey {
        (self.wanted.key.clone(), self.list.method, self.to)
    }

    /// Connects to the upstream.
    pub(crate) async fn connect(&self, pool: &Pool) -> Result<Connected, HandlerError> {
        pool.connect(&self.wanted, Purpose::List).await
    }

    /// Requests a page, in the form of the client's revision.
    pub(crate) async fn page(
        &self,
        pool: &Pool,
        connected: &Connected,
        params: &Map<Box<RawValue>>,
    ) -> Result<(Box<RawValue>, Caching), HandlerError> {
        let list = self.list;
        if has_none(pool, list) {
            let none = Object::from([(list.member, Value::Array(Vec::new()))]);
            let page = json::to_raw(&none)?;
            let from = Revision::V2025_11_25;
            let page = translate::result(list.method, from, self.to, page);
            return Ok((page, Caching::ANY));
        }
        let client = &connected.client;
        let time = pool.upstream.limits.connect_time;
        let call = client.request_json(list.method, params).timeout(time);
        let page = call.await.map_err(|error| pool.faults.failed(error))?;
        if list.kind == Kind::Tool {
            pool.header_params.remember(&page);
        }
        let stated = stated(&page);
        let page = translate::result(list.method, client.revision(), self.to, page);
        Ok((page, stated))
    }

    /// Requests the items of all pages. Also returns for how long they may be kept.
    pub(crate) async fn pages(
        &self,
        pool: &Pool,
        connected: &Connected,
    ) -> Result<(List, Duration), HandlerError> {
        let mut items: Vec<Box<RawValue>> = Vec::new();
        let mut params = Map::new();
        let mut bytes = 0_usize;
        let mut empty = 0;
        let mut caching = Caching::ANY;
        loop {
            let (page, stated) = self.page(pool, connected, &params).await?;
            bytes = bytes.saturating_add(page.get().len());
            let mut page: Map<Box<RawValue>> = decoded(&page)?;
            let before = items.len();
            if let Some(of_page) = page.remove(self.list.member) {
                items.extend(decoded::<Vec<Box<RawValue>>>(&of_page)?);
            }
            caching = caching.and(stated);
            let Some(cursor) = page.remove("nextCursor") else {
                break;
            };
            empty = if items.len() > before { 0 } else { empty + 1 };
            let is_long = items.len() >= pool.upstream.limits.items || bytes >= LIST_BYTES;
            if is_long || empty >= EMPTY_PAGES {
                let upstream = &*pool.upstream.name;
                let method = self.list.method;
                tracing::warn!(upstream, method, "a list is cut off: it does not end");
                break;
            }
            params = Map::new();
            params.insert("cursor", cursor);
        }
        items.truncate(pool.upstream.limits.items);
        self.remove_unusable(&pool.upstream.name, &mut items);
        let is_modern = pool.revision().is_some_and(Revision::is_modern);
        let kept = if is_modern {
            ANNOUNCED.min(Duration::from_millis(caching.time))
        } else if pool.announces(self.list.kind) {
            ANNOUNCED
        } else {
            Duration::ZERO
        };
        Ok((List::new(items.into(), caching), kept))
    }

    /// Removes items that no client can use, for which many clients would refuse the whole list, with
    /// the items of the other upstreams, and those for which there is no room.
    fn remove_unusable(&self, upstream: &str, items: &mut Vec<Box<RawValue>>) {
        let (before, mut bytes) = (items.len(), 0_usize);
        items.retain(|item| {
            let size = bytes.saturating_add(item.get().len());
            let is_kept = size <= LIST_BYTES && is_usable(self.list, item);
            if is_kept {
                bytes = size;
            }
            is_kept
        });
        let removed = before - items.len();
        if removed > 0 {
            let method = self.list.method;
            tracing::warn!(
                upstream,
                method,
                removed,
                "a list has items that cannot be used"
            );
        }
    }
}

/// Reports once which tools an upstream does not have although its settings name them.
pub(crate) fn check_names(pool: &Pool, list: ListMethod, items: &[Box<RawValue>]) {
    #[derive(Deserialize)]
    struct Named {
        name: String,
    }

    let expected = &pool.upstream.named_tools;
    let is_checked = || pool.has_checked_names.swap(true, Ordering::AcqRel);
    if list.kind != Kind::Tool || expected.is_empty() || is_checked() {
        return;
    }
    let items = items.iter();
    let known = items.filter_map(|item| serde_json::from_str::<Named>(item.get()).ok());
    let known: HashSet<String> = known.map(|item| item.name).collect();
    let absent: Vec<String> = expected.difference(&known).cloned().collect();
    if !absent.is_empty() {
        pool.faults.tell(&UpstreamReport::NoTools {
            upstream: &pool.upstream.name,
            names: &absent,
        });
    }
}

/// Returns `true` for an object with the text by which it is known, and, if it is a tool, with a schema
/// of its arguments.
fn is_usable(list: ListMethod, item: &RawValue) -> bool {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Item<'a> {
        #[serde(borrow)]
        name: Option<&'a RawValue>,
        #[serde(borrow)]
        uri: Option<&'a RawValue>,
        #[serde(borrow)]
        uri_template: Option<&'a RawValue>,
        #[serde(borrow)]
        input_schema: Option<&'a RawValue>,
    }

    // A struct can also be read from a list.
    let is_object = item.get().starts_with('{');
    let item = serde_json::from_str::<Item<'_>>(item.get());
    let Some(item) = item.ok().filter(|_| is_object) else {
        return false;
    };
    let begins = |value: Option<&RawValue>, first: char| {
        value.is_some_and(|value| value.get().starts_with(first))
    };
    match list.kind {
        Kind::Tool => begins(item.name, '"') && begins(item.input_schema, '{'),
        Kind::Prompt => begins(item.name, '"'),
        Kind::Resource => begins(item.uri, '"'),
        Kind::ResourceTemplate => begins(item.uri_template, '"'),
    }
}

/// Returns what a page states about caching. Older revisions do not have these members.
fn stated(page: &RawValue) -> Caching {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Stated<'a> {
        #[serde(borrow)]
        ttl_ms: Option<&'a RawValue>,
        #[serde(borrow)]
        cache_scope: Option<&'a RawValue>,
    }

    let stated: Stated<'_> = serde_json::from_str(page.get()).unwrap_or_default();
    let time = stated.ttl_ms.and_then(|time| time.get().parse().ok());
    let scope = stated.cache_scope.map(RawValue::get);
    Caching {
        time: time.unwrap_or_default(),
        is_public: scope == Some("\"public\""),
    }
}

/// Returns `true` if the upstream is known not to have such items.
fn has_none(pool: &Pool, list: ListMethod) -> bool {
    let Some(capabilities) = pool.capabilities() else {
        return false;
    };
    if list.method == SKILLS_LIST {
        let extensions = capabilities.extensions.as_ref();
        return !extensions.is_some_and(|all| all.contains_key(SKILLS));
    }
    match list.kind {
        Kind::Tool => capabilities.tools.is_none(),
        Kind::Prompt => capabilities.prompts.is_none(),
        Kind::Resource | Kind::ResourceTemplate => capabilities.resources.is_none(),
    }
}

pub(crate) fn decoded<T: serde::de::DeserializeOwned>(
    text: impl AsRef<RawValue>,
) -> Result<T, HandlerError> {
    json::from_str(text.as_ref().get()).map_err(|error| HandlerError::internal(error.to_string()))
}
