//! [`ListedPage`]: resources of a list, and the [`Position`] of the next page.

use mcp_types::Resource;

/// Resources, and the position of the next page.
#[derive(Default)]
pub(crate) struct ListedPage {
    pub(crate) resources: Vec<Resource>,
    pub(crate) next: Option<Position>,
    /// `true` if other callers may see other resources.
    pub(crate) restricted: bool,
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
    Behind(u64),
    /// Within the members of a collection: the position that its handler returned.
    Member(String),
}

impl Position {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let (tag, place, text) = match self {
            Self::Beginning => (0, 0, ""),
            Self::Listed(place) => (1, *place, ""),
            Self::Within(place, position) => (2, *place, position.as_str()),
            Self::Behind(place) => (3, *place, ""),
            Self::Member(position) => (4, 0, position.as_str()),
        };
        let mut bytes = vec![tag];
        bytes.extend(place.to_be_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (tag, rest) = bytes.split_first()?;
        let (place, text) = rest.split_first_chunk()?;
        let place = u64::from_be_bytes(*place);
        let text = str::from_utf8(text).ok()?.to_owned();
        Some(match tag {
            0 => Self::Beginning,
            1 => Self::Listed(place),
            2 => Self::Within(place, text),
            3 => Self::Behind(place),
            4 => Self::Member(text),
            _ => return None,
        })
    }
}
