//! Generates source files from the model.

mod area_items;
mod areas;
mod code_blocks;
mod convert;
mod docs;
mod emitter;
mod file;
mod imports;
mod messages;
mod methods;
mod module;
mod module_root;
mod object;
mod print;
mod proposals;
mod range;
mod registry;
mod scope;
mod strategy;
mod string_enum;
mod table;
mod union;

pub use emitter::{EmitError, Emitter, Example, Examples, feature_name, module_name};
pub use file::File;
pub(crate) use print::HEADER;

use emitter::{Proposal, cfg};
use file::{checked, file, table_file};
use imports::{idents, used};
use scope::{Item, Scope};
