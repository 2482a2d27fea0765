//! Functions that store the content of a variant, by name for the tables of generated files.

/// The content itself.
#[inline]
pub fn plain<T>(content: T) -> T {
    content
}

/// The content in a box.
#[inline]
pub fn boxed<T>(content: T) -> Box<T> {
    Box::new(content)
}
