//! The macro for string enumerations.

/// Implements the conversions of a string enumeration from and to text.
///
/// ```text
/// codec::text_codec! {
///     Role = "Role", closed;
///     User = "user";
///     Assistant = "assistant";
/// }
/// ```
///
/// An `open(Other)` enumeration has a variant for the texts that it does not declare.
macro_rules! text_codec {
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, closed $(where checked($checks:path))?;
        $first:ident = $first_text:literal; $($variant:ident = $text:literal;)*
    ) => {
        codec::text_codec! {
            @common $(#[$cfg])* $type = $name $([$checks])?; $first; $first = $first_text; $($variant = $text;)*
        }

        $(#[$cfg])*
        impl codec::FromText for $type {
            const VALUES: &'static [&'static str] = &[$first_text, $($text),*];

            #[inline]
            fn from_text(text: &str) -> Option<Self> {
                Some(match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    _ => return None,
                })
            }
        }

        $(#[$cfg])*
        impl std::str::FromStr for $type {
            type Err = codec::UnknownValue;

            #[inline]
            fn from_str(text: &str) -> Result<Self, codec::UnknownValue> {
                codec::parse_text(text)
            }
        }
    };
    (
        $(#[$cfg:meta])*
        $type:ident = $name:literal, open($other:ident) $(where checked($checks:path))?;
        $first:ident = $first_text:literal; $($variant:ident = $text:literal;)*
    ) => {
        codec::text_codec! {
            @common $(#[$cfg])* $type = $name $([$checks])?, $other;
            $first; $first = $first_text; $($variant = $text;)*
        }

        $(#[$cfg])*
        impl codec::FromText for $type {
            const VALUES: &'static [&'static str] = &[$first_text, $($text),*];

            #[inline]
            fn from_text(text: &str) -> Option<Self> {
                Some(Self::from(text))
            }
        }

        $(#[$cfg])*
        impl From<&str> for $type {
            #[inline]
            fn from(text: &str) -> Self {
                match text {
                    $first_text => Self::$first,
                    $($text => Self::$variant,)*
                    other => Self::$other(codec::FromText::other(other)),
                }
            }
        }

        $(#[$cfg])*
        impl From<String> for $type {
            #[inline]
            fn from(text: String) -> Self {
                Self::from(text.as_str())
            }
        }
    };
    (
        @common $(#[$cfg:meta])* $type:ident = $name:literal $([$checks:path])? $(, $other:ident)?;
        $first:ident; $($variant:ident = $text:literal;)*
    ) => {
        $(#[$cfg])*
        impl $type {
            /// Returns the value as it is written in messages.
            #[must_use]
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    $(Self::$other(text) => text.as_str(),)?
                }
            }
        }

        $(#[$cfg])*
        impl codec::Decode for $type {
            fn vacant() -> Self {
                Self::$first
            }

            fn decode(&mut self, text: &mut codec::Text<'_>) -> Result<(), codec::DecodeError> {
                codec::checked!(text $(, $checks)?; |text| {
                    *self = codec::read_text_enum(text, $name)?;
                    Ok(())
                })
            }
        }

        $(#[$cfg])*
        impl std::fmt::Display for $type {
            #[inline]
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.pad(self.as_str())
            }
        }

        $(#[$cfg])*
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        $(#[$cfg])*
        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                codec::deserialize(deserializer)
            }
        }
    };
}

pub(crate) use text_codec;
