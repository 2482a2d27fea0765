//! [`Container`]: the elements or members of an array or an object.

use serde::ser::{
    Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant, SerializeTuple,
    SerializeTupleStruct, SerializeTupleVariant,
};
use serde_json::{Error, Result};

use super::name::{Name, RawText};
use super::output::Output;

/// An array or an object that was begun.
pub(super) struct Container<'o, 'a> {
    output: &'o mut Output<'a>,
    is_first: bool,
    /// `true` if its only field is text that is JSON already.
    is_raw: bool,
}

impl<'o, 'a> Container<'o, 'a> {
    #[inline]
    pub(super) fn new(output: &'o mut Output<'a>) -> Self {
        Self {
            output,
            is_first: true,
            is_raw: false,
        }
    }

    /// A struct whose only field is text that is JSON already.
    pub(super) fn raw(output: &'o mut Output<'a>) -> Self {
        Self {
            is_raw: true,
            ..Self::new(output)
        }
    }

    #[inline]
    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        if !self.is_first {
            self.output.buffer.push(b',');
        }
        self.is_first = false;
        value.serialize(&mut *self.output)
    }

    #[inline]
    fn field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<()> {
        if self.is_raw {
            return value.serialize(RawText(self.output));
        }
        self.output.name(name, self.is_first);
        self.is_first = false;
        value.serialize(&mut *self.output)
    }

    fn end_object(self) {
        if !self.is_raw {
            self.output.close_object();
        }
    }
}

impl SerializeMap for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<()> {
        let is_first = std::mem::replace(&mut self.is_first, false);
        key.serialize(Name {
            output: &mut *self.output,
            is_first,
        })
    }

    #[inline]
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        value.serialize(&mut *self.output)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.end_object();
        Ok(())
    }
}

impl SerializeStruct for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }

    #[inline]
    fn end(self) -> Result<()> {
        self.end_object();
        Ok(())
    }
}

impl SerializeStructVariant for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<()> {
        self.field(name, value)
    }

    fn end(self) -> Result<()> {
        self.output.close_object();
        self.output.close_object();
        Ok(())
    }
}

/// Implements a trait for arrays.
macro_rules! array {
    ($($trait:ident $method:ident)*) => {$(
        impl $trait for Container<'_, '_> {
            type Ok = ();
            type Error = Error;

            #[inline]
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
                self.element(value)
            }

            #[inline]
            fn end(self) -> Result<()> {
                self.output.close_array();
                Ok(())
            }
        }
    )*};
}

array! {
    SerializeSeq serialize_element
    SerializeTuple serialize_element
    SerializeTupleStruct serialize_field
}

impl SerializeTupleVariant for Container<'_, '_> {
    type Ok = ();
    type Error = Error;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<()> {
        self.element(value)
    }

    fn end(self) -> Result<()> {
        self.output.close_array();
        self.output.close_object();
        Ok(())
    }
}
