//! The method table.

use super::{Emitter, Examples, Scope, cfg, used};
use crate::hints::Hints;
use crate::model::{Kind, Message, MessageKind, Sender, Ty, type_ident};
use proc_macro2::{TokenStream, TokenTree};
use quote::{format_ident, quote};

impl Scope<'_> {
    /// Generates the `Request` or `Notification` implementation of this type, if it is a message.
    pub(super) fn message(&self) -> Option<TokenStream> {
        let message = self
            .model
            .messages
            .iter()
            .find(|message| message.name == self.def.name)?;
        let (cfg, method) = (cfg(&self.def.features), &message.method);
        let ident = self.ident();
        let ident = qualified(&quote! { #ident });
        let sender = sender(message.sender);
        let params = match &message.params {
            None => quote! { Option<Object> },
            Some((ty, required)) => {
                let ty = qualified(&self.rust_type(ty).ok()?);
                if *required {
                    ty
                } else {
                    quote! { Option<#ty> }
                }
            }
        };
        let name = match &message.kind {
            MessageKind::Notification => format_ident!("Notification"),
            MessageKind::Request(_) => format_ident!("Request"),
        };
        let path = if self.imports_trait_of(message) {
            quote! { #name }
        } else {
            let support = &self.emitter.support;
            quote! { #support::message::#name }
        };
        Some(match &message.kind {
            MessageKind::Notification => quote! {
                #cfg
                impl #path for #ident {
                    const METHOD: &'static str = #method;
                    const SENDER: Sender = #sender;
                    type Params = #params;
                }
            },
            MessageKind::Request(result) => {
                let result = qualified(&self.rust_type(result).ok()?);
                quote! {
                    #cfg
                    impl #path for #ident {
                        const METHOD: &'static str = #method;
                        const SENDER: Sender = #sender;
                        type Params = #params;
                        type Result = #result;
                    }
                }
            }
        })
    }

    /// Returns `true` if the file imports the trait of a message: if some message of this kind
    /// exists without a proposal. Otherwise the import would be unused without the proposals.
    fn imports_trait_of(&self, message: &Message) -> bool {
        let is_request = |message: &Message| matches!(message.kind, MessageKind::Request(_));
        self.model.messages.iter().any(|other| {
            let def = self.model.get(&other.name);
            is_request(other) == is_request(message)
                && self.emitter.family.is_home(self.at, &other.name)
                && def.is_some_and(|def| def.features.is_empty())
        })
    }
}

impl Emitter<'_> {
    /// Generates the list of all messages of a revision.
    pub(super) fn table(&self, at: usize) -> TokenStream {
        let model = &self.family.models[at];
        let rows = model.messages.iter().map(|message| {
            let features = model
                .get(&message.name)
                .map(|def| def.features.clone())
                .unwrap_or_default();
            let (cfg, row) = (cfg(&features), row(message));
            quote! { #cfg #row }
        });
        quote! {
            /// All messages of this revision: requests and notifications of both sides.
            pub const MESSAGES: &[MessageInfo] = &[#(#rows),*];
        }
    }

    pub(super) fn messages_file(
        &self,
        name: &str,
        items: &[TokenStream],
        table: &TokenStream,
    ) -> TokenStream {
        let support = &self.support;
        let about = format!(" The method table of {name}.");
        let items = quote! { #(#items)* };
        let plain = used(&["Map", "Object", "Value"], &items);
        let plain = (!plain.is_empty()).then(|| quote! { use #support::codec::{#(#plain),*}; });
        let traits = used(&["Notification", "Request"], &items);
        let sender = used(&["Sender"], &quote! { #items #table });
        let types = (!items.is_empty()).then(|| quote! { use super::*; });
        quote! {
            #![doc = #about]
            #types
            #plain
            use #support::message::{MessageInfo, #(#traits,)* #(#sender),*};
            #items
            #table
        }
    }

    /// Generates the example of a type as a doc test.
    pub(super) fn example(&self, at: usize, name: &str) -> Option<String> {
        let revision = &self.family.models[at].revision;
        let example = self.examples.get(&(revision.clone(), name.to_owned()))?;
        let json = serde_json::to_string_pretty(&example.value).ok()?;
        let (module, ident) = (&self.modules[at], type_ident(name));
        let types = &self.hints.crates.types;
        let origin = if example.drawn {
            "Drawn from the schema:\n\n"
        } else {
            ""
        };
        Some(format!(
            "{origin}```\nuse {types}::{module}::{ident};\n\nlet text = r#\"{json}\"#;\n\
             let message: {ident} = {types}::json::from_str(text)?;\n\
             # let sent: {types}::json::Value = {types}::json::from_str(text)?;\n\
             # assert_eq!(sent, {types}::json::to_value(&message)?);\n\
             # Ok::<(), {types}::error::DecodeError>(())\n```"
        ))
    }

    /// Adds examples to the documentation, by revision and type.
    #[must_use]
    pub fn with_examples(mut self, examples: Examples) -> Self {
        self.examples = examples;
        self
    }

    pub(super) fn hints(&self) -> &Hints {
        self.hints
    }
}

/// The names that the file of the messages imports from the support code.
const IMPORTS: [&str; 4] = ["MessageInfo", "Notification", "Request", "Sender"];

/// Returns a type with the path of those definitions whose names the imports would hide.
fn qualified(ty: &TokenStream) -> TokenStream {
    let tokens = ty.clone().into_iter().map(|token| match &token {
        TokenTree::Ident(ident) if IMPORTS.iter().any(|name| ident == name) => {
            quote! { super::#ident }
        }
        _ => token.into(),
    });
    tokens.collect()
}

fn sender(sender: Sender) -> TokenStream {
    let name = match sender {
        Sender::Client => "Client",
        Sender::Server => "Server",
        Sender::Both | Sender::Unknown => "Both",
    };
    let name = format_ident!("{name}");
    quote! { Sender::#name }
}

fn row(message: &Message) -> TokenStream {
    let (name, method, sender) = (&message.name, &message.method, sender(message.sender));
    let result = match &message.kind {
        MessageKind::Request(Ty::Named(result)) => quote! { Some(#result) },
        MessageKind::Request(_) => quote! { Some("Object") },
        MessageKind::Notification => quote! { None },
    };
    let params = if let Some((Ty::Named(params), _)) = &message.params {
        quote! { Some(#params) }
    } else {
        quote! { None }
    };
    quote! {
        MessageInfo {
            name: #name, method: #method, sender: #sender, params: #params, result: #result,
        }
    }
}

/// Returns `true` if a type is defined in Rust, and is not only another name.
pub(super) fn is_own(kind: &Kind) -> bool {
    matches!(kind, Kind::Object(_) | Kind::Union(_) | Kind::Enum(_))
}
