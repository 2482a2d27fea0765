//! Generates all sources from the contents of `schema/`.

mod annotations;
mod corrected;
mod documents;
mod examples;
mod export;
mod files;
mod generate;
mod report;
mod standalone;
mod unused_hints;

pub use generate::{Output, Project, ProjectError, Source, Summary};
pub use report::{Adoption, Report};
pub use standalone::{Standalone, StandaloneOptions};
pub use unused_hints::{HintTarget, UnusedHint};
