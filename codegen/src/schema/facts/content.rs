//! [`Facts`]: the facts of one revision.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

/// The facts of one revision.
///
/// All places are JSON pointers below the definitions of the published schema.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Facts {
    /// The name of the file, for messages.
    pub file: String,
    /// The revision to which they apply.
    pub revision: String,
    /// Constants that the schema does not define: numbers and strings, by name.
    pub constants: Map<String, Value>,
    /// The order in which an object declares its members, by the place of the object.
    pub members: BTreeMap<String, Vec<String>>,
    /// The order in which an enumeration declares its values, by its place.
    pub values: BTreeMap<String, Vec<String>>,
    /// The known values of a string that may have others, by its place.
    pub known_values: BTreeMap<String, Vec<String>>,
    /// Objects that may have further members.
    pub open: BTreeSet<String>,
    /// Places of types that are written out although they have a name, by that name.
    pub references: BTreeMap<String, BTreeSet<String>>,
    /// The variants of unions that are written out although some of them have a name, by the place
    /// of the union.
    pub unions: BTreeMap<String, Vec<Variant>>,
    /// Places of types that also accept `null`.
    pub nullable: BTreeSet<String>,
    /// Deprecated types and members.
    pub deprecated: BTreeSet<String>,
    /// The names of definitions, by their category.
    pub categories: BTreeMap<String, BTreeSet<String>>,
}

impl Facts {
    /// Returns the number of facts.
    #[must_use]
    pub fn len(&self) -> usize {
        let lists = [&self.members, &self.values, &self.known_values];
        let places = [&self.open, &self.nullable, &self.deprecated];
        let sets = [&self.references, &self.categories];
        self.constants.len()
            + self.unions.len()
            + lists.iter().map(|table| table.len()).sum::<usize>()
            + places.iter().map(|list| list.len()).sum::<usize>()
            + sets
                .iter()
                .flat_map(|table| table.values())
                .map(BTreeSet::len)
                .sum::<usize>()
    }

    /// Returns `true` if there are no facts.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A variant of a union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variant {
    /// A definition, by its name.
    Name(String),
    /// The published variant with this index.
    Published(usize),
}
