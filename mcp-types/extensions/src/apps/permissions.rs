//! [`UiResourcePermissions`]: what an app may use of the browser.

use mcp_types::json::{Object, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The permissions that an app asks the host for. A host need not grant them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each permission is asked for or not"
)]
#[non_exhaustive]
pub struct UiResourcePermissions {
    /// Use of the camera.
    #[serde(with = "asked", skip_serializing_if = "is_not")]
    pub camera: bool,
    /// Use of the microphone.
    #[serde(with = "asked", skip_serializing_if = "is_not")]
    pub microphone: bool,
    /// The position of the device.
    #[serde(with = "asked", skip_serializing_if = "is_not")]
    pub geolocation: bool,
    /// Writing to the clipboard.
    #[serde(with = "asked", skip_serializing_if = "is_not")]
    pub clipboard_write: bool,
}

impl UiResourcePermissions {
    /// Creates a value that asks for nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks for the camera.
    #[must_use]
    pub fn camera(mut self) -> Self {
        self.camera = true;
        self
    }

    /// Asks for the microphone.
    #[must_use]
    pub fn microphone(mut self) -> Self {
        self.microphone = true;
        self
    }

    /// Asks for the position of the device.
    #[must_use]
    pub fn geolocation(mut self) -> Self {
        self.geolocation = true;
        self
    }

    /// Asks to write to the clipboard.
    #[must_use]
    pub fn clipboard_write(mut self) -> Self {
        self.clipboard_write = true;
        self
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
fn is_not(asked: &bool) -> bool {
    !asked
}

/// A permission is asked for with an empty object.
mod asked {
    use super::*;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires it")]
    pub(super) fn serialize<S: Serializer>(_: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        Object::new().serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<bool, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Ok(value.as_object().is_some())
    }
}
