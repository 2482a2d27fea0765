//! Typed calls of a client: one method for each request that it sends, with a setter for each
//! optional member of the params.

mod pages;

use super::object::{field, stored};
use super::{EmitError, Emitter, File, Scope, docs, file, idents};
use crate::model::{Kind, Message, MessageKind, Object, Part, Sender, Ty, field_ident, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;

impl Emitter<'_> {
    /// Generates the calls for the requests of the newest revision, without those of proposals.
    ///
    /// # Errors
    ///
    /// Returns an error if a type is not supported.
    pub fn methods(&self) -> Result<File, EmitError> {
        let model = &self.family.models[self.newest()];
        let mut methods = Vec::new();
        let mut setters = Vec::new();
        let mut lists = Vec::new();
        for message in &model.messages {
            let sent = matches!(message.sender, Sender::Client | Sender::Both);
            let Some(request) = model.get(&message.name).filter(|_| sent) else {
                continue;
            };
            let (MessageKind::Request(_), Some((Ty::Named(params), _))) =
                (&message.kind, &message.params)
            else {
                continue;
            };
            let Some(def) = model.get(params).filter(|_| request.features.is_empty()) else {
                continue;
            };
            let Kind::Object(object) = &def.kind else {
                continue;
            };
            let scope = |def| Scope {
                emitter: self,
                at: self.newest(),
                model,
                def,
            };
            let about = self.qualified(&scope(request).prose(&request.docs));
            let (method, paged_impl) = method(&scope(def), message, object, &about)?;
            methods.push(method);
            setters.push(self.setters(&scope(def), message, object)?);
            lists.extend(paged_impl);
        }
        let items = quote! {
            impl Client { #(#methods)* }
            #(#setters)*
            #(#lists)*
        };
        let (types, json) = self.imports(&items);
        let crates = &self.hints.crates;
        let types_crate: syn::Path = path(&crates.types)?;
        let imports = crates.client.imports.iter();
        let imports = imports.map(|import| path(import));
        let imports: Vec<syn::UseTree> = imports.collect::<Result<_, _>>()?;
        file(
            &crates.client.file,
            &quote! {
                //! A method of the client for each request of the newest revision.
                use #types_crate::json::{#(#json),*};
                use #types_crate::{#(#types),*};
                #(use #imports;)*
                #items
            },
        )
    }

    /// Generates the setters for optional members.
    fn setters(
        &self,
        scope: &Scope<'_>,
        message: &Message,
        object: &Object,
    ) -> Result<TokenStream, EmitError> {
        let mut setters = Vec::new();
        let params = scope.ident();
        let optional = stored(object).filter(|member| !member.parameter);
        for member in optional.filter(|member| member.features.is_empty()) {
            let name = field(member);
            let mut text = self.qualified(&scope.prose(&member.docs));
            scope.add_history(&mut text, Part::Member(&member.json));
            if member.ty == Ty::AnyObject {
                // Programs have types of their own for free objects.
                let text = format!(
                    "{text}\n\nTakes an object, or a reference to anything that is encoded as one. A value that \
                     is encoded as something else is an error when the call is awaited."
                );
                let text = docs::lines(&docs::wrap(&text));
                setters.push(quote! {
                    #text
                    pub fn #name(self, #name: impl IntoObject) -> Self {
                        self.with_object(#name, #params::#name)
                    }
                });
                continue;
            }
            let parameter = scope.argument(&member.ty)?;
            let text = docs::lines(&docs::wrap(&text));
            setters.push(quote! {
                #text
                pub fn #name(self, #name: #parameter) -> Self {
                    self.with(|params| params.#name(#name))
                }
            });
        }
        let request = format_ident!("{}", type_ident(&message.name));
        Ok(if setters.is_empty() {
            TokenStream::new()
        } else {
            quote! { impl Call<#request> { #(#setters)* } }
        })
    }

    /// Returns the names of protocol types and of JSON types that the file uses.
    fn imports(&self, items: &TokenStream) -> (Vec<syn::Ident>, Vec<syn::Ident>) {
        let model = &self.family.models[self.newest()];
        let body: BTreeSet<String> = idents(items);
        let known = |name: &&String| {
            model
                .types
                .iter()
                .any(|def| type_ident(&def.name) == **name)
        };
        let types = body.iter().filter(known);
        let types = types.map(|name| format_ident!("{name}")).collect();
        let json = ["Map", "Number", "Object", "Value"]
            .iter()
            .filter(|name| body.contains(**name) && !known(&&(**name).to_owned()))
            .map(|name| format_ident!("{name}"))
            .collect();
        (types, json)
    }

    /// Qualifies the links in a text, so that they work in any module.
    fn qualified(&self, text: &str) -> String {
        let types = &self.hints.crates.types;
        let model = &self.family.models[self.newest()];
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("[`") {
            out.push_str(before);
            let Some((name, after)) = after.split_once("`]") else {
                out.push_str("[`");
                rest = after;
                break;
            };
            let named = |ident: &str| model.types.iter().any(|def| type_ident(&def.name) == ident);
            let target = after
                .strip_prefix('(')
                .and_then(|rest| rest.split_once(')'));
            rest = match target {
                Some((target, rest)) if named(target) => {
                    out.push_str(&format!("[`{name}`]({types}::{target})"));
                    rest
                }
                None if named(name) => {
                    out.push_str(&format!("[`{name}`]({types}::{name})"));
                    after
                }
                _ => {
                    out.push_str(&format!("[`{name}`]"));
                    after
                }
            };
        }
        out.push_str(rest);
        out
    }
}

/// Parses a path of the hints.
fn path<T: syn::parse::Parse>(text: &str) -> Result<T, EmitError> {
    syn::parse_str(text).map_err(|error| EmitError::Unsupported(format!("{text}: {error}")))
}

/// Generates the method that creates a call from the required members of the params. If the result
/// is a page of a list, generates the method that creates the list instead, and the implementation
/// of the list's trait.
fn method(
    scope: &Scope<'_>,
    message: &Message,
    object: &Object,
    about: &str,
) -> Result<(TokenStream, Option<TokenStream>), EmitError> {
    let supplied = &scope.emitter.hints.crates.client.supplied;
    let mut parameters = Vec::new();
    let mut values = Vec::new();
    for member in stored(object).filter(|member| member.parameter) {
        if let Some(method) = supplied.get(&member.json) {
            let method = format_ident!("{method}");
            values.push(quote! { self.#method() });
            continue;
        }
        let name = field(member);
        let parameter = scope.argument(&member.ty)?;
        parameters.push(quote! { #name: #parameter });
        values.push(quote! { #name });
    }
    let request = format_ident!("{}", type_ident(&message.name));
    let params = scope.ident();
    let call = quote! { self.request(#params::new(#(#values),*)) };
    if let Some((method, paged_impl)) = pages::list(scope, message, object, &parameters, &call)? {
        return Ok((method, Some(paged_impl)));
    }
    let method = format!("`{}`", message.method);
    let mut text = if about.contains(&method) {
        about.to_owned()
    } else {
        format!("{about} ({method})")
    };
    scope.add_method_history(&mut text, &message.method);
    let text = docs::lines(&docs::wrap(&text));
    let ending = scope.emitter.hints.messages.request.as_str();
    let short = message.name.strip_suffix(ending).unwrap_or(&message.name);
    let name = format_ident!("{}", field_ident(short));
    let one = quote! {
        #text
        pub fn #name(&self, #(#parameters),*) -> Call<#request> {
            #call
        }
    };
    Ok((one, None))
}
