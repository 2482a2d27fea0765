//! Conversions between a revision and the next one.
//!
//! Upwards, a member that only the older revision knows goes into `extra`; downwards it comes
//! back from there, and a member that only the newer revision knows is left out. So up and down
//! again is the identity on what both can say.

use super::messages::is_own;
use super::object::{field, init, stored};
use super::{EmitError, Emitter, Scope, cfg, used};
use crate::model::{Kind, Member, Model, Object, StringEnum, Ty, TypeDef, Union, type_ident};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// One direction between two adjacent revisions.
struct Way<'a> {
    emitter: &'a Emitter<'a>,
    /// Indices of the models.
    from: usize,
    to: usize,
    /// Conversions of this direction: name there to name here, and whether they can fail.
    fails: BTreeMap<String, bool>,
    problems: RefCell<BTreeSet<String>>,
}

/// An expression and whether it can fail.
struct Made {
    tokens: TokenStream,
    fails: bool,
}

impl Made {
    fn sure(tokens: TokenStream) -> Self {
        Self {
            tokens,
            fails: false,
        }
    }

    fn unsure(tokens: TokenStream) -> Self {
        Self {
            tokens,
            fails: true,
        }
    }
}

impl Emitter<'_> {
    /// The conversions between a model and the next newer one, both ways.
    pub(super) fn conversions(&self, older: usize) -> Result<TokenStream, EmitError> {
        let newer = older + 1;
        let mut items = Vec::new();
        let mut problems = BTreeSet::new();
        for (from, to) in [(older, newer), (newer, older)] {
            let mut way = self.way(from, to);
            items.extend(way.settle()?);
            problems.extend(way.problems.into_inner());
        }
        if !problems.is_empty() {
            return Err(EmitError::NoConversion(problems.into_iter().collect()));
        }
        let (old, new) = (
            format_ident!("{}", self.modules[older]),
            format_ident!("{}", self.modules[newer]),
        );
        let support = &self.support;
        let about = format!(
            " Conversions between {} and {}.",
            self.family.models[older].revision, self.family.models[newer].revision
        );
        let items = quote! { #(#items)* };
        let plain = used(&["Extra", "Map", "Number", "Object", "Value"], &items);
        let plain = (!plain.is_empty()).then(|| quote! { use #support::codec::{#(#plain),*}; });
        let module = items
            .to_string()
            .contains("convert ::")
            .then(|| quote! { self, });
        Ok(quote! {
            #![doc = #about]
            use super::super::{#new as new, #old as old};
            #plain
            use #support::convert::{#module ConvertError};
            #items
        })
    }

    fn way(&self, from: usize, to: usize) -> Way<'_> {
        let older = from.min(to);
        let names = self
            .pairs(older)
            .into_iter()
            .map(|(old, new)| if from == older { old } else { new });
        Way {
            emitter: self,
            from,
            to,
            fails: names.map(|name| (name, false)).collect(),
            problems: RefCell::default(),
        }
    }

    /// The conversions of one direction, by name there, and whether they can fail.
    pub(super) fn fallible(
        &self,
        from: usize,
        to: usize,
    ) -> Result<BTreeMap<String, bool>, EmitError> {
        let mut way = self.way(from, to);
        way.settle()?;
        Ok(way.fails)
    }

    /// Types of the older revision that differ in the newer one, with their names there.
    pub(super) fn pairs(&self, older: usize) -> Vec<(String, String)> {
        let (old, new) = (&self.family.models[older], &self.family.models[older + 1]);
        old.types
            .iter()
            .filter(|def| self.family.is_home(older, &def.name) && is_own(&def.kind))
            .filter_map(|def| {
                let name = self.renamed(older, &def.name);
                let other = new.get(&name)?;
                (is_own(&other.kind) && other.features.is_empty()).then(|| (def.name.clone(), name))
            })
            .collect()
    }

    /// The name of an older definition in the next revision.
    pub(super) fn renamed(&self, older: usize, name: &str) -> String {
        let table = self
            .hints
            .renamed
            .get(&self.family.models[older + 1].revision);
        table
            .and_then(|names| names.get(name))
            .cloned()
            .unwrap_or_else(|| name.to_owned())
    }
}

impl Way<'_> {
    fn upward(&self) -> bool {
        self.from < self.to
    }

    fn source(&self) -> &Model {
        &self.emitter.family.models[self.from]
    }

    fn target(&self) -> &Model {
        &self.emitter.family.models[self.to]
    }

    /// The name that a source definition has in the target.
    fn counterpart(&self, name: &str) -> String {
        if self.upward() {
            return self.emitter.renamed(self.from, name);
        }
        let older = &self.emitter.family.models[self.to];
        let renamed = older
            .types
            .iter()
            .find(|def| def.name != *name && self.emitter.renamed(self.to, &def.name) == name);
        match renamed {
            Some(def) if older.get(name).is_none() => def.name.clone(),
            _ => name.to_owned(),
        }
    }

    /// Writes all conversions; repeats until it is settled which of them can fail.
    fn settle(&mut self) -> Result<Vec<TokenStream>, EmitError> {
        loop {
            let mut changed = false;
            let mut items = Vec::new();
            for name in self.fails.keys().cloned().collect::<Vec<_>>() {
                let Some(def) = self.source().get(&name) else {
                    continue;
                };
                let made = self.definition(def)?;
                if made.fails && !self.fails[&name] {
                    self.fails.insert(name.clone(), true);
                    changed = true;
                }
                items.push(self.item(&name, &made));
            }
            if !changed {
                return Ok(items);
            }
        }
    }

    fn item(&self, name: &str, made: &Made) -> TokenStream {
        let (from, to) = (
            self.path(true, name),
            self.path(false, &self.counterpart(name)),
        );
        let body = &made.tokens;
        if made.fails {
            quote! {
                impl TryFrom<#from> for #to {
                    type Error = ConvertError;
                    fn try_from(from: #from) -> Result<Self, ConvertError> { Ok({ #body }) }
                }
            }
        } else {
            quote! {
                impl From<#from> for #to {
                    fn from(from: #from) -> Self { #body }
                }
            }
        }
    }

    fn path(&self, source: bool, name: &str) -> TokenStream {
        let module = if source == self.upward() {
            quote! { old }
        } else {
            quote! { new }
        };
        let ident = format_ident!("{}", type_ident(name));
        quote! { #module::#ident }
    }

    fn definition(&self, def: &TypeDef) -> Result<Made, EmitError> {
        let name = self.counterpart(&def.name);
        // A shared type has the members that proposals add to it where it stands.
        let family = self.emitter.family;
        let def = family.models[family.home(self.from, &def.name)]
            .get(&def.name)
            .unwrap_or(def);
        let Some(target) = family.models[family.home(self.to, &name)].get(&name) else {
            return Err(EmitError::Unsupported(format!("{name} vanished")));
        };
        let made = match (&def.kind, &target.kind) {
            (Kind::Object(a), Kind::Object(b)) => self.object(def, a, target, b)?,
            (Kind::Enum(_), Kind::Enum(b)) => self.text(target, b),
            (Kind::Union(a), Kind::Union(b)) => self.union(def, a, target, b),
            _ => {
                let (from, to) = (Ty::Named(def.name.clone()), Ty::Named(name.clone()));
                if let Some(made) = self.wrap_or_unwrap(&from, &to, &quote! { from }) {
                    made
                } else {
                    self.problem(format!("{} to {}", self.place(&def.name), name));
                    Made::sure(quote! { from })
                }
            }
        };
        Ok(made)
    }

    fn place(&self, what: &str) -> String {
        format!(
            "{} {what} -> {}",
            self.source().revision,
            self.target().revision
        )
    }

    fn problem(&self, text: String) {
        self.problems.borrow_mut().insert(text);
    }

    fn object(
        &self,
        def: &TypeDef,
        a: &Object,
        target: &TypeDef,
        b: &Object,
    ) -> Result<Made, EmitError> {
        let mut fails = false;
        let mut values = Vec::new();
        let mut stash = Vec::new();
        let find = |object: &Object, json: &str| stored(object).find(|m| m.json == json).cloned();
        let declared = |json: &str| b.members.iter().any(|member| member.json == json);
        for member in &a.members {
            let keeps = self.upward() || self.emitter.hints().keeps(&def.name, &member.json);
            if declared(&member.json) || !keeps || !member.features.is_empty() {
                continue;
            }
            if let Some(constant) = member.constant() {
                if let (false, Some(text)) = (self.upward(), constant.as_str()) {
                    let json = &member.json;
                    stash.push(quote! { extra.stash(#json, &#text); });
                }
            } else {
                let (name, json) = (field(member), &member.json);
                stash.push(if member.required {
                    quote! { extra.stash(#json, &from.#name); }
                } else {
                    quote! { if let Some(value) = &from.#name { extra.stash(#json, value); } }
                });
            }
        }
        for member in b
            .members
            .iter()
            .filter(|member| member.constant().is_some())
        {
            // The constant is written by the type itself.
            if a.open && b.open && !a.members.iter().any(|other| other.json == member.json) {
                let json = &member.json;
                stash.push(quote! { extra.remove(#json); });
            }
        }
        for member in stored(b) {
            let name = field(member);
            if !member.features.is_empty() {
                let cfg = cfg(&member.features);
                values.push(quote! { #cfg #name: None });
                continue;
            }
            let source = find(a, &member.json).filter(|member| member.features.is_empty());
            let made = self.member(def, source.as_ref(), target, member, b.open && a.open)?;
            fails |= made.fails;
            values.push(init(&name, &made.tokens));
        }
        let path = self.path(false, &target.name);
        let (start, end) = match (a.open, b.open) {
            (true, true) => (quote! { let mut extra = from.extra; }, quote! { extra }),
            (false, true) => (quote! { let mut extra = Extra::new(); }, quote! { extra }),
            _ => (quote! {}, quote! {}),
        };
        let start = if stash.is_empty()
            && !values
                .iter()
                .any(|v| v.to_string().contains("extra . take"))
        {
            if b.open && a.open {
                quote! { let extra = from.extra; }
            } else {
                start
            }
        } else {
            start
        };
        Ok(Made {
            tokens: quote! { #start #(#stash)* #path { #(#values,)* #end } },
            fails,
        })
    }

    /// The value of a target's member.
    fn member(
        &self,
        def: &TypeDef,
        source: Option<&Member>,
        target: &TypeDef,
        member: &Member,
        open: bool,
    ) -> Result<Made, EmitError> {
        let json = &member.json;
        let revision = &self.target().revision;
        let invented = self
            .emitter
            .hints
            .invented(self.upward(), revision, &target.name, json);
        let absent = || -> Result<Made, EmitError> {
            let kind = &target.name;
            match invented {
                Some(Value::Null) => Ok(Made::unsure(
                    quote! { return Err(ConvertError::missing(#kind, #json)) },
                )),
                Some(value) => {
                    let scope = Scope {
                        emitter: self.emitter,
                        at: self.to,
                        model: self.target(),
                        def: target,
                    };
                    let prefix = if self.upward() {
                        quote! { new }
                    } else {
                        quote! { old }
                    };
                    Ok(Made::sure(scope.invent(&member.ty, value, &prefix)?))
                }
                None => {
                    self.problem(format!(
                        "{}.{json} is required in {revision}",
                        self.place(&target.name)
                    ));
                    Ok(Made::sure(quote! { todo }))
                }
            }
        };
        let Some(source) = source else {
            let took = if open {
                quote! { extra.take(#json) }
            } else {
                quote! { None }
            };
            if !member.required {
                return Ok(Made::sure(took));
            }
            let absent = absent()?;
            return Ok(Made {
                tokens: or_else(&took, &absent),
                fails: absent.fails,
            });
        };
        let name = field(source);
        let convert = |expression: &TokenStream| {
            if let Some(made) = self.value(&source.ty, &member.ty, expression) {
                made
            } else {
                self.problem(format!("{}.{json}", self.place(&def.name)));
                Made::sure(expression.clone())
            }
        };
        Ok(match (source.required, member.required) {
            (true, true) => convert(&quote! { from.#name }),
            (false, false) => {
                let made = convert(&quote! { value });
                let value = &made.tokens;
                let tokens = if value.to_string() == "value" {
                    quote! { from.#name }
                } else if made.fails {
                    quote! { match from.#name { Some(value) => Some(#value), None => None } }
                } else {
                    let function = function(value);
                    quote! { from.#name.map(#function) }
                };
                Made {
                    tokens,
                    fails: made.fails,
                }
            }
            (true, false) => {
                let made = convert(&quote! { from.#name });
                let value = made.tokens;
                // What the other direction invents and this one does not know leaves nothing.
                let other = self.source().revision.clone();
                let blank = self
                    .emitter
                    .hints
                    .invented(!self.upward(), &other, &def.name, json);
                let tokens =
                    if matches!(blank, Some(Value::Object(_))) && self.has_default(&member.ty) {
                        let blank = self.blank(&member.ty);
                        quote! { Some(#value).filter(|value| *value != #blank) }
                    } else {
                        quote! { Some(#value) }
                    };
                Made {
                    tokens,
                    fails: made.fails,
                }
            }
            (false, true) => {
                let made = convert(&quote! { value });
                let absent = absent()?;
                let value = made.tokens;
                let fails = made.fails || absent.fails;
                let tokens = if value.to_string() == "value" {
                    or_else(&quote! { from.#name }, &absent)
                } else {
                    let otherwise = absent.tokens;
                    quote! { match from.#name { Some(value) => #value, None => #otherwise } }
                };
                Made { tokens, fails }
            }
        })
    }

    /// The value of a type that has all its members left out.
    fn blank(&self, ty: &Ty) -> TokenStream {
        if let Ty::Named(name) = self.target().resolve(ty) {
            let path = self.path(false, name);
            quote! { #path::default() }
        } else {
            quote! { Object::new() }
        }
    }

    fn has_default(&self, ty: &Ty) -> bool {
        match self.target().resolve(ty) {
            Ty::AnyObject => true,
            Ty::Named(name) => match self.target().get(name).map(|def| &def.kind) {
                Some(Kind::Object(object)) => stored(object).all(|member| !member.required),
                _ => false,
            },
            _ => false,
        }
    }

    fn text(&self, target: &TypeDef, b: &StringEnum) -> Made {
        let to = self.path(false, &target.name);
        if b.open {
            return Made::sure(quote! { #to::from(from.as_str()) });
        }
        let (name, revision) = (&target.name, &self.target().revision);
        Made::unsure(quote! {
            from.as_str()
                .parse::<#to>()
                .map_err(|_| ConvertError::no_variant(#name, from.as_str(), #revision))?
        })
    }

    fn union(&self, def: &TypeDef, a: &Union, target: &TypeDef, b: &Union) -> Made {
        let (from, to) = (self.path(true, &def.name), self.path(false, &target.name));
        let mut fails = false;
        let mut arms = Vec::new();
        for variant in &a.variants {
            let (cfg, name) = (cfg(&variant.features), format_ident!("{}", variant.ident));
            let unit = *self.source().resolve(&variant.ty) == Ty::Null;
            let fit = b
                .variants
                .iter()
                .filter(|other| other.features.is_empty())
                .find_map(|other| {
                    if !variant.features.is_empty() || !self.corresponds(&variant.ty, &other.ty) {
                        return None;
                    }
                    let made = self.value(&variant.ty, &other.ty, &quote! { value })?;
                    Some((format_ident!("{}", other.ident), made))
                });
            arms.push(match fit {
                Some((other, _)) if unit => quote! { #cfg #from::#name => #to::#other },
                Some((other, made)) => {
                    fails |= made.fails;
                    let value = made.tokens;
                    quote! { #cfg #from::#name(value) => #to::#other(#value) }
                }
                None => {
                    fails = true;
                    let (kind, shown, revision) = (&target.name, &variant.ident, &self.target().revision);
                    let pattern = if unit { quote! { #name } } else { quote! { #name(_) } };
                    quote! {
                        #cfg
                        #from::#pattern => return Err(ConvertError::no_variant(#kind, #shown, #revision))
                    }
                }
            });
        }
        Made {
            tokens: quote! { match from { #(#arms,)* } },
            fails,
        }
    }

    /// Whether two types are the same thing in two revisions.
    fn corresponds(&self, from: &Ty, to: &Ty) -> bool {
        match (from, to) {
            (Ty::Named(a), Ty::Named(b)) => {
                self.counterpart(a) == *b
                    || self.wrap_or_unwrap(from, to, &quote! { value }).is_some()
            }
            _ => {
                std::mem::discriminant(self.source().resolve(from))
                    == std::mem::discriminant(self.target().resolve(to))
            }
        }
    }

    /// Whether both are one Rust type.
    fn same(&self, from: &Ty, to: &Ty) -> bool {
        match (self.source().resolve(from), self.target().resolve(to)) {
            (Ty::Named(a), Ty::Named(b)) => {
                a == b
                    && self.emitter.family.home(self.from, a)
                        == self.emitter.family.home(self.to, b)
            }
            (Ty::Array(a, _), Ty::Array(b, _))
            | (Ty::Map(a), Ty::Map(b))
            | (Ty::Nullable(a), Ty::Nullable(b)) => self.same(a, b),
            (Ty::Int(_), Ty::Int(_))
            | (Ty::Number(_), Ty::Number(_))
            | (Ty::String(_), Ty::String(_)) => true,
            (a, b) => a == b,
        }
    }

    fn value(&self, from: &Ty, to: &Ty, expression: &TokenStream) -> Option<Made> {
        if self.same(from, to) {
            return Some(Made::sure(expression.clone()));
        }
        let (a, b) = (self.source().resolve(from), self.target().resolve(to));
        match (a, b) {
            (Ty::Named(x), Ty::Named(y))
                if self.fails.contains_key(x) && self.counterpart(x) == *y =>
            {
                Some(if self.fails[x] {
                    Made::unsure(quote! { #expression.try_into()? })
                } else {
                    Made::sure(quote! { #expression.into() })
                })
            }
            (Ty::Array(x, _), Ty::Array(y, _)) => {
                let made = self.value(x, y, &quote! { value })?;
                Some(if made.fails {
                    let function = try_function(&made.tokens);
                    Made::unsure(quote! {
                        #expression.into_iter().map(#function).collect::<Result<_, ConvertError>>()?
                    })
                } else {
                    let function = function(&made.tokens);
                    Made::sure(quote! { #expression.into_iter().map(#function).collect() })
                })
            }
            (Ty::Map(x), Ty::Map(y)) => {
                let made = self.value(x, y, &quote! { value })?;
                Some(if made.fails {
                    let function = try_function(&made.tokens);
                    Made::unsure(quote! { #expression.try_map(#function)? })
                } else {
                    let function = function(&made.tokens);
                    Made::sure(quote! { #expression.map(#function) })
                })
            }
            (Ty::AnyObject, Ty::Any) => Some(Made::sure(quote! { Value::Object(#expression) })),
            (Ty::Any, Ty::AnyObject) => {
                Some(Made::unsure(quote! { convert::object(#expression)? }))
            }
            (Ty::AnyObject, Ty::Named(_) | Ty::Map(_))
            | (Ty::Named(_) | Ty::Map(_), Ty::AnyObject) => Some(Made::unsure(
                quote! { convert::through_json(&#expression)? },
            )),
            (Ty::Named(x), Ty::Named(y)) if self.emitter.hints().are_alike(x, y) => Some(
                Made::unsure(quote! { convert::through_json(&#expression)? }),
            ),
            (Ty::Int(_), Ty::Number(_)) => Some(Made::sure(quote! { Number::from(#expression) })),
            _ => self.wrap_or_unwrap(from, to, expression),
        }
    }

    /// A type that became a variant of a union, or a variant that was the whole type.
    fn wrap_or_unwrap(&self, from: &Ty, to: &Ty, expression: &TokenStream) -> Option<Made> {
        let (Ty::Named(x), Ty::Named(y)) = (self.source().resolve(from), self.target().resolve(to))
        else {
            return None;
        };
        let (source, target) = (&self.source().get(x)?.kind, &self.target().get(y)?.kind);
        match (source, target) {
            (Kind::Object(_) | Kind::Enum(_), Kind::Union(union)) => {
                let path = self.path(false, y);
                union
                    .variants
                    .iter()
                    .filter(|v| v.features.is_empty())
                    .find_map(|variant| {
                        let Ty::Named(inner) = &variant.ty else {
                            return None;
                        };
                        let made = if *inner == self.counterpart(x) {
                            self.value(from, &variant.ty, expression)?
                        } else {
                            self.wrap_or_unwrap(from, &variant.ty, expression)?
                        };
                        let (name, value) = (format_ident!("{}", variant.ident), made.tokens);
                        Some(Made {
                            tokens: quote! { #path::#name(#value) },
                            fails: made.fails,
                        })
                    })
            }
            (Kind::Union(union), Kind::Object(_) | Kind::Enum(_)) => {
                let path = self.path(true, x);
                let (name, value) = union.variants.iter().find_map(|variant| {
                    let Ty::Named(inner) = &variant.ty else {
                        return None;
                    };
                    if self.counterpart(inner) != *y {
                        return None;
                    }
                    let made = self.value(&variant.ty, to, &quote! { value })?;
                    Some((format_ident!("{}", variant.ident), made.tokens))
                })?;
                let (kind, revision) = (y, &self.target().revision);
                Some(Made::unsure(quote! {
                    match #expression {
                        #path::#name(value) => #value,
                        _ => return Err(ConvertError::no_variant(#kind, "another form", #revision)),
                    }
                }))
            }
            _ => None,
        }
    }
}

impl Scope<'_> {
    /// A JSON value of the data as an expression, objects included.
    fn invent(
        &self,
        ty: &Ty,
        value: &Value,
        module: &TokenStream,
    ) -> Result<TokenStream, EmitError> {
        let resolved = self.model.resolve(ty);
        match (resolved, value) {
            (Ty::AnyObject, Value::Object(object)) if object.is_empty() => {
                Ok(quote! { Object::new() })
            }
            (Ty::Map(_), Value::Object(object)) if object.is_empty() => Ok(quote! { Map::new() }),
            (Ty::Array(..), Value::Array(items)) if items.is_empty() => Ok(quote! { Vec::new() }),
            (Ty::Named(name), Value::Object(given)) => {
                let Some(Kind::Object(object)) = self.model.get(name).map(|def| &def.kind) else {
                    return Err(EmitError::Unsupported(format!("{name}: `{value}`")));
                };
                let ident = format_ident!("{}", type_ident(name));
                let mut values = Vec::new();
                for member in stored(object) {
                    let (cfg, name) = (cfg(&member.features), field(member));
                    let value = match given.get(&member.json) {
                        Some(value) => {
                            let value = self.invent(&member.ty, value, module)?;
                            if member.required {
                                value
                            } else {
                                quote! { Some(#value) }
                            }
                        }
                        None if member.required => {
                            return Err(EmitError::Unsupported(format!(
                                "{ident}.{name} is required"
                            )));
                        }
                        None => quote! { None },
                    };
                    values.push(quote! { #cfg #name: #value });
                }
                Ok(quote! { #module::#ident { #(#values,)* extra: Extra::new() } })
            }
            (Ty::Named(_), Value::String(_)) => {
                let plain = self.literal(ty, value)?;
                Ok(quote! { #module::#plain })
            }
            _ => self.literal(ty, value),
        }
    }
}

/// An optional value, or what stands for its absence.
fn or_else(value: &TokenStream, absent: &Made) -> TokenStream {
    let otherwise = &absent.tokens;
    let text = otherwise.to_string();
    if absent.fails {
        return quote! { match #value { Some(value) => value, None => #otherwise } };
    }
    match text.as_str() {
        "Object :: new ()" | "Map :: new ()" | "Vec :: new ()" => {
            quote! { #value.unwrap_or_default() }
        }
        _ if text.contains(['(', '{']) => quote! { #value.unwrap_or_else(|| #otherwise) },
        _ => quote! { #value.unwrap_or(#otherwise) },
    }
}

/// A conversion of `value` as a function.
fn function(value: &TokenStream) -> TokenStream {
    match value.to_string().as_str() {
        "value . into ()" => quote! { Into::into },
        "Value :: Object (value)" => quote! { Value::Object },
        _ => quote! { |value| #value },
    }
}

/// A conversion of `value` that can fail as a function.
fn try_function(value: &TokenStream) -> TokenStream {
    if value.to_string() == "value . try_into () ?" {
        quote! { TryInto::try_into }
    } else {
        quote! { |value| Ok::<_, ConvertError>(#value) }
    }
}

/// Whether a type of a revision can become its counterpart in the next one: it is the same, or
/// there are conversions.
pub(super) fn step_exists(emitter: &Emitter<'_>, older: usize, name: &str, other: &str) -> bool {
    let family = emitter.family;
    let (old, new) = (&family.models[older], &family.models[older + 1]);
    match (
        old.get(name).map(|def| &def.kind),
        new.get(other).map(|def| &def.kind),
    ) {
        (Some(Kind::Alias(a)), Some(Kind::Alias(b))) => match (old.resolve(a), new.resolve(b)) {
            (Ty::Named(a), Ty::Named(b)) => {
                emitter.renamed(older, a) == *b && step_exists(emitter, older, a, b)
            }
            (a, b) => a == b && is_leaf(a),
        },
        (Some(Kind::Native(a)), Some(Kind::Native(b))) => a == b,
        (Some(a), Some(b)) if is_own(a) && is_own(b) => {
            !family.is_home(older, name) || emitter.pairs(older).iter().any(|pair| pair.0 == name)
        }
        _ => false,
    }
}

/// Whether a type has no named type inside.
fn is_leaf(ty: &Ty) -> bool {
    let mut leaf = true;
    ty.walk(&mut |_| leaf = false);
    leaf
}
