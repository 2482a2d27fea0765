//! [`Converted`]: an expression that converts a value.

use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// An expression, and whether it can fail.
pub(super) struct Converted {
    pub(super) tokens: TokenStream,
    pub(super) fails: bool,
}

impl Converted {
    pub(super) fn infallible(tokens: TokenStream) -> Self {
        Self {
            tokens,
            fails: false,
        }
    }

    pub(super) fn fallible(tokens: TokenStream) -> Self {
        Self {
            tokens,
            fails: true,
        }
    }

    /// Adds the member in which the value is to the path of the error, if the conversion can fail.
    pub(super) fn inside(self, member: &str) -> Self {
        if !self.fails {
            return self;
        }
        let value = &self.tokens;
        let result = result(value).unwrap_or_else(|| quote! { Ok::<_, ConvertError>(#value) });
        Self::fallible(quote! { convert::inside(#member, || #result)? })
    }
}

/// Converts by encoding and decoding, which fails if the value is not valid in the target.
pub(super) fn through_json(expression: &TokenStream) -> Converted {
    Converted::fallible(quote! { convert::through_json(&#expression)? })
}

/// Returns a conversion of `value` as a function.
pub(super) fn function(value: &TokenStream) -> TokenStream {
    match value.to_string().as_str() {
        "value . into ()" => quote! { Into::into },
        "Value :: Object (value)" => quote! { Value::Object },
        _ => quote! { |value| #value },
    }
}

/// Returns a fallible conversion of `value` as a function.
pub(super) fn try_function(value: &TokenStream) -> TokenStream {
    let result = result(value);
    match result.as_ref().map(ToString::to_string).as_deref() {
        Some("value . try_into ()") => quote! { TryInto::try_into },
        Some("convert :: object (value)") => quote! { convert::object },
        Some(_) => quote! { |value| #result },
        None => quote! { |value| Ok::<_, ConvertError>(#value) },
    }
}

/// Returns an expression without the `?` at its end, if it has no other one.
fn result(value: &TokenStream) -> Option<TokenStream> {
    let text = value.to_string();
    let before = text.strip_suffix('?')?;
    if before.contains('?') {
        return None;
    }
    let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
    let (_, result) = tokens.split_last()?;
    Some(result.iter().cloned().collect())
}
