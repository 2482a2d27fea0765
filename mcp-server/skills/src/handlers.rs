//! The handlers of the methods, and of the resources.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::ops::Bound;
use std::str::FromStr;
use std::string::FromUtf8Error;
use std::sync::Arc;

use mcp_server::{Context, HandlerError, ListAt, Params, ResourcePage, ResourceUri};
use mcp_types::peer_text::PeerText;
use mcp_types::uri::canonical;
use mcp_types::{
    AnyResourceContents, Base64Text, BlobResourceContents, CacheScope, Cursor, GetSkillRequest,
    GetSkillResult, ListSkillsRequest, ListSkillsResult, ReadResourceDirectoryRequest,
    ReadResourceDirectoryResult, TextResourceContents,
};

use crate::catalog::SCHEME;
use crate::served::ServedSkills;

/// What the handlers share.
#[derive(Clone)]
pub(crate) struct Handlers {
    pub(crate) skills: Arc<ServedSkills>,
    /// For how long, and for whom, caches may keep results.
    pub(crate) ttl_ms: i64,
    pub(crate) scope: CacheScope,
    pub(crate) page_size: NonZeroUsize,
}

impl Handlers {
    pub(crate) async fn list(
        self,
        Params(params): Params<ListSkillsRequest>,
        cx: Context,
    ) -> Result<ListSkillsResult, HandlerError> {
        let catalog = self.skills.catalog(&cx.server()).await?;
        let (skills, next) = page(&catalog.skills, params.cursor.as_ref(), self.page_size)?;
        let mut result = ListSkillsResult::new(skills).ttl_ms(self.ttl_ms);
        result.cache_scope = same_scope(self.scope);
        result.next_cursor = next;
        Ok(result)
    }

    pub(crate) async fn get(
        self,
        Params(params): Params<GetSkillRequest>,
        cx: Context,
    ) -> Result<GetSkillResult, HandlerError> {
        let catalog = self.skills.catalog(&cx.server()).await?;
        let skill = catalog.skills.get(&*canonical(&params.uri)).cloned();
        let skill = skill.ok_or_else(|| {
            let uri = PeerText(&params.uri);
            HandlerError::invalid_params(format!("no skill has the URI `{uri}`"))
        })?;
        let mut result = GetSkillResult::new(skill).ttl_ms(self.ttl_ms);
        result.cache_scope = same_scope(self.scope);
        Ok(result)
    }

    pub(crate) async fn read_directory(
        self,
        Params(params): Params<ReadResourceDirectoryRequest>,
        cx: Context,
    ) -> Result<ReadResourceDirectoryResult, HandlerError> {
        let catalog = self.skills.catalog(&cx.server()).await?;
        let names = catalog.directories.get(&*canonical(&params.uri));
        let names = names.ok_or_else(|| {
            let uri = PeerText(&params.uri);
            HandlerError::invalid_params(format!("no directory has the URI `{uri}`"))
        })?;
        let (resources, next) = page(names, params.cursor.as_ref(), self.page_size)?;
        let mut result = ReadResourceDirectoryResult::new(resources);
        result.next_cursor = next;
        Ok(result)
    }

    /// Reads a file.
    pub(crate) async fn read(
        self,
        ResourceUri(uri): ResourceUri,
        cx: Context,
    ) -> Result<AnyResourceContents, HandlerError> {
        let (file, bytes) = self.skills.read(&cx.server(), &uri).await?;
        let mime_type = file.media_type().map(Into::into);
        // Text arrives with the same bytes that were hashed.
        Ok(match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => {
                let mut contents = TextResourceContents::new(uri, text);
                contents.mime_type = mime_type;
                contents.into()
            }
            other => {
                let bytes = other.map_or_else(FromUtf8Error::into_bytes, String::into_bytes);
                let mut contents = BlobResourceContents::new(uri, Base64Text::encode(&bytes));
                contents.mime_type = mime_type;
                contents.into()
            }
        })
    }

    /// Lists the `SKILL.md` of each skill in `resources/list`.
    pub(crate) async fn list_resources(
        self,
        mut at: ListAt,
        cx: Context,
    ) -> Result<ResourcePage, HandlerError> {
        at.size.get_or_insert(self.page_size);
        let catalog = self.skills.catalog(&cx.server()).await?;
        let after = at
            .after
            .as_deref()
            .map_or(Bound::Unbounded, Bound::Excluded);
        let rest = catalog.skills.range::<str, _>((after, Bound::Unbounded));
        let rest = rest.filter_map(|(_, skill)| catalog.describe(skill));
        Ok(at.page(rest, |resource| resource.uri.clone()))
    }
}

/// Returns the values after a cursor, as many as are on a page, and the cursor of the next page. A
/// cursor is the key of the last value, so it stays valid when others are added or removed.
fn page<T: Clone>(
    all: &BTreeMap<String, T>,
    cursor: Option<&Cursor>,
    size: NonZeroUsize,
) -> Result<(Vec<T>, Option<Cursor>), HandlerError> {
    let after = match cursor.map(Cursor::as_str) {
        None => Bound::Unbounded,
        Some(uri) if uri.starts_with(SCHEME) => Bound::Excluded(uri),
        Some(_) => {
            return Err(HandlerError::invalid_params(
                "$.cursor: not a cursor of this list",
            ));
        }
    };
    let mut rest = all.range::<str, _>((after, Bound::Unbounded));
    let (keys, values): (Vec<&String>, Vec<T>) = rest
        .by_ref()
        .take(size.get())
        .map(|(key, value)| (key, value.clone()))
        .unzip();
    let last = keys.last().filter(|_| rest.next().is_some());
    Ok((values, last.map(|uri| Cursor::from(uri.as_str()))))
}

/// Returns a scope as the extension has it. Its messages define the values themselves, which are those of
/// the protocol. If a revision adds one, the types differ.
fn same_scope<T: FromStr>(scope: CacheScope) -> Option<T> {
    scope.as_str().parse().ok()
}
