//! [`Rule`]: the statements of the proposals that a server can be seen to violate.

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Level {
    /// The server violates the protocol, or something does not work.
    Error,
    /// Some hosts or models cannot use something, or it does not work well.
    Warning,
    /// The server could say more.
    Hint,
}

impl Level {
    pub(crate) const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Hint];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        }
    }
}

macro_rules! rules {
    ($($name:ident = $id:literal, $level:ident, $statement:literal;)*) => {
        /// A statement of a proposal.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Rule {
            $($name,)*
        }

        impl Rule {
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the proposal and the name of the rule, how serious a violation is, and the
            /// statement in our words.
            fn about(self) -> (&'static str, Level, &'static str) {
                match self {
                    $(Self::$name => ($id, Level::$level, $statement),)*
                }
            }
        }
    };
}

// What a document demands with MUST is an error. What it recommends is a warning, or a hint if hosts
// hardly notice.
rules! {
    TypeIsSet = "sep-2093/type", Hint, "a resource has a `resourceType`";
    MetadataAnswers = "sep-2093/metadata", Error, "`resources/metadata` answers for every resource";
    MetadataUri = "sep-2093/metadata-uri", Error, "the metadata are those of the requested resource";
    MetadataAgree = "sep-2093/metadata-agree", Warning, "metadata and lists say the same of a resource";
    MetadataUnknown = "sep-2093/metadata-unknown", Warning, "metadata of an unknown resource are the error of `resources/read`";
    DocumentContents = "sep-2093/document-contents", Error, "a document has at least one element of contents";
    DocumentUri = "sep-2093/document-uri", Error, "all contents of a document have the requested URI";
    DocumentList = "sep-2093/document-list", Warning, "only collections have members";
    ContentsAgree = "sep-2093/contents-agree", Warning, "contents have the metadata of their resource";
    ContentsName = "sep-2093/contents-name", Warning, "contents are resources, so they have a `name`";
    ContentsSize = "sep-2093/contents-size", Warning, "`size` is the number of bytes of the contents";
    ContentsType = "sep-2093/contents-type", Warning, "the `mimeType` of a resource is that of one of its formats";
    CollectionList = "sep-2093/collection-list", Error, "`resources/list` with the URI of a collection returns its members";
    CollectionOnce = "sep-2093/collection-once", Warning, "a list has each resource once";
    CollectionPages = "sep-2093/collection-pages", Error, "the pages of a list have an end";
    UnknownList = "sep-2093/unknown-list", Warning, "an unknown resource has no members";
    EmbeddedAnnotations = "sep-2093/embedded-annotations", Error, "annotations of an embedded resource are in its contents, not beside them";
    GetAnswers = "versioned-resources/get", Error, "`resources/get` returns every resource that has contents";
    GetUri = "versioned-resources/get-uri", Error, "the result describes the requested resource";
    GetVersion = "versioned-resources/get-version", Warning, "the result has the current `version`";
    GetForm = "versioned-resources/get-form", Error, "contents have a `contentType`, and either `content` or `blob`";
    GetContents = "versioned-resources/get-contents", Error, "`resources/get` and `resources/read` return the same contents";
    GetUnknown = "versioned-resources/get-unknown", Error, "an unknown resource is an error";
    NotModified = "versioned-resources/not-modified", Hint, "the current version is answered with the error \"Not Modified\"";
    NotModifiedCode = "versioned-resources/not-modified-code", Error, "a known version is answered with contents or \"Not Modified\", and with no other error";
    OldVersion = "versioned-resources/old-version", Error, "another version than the current one is answered with contents";
    VersionsAgree = "versioned-resources/versions-agree", Error, "a resource has the same version in lists, metadata and results";
    VersionChanges = "versioned-resources/version-changes", Error, "the version changes with the contents";
    VersionStays = "versioned-resources/version-stays", Warning, "the version changes only with the contents";
    FilterKind = "versioned-resources/filter", Warning, "a filter selects exactly the resources that match";
    FilterUnknown = "versioned-resources/filter-unknown", Warning, "a criterion that the server does not know is an error, so that a client does not take everything for a match";
    UrlAllowed = "https-url/url", Error, "`httpUrl` is a URL of the scheme `https`";
    UrlExpiry = "https-url/expiry", Error, "`httpUrlExpiresAt` is a time in the future, as RFC 3339 writes it";
    UrlAnswers = "https-url/get", Error, "a GET request without any header of the protocol returns the contents";
    UrlBytes = "https-url/bytes", Warning, "the bytes at the URL are the contents of the resource";
    UrlType = "https-url/type", Warning, "`Content-Type` is the `mimeType` of the resource";
    UrlLength = "https-url/length", Warning, "`Content-Length` is the number of bytes";
    UrlHead = "https-url/head", Warning, "HEAD has the headers of GET";
    UrlRange = "https-url/range", Error, "a range is that part of the bytes, with the status 206";
    UrlBeyond = "https-url/range-beyond", Warning, "a range beyond the end has the status 416";
    UrlMatch = "https-url/if-none-match", Warning, "a known `ETag` is answered with the status 304";
    UrlOther = "https-url/if-match", Warning, "an `ETag` that is not the current one fails with the status 412";
    UrlToken = "https-url/token", Hint, "a URL with a changed path or query does not return the contents, unless they are public";
    UrlExpired = "https-url/expired", Error, "a URL does not return the contents after its time";
    UrlRedirect = "https-url/redirect", Hint, "no redirect leads to another origin";
    UrlSniffing = "https-url/nosniff", Warning, "`X-Content-Type-Options: nosniff` keeps browsers from guessing the type";
    IconSource = "sep-973/source", Warning, "icons are `data:` URIs, or `https` URLs at the origin of the server";
    IconLoads = "sep-973/loads", Warning, "an icon is an image of the declared type that can be loaded";
    IconScript = "sep-973/svg", Hint, "hosts accept other formats than SVG without precautions";
    IconSizes = "sep-973/sizes", Warning, "`sizes` are those of the image, as in `48x48`, or `any`";
    IconChoice = "sep-973/choice", Hint, "there is an icon for 16, 48 and 96 pixels in both themes";
    Website = "sep-973/website", Warning, "the website is an `https` URL";
}

impl Rule {
    /// Returns the proposal and the name of the rule.
    pub(crate) fn id(self) -> &'static str {
        self.about().0
    }

    pub(crate) fn level(self) -> Level {
        self.about().1
    }

    pub(crate) fn statement(self) -> &'static str {
        self.about().2
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Rule;

    #[test]
    fn rules_have_different_names() {
        let names: HashSet<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
        assert_eq!(names.len(), Rule::ALL.len());
    }
}
