//! The areas of a specification: its types in groups, each of which becomes a file.

use serde::Deserialize;

/// The areas of a specification, and the one of types that no area mentions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Areas {
    /// The name of the area of types that no other area mentions.
    pub default: String,
    /// The areas, in the order in which the documentation lists them.
    pub list: Vec<Area>,
}

/// A group of types that belong together.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase", default)]
pub struct Area {
    /// The name of the file.
    pub name: String,
    /// What the types are for, as one sentence.
    pub about: String,
    /// The categories of the published documentation that belong to it. A `*` at the end stands for
    /// any text.
    pub categories: Vec<String>,
    /// Types that belong to it although their category does not, or that have none.
    pub types: Vec<String>,
    /// The most important types, for the map in the documentation.
    pub main: Vec<String>,
}

impl Default for Areas {
    fn default() -> Self {
        Self {
            default: "types".into(),
            list: Vec::new(),
        }
    }
}

impl Areas {
    /// Returns the area that mentions a type by name.
    #[must_use]
    pub fn of_type(&self, name: &str) -> Option<&str> {
        self.find(|area| area.types.iter().any(|known| known == name))
    }

    /// Returns the area of a category.
    #[must_use]
    pub fn of_category(&self, category: &str) -> Option<&str> {
        self.find(|area| {
            area.categories
                .iter()
                .any(|known| category_matches(known, category))
        })
    }

    fn find(&self, fits: impl Fn(&Area) -> bool) -> Option<&str> {
        let found = self.list.iter().find(|area| fits(area));
        found.map(|area| area.name.as_str())
    }
}

/// Returns `true` if a category is the one of a pattern, or begins with the text before its `*`.
pub(crate) fn category_matches(pattern: &str, category: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => category.starts_with(start),
        None => pattern == category,
    }
}
