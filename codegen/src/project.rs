//! Generates all sources from the contents of `schema/`.

mod annotations;
mod corrected;
mod examples;
mod generate;
mod report;
mod standalone;
mod unknown_hints;

pub use generate::{Output, Project, ProjectError, Source, Summary};
pub use report::{Adoption, Report};
pub use standalone::{Standalone, StandaloneOptions};
pub use unknown_hints::{HintTarget, UnknownHint};
