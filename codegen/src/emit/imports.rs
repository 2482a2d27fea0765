//! The names that generated code uses, from which its imports follow.

use std::collections::BTreeSet;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::format_ident;

/// Returns the identifiers of a token stream that start a path.
pub(super) fn idents(tokens: &TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut colons = 0;
    let mut is_enum = false;
    let mut is_macro = false;
    for token in tokens.clone() {
        let continues = colons == 2;
        match &token {
            TokenTree::Group(group) if is_macro => {
                found.extend(idents_of_table(&group.stream()));
            }
            TokenTree::Ident(ident) if !continues => {
                is_enum |= ident == "enum";
                found.insert(ident.to_string());
            }
            // The names directly inside are those of the variants.
            TokenTree::Group(group) if is_enum => {
                is_enum = false;
                for token in group.stream() {
                    if let TokenTree::Group(group) = token {
                        found.extend(idents(&group.stream()));
                    }
                }
            }
            TokenTree::Group(group) => found.extend(idents(&group.stream())),
            _ => {}
        }
        let punct = match token {
            TokenTree::Punct(punct) => Some(punct.as_char()),
            _ => None,
        };
        colons = if punct == Some(':') { colons + 1 } else { 0 };
        is_macro = punct == Some('!');
    }
    found
}

/// Returns the identifiers in the rows of a table, without the names of variants: these are
/// followed by their content, by their text, or by the end of the row.
fn idents_of_table(rows: &TokenStream) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut tokens = rows.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        match (token, tokens.peek()) {
            (TokenTree::Group(group), _) => {
                found.extend(idents_of_table(&group.stream()));
            }
            (TokenTree::Ident(_), Some(TokenTree::Group(content)))
                if content.delimiter() == Delimiter::Parenthesis => {}
            (TokenTree::Ident(_), Some(TokenTree::Punct(punct)))
                if matches!(punct.as_char(), ';' | '=' | '>') => {}
            (TokenTree::Ident(ident), _) => {
                found.insert(ident.to_string());
            }
            _ => {}
        }
    }
    found
}

/// Returns those of the names that a token stream uses.
pub(super) fn used(names: &[&str], tokens: &TokenStream) -> Vec<syn::Ident> {
    let body = idents(tokens);
    names
        .iter()
        .filter(|name| body.contains(**name))
        .map(|name| format_ident!("{name}"))
        .collect()
}
