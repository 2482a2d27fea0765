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

/// Expands to the place of a content that is stored by one of the functions.
macro_rules! place {
    (plain $content:expr) => {
        $content
    };
    (boxed $content:expr) => {
        &mut **$content
    };
}

pub(crate) use place;
