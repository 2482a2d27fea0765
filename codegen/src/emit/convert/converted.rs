//! [`Converted`]: an expression that converts a value, and [`Conversion`].

use super::object::ObjectConversion;
use super::union::UnionConversion;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;

/// How a definition is converted.
pub(super) enum Conversion {
    /// Member by member.
    Object(ObjectConversion),
    /// Variant by variant.
    Union(UnionConversion),
    /// By an expression.
    Value(Converted),
}

impl Conversion {
    pub(super) fn fails(&self) -> bool {
        match self {
            Self::Object(object) => object.fails,
            Self::Union(union) => union.fails,
            Self::Value(value) => value.fails,
        }
    }
}

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
    let text = value.to_string();
    match text.strip_suffix('?').map(str::trim_end) {
        Some("value . try_into ()") => quote! { TryInto::try_into },
        Some("convert :: object (value)") => quote! { convert::object },
        Some(before) if !before.contains('?') => {
            let tokens: Vec<TokenTree> = value.clone().into_iter().collect();
            let result = tokens.split_last().map(|(_, result)| result);
            let result: TokenStream = result.unwrap_or_default().iter().cloned().collect();
            quote! { |value| #result }
        }
        _ => quote! { |value| Ok::<_, ConvertError>(#value) },
    }
}
