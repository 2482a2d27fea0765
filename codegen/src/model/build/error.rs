//! The errors of building a model.

/// The errors of building a model.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A keyword or combination for which the generator has no type.
    #[error("{file}#{pointer}: not supported: {what}")]
    Unsupported {
        /// The file.
        file: String,
        /// The position in the file.
        pointer: String,
        /// The unsupported feature.
        what: String,
    },
}
