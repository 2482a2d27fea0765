//! [`edit`]: changes the list of servers in the text of a file, and nothing else.

pub(crate) mod file;

use std::io;

use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use jsonc_parser::errors::ParseError;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// The members of a file that can contain its servers, in the order in which they are read.
const LISTS: [&str; 3] = ["mcpServers", "context_servers", "servers"];

/// What is done to the entry of a server.
pub(crate) enum Change {
    /// Adds an entry.
    Set {
        value: CstInputValue,
        /// Whether the entry may exist.
        replace: bool,
    },
    Remove,
}

/// Why a file is not changed. The file stays as it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it is no regular file")]
    NoFile,
    #[error("it is no valid JSON: {0}")]
    Syntax(#[from] ParseError),
    #[error("expected an object in it, and an object in its member `{0}`")]
    Form(String),
    #[error("it has a server `{0}` already; add `--replace` to replace it")]
    Exists(String),
    #[error("it has the member `{0}` twice")]
    Twice(String),
    #[error("it has no server `{0}`")]
    Absent(String),
    #[error("another program has changed it meanwhile; run the command again")]
    Changed,
    #[error("its folder does not exist: the host seems not to be installed")]
    NoFolder,
}

/// Returns the text of a file with the entry of a server changed. `list` names the member with the
/// servers; without one, it is the one that the file has.
pub(crate) fn edit(
    text: &str,
    list: Option<&str>,
    name: &str,
    change: &Change,
) -> Result<String, EditError> {
    // The editor does not know the mark.
    let (mark, text) = match text.strip_prefix('\u{feff}') {
        Some(text) => ("\u{feff}", text),
        None => ("", text),
    };
    let options = ParseOptions {
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
        ..ParseOptions::default()
    };
    // Its errors come at once, also for a large text.
    parse_to_ast(text, &CollectOptions::default(), &options)?;
    let document = CstRootNode::parse(text, &options)?;
    let root = document.object_value_or_create();
    for name in LISTS {
        root.as_ref().map_or(Ok(()), |root| once(root, name))?;
    }
    let servers = root.and_then(|root| servers(&root, list, matches!(change, Change::Remove)));
    let form = || EditError::Form(list.unwrap_or("mcpServers").to_owned());
    let servers = servers.ok_or_else(form)?;
    once(&servers, name)?;
    let existing = servers.get(name);
    match (change, existing) {
        (Change::Remove, Some(existing)) => existing.remove(),
        (Change::Remove, None) => return Err(EditError::Absent(name.to_owned())),
        (Change::Set { value, replace }, Some(existing)) if *replace => {
            existing.set_value(value.clone());
        }
        (Change::Set { .. }, Some(_)) => return Err(EditError::Exists(name.to_owned())),
        (Change::Set { value, .. }, None) => {
            servers.append(name, value.clone());
        }
    }
    let mut edited = format!("{mark}{document}");
    if text.trim().is_empty() && !edited.ends_with('\n') {
        edited.push('\n');
    }
    Ok(edited)
}

/// Returns an error if an object has a member twice: hosts use one or the other.
fn once(object: &CstObject, name: &str) -> Result<(), EditError> {
    let members = object.properties().into_iter();
    let names = members.filter_map(|member| member.name()?.decoded_value().ok());
    if names.filter(|found| found == name).count() > 1 {
        return Err(EditError::Twice(name.to_owned()));
    }
    Ok(())
}

/// Returns the object with the servers, which is created if the file has none and `only_read` is
/// `false`.
fn servers(root: &CstObject, list: Option<&str>, only_read: bool) -> Option<CstObject> {
    let settings = root.object_value("mcp");
    let settings = settings.filter(|settings| settings.get("servers").is_some());
    let known = LISTS.into_iter().find(|name| root.get(name).is_some());
    match (list.or(known), settings) {
        (None, Some(settings)) => settings.object_value("servers"),
        (name, _) if only_read => root.object_value(name.unwrap_or("mcpServers")),
        (name, _) => root.object_value_or_create(name.unwrap_or("mcpServers")),
    }
}
