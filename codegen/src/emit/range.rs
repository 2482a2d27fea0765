//! Bounds as range expressions in the generated code.

use crate::model::Bounds;
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Number;

pub(super) fn int(bounds: &Bounds) -> TokenStream {
    let literal = |number: &Number| number.as_i64().map(Literal::i64_unsuffixed);
    range(bounds, literal, &quote! { i64::MIN }, &quote! { i64::MAX })
}

pub(super) fn float(bounds: &Bounds) -> TokenStream {
    let literal = |number: &Number| number.as_f64().map(Literal::f64_unsuffixed);
    range(bounds, literal, &quote! { f64::MIN }, &quote! { f64::MAX })
}

pub(super) fn length(bounds: &Bounds) -> TokenStream {
    let literal = |number: &Number| size(number).map(Literal::usize_unsuffixed);
    range(bounds, literal, &quote! { 0 }, &quote! { usize::MAX })
}

/// Returns a small range of lengths within the bounds.
pub(super) fn few(bounds: &Bounds) -> TokenStream {
    let min = bounds.min.as_ref().and_then(size).unwrap_or(0);
    let max = bounds.max.as_ref().and_then(size);
    let max = max.unwrap_or(usize::MAX).min(min + 3);
    let (min, max) = (
        Literal::usize_unsuffixed(min),
        Literal::usize_unsuffixed(max),
    );
    quote! { #min..=#max }
}

fn size(number: &Number) -> Option<usize> {
    usize::try_from(number.as_u64()?).ok()
}

fn range(
    bounds: &Bounds,
    literal: impl Fn(&Number) -> Option<Literal>,
    least: &TokenStream,
    most: &TokenStream,
) -> TokenStream {
    let end = |bound: &Option<Number>, open: &TokenStream| {
        let literal = bound.as_ref().and_then(&literal);
        literal.map_or_else(|| open.clone(), |literal| quote! { #literal })
    };
    let (min, max) = (end(&bounds.min, least), end(&bounds.max, most));
    quote! { #min..=#max }
}
