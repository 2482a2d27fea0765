//! [`File`]: a generated file.

use super::{EmitError, print};
use proc_macro2::TokenStream;

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// The path relative to the output folder.
    pub path: String,
    /// The content.
    pub text: String,
}

/// Creates a file from tokens.
pub(super) fn file(path: &str, tokens: &TokenStream) -> Result<File, EmitError> {
    let text = print::print(tokens).map_err(|source| EmitError::Source {
        file: path.to_owned(),
        source,
    })?;
    Ok(File {
        path: path.to_owned(),
        text,
    })
}

/// Creates a file from tables.
pub(super) fn table_file(path: &str, start: &str, tables: &str) -> Result<File, EmitError> {
    checked(path, format!("{}{start}{tables}", print::HEADER))
}

/// Creates a file, after checking that it parses.
pub(super) fn checked(path: &str, text: String) -> Result<File, EmitError> {
    syn::parse_file(&text).map_err(|source| EmitError::Source {
        file: path.to_owned(),
        source,
    })?;
    Ok(File {
        path: path.to_owned(),
        text,
    })
}
