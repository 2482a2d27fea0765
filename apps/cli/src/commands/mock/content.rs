//! What the server has: URIs, contents and where it is.

/// A document with all metadata, and without a URL.
pub(super) const PLAIN: &str = "mock://plain";
/// A document with a URL.
pub(super) const LINKED: &str = "mock://linked";
/// The contents of the document with a URL.
pub(super) const LINKED_TEXT: &str = "The same bytes at the URL as in the protocol. Ä\n";
/// A document with a URL that the tool `export` links to. Servers with a fault do not have it.
pub(super) const EXPORT: &str = "mock://export";
/// A document that the tool `write` changes.
pub(super) const NOTE: &str = "mock://note";
/// Another document whose version is in memory.
pub(super) const OTHER_NOTE: &str = "mock://other-note";
/// A collection with two pages.
pub(super) const FOLDER: &str = "mock://folder";

/// Returns the contents of the document that the tool `export` links to: a table of some 100 KB.
pub(super) fn exported() -> String {
    let rows = (1..=8_000_u64).map(|number| format!("{number},{}\n", number * number));
    std::iter::once("number,square\n".to_owned())
        .chain(rows)
        .collect()
}

/// The documents that are no collections.
const DOCUMENTS: [&str; 8] = [
    PLAIN,
    LINKED,
    EXPORT,
    NOTE,
    OTHER_NOTE,
    "mock://forms",
    "mock://folder/a",
    "mock://folder/inner/b",
];

/// Returns `true` if a resource is a document.
pub(super) fn is_document(uri: &str) -> bool {
    let is_trap = uri.starts_with("mock://trap/");
    let is_other = ["mock://trap/strange", "mock://trap/loop"].contains(&uri);
    DOCUMENTS.contains(&uri) || uri.starts_with("mock://many/") || (is_trap && !is_other)
}

/// A ring of 96x96 pixels.
pub(super) const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEX///8dTtinztswAAAAAXRSTlMAQObYZgAAAR5JREFUeNq1VMkRwyAMxMMjT0qgFJcWSnMplOAnD4+JpAXjdeJHMhNmfCxIK6HLuV/Xcx//j1rzOKj1OJqqrDSkhlxUUIbKoWQqXckDLEO/M0QAMMwA2yDrdKqsJI15M9kE5tW5AG5vH7zVDDTVUADprMJis7jjE21LBIqdZ3i4GVjg+2beJNjeDeCOBvqFbbP5LroqKyCsCpKAglhHAV7ApP5HMeHFAXM5NBCqvRRkjU8RfxZ5DpBtY9Yw+AYsWW9ASTSGjTYBTB8AEvx/cOvBydH7+1yufQoIheoSRArvKfCUEkoWpZETTKmnoqByoUKiEqPio7KkgqVSpiKn8qfG4JahZqI2owak1qSmpXbmRqcRQMOBxgYPFBo1X64XwXD3gClsa0AAAAAASUVORK5CYII=";

/// The same in a colour for dark backgrounds.
pub(super) const DARK_PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAGAAAABgAQMAAADYVuV7AAAABlBMVEX///+Txf3fFnh9AAAAAXRSTlMAQObYZgAAAR5JREFUeNq1VMkRwyAMxMMjT0qgFJcWSnMplOAnD4+JpAXjdeJHMhNmfCxIK6HLuV/Xcx//j1rzOKj1OJqqrDSkhlxUUIbKoWQqXckDLEO/M0QAMMwA2yDrdKqsJI15M9kE5tW5AG5vH7zVDDTVUADprMJis7jjE21LBIqdZ3i4GVjg+2beJNjeDeCOBvqFbbP5LroqKyCsCpKAglhHAV7ApP5HMeHFAXM5NBCqvRRkjU8RfxZ5DpBtY9Yw+AYsWW9ASTSGjTYBTB8AEvx/cOvBydH7+1yufQoIheoSRArvKfCUEkoWpZETTKmnoqByoUKiEqPio7KkgqVSpiKn8qfG4JahZqI2owak1qSmpXbmRqcRQMOBxgYPFBo1X64XwXD3gClsa0AAAAAASUVORK5CYII=";

/// Where the server is.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The port of HTTPS URLs.
    pub(super) https: Option<u16>,
    /// The port of `http` URLs. A client that connects to it violates a statement.
    pub(super) http: u16,
}
