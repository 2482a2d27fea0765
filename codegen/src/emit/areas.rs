//! The area of each type, and the map of the areas in the documentation.

use super::{EmitError, Emitter, File, print};
use crate::hints::{Area, Hints};
use crate::model::{Family, Kind, TypeDef, is_keyword, type_ident};
use std::collections::{BTreeMap, BTreeSet};

/// Names that generated code uses for something else: its other files, and the roots of paths.
const RESERVED: [&str; 10] = [
    "codec",
    "core",
    "serde",
    "std",
    "codecs",
    "messages",
    "upgrade",
    "downgrade",
    "strategies",
    "support",
];

/// Finds the area of each type of each model.
pub(super) fn assign(family: &Family, hints: &Hints) -> Vec<BTreeMap<String, String>> {
    let levels = 0..family.models.len();
    levels
        .map(|at| {
            let types = family.models[at].types.iter();
            types
                .map(|def| (def.name.clone(), find(family, hints, at, def).to_owned()))
                .collect()
        })
        .collect()
}

/// Returns the area that the hints name for a type, or else the one of its category in the
/// documentation of this or another revision. An inline type belongs to the area of its owner.
fn find<'a>(family: &'a Family, hints: &'a Hints, at: usize, def: &'a TypeDef) -> &'a str {
    let areas = &hints.areas;
    let mut def = def;
    let mut seen = BTreeSet::new();
    loop {
        let names = || family.names_of(at, &def.name, hints);
        let direct = names().find_map(|(_, name)| areas.of_type(name));
        let by_category = || {
            names().find_map(|(level, name)| {
                let categories = &family.models[level].categories;
                areas.of_category(categories.get(name)?)
            })
        };
        if let Some(area) = direct.or_else(by_category) {
            return area;
        }
        let inline = !def.published && seen.insert(&def.name);
        let mut others = family.models[at].types.iter().filter(|_| inline);
        match others.find(|other| !seen.contains(&other.name) && mentions(other, &def.name)) {
            Some(owner) => def = owner,
            None => return &areas.default,
        }
    }
}

/// Returns `true` if a definition refers to a type.
fn mentions(def: &TypeDef, name: &str) -> bool {
    let mut found = false;
    let mut look = |mentioned: &str| found |= mentioned == name;
    match &def.kind {
        Kind::Object(object) => object.members.iter().for_each(|it| it.walk(&mut look)),
        Kind::Union(union) => union.variants.iter().for_each(|it| it.ty.walk(&mut look)),
        Kind::Alias(target) => target.walk(&mut look),
        Kind::Enum(_) | Kind::Native(_) => {}
    }
    found
}

impl Emitter<'_> {
    /// Returns the area of a type.
    pub(super) fn area_of(&self, at: usize, name: &str) -> &str {
        let area = self.areas[at].get(name);
        area.unwrap_or(&self.hints.areas.default)
    }

    /// Returns the names of the areas in the order of the map, and last the default one.
    pub(super) fn area_names(&self) -> Result<Vec<&str>, EmitError> {
        let areas = &self.hints.areas;
        let mut names: Vec<&str> = areas.list.iter().map(|area| area.name.as_str()).collect();
        if !names.contains(&areas.default.as_str()) {
            names.push(&areas.default);
        }
        let unusable = |name: &&&str| RESERVED.contains(*name) || is_keyword(name);
        match names.iter().find(unusable) {
            Some(name) => Err(EmitError::Unsupported(format!(
                "an area cannot have the name `{name}`: expected an identifier that is no keyword \
                 and that generated code does not use"
            ))),
            None => Ok(names),
        }
    }

    /// Returns what the area is for.
    pub(super) fn about_area(&self, name: &str) -> Option<&str> {
        let mut areas = self.hints.areas.list.iter();
        let area = areas.find(|area| area.name == name)?;
        (!area.about.is_empty()).then_some(area.about.as_str())
    }

    /// Returns the map of the areas of a revision, as a table in Markdown. It is empty if the hints
    /// have no areas.
    pub(super) fn area_map(&self, at: usize) -> String {
        let rows: String = self
            .hints
            .areas
            .list
            .iter()
            .filter_map(|area| self.area_row(at, area))
            .collect();
        if rows.is_empty() {
            return rows;
        }
        format!("| area | main types |\n| --- | --- |\n{rows}")
    }

    /// Returns the row of an area: its main types or, if it has none in this revision, its first
    /// ones.
    fn area_row(&self, at: usize, area: &Area) -> Option<String> {
        const FIRST: usize = 3;
        let model = &self.family.models[at];
        let is_listed = |def: &&TypeDef| def.published && def.features.is_empty();
        let main = area.main.iter().filter_map(|name| model.get(name));
        let mut types: Vec<&TypeDef> = main.filter(is_listed).collect();
        if types.is_empty() {
            let own = model.types.iter().filter(is_listed);
            let own = own.filter(|def| self.area_of(at, &def.name) == area.name);
            types = own.take(FIRST).collect();
        }
        let links: Vec<String> = types
            .iter()
            .map(|def| format!("[`{}`]", type_ident(&def.name)))
            .collect();
        let about = area.about.trim_end_matches('.');
        (!links.is_empty()).then(|| format!("| {about} | {} |\n", links.join(", ")))
    }

    /// Generates the map of the newest revision for the documentation of the crate.
    pub(super) fn map_file(&self) -> File {
        let map = self.area_map(self.newest());
        File {
            path: "areas.md".into(),
            text: format!("{}{map}", print::MARKDOWN_HEADER),
        }
    }
}
