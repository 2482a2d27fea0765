//! [`ContentsOf`]: interprets the result of `resources/read` by the rules of SEP-2093.

use std::collections::BTreeSet;

use super::preferred::essence;
use crate::uri::is_equivalent;
use crate::{
    Annotations, AnyResourceContents, EmbeddedResource, Icon, ReadResourceResult, Resource,
    ResourceType,
};

/// The contents of a resource as defined by SEP-2093 ("Multi-Content Semantics"): a document in one
/// or several representations, or a collection with some of its members.
///
/// ```
/// use mcp_types::{CacheScope, ReadResourceResult, ResourceType, TextResourceContents};
///
/// let page = TextResourceContents::new("demo:page", "<p>Hello</p>").mime_type("text/html");
/// let plain = TextResourceContents::new("demo:page", "Hello").mime_type("text/plain");
/// let result = ReadResourceResult::new([page.into(), plain.into()], 0, CacheScope::Private);
///
/// let page = result.contents_of("demo:page").of_type(ResourceType::Document);
/// let plain = page.alternative("text/plain").and_then(|contents| contents.text());
/// assert_eq!(plain, Some("Hello"));
/// assert!(page.warnings().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct ContentsOf<'a> {
    uri: &'a str,
    /// What a list or another request said about the resource.
    known: Description<'a>,
    contents: &'a [AnyResourceContents],
}

/// The members of a resource that decide how its contents are interpreted.
#[derive(Clone, Debug, Default)]
struct Description<'a> {
    resource_type: Option<ResourceType>,
    mime_type: Option<&'a str>,
}

/// A rule of SEP-2093 that a server violates. The contents are complete nevertheless.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContentsWarning {
    /// A document has no contents. At least one is required.
    Empty,
    /// Contents of a document have the URI of another resource.
    OtherUri {
        /// Their index among the contents.
        index: usize,
        /// The URI of the other resource.
        uri: String,
    },
    /// There are contents of several resources, but the resource is not declared as a collection.
    /// Old servers send such results.
    Untyped,
    /// Representations of a document have different metadata.
    Inconsistent {
        /// The index of the second one among the contents.
        index: usize,
        /// The member that differs from the first one.
        member: &'static str,
    },
    /// The declared size is not the size of the contents.
    Size {
        /// Their index among the contents.
        index: usize,
        /// The declared size, in bytes.
        given: i64,
        /// The actual size, in bytes.
        is: usize,
    },
    /// The contents are not valid base64.
    Undecodable {
        /// Their index among the contents.
        index: usize,
    },
}

impl ReadResourceResult {
    /// Returns the contents as the response for this URI.
    #[must_use]
    pub fn contents_of<'a>(&'a self, uri: &'a str) -> ContentsOf<'a> {
        ContentsOf {
            uri,
            known: Description::default(),
            contents: &self.contents,
        }
    }

    /// Returns the contents as the response for this resource, whose type and preferred media type
    /// are known from a list or from its metadata.
    #[must_use]
    pub fn contents_as<'a>(&'a self, resource: &'a Resource) -> ContentsOf<'a> {
        ContentsOf {
            known: Description {
                resource_type: resource.resource_type.clone(),
                mime_type: resource.mime_type.as_deref(),
            },
            ..self.contents_of(&resource.uri)
        }
    }
}

impl<'a> ContentsOf<'a> {
    /// Sets the type of the resource, if it is known from elsewhere.
    #[must_use]
    pub fn of_type(mut self, resource_type: ResourceType) -> Self {
        self.known.resource_type = Some(resource_type);
        self
    }

    /// Returns the type of the resource: the one that the contents declare, or else the one that
    /// was known before.
    #[must_use]
    pub fn resource_type(&self) -> Option<ResourceType> {
        let declared = self.own().find_map(resource_type);
        declared.or(self.known.resource_type.as_ref()).cloned()
    }

    /// Returns the [preferred](AnyResourceContents::preferred) representation of the resource. If
    /// no contents have the requested URI, and the resource is not a collection, returns the first
    /// contents: old servers send the contents of a resource under another URI.
    #[must_use]
    pub fn primary(&self) -> Option<&'a AnyResourceContents> {
        let own = AnyResourceContents::preferred(self.contents, self.uri, self.known.mime_type);
        match own {
            Some(index) => self.contents.get(index),
            None if self.resource_type() == Some(ResourceType::Collection) => None,
            None => self.contents.first(),
        }
    }

    /// Returns the representations of the resource itself, in different media types.
    pub fn alternatives(&self) -> impl Iterator<Item = &'a AnyResourceContents> + use<'a> {
        self.own()
    }

    /// Returns the first representation that has the given media type. Parameters and case are
    /// ignored; `image/*` and `*/*` match several types.
    #[must_use]
    pub fn alternative(&self, media_type: &str) -> Option<&'a AnyResourceContents> {
        let fits = |contents: &&AnyResourceContents| {
            let has = contents.mime_type();
            has.is_some_and(|has| fits(has, media_type))
        };
        self.own().find(fits)
    }

    /// Returns the contents of other resources: some of the members of a collection. To get all of
    /// them, call `resources/list` with the `uri` of the collection.
    pub fn children(&self) -> impl Iterator<Item = &'a AnyResourceContents> + use<'a> {
        let uri = self.uri;
        let others = self.contents.iter();
        others.filter(move |contents| !is_equivalent(contents.uri(), uri))
    }

    fn own(&self) -> impl Iterator<Item = &'a AnyResourceContents> + use<'a> {
        let uri = self.uri;
        let all = self.contents.iter();
        all.filter(move |contents| is_equivalent(contents.uri(), uri))
    }

    /// Returns the rules that the server violates, in the order of the contents.
    #[must_use]
    pub fn warnings(&self) -> Vec<ContentsWarning> {
        let mut warnings = Vec::new();
        let all = || self.contents.iter().enumerate();
        let is_own = |contents: &AnyResourceContents| is_equivalent(contents.uri(), self.uri);
        let others = all().filter(|(_, contents)| !is_own(contents));
        match self.resource_type() {
            Some(ResourceType::Document) => {
                if self.contents.is_empty() {
                    warnings.push(ContentsWarning::Empty);
                }
                warnings.extend(others.map(|(index, contents)| ContentsWarning::OtherUri {
                    index,
                    uri: contents.uri().to_owned(),
                }));
            }
            // The rules for a type of a later revision are not known.
            Some(_) => {}
            None => {
                let uris: BTreeSet<&str> = all().map(|(_, contents)| contents.uri()).collect();
                if uris.len() > 1 {
                    warnings.push(ContentsWarning::Untyped);
                }
            }
        }
        let mut own = all().filter(|(_, contents)| is_own(contents));
        if let Some((_, first)) = own.next() {
            let first = Said::by(first);
            warnings.extend(own.filter_map(|(index, contents)| {
                let member = first.differs(&Said::by(contents))?;
                Some(ContentsWarning::Inconsistent { index, member })
            }));
        }
        for (index, contents) in all() {
            let Some(given) = Said::by(contents).size else {
                continue;
            };
            match contents.bytes() {
                Ok(bytes) if usize::try_from(given) == Ok(bytes.len()) => {}
                Ok(bytes) => warnings.push(ContentsWarning::Size {
                    index,
                    given,
                    is: bytes.len(),
                }),
                Err(_) => warnings.push(ContentsWarning::Undecodable { index }),
            }
        }
        warnings
    }
}

impl EmbeddedResource {
    /// Returns the effective annotations: those of the resource, where SEP-2093 puts them, or else
    /// those next to it, where servers put them before.
    #[must_use]
    pub fn effective_annotations(&self) -> Option<&Annotations> {
        let own = Said::by(&self.resource).annotations;
        own.as_deref().or(self.annotations.as_ref())
    }
}

/// The metadata of a resource that contents declare.
struct Said<'a> {
    name: &'a Option<String>,
    title: &'a Option<String>,
    description: &'a Option<String>,
    icons: &'a Option<Vec<Icon>>,
    annotations: &'a Option<Box<Annotations>>,
    resource_type: &'a Option<ResourceType>,
    size: Option<i64>,
}

impl<'a> Said<'a> {
    fn by(contents: &'a AnyResourceContents) -> Self {
        macro_rules! said {
            ($contents:ident) => {
                Self {
                    name: &$contents.name,
                    title: &$contents.title,
                    description: &$contents.description,
                    icons: &$contents.icons,
                    annotations: &$contents.annotations,
                    resource_type: &$contents.resource_type,
                    size: $contents.size,
                }
            };
        }
        match contents {
            AnyResourceContents::Text(text) => said!(text),
            AnyResourceContents::Blob(blob) => said!(blob),
        }
    }

    /// Returns the first member that differs.
    fn differs(&self, other: &Self) -> Option<&'static str> {
        let members = [
            ("name", self.name != other.name),
            ("title", self.title != other.title),
            ("description", self.description != other.description),
            ("icons", self.icons != other.icons),
            ("annotations", self.annotations != other.annotations),
            ("resourceType", self.resource_type != other.resource_type),
        ];
        let mut different = members.iter().filter(|(_, differs)| *differs);
        different.next().map(|(member, _)| *member)
    }
}

fn resource_type(contents: &AnyResourceContents) -> Option<&ResourceType> {
    Said::by(contents).resource_type.as_ref()
}

/// Returns `true` if a media type matches the requested one.
fn fits(has: &str, asked: &str) -> bool {
    let (has, asked) = (essence(has), essence(asked));
    match asked.strip_suffix("/*") {
        Some("*") => true,
        Some(kind) => has.split('/').next() == Some(kind),
        None => has == asked,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Base64Text, BlobResourceContents, CacheScope, TextResourceContents};

    fn text(uri: &str, media_type: &str) -> TextResourceContents {
        TextResourceContents::new(uri, "four").mime_type(media_type)
    }

    fn read(contents: impl IntoIterator<Item = TextResourceContents>) -> ReadResourceResult {
        let contents: Vec<_> = contents.into_iter().map(Into::into).collect();
        ReadResourceResult::new(contents, 0, CacheScope::Private)
    }

    fn warnings(
        result: &ReadResourceResult,
        resource_type: Option<ResourceType>,
    ) -> Vec<ContentsWarning> {
        let contents = result.contents_of("x:a");
        match resource_type {
            Some(resource_type) => contents.of_type(resource_type).warnings(),
            None => contents.warnings(),
        }
    }

    #[test]
    fn document_has_alternatives_and_no_children() {
        use ContentsWarning::*;
        let document = || Some(ResourceType::Document);
        let sound = read([text("x:a", "text/html"), text("x:a", "text/plain")]);
        assert_eq!(warnings(&sound, document()), []);
        assert_eq!(warnings(&read([]), document()), [Empty]);
        let other = read([text("x:a", "text/html"), text("x:b", "text/plain")]);
        let (index, uri) = (1, "x:b".to_owned());
        assert_eq!(warnings(&other, document()), [OtherUri { index, uri }]);
        assert_eq!(warnings(&other, Some(ResourceType::Collection)), []);
        assert_eq!(warnings(&other, None), [Untyped]);
        assert_eq!(warnings(&sound, None), []);
    }

    #[test]
    fn unknown_types_are_kept_and_have_no_rules() {
        let json = r#"{"contents":[{"uri":"x:b","text":"b","resourceType":"mailbox"},
            {"uri":"x:a","text":"a","resourceType":"mailbox"}],
            "resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;
        let result: ReadResourceResult = crate::json::from_str(json).unwrap();
        let contents = result.contents_of("x:a");
        let resource_type = contents.resource_type();
        assert_eq!(resource_type, Some(ResourceType::from("mailbox")));
        assert_eq!(contents.warnings(), []);
        assert_eq!(
            contents.primary().and_then(AnyResourceContents::text),
            Some("a")
        );
    }

    #[test]
    fn declared_type_takes_precedence_over_the_known_type() {
        let collection = text("x:a", "text/html").resource_type(ResourceType::Collection);
        let result = read([collection, text("x:b", "text/html")]);
        assert_eq!(warnings(&result, Some(ResourceType::Document)), []);
        let contents = result.contents_of("x:a");
        let children: Vec<_> = contents.children().map(AnyResourceContents::uri).collect();
        assert_eq!(children, ["x:b"]);
    }

    #[test]
    fn inconsistent_metadata_and_wrong_sizes_are_reported() {
        use ContentsWarning::*;
        let first = text("x:a", "text/html").name("a").size(4);
        let second = text("x:a", "text/plain").name("b").size(5);
        let (index, member, given, is) = (1, "name", 5, 4);
        assert_eq!(
            warnings(&read([first, second]), None),
            [Inconsistent { index, member }, Size { index, given, is }]
        );
        let blob = BlobResourceContents::new("x:a", Base64Text::from("?")).size(1);
        let result = ReadResourceResult::new([blob.into()], 0, CacheScope::Private);
        assert_eq!(warnings(&result, None), [Undecodable { index: 0 }]);
    }

    #[test]
    fn first_contents_of_a_document_are_primary() {
        let result = read([text("x:b", "a/b"), text("x:a", "Text/Plain; charset=utf-8")]);
        let contents = result.contents_of("x:a");
        let uri = |found: Option<&AnyResourceContents>| found.map(|found| found.uri().to_owned());
        assert_eq!(uri(contents.primary()).as_deref(), Some("x:a"));
        assert_eq!(
            uri(contents.alternative("text/plain")).as_deref(),
            Some("x:a")
        );
        assert_eq!(uri(contents.alternative("TEXT/*")).as_deref(), Some("x:a"));
        assert_eq!(uri(contents.alternative("*/*")).as_deref(), Some("x:a"));
        assert_eq!(contents.alternative("image/*"), None);
        let contents = result.contents_of("x:c");
        assert_eq!(uri(contents.primary()).as_deref(), Some("x:b"));
        let collection = contents.of_type(ResourceType::Collection);
        assert_eq!(collection.primary(), None);
    }

    #[test]
    fn contents_of_the_resources_media_type_are_primary() {
        let result = read([text("x:a", "text/plain"), text("x:a", "text/html")]);
        let mut resource = Resource::new("x:a", "a");
        let primary = result.contents_as(&resource).primary();
        assert_eq!(primary, result.contents.first());
        resource.mime_type = Some("text/html".to_owned());
        let primary = result.contents_as(&resource).primary();
        assert_eq!(primary, result.contents.last());
    }
}
