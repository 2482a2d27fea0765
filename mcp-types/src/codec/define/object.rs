//! The macros for structs.

/// Implements the constructor, the setters, the decoder and the encoder of a struct.
///
/// ```text
/// codec::object_codec! {
///     Annotations = "Annotations", extra(extra);
///     new();
///     0 "audience" optional_list audience = some(impl Into<Vec<Role>>);
///     1 "priority" optional_number(0.0..=1.0) priority = some(impl Into<Number>);
/// }
/// ```
///
/// * The first line has the type, its name in the schema, and what happens to members that it does
///   not declare: they are stored in a field (`extra(field)`) or rejected (`unknown`). With `exact`, `null` is
///   no value of an optional member whose type does not have it; otherwise it stands for an absent one.
///   `where checked(LIST)` names the [checks](super::super::Check) of the type.
/// * `new(field: how(Type), ...)` lists the parameters of the constructor, and `default(field =
///   value, ...)` the fields that it sets to a value. All other fields are absent.
/// * Each other line is a member: its number, its name, its [kind](super::super::need) with arguments, its
///   field, and the parameter of its setter. `@kept` stands before a field that is an `Option` although the member
///   is required, see [`kept`](super::super::kept). A constant has no field, and a member that is a
///   parameter of the constructor has no setter. The documentation of a line is that of the setter.
///
/// `how` is the function of [`fill`](super::super::fill) that makes the field's value of a parameter. The
/// kind is the name of a method of [`Reader`](super::super::Reader), of [`Writer`](super::super::Writer) and of a
/// constant in [`need`](super::super::need).
macro_rules! object_codec {
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, $rest:ident $(($extra:ident))? $(, $exact:ident)?
            $(where checked($checks:path))?;
        $(#[$constructor:meta])*
        new($($parameter:ident: $fill:ident($parameter_type:ty)),* $(,)?);
        $(default($($preset:ident = $value:expr),* $(,)?);)?
        $(
            $(#[$when:meta])*
            $at:literal $json:literal $kind:ident $(($($argument:expr),+))?
            $($(@ $kept:ident)? $field:ident $(= $how:ident($setter_type:ty))?)?;
        )*
    ) => {
        $(#[$cfg])*
        impl $type {
            #[doc = concat!("Creates a value of `", stringify!($type), "` from its required fields. The others are absent.")]
            $(#[$constructor])*
            #[must_use]
            pub fn new($($parameter: $parameter_type),*) -> Self {
                Self {
                    $($parameter: codec::fill::$fill($parameter),)*
                    $($($preset: $value,)*)?
                    ..<Self as codec::Decode>::vacant()
                }
            }

            $(codec::setter! { $(#[$when])* $json $($field $(= $how($setter_type))?)? })*
        }

        $(#[$cfg])*
        impl codec::Decode for $type {
            #[allow(unused_doc_comments, reason = "a row has the documentation of its setter")]
            fn vacant() -> Self {
                Self {
                    $($(#[$when])* $($field: codec::Decode::vacant(),)?)*
                    $($extra: codec::Extra::new(),)?
                }
            }

            fn decode(&mut self, text: &mut codec::Text<'_>) -> Result<(), codec::DecodeError> {
                codec::checked!(text $(, $checks)?; |text| codec::read_object(self, text))
            }
        }

        $(#[$cfg])*
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                codec::deserialize(deserializer)
            }
        }

        $(#[$cfg])*
        impl codec::FromMembers for $type {
            #[allow(unused_doc_comments, reason = "a row has the documentation of its setter")]
            const TABLE: codec::Table = codec::Table::new(
                $name,
                &[$($(#[$when])* codec::Declared::new($at, $json, codec::need::$kind)),*],
                &[$($(#[$when])* $json),*],
            )
            $(.$exact())?;

            #[allow(unused_doc_comments, reason = "a row has the documentation of its setter")]
            fn read_member(
                &mut self,
                at: u16,
                reader: &mut codec::Reader<'_, '_>,
            ) -> Result<(), codec::DecodeError> {
                match at {
                    $(
                        $(#[$when])*
                        $at => reader.$kind(
                            $($(codec::$kept::place)? (&mut self.$field),)?
                            $($($argument),+)?
                        ),
                    )*
                    _ => reader.$rest($(&mut self.$extra)?),
                }
            }
        }

        $(#[$cfg])*
        impl serde::Serialize for $type {
            #[allow(unused_doc_comments, reason = "a row has the documentation of its setter")]
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut writer = codec::Writer::new(serializer);
                $($(#[$when])* writer.$kind(
                    $json,
                    $(&*$(codec::$kept::value)? (&self.$field),)?
                    $($($argument),+)?
                );)*
                $(writer.extra(&self.$extra, &<Self as codec::FromMembers>::TABLE);)?
                writer.end()
            }
        }
    };
}

/// Implements the setter of a member, if it has one.
macro_rules! setter {
    ($(#[$when:meta])* $json:literal) => {};
    ($(#[$when:meta])* $json:literal $field:ident) => {};
    ($(#[$when:meta])* $json:literal $field:ident = $how:ident($type:ty)) => {
        #[doc = concat!("Sets `", $json, "`.\n")]
        $(#[$when])*
        #[inline]
        #[must_use]
        pub fn $field(mut self, $field: $type) -> Self {
            self.$field = codec::fill::$how($field);
            self
        }
    };
}

/// Implements `Default` for a struct whose constructor has no parameters and sets values.
macro_rules! default_codec {
    ($(#[$cfg:meta])* $type:ident) => {
        $(#[$cfg])*
        impl Default for $type {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}

pub(crate) use {default_codec, object_codec, setter};
