//! Paginated lists: finds the requests with pages, and generates how to get from page to page.

use super::super::object::{field, stored};
use super::super::{EmitError, Scope, docs};
use crate::model::{
    Kind, Member, Message, MessageKind, Model, Object, Ty, field_ident, type_ident,
};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// A request whose result is a page of a list.
struct Pages<'a> {
    /// The list in the result.
    items: &'a Member,
    /// The type of its elements.
    item: &'a Ty,
    /// The member of the params that selects the page.
    from: &'a Member,
    /// The member of the result that identifies the next page.
    next: &'a Member,
}

/// Finds paginated requests by their form: an optional member of the result has the same
/// hand-written type as an optional member of the params, and the only required list of the result
/// has elements of a named type.
fn pages<'a>(model: &'a Model, message: &'a Message, params: &'a Object) -> Option<Pages<'a>> {
    let MessageKind::Request(Ty::Named(result)) = &message.kind else {
        return None;
    };
    let Kind::Object(result) = &model.get(result)?.kind else {
        return None;
    };
    let native = |member: &&Member| {
        let named = match &member.ty {
            Ty::Named(name) => model.get(name),
            _ => None,
        };
        member.is_option() && named.is_some_and(|def| matches!(def.kind, Kind::Native(_)))
    };
    let (from, next) = stored(params).filter(native).find_map(|from| {
        let next = stored(result).filter(native);
        let next = next.into_iter().find(|next| next.ty == from.ty)?;
        Some((from, next))
    })?;
    let mut lists = stored(result).filter_map(|member| match &member.ty {
        Ty::Array(item, _) if !member.is_option() => Some((member, &**item)),
        _ => None,
    });
    let (items, item @ Ty::Named(_)) = lists.next()? else {
        return None;
    };
    lists.next().is_none().then_some(Pages {
        items,
        item,
        from,
        next,
    })
}

impl Pages<'_> {
    /// Generates the method that creates the list. `call` is the expression that requests its first
    /// page.
    fn method(
        &self,
        scope: &Scope<'_>,
        message: &Message,
        parameters: &[TokenStream],
        call: &TokenStream,
    ) -> TokenStream {
        let name = format_ident!("{}", field_ident(&self.items.json));
        let request = format_ident!("{}", type_ident(&message.name));
        let elements = field_ident(&self.items.json).replace('_', " ");
        let mut text = format!(
            "Lists the {elements} of the server (`{}`).\n\nAwait [`all`](List::all) for the elements \
             of all pages, or take them one after the other with [`next`](List::next): each page is \
             requested when it is needed. [`one_page`](List::one_page) requests a single page.",
            message.method
        );
        scope.add_method_history(&mut text, &message.method);
        let text = docs::lines(&docs::wrap(&text));
        quote! {
            #text
            pub fn #name(&self, #(#parameters),*) -> List<#request> {
                #call.list()
            }
        }
    }

    /// Generates the implementation of the trait of paginated lists.
    fn paged_impl(&self, scope: &Scope<'_>, message: &Message) -> Result<TokenStream, EmitError> {
        let request = format_ident!("{}", type_ident(&message.name));
        let item = scope.rust_type(self.item)?;
        let position = scope.rust_type(&self.from.ty)?;
        let (items, next, from) = (field(self.items), field(self.next), field(self.from));
        let json = &self.items.json;
        Ok(quote! {
            impl Paged for #request {
                type Item = #item;
                const ITEMS: &'static str = #json;
                fn start_at(params: Self::Params, from: #position) -> Self::Params {
                    params.#from(from)
                }
                fn split(page: Self::Result) -> (Vec<#item>, Option<#position>) {
                    (page.#items, page.#next)
                }
            }
        })
    }
}

/// Generates the method of a request whose result is a page, and the implementation of the list's
/// trait.
pub(super) fn list(
    scope: &Scope<'_>,
    message: &Message,
    params: &Object,
    parameters: &[TokenStream],
    call: &TokenStream,
) -> Result<Option<(TokenStream, TokenStream)>, EmitError> {
    let Some(pages) = pages(scope.model, message, params) else {
        return Ok(None);
    };
    let method = pages.method(scope, message, parameters, call);
    Ok(Some((method, pages.paged_impl(scope, message)?)))
}
