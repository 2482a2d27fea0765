//! Conversions of values, by their types.

use super::converted::{Converted, function, try_function};
use super::direction::{Direction, Search};
use crate::model::{Kind, StringEnum, Ty};
use proc_macro2::TokenStream;
use quote::quote;

impl Direction<'_> {
    /// Converts an enumeration by the texts of its values. Fails for a value that the target does
    /// not declare, unless the target is open.
    pub(super) fn string_enum(
        &self,
        (source, a): (&str, &StringEnum),
        (target, b): (&str, &StringEnum),
        expression: &TokenStream,
    ) -> Converted {
        let (from, to) = (self.path(true, source), self.path(false, target));
        if b.open {
            return Converted::infallible(quote! { #to::from(#expression.as_str()) });
        }
        let declared = |value: &String| b.values.iter().any(|(other, _)| other == value);
        if !a.open && a.values.iter().all(|(value, _)| declared(value)) {
            let variants = |at: usize, name| &self.emitter.lowered[at].variants[name];
            let (ours, theirs) = (variants(self.from, source), variants(self.to, target));
            let arms = a.values.iter().map(|(value, _)| {
                let (old, new) = (&ours[value], &theirs[value]);
                quote! { #from::#old => #to::#new }
            });
            return Converted::infallible(quote! { match #expression { #(#arms,)* } });
        }
        let lacking = a.values.iter().filter(|(value, _)| !declared(value));
        let mut lacking: Vec<String> = lacking.map(|(value, _)| format!("`{value}`")).collect();
        if a.open {
            lacking.push("an unknown value".to_owned());
        }
        self.add_loss(format!("`{source}`: {} is an error", lacking.join(", ")));
        let revision = &self.target().revision;
        Converted::fallible(quote! {
            #expression
                .as_str()
                .parse::<#to>()
                .map_err(|_| ConvertError::no_variant(#target, #expression.as_str(), #revision))?
        })
    }

    /// Returns `true` if both are the same Rust type.
    pub(super) fn same(&self, from: &Ty, to: &Ty) -> bool {
        match (self.source().resolve(from), self.target().resolve(to)) {
            (Ty::Named(a), Ty::Named(b)) => {
                a == b
                    && self.emitter.family.home(self.from, a)
                        == self.emitter.family.home(self.to, b)
            }
            (Ty::Array(a, _), Ty::Array(b, _))
            | (Ty::Map(a), Ty::Map(b))
            | (Ty::Nullable(a), Ty::Nullable(b)) => self
                .once(Search::Same, a, b, || Some(self.same(a, b)))
                .unwrap_or(false),
            (Ty::Int(_), Ty::Int(_))
            | (Ty::Number(_), Ty::Number(_))
            | (Ty::String(_), Ty::String(_)) => true,
            (a, b) => a == b,
        }
    }

    /// Converts a value. Returns `None` if there is no other way than through JSON.
    pub(super) fn value(&self, from: &Ty, to: &Ty, expression: &TokenStream) -> Option<Converted> {
        self.once(Search::Value, from, to, || {
            self.value_inside(from, to, expression)
        })
    }

    fn value_inside(&self, from: &Ty, to: &Ty, expression: &TokenStream) -> Option<Converted> {
        if self.same(from, to) {
            return Some(Converted::infallible(expression.clone()));
        }
        let (a, b) = (self.source().resolve(from), self.target().resolve(to));
        match (a, b) {
            (Ty::Named(x), Ty::Named(y))
                if self.fails.contains_key(x) && self.counterpart(x).as_ref() == Some(y) =>
            {
                Some(if self.fails[x] {
                    Converted::fallible(quote! { #expression.try_into()? })
                } else {
                    Converted::infallible(quote! { #expression.into() })
                })
            }
            (Ty::Named(x), Ty::Named(y))
                if let (Some(Kind::Enum(known)), Some(Kind::Enum(other))) = (
                    self.source().get(x).map(|def| &def.kind),
                    self.target().get(y).map(|def| &def.kind),
                ) =>
            {
                Some(self.string_enum((x, known), (y, other), expression))
            }
            (Ty::Array(x, _), Ty::Array(y, _)) => {
                let converted = self.value(x, y, &quote! { value })?;
                Some(if converted.fails {
                    let function = try_function(&converted.tokens);
                    Converted::fallible(quote! { convert::try_each(#expression, #function)? })
                } else {
                    let function = function(&converted.tokens);
                    Converted::infallible(quote! { convert::each(#expression, #function) })
                })
            }
            (Ty::Map(x), Ty::Map(y)) => {
                let converted = self.value(x, y, &quote! { value })?;
                Some(if converted.fails {
                    let function = try_function(&converted.tokens);
                    Converted::fallible(quote! { convert::try_map(#expression, #function)? })
                } else {
                    let function = function(&converted.tokens);
                    Converted::infallible(quote! { #expression.map(#function) })
                })
            }
            (Ty::AnyObject, Ty::Any) => {
                Some(Converted::infallible(quote! { Value::Object(#expression) }))
            }
            (Ty::Any, Ty::AnyObject) => Some(Converted::fallible(
                quote! { convert::object(#expression)? },
            )),
            (Ty::AnyObject, Ty::Named(_) | Ty::Map(_))
            | (Ty::Named(_) | Ty::Map(_), Ty::AnyObject) => Some(Converted::fallible(
                quote! { convert::through_json(&#expression)? },
            )),
            (Ty::Named(x), Ty::Named(y)) if self.emitter.hints().are_alike(x, y) => Some(
                Converted::fallible(quote! { convert::through_json(&#expression)? }),
            ),
            (Ty::Int(_), Ty::Number(_)) => {
                Some(Converted::infallible(quote! { Number::from(#expression) }))
            }
            _ => self.convert_to_variant(from, to, &[], expression),
        }
    }
}
