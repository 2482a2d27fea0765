//! Conversions and comparisons of [`Value`] with standard Rust types and with `serde_json`.

use super::{Number, Object, Value};

macro_rules! from_number {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Value {
            #[inline]
            fn from(value: $integer) -> Self {
                Self::Number(value.into())
            }
        }

        impl PartialEq<$integer> for Value {
            #[inline]
            fn eq(&self, other: &$integer) -> bool {
                self.as_number().is_some_and(|number| number == other)
            }
        }
    )*};
}

from_number!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! from_variant {
    ($($source:ty => $variant:ident,)*) => {$(
        impl From<$source> for Value {
            #[inline]
            fn from(value: $source) -> Self {
                Self::$variant(value.into())
            }
        }
    )*};
}

from_variant! {
    bool => Bool,
    f64 => Number,
    Number => Number,
    serde_json::Number => Number,
    String => String,
    &str => String,
    std::borrow::Cow<'_, str> => String,
    Object => Object,
}

impl From<()> for Value {
    #[inline]
    fn from((): ()) -> Self {
        Self::Null
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    #[inline]
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Value>> From<Vec<T>> for Value {
    #[inline]
    fn from(elements: Vec<T>) -> Self {
        elements.into_iter().collect()
    }
}

impl<T: Into<Value>, const N: usize> From<[T; N]> for Value {
    #[inline]
    fn from(elements: [T; N]) -> Self {
        elements.into_iter().collect()
    }
}

impl<T: Into<Value>> FromIterator<T> for Value {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::Array(elements.into_iter().map(Into::into).collect())
    }
}

impl From<serde_json::Value> for Value {
    /// Converts without loss. Members have the order that `serde_json` kept, which is alphabetical
    /// by default.
    #[inline]
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(value),
            serde_json::Value::Number(number) => number.into(),
            serde_json::Value::String(text) => Self::String(text),
            serde_json::Value::Array(elements) => elements.into_iter().collect(),
            serde_json::Value::Object(object) => Self::Object(object.into()),
        }
    }
}

impl From<serde_json::Map<String, serde_json::Value>> for Object {
    #[inline]
    fn from(map: serde_json::Map<String, serde_json::Value>) -> Self {
        let mut object = Self::with_capacity(map.len());
        for (name, value) in map {
            object.push(&name, value.into());
        }
        object
    }
}

impl From<Value> for serde_json::Value {
    /// Converts without loss, except for the order of members unless `serde_json/preserve_order` is
    /// enabled.
    #[inline]
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(value) => Self::Bool(value),
            Value::Number(number) => number.into(),
            Value::String(text) => Self::String(text),
            Value::Array(elements) => elements.into_iter().map(Self::from).collect(),
            Value::Object(object) => Self::Object(object.into()),
        }
    }
}

impl From<Object> for serde_json::Map<String, serde_json::Value> {
    #[inline]
    fn from(object: Object) -> Self {
        // A plain loop: `collect` would sort the members first, which adds a lot of code.
        let mut map = Self::new();
        for (name, value) in object {
            map.insert(name, value.into());
        }
        map
    }
}

impl PartialEq<serde_json::Value> for Value {
    #[inline]
    fn eq(&self, other: &serde_json::Value) -> bool {
        match (self, other) {
            (Self::Null, serde_json::Value::Null) => true,
            (Self::Bool(a), serde_json::Value::Bool(b)) => a == b,
            (Self::Number(a), serde_json::Value::Number(b)) => a.as_json() == Some(b),
            (Self::String(a), serde_json::Value::String(b)) => a == b,
            (Self::Array(a), serde_json::Value::Array(b)) => a == b,
            (Self::Object(a), serde_json::Value::Object(b)) => a == b,
            _ => false,
        }
    }
}

impl PartialEq<Value> for serde_json::Value {
    #[inline]
    fn eq(&self, other: &Value) -> bool {
        other == self
    }
}

impl PartialEq<serde_json::Map<String, serde_json::Value>> for Object {
    #[inline]
    fn eq(&self, other: &serde_json::Map<String, serde_json::Value>) -> bool {
        self.len() == other.len()
            && self
                .iter()
                .all(|(name, a)| other.get(name).is_some_and(|b| a == b))
    }
}

impl PartialEq<str> for Value {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Value {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<bool> for Value {
    #[inline]
    fn eq(&self, other: &bool) -> bool {
        self.as_bool() == Some(*other)
    }
}

impl PartialEq<f64> for Value {
    #[inline]
    fn eq(&self, other: &f64) -> bool {
        self.as_f64() == Some(*other)
    }
}
