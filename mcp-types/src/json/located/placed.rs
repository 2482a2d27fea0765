//! [`Placed`]: an error of another crate's deserializer, and the path that it has by itself.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use super::super::super::error::{Parts, Path};
use super::Trail;

/// An error raised while members or elements are read.
// Boxed, so that results stay small on the way that works.
pub(super) struct Placed<E>(Box<(E, Path)>);

impl<E> Placed<E> {
    /// Puts the path into the trail, and gives the error of the other crate, which goes on.
    #[cold]
    pub(super) fn leave(self, trail: &mut Trail<'_>) -> E {
        let (error, path) = *self.0;
        trail.within(path);
        error
    }
}

impl<E> From<E> for Placed<E> {
    #[cold]
    fn from(error: E) -> Self {
        Self(Box::new((error, Path::root())))
    }
}

impl<E: Error> Error for Placed<E> {
    #[cold]
    fn custom<T: fmt::Display>(message: T) -> Self {
        let (message, path) = Parts::of(&message);
        Self(Box::new((E::custom(message), path)))
    }

    #[cold]
    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        // Formats differ in what they call a unit.
        E::invalid_type(unexpected, expected).into()
    }
}

impl<E: fmt::Display> fmt::Display for Placed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

impl<E: fmt::Debug> fmt::Debug for Placed<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

impl<E: Error> std::error::Error for Placed<E> {}
