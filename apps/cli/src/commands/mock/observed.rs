//! [`Statement`]: what the documents demand of clients, and a server can see.

macro_rules! statements {
    ($($name:ident = $id:literal, $statement:literal;)*) => {
        /// A statement of a document that a client violates.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Statement {
            $($name,)*
        }

        impl Statement {
            /// Returns the document and the name of the statement.
            pub(super) fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)*
                }
            }

            /// Returns the statement in our words.
            pub(super) fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $statement,)*
                }
            }
        }
    };
}

statements! {
    Members = "sep-2093/client-members", "only collections are asked for their members";
    Cursor = "sep-2093/client-cursor", "a cursor is sent as the server gave it, for the same list";
    Version = "versioned-resources/client-version", "a version is one that the server gave";
    Unencrypted = "https-url/client-scheme", "only `https` URLs are requested";
    Credentials = "https-url/client-credentials", "a request for a URL has no credentials and no headers of the protocol";
    Expired = "https-url/client-expired", "a URL is not requested after its time";
    Endless = "https-url/client-size", "a client stops reading what is larger than it was told";
    IconOrigin = "sep-973/client-origin", "icons are loaded from the origin of the server only";
    IconSize = "sep-973/client-size", "a client stops reading an icon that is too large";
}
