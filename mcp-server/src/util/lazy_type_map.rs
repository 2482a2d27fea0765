//! [`LazyTypeMap`]: one value of each type, created on first use.

use std::any::Any;
use std::sync::OnceLock;

/// Values by type. Meant for a handful of values: lookups compare each of them.
#[derive(Default)]
pub(crate) struct LazyTypeMap(OnceLock<Box<Entry>>);

struct Entry {
    value: Box<dyn Any + Send + Sync>,
    rest: LazyTypeMap,
}

impl LazyTypeMap {
    /// Returns the value of a type. The first call creates it.
    pub(crate) fn get<T: Default + Send + Sync + 'static>(&self) -> &T {
        let mut map = self;
        loop {
            let entry = map.0.get_or_init(|| {
                let (value, rest) = (Box::new(T::default()), Self::default());
                Box::new(Entry { value, rest })
            });
            match entry.value.downcast_ref() {
                Some(value) => return value,
                None => map = &entry.rest,
            }
        }
    }

    /// Changes the value of a type.
    pub(crate) fn change<T: Default + Send + Sync + 'static>(
        &mut self,
        change: impl FnOnce(&mut T),
    ) {
        self.get::<T>();
        if let Some(entry) = self.0.get_mut() {
            match entry.value.downcast_mut() {
                Some(value) => change(value),
                None => entry.rest.change(change),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LazyTypeMap;

    #[test]
    fn each_type_has_one_value() {
        let mut map = LazyTypeMap::default();
        assert_eq!(*map.get::<u8>(), 0);
        map.change::<String>(|text| text.push('a'));
        map.change::<u8>(|number| *number += 1);
        map.change::<String>(|text| text.push('b'));
        assert_eq!((*map.get::<u8>(), map.get::<String>().as_str()), (1, "ab"));
    }
}
