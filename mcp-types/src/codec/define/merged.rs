//! The macro for the merged struct of a union.

/// Defines a struct with the members of all structs in a union; see [`Merged`](super::super::Merged).
///
/// ```text
/// codec::merged_codec! {
///     MessageMembers: Message = "Message";
///     0 "version" text("2.0");
///     1 "id" some id: Id;
///     2 "name" some name: String;
///     3 "params" later params: codec::Later<'de>;
///     variants {
///         Request { some id, some name } { later params } => plain Request;
///         Notification { some name } { later params } => plain Notification;
///     }
/// }
/// ```
///
/// * Each line in the middle is a member, as in [`object_codec`](super::object_codec), with the type of its
///   field. The kind `later` is for a member whose type differs between the variants.
/// * `variants` has the struct of each variant in the order in which they are tried: the kinds and the names
///   of its required and of its optional fields, and the variant's name in the notation of
///   [`union_codec`](super::union_codec).
macro_rules! merged_codec {
    (
        $merged:ident: $union:ident = $name:literal;
        $($at:literal $json:literal $kind:ident $(($argument:expr))? $($field:ident: $type:ty)?;)*
        variants {
            $(
                $struct:ident
                { $($required_kind:ident $required:ident),* }
                { $($optional_kind:ident $optional:ident),* }
                => $hold:ident $variant:ident
                $(> $inner:ident $inner_hold:ident $inner_variant:ident)*;
            )*
        }
    ) => {
        struct $merged<'de> {
            $($($field: Option<$type>,)?)*
            extra: codec::merged::Undeclared<'de>,
        }

        impl codec::Vacant for $merged<'_> {
            const VACANT: Self = Self {
                $($($field: None,)?)*
                extra: codec::merged::Undeclared::NONE,
            };
        }

        impl<'de> codec::FromMembers<'de> for $merged<'de> {
            const TABLE: codec::Table = codec::Table::new(
                $name,
                &[$(codec::Declared::new($at, $json, codec::need::$kind)),*],
                &[$($json),*],
            );

            fn read_member<A: serde::de::MapAccess<'de>>(
                &mut self,
                at: u8,
                reader: &mut codec::Reader<'_, 'de, A>,
            ) -> Result<(), A::Error> {
                match at {
                    $($at => reader.$kind($(&mut self.$field)? $($argument)?),)*
                    _ => reader.extra(&mut self.extra.members),
                }
            }
        }

        impl<'de> codec::Merged<'de> for $merged<'de> {
            type Union = $union;

            fn into_union(self) -> Option<$union> {
                let present = 0 $($(+ u8::from(self.$field.is_some()))?)*;
                $(
                    if true $(&& self.$required.is_some())* {
                        let declared = 0
                            $(+ u8::from(self.$required.is_some()))*
                            $(+ u8::from(self.$optional.is_some()))*;
                        if declared != present {
                            return None;
                        }
                        let content = $struct {
                            $($required: codec::merged::$required_kind(self.$required)??,)*
                            $($optional: codec::merged::$optional_kind(self.$optional)?,)*
                            extra: self.extra.members,
                        };
                        return Some(codec::hold_variant!(
                            content, $union $hold $variant
                            $(> $inner $inner_hold $inner_variant)*
                        ));
                    }
                )*
                None
            }
        }
    };
}

/// Stores the content of a variant. `A hold Variant > B hold Inner` stands for a variant of `A` that
/// contains a union `B`.
macro_rules! hold_variant {
    ($content:ident, $union:ident $hold:ident $variant:ident) => {
        $union::$variant(codec::hold::$hold($content))
    };
    ($content:ident, $union:ident $hold:ident $variant:ident > $inner:ident $($rest:tt)*) => {
        $union::$variant(codec::hold::$hold(
            codec::hold_variant!($content, $inner $($rest)*)
        ))
    };
}

pub(crate) use {hold_variant, merged_codec};
