//! [`Listing`]: all tools that the inner server shows to a caller.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_server::middleware::{Next, Request, Response};
use mcp_server::{Context, HandlerError};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use super::index::Index;

/// The maximum number of tools of a list, of its pages, and the maximum size of all tools in bytes.
const TOOLS: usize = 20_000;
const PAGES: usize = 2_000;
const BYTES: usize = 64 << 20;
/// The maximum number of indexes that are kept, and of their entries together.
const INDEXES: usize = 16;
const ENTRIES: usize = 4_000_000;

/// The members of a result or of params, as JSON.
pub(super) type Members = BTreeMap<String, Box<RawValue>>;

/// All tools of a caller, and the first page of the list.
pub(super) struct Listing {
    pub(super) first: Response,
    pub(super) tools: Vec<Box<RawValue>>,
    /// The members that state how long the whole list may be kept, and for whom: those of the most
    /// cautious pages.
    pub(super) caching: Members,
}

#[derive(Deserialize)]
struct Page {
    tools: Vec<Box<RawValue>>,
    #[serde(default, rename = "nextCursor")]
    next_cursor: Option<String>,
    #[serde(default, rename = "ttlMs")]
    time_to_live: Option<Box<RawValue>>,
    #[serde(default, rename = "cacheScope")]
    cache_scope: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Params<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

impl Listing {
    /// Reads all pages of the list. Also returns what runs the rest of the middleware.
    pub(super) async fn read(request: &Request, next: Next) -> Result<(Self, Next), HandlerError> {
        let cx: &Context = request.context();
        // The client describes itself there since 2026-07-28.
        let Meta { meta } = serde_json::from_str(request.params().get())?;
        let mut listing: Option<Self> = None;
        let mut cursor: Option<String> = None;
        let mut bytes = 0;
        for _ in 0..PAGES {
            let cursor_text = cursor.as_deref();
            let params = Params {
                cursor: cursor_text,
                meta,
            };
            let response = next.request("tools/list", &params, cx).await?;
            let page: Page = serde_json::from_str(response.result()?.get())?;
            let all = listing.get_or_insert_with(|| Self {
                first: response,
                tools: Vec::new(),
                caching: Members::new(),
            });
            all.note_caching(page.time_to_live, page.cache_scope);
            bytes += page
                .tools
                .iter()
                .map(|tool| tool.get().len())
                .sum::<usize>();
            all.tools.extend(page.tools);
            if all.tools.len() > TOOLS || bytes > BYTES {
                break;
            }
            cursor = page.next_cursor;
            if cursor.is_none() {
                return listing.map(|all| (all, next)).ok_or_else(too_long);
            }
        }
        Err(too_long())
    }

    fn note_caching(&mut self, time: Option<Box<RawValue>>, scope: Option<Box<RawValue>>) {
        let millis = |time: &RawValue| time.get().parse::<f64>().unwrap_or_default();
        let known = self.caching.get("ttlMs").map(|time| millis(time));
        if let Some(time) = time.filter(|time| known.is_none_or(|known| millis(time) < known)) {
            self.caching.insert("ttlMs".to_owned(), time);
        }
        let is_public = |scope: &RawValue| scope.get() == "\"public\"";
        let known = self.caching.get("cacheScope");
        if let Some(scope) = scope.filter(|scope| known.is_none() || !is_public(scope)) {
            self.caching.insert("cacheScope".to_owned(), scope);
        }
    }
}

/// Returns the digest of tools, which is equal for equal lists only.
fn digest(tools: &[Box<RawValue>]) -> [u8; 32] {
    let mut digest = Sha256::new();
    for tool in tools {
        digest.update((tool.get().len() as u64).to_be_bytes());
        digest.update(tool.get());
    }
    digest.finalize().into()
}

fn too_long() -> HandlerError {
    HandlerError::internal(format!(
        "the list of tools has more than {TOOLS} tools, {PAGES} pages or {BYTES} bytes"
    ))
}

/// The indexes of the lists that were searched last.
#[derive(Debug, Default)]
pub(super) struct Indexes(Mutex<VecDeque<([u8; 32], Arc<Index>)>>);

impl Indexes {
    /// Returns the index of a list. Each list that differs has its own, so an index never names a tool
    /// that its caller does not see, and a changed list has a new one. Blocks the thread for a long
    /// list.
    pub(super) fn of(&self, tools: &[Box<RawValue>]) -> Arc<Index> {
        let digest = digest(tools);
        if let Some(index) = self.find(&digest) {
            return index;
        }
        let index = Arc::new(Index::new(tools));
        let mut indexes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.push_front((digest, Arc::clone(&index)));
        let mut entries = 0;
        let kept = indexes.iter().take(INDEXES).take_while(|(_, index)| {
            entries += index.size;
            entries <= ENTRIES
        });
        let kept = kept.count();
        indexes.truncate(kept);
        index
    }

    fn find(&self, digest: &[u8; 32]) -> Option<Arc<Index>> {
        let mut indexes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = indexes.iter().position(|(known, _)| known == digest)?;
        let found = indexes.remove(at)?;
        let index = Arc::clone(&found.1);
        indexes.push_front(found);
        Some(index)
    }
}
