//! [`ListedPage`]: resources of a list, and the [`Position`] of the next page.

use mcp_types::Resource;

/// Resources, and the position of the next page.
#[derive(Default)]
pub(crate) struct ListedPage {
    pub(crate) resources: Vec<Resource>,
    /// Where each of the resources comes from.
    #[cfg(feature = "proposals")]
    pub(crate) sources: Vec<ResourceSource>,
    pub(crate) next: Option<Position>,
    /// `true` if other callers may see other resources.
    pub(crate) restricted: bool,
}

/// Where a resource of a list comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResourceSource {
    /// Its own definition.
    Definition,
    /// A handler that lists. The definition that has the URI may know more.
    Handler,
    /// A handler that lists, and that returns all members.
    CompleteHandler,
    /// A link, whose target may not exist.
    #[cfg(feature = "proposals")]
    Link,
}

impl ListedPage {
    pub(crate) fn extend(
        &mut self,
        resources: impl IntoIterator<Item = Resource>,
        source: ResourceSource,
    ) {
        self.resources.extend(resources);
        #[cfg(feature = "proposals")]
        self.sources.resize(self.resources.len(), source);
        #[cfg(not(feature = "proposals"))]
        let _ = source;
    }
}

/// Where a list continues. Positions are never reused, so nothing is listed twice or omitted when
/// definitions are added or removed.
#[derive(Debug, PartialEq)]
pub(crate) enum Position {
    /// At the beginning.
    Beginning,
    /// After a position of the list of resources.
    Listed(u64),
    /// Within the resources of a template: the position of the template, and the one that its
    /// handler returned.
    Within(u64, String),
    /// After a template.
    After(u64),
    /// Within the members of a collection: the position that its handler returned.
    Member(String),
}

impl Position {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (tag, index, text) = match self {
            Self::Beginning => (0, 0, ""),
            Self::Listed(index) => (1, *index, ""),
            Self::Within(index, position) => (2, *index, position.as_str()),
            Self::After(index) => (3, *index, ""),
            Self::Member(position) => (4, 0, position.as_str()),
        };
        let mut bytes = vec![tag];
        bytes.extend(index.to_be_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        let (index, text) = rest.split_first_chunk()?;
        let index = u64::from_be_bytes(*index);
        let text = str::from_utf8(text).ok()?.to_owned();
        Some(match tag {
            0 => Self::Beginning,
            1 => Self::Listed(index),
            2 => Self::Within(index, text),
            3 => Self::After(index),
            4 => Self::Member(text),
            _ => return None,
        })
    }
}
