//! The macro for the merged struct of a union.

/// Defines a struct with the members of all structs in a union; see [`Merged`](super::super::Merged).
///
/// ```text
/// codec::merged_codec! {
///     ResponseMembers: Response = "Response";
///     0 "version" text("2.0");
///     1 "id" some id: Id;
///     2 "result" some result: Value;
///     3 "error" some error: Error;
///     variants {
///         ResultResponse { id, result } {} => plain Result;
///         ErrorResponse { error } { id } => plain Error;
///     }
/// }
/// ```
///
/// `variants` has the struct of each variant in the order in which they are tried, with its required and
/// its optional fields, and the variant's name in the notation of [`union_codec`](super::union_codec).
macro_rules! merged_codec {
    (
        $merged:ident: $union:ident = $name:literal;
        $($at:literal $json:literal $kind:ident $(($argument:expr))? $($field:ident: $type:ty)?;)*
        variants {
            $(
                $struct:ident { $($required:ident),* } { $($optional:ident),* }
                => $hold:ident $variant:ident
                $(> $inner:ident $inner_hold:ident $inner_variant:ident)*;
            )*
        }
    ) => {
        struct $merged {
            $($($field: Option<$type>,)?)*
            extra: codec::Extra,
        }

        impl codec::Vacant for $merged {
            const VACANT: Self = Self {
                $($($field: None,)?)*
                extra: codec::Extra::new(),
            };
        }

        impl<'de> codec::FromMembers<'de> for $merged {
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
                    _ => reader.extra(&mut self.extra),
                }
            }
        }

        impl codec::Merged<'_> for $merged {
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
                            $($required: self.$required?,)*
                            $($optional: self.$optional,)*
                            extra: self.extra,
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
