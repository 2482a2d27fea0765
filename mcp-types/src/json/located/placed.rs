//! [`Placed`]: an error of another crate's deserializer, with a path of its own.

use std::fmt;

use serde::de::{Error, Expected, Unexpected};

use super::super::super::error::{Parts, Path};
use super::Trail;

/// An error that is raised while members or elements are read.
// Boxed, so that results stay small when decoding succeeds.
pub(super) struct Placed<E>(Box<(E, Path)>);

impl<E> Placed<E> {
    /// Moves the path into the trail and returns the error of the other crate.
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
        // Formats use different descriptions for a unit.
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
