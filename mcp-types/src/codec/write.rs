//! Writing objects: member by member, and the fault at the end.

use super::Extra;
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::fmt;

/// An object on its way to any serializer.
///
/// After a fault nothing more is written, and the end tells of it: generated types have a call for
/// each member, and no way out after each.
pub struct Writing<M: SerializeMap>(Result<M, M::Error>);

impl<M: SerializeMap> Writing<M> {
    /// Begins an object.
    pub fn object<S>(serializer: S) -> Self
    where
        S: Serializer<SerializeMap = M, Ok = M::Ok, Error = M::Error>,
    {
        Self(serializer.serialize_map(None))
    }

    /// Writes a member.
    pub fn member<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) {
        if let Ok(map) = &mut self.0
            && let Err(error) = map.serialize_entry(name, value)
        {
            self.fail(error);
        }
    }

    /// Writes a member if it is there.
    pub fn optional<T: Serialize>(&mut self, name: &'static str, value: &Option<T>) {
        if let Some(value) = value {
            self.member(name, value);
        }
    }

    /// Takes note of a value that must not be written.
    pub fn check(&mut self, checked: Result<(), M::Error>) {
        if let (Ok(_), Err(error)) = (&self.0, checked) {
            self.fail(error);
        }
    }

    #[cold]
    fn fail(&mut self, error: M::Error) {
        self.0 = Err(error);
    }

    /// Ends an object that allows no other members.
    ///
    /// # Errors
    ///
    /// The first fault.
    pub fn end(self) -> Result<M::Ok, M::Error> {
        self.0?.end()
    }

    /// Ends an object with the members that its type does not declare.
    ///
    /// # Errors
    ///
    /// The first fault, or that one of them has the name of a declared one.
    pub fn end_with(self, extra: &Extra, known: &[&str]) -> Result<M::Ok, M::Error> {
        let mut map = self.0?;
        extra.write(&mut map, known)?;
        map.end()
    }
}

impl<M: SerializeMap> fmt::Debug for Writing<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writing").finish_non_exhaustive()
    }
}
