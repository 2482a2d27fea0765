//! Reads the modules of a crate from its sources.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemUse, UseTree};

/// A path as it is written in a source, or from the root of the crate.
pub(super) type Names = Vec<String>;

/// The sources of a crate.
pub(super) struct Crate {
    pub(super) files: Vec<SourceFile>,
    /// Modules by their path from the root; modules inside a file belong to that file.
    pub(super) modules: BTreeMap<Names, Module>,
}

pub(super) struct SourceFile {
    /// The path below `src`, with slashes.
    pub(super) path: String,
    pub(super) lines: usize,
    pub(super) is_generated: bool,
    /// The names of the types and traits that it defines.
    pub(super) types: BTreeSet<String>,
    /// The paths that it mentions, each with the module that mentions it.
    pub(super) mentioned: Vec<(Names, Names)>,
}

#[derive(Default)]
pub(super) struct Module {
    /// The index of its file.
    pub(super) file: usize,
    /// The names of its items.
    pub(super) items: BTreeSet<String>,
    /// The names that `use` declares, with the paths for which they stand.
    pub(super) uses: BTreeMap<String, Names>,
    /// The modules that `use a::*` imports.
    pub(super) globs: Vec<Names>,
}

impl Crate {
    /// Reads all sources below a folder.
    pub(super) fn read(sources: &Path) -> Result<Self> {
        let mut tree = Self {
            files: Vec::new(),
            modules: BTreeMap::new(),
        };
        tree.read_folder(sources, sources)?;
        Ok(tree)
    }

    /// Returns the number of modules in the root.
    pub(super) fn root_modules(&self) -> usize {
        self.modules.keys().filter(|path| path.len() == 1).count()
    }

    fn read_folder(&mut self, sources: &Path, folder: &Path) -> Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
        entries.sort_by_key(fs::DirEntry::path);
        for entry in entries {
            let path = entry.path();
            if path.is_dir() {
                self.read_folder(sources, &path)?;
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let below = path
                    .strip_prefix(sources)?
                    .to_string_lossy()
                    .replace('\\', "/");
                let text = fs::read_to_string(&path)?;
                self.read_file(&below, &text).context(below)?;
            }
        }
        Ok(())
    }

    fn read_file(&mut self, path: &str, text: &str) -> Result<()> {
        let parsed = syn::parse_file(text)?;
        let file = self.files.len();
        let module = module_of(path);
        let mut reader = Reader {
            file,
            module: module.clone(),
            modules: &mut self.modules,
            types: BTreeSet::new(),
            mentioned: Vec::new(),
        };
        reader.modules.entry(module).or_default().file = file;
        for item in &parsed.items {
            reader.visit_item(item);
        }
        let (types, mentioned) = (reader.types, reader.mentioned);
        self.files.push(SourceFile {
            path: path.to_owned(),
            lines: text.lines().count(),
            is_generated: text.lines().take(5).any(|line| line.contains("@generated")),
            types,
            mentioned,
        });
        Ok(())
    }
}

/// Returns the module path of a file.
fn module_of(path: &str) -> Names {
    let path = path.strip_suffix(".rs").unwrap_or(path);
    let path = path.strip_suffix("/mod").unwrap_or(path);
    if path == "lib" {
        return Vec::new();
    }
    path.split('/').map(str::to_owned).collect()
}

/// Collects the content of one file.
struct Reader<'a> {
    file: usize,
    /// The module whose items are being read.
    module: Names,
    modules: &'a mut BTreeMap<Names, Module>,
    types: BTreeSet<String>,
    mentioned: Vec<(Names, Names)>,
}

impl Reader<'_> {
    fn module(&mut self) -> &mut Module {
        let module = self.modules.entry(self.module.clone()).or_default();
        module.file = self.file;
        module
    }

    fn define(&mut self, name: &syn::Ident, is_type: bool) {
        let name = name.to_string();
        if is_type {
            self.types.insert(name.clone());
        }
        self.module().items.insert(name);
    }

    fn read_use(&mut self, tree: &UseTree, mut before: Names) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.read_use(&path.tree, before);
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                if name == "self" {
                    let last = before.last().cloned().unwrap_or_default();
                    self.declare(last, before);
                } else {
                    before.push(name.clone());
                    self.declare(name, before);
                }
            }
            UseTree::Rename(rename) => {
                before.push(rename.ident.to_string());
                self.declare(rename.rename.to_string(), before);
            }
            UseTree::Glob(_) => {
                self.record_path(before.clone());
                self.module().globs.push(before);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.read_use(tree, before.clone());
                }
            }
        }
    }

    fn declare(&mut self, name: String, path: Names) {
        self.record_path(path.clone());
        self.module().uses.insert(name, path);
    }

    fn record_path(&mut self, path: Names) {
        self.mentioned.push((self.module.clone(), path));
    }

    /// Finds paths that begin with `crate`, `self` or `super` in the arguments of a macro.
    fn visit_tokens(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        // `true` if the path continues with the next name.
        let mut goes_on = false;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if goes_on && !path.is_empty() {
                        path.push(name);
                    } else {
                        self.mention_path(&mut path);
                        if matches!(name.as_str(), "crate" | "self" | "super") {
                            path.push(name);
                        }
                    }
                    goes_on = false;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => goes_on = true,
                other => {
                    self.mention_path(&mut path);
                    goes_on = false;
                    if let TokenTree::Group(group) = other {
                        self.visit_tokens(group.stream());
                    }
                }
            }
        }
        self.mention_path(&mut path);
    }

    fn mention_path(&mut self, path: &mut Names) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.record_path(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        if attributes(item).iter().any(is_for_tests) {
            return;
        }
        match item {
            Item::Struct(item) => self.define(&item.ident, true),
            Item::Enum(item) => self.define(&item.ident, true),
            Item::Union(item) => self.define(&item.ident, true),
            Item::Trait(item) => self.define(&item.ident, true),
            Item::Type(item) => self.define(&item.ident, true),
            Item::Fn(item) => self.define(&item.sig.ident, false),
            Item::Const(item) => self.define(&item.ident, false),
            Item::Static(item) => self.define(&item.ident, false),
            Item::Mod(item) => {
                self.define(&item.ident, false);
                let Some((_, items)) = &item.content else {
                    return;
                };
                self.module.push(item.ident.to_string());
                self.module();
                for item in items {
                    self.visit_item(item);
                }
                self.module.pop();
                return;
            }
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.read_use(&item.tree, Names::new());
    }

    /// Items in a function do not belong to the module.
    fn visit_block(&mut self, block: &'ast syn::Block) {
        for statement in &block.stmts {
            match statement {
                syn::Stmt::Item(Item::Use(item)) => self.visit_item_use(item),
                syn::Stmt::Item(item) => visit::visit_item(self, item),
                statement => self.visit_stmt(statement),
            }
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            let names = path.segments.iter();
            self.record_path(names.map(|segment| segment.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.visit_path(&call.path);
        self.visit_tokens(call.tokens.clone());
    }

    /// Documentation may mention any path.
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    /// `pub(in super::super)` is not an import.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns `true` for `#[cfg(test)]` and `#[cfg(doctest)]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else {
        return false;
    };
    let tokens = list.tokens.to_string();
    list.path.is_ident("cfg") && (tokens == "test" || tokens == "doctest")
}
