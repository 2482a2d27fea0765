//! [`IconPolicy`]: which icons are loaded.

use super::data;
use super::error::IconError;
use super::format::{ImageFormat, is_generic, normalized};
use super::image::Image;
use super::pixels::pixels;
use mcp_fetch::{Origin, host_name};

/// Which icons are loaded, and which websites are trusted.
///
/// By default, `data:` URIs are allowed, and `https` URLs at the origin of the server. Icons can
/// have 1 MiB and 4096 pixels on each side. SVG is not allowed.
#[derive(Clone, Debug)]
#[must_use = "a policy does nothing until something is loaded with it"]
pub struct IconPolicy {
    pub(super) hosts: Vec<String>,
    pub(super) bytes: usize,
    pixels: u32,
    pub(super) svg: bool,
}

impl IconPolicy {
    /// Creates the default policy.
    pub fn new() -> Self {
        Self {
            hosts: Vec::new(),
            bytes: 1 << 20,
            pixels: 4096,
            svg: false,
        }
    }

    /// Allows icons and websites of a host, by its name. Its address must be public, unless the
    /// [`FetchPolicy`](mcp_fetch::FetchPolicy) allows others.
    pub fn allow_host(mut self, host: impl AsRef<str>) -> Self {
        self.hosts.push(host_name(host.as_ref()));
        self
    }

    /// Sets the maximum size in bytes: 1 MiB by default.
    pub fn size(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets the maximum width and height in pixels: 4096 by default. They are read from the header
    /// of the image, so the program does not decode larger images. SVG has no size in pixels.
    pub fn pixels(mut self, side: u32) -> Self {
        self.pixels = side;
        self
    }

    /// Sets whether SVG is allowed. SVG documents can contain scripts and load other documents; a
    /// program that displays them must prevent both. `false` by default.
    pub fn allow_svg(mut self, allow: bool) -> Self {
        self.svg = allow;
        self
    }

    /// Fails unless a URL is `https`, and at the origin of the server or at an allowed host.
    pub(super) fn check_url(&self, url: &str, server: Option<&str>) -> Result<(), IconError> {
        let origin = Origin::secure(url)?;
        if self.trusts(&origin, server) {
            return Ok(());
        }
        let origin = origin.to_string();
        Err(IconError::Origin { origin })
    }

    pub(super) fn trusts(&self, origin: &Origin, server: Option<&str>) -> bool {
        let own = server.and_then(|server| Origin::parse(server).ok());
        own.as_ref() == Some(origin) || origin.is_among(&self.hosts)
    }

    /// Returns the image in a `data:` URI; `None` for other URIs.
    pub(super) fn embedded(
        &self,
        uri: &str,
        declared: Option<&str>,
    ) -> Result<Option<Image>, IconError> {
        let Some(rest) = data::strip_scheme(uri) else {
            return Ok(None);
        };
        let data = data::decode(rest, self.bytes)?;
        self.image(data.bytes, [Some(data.media_type.as_str()), declared])
            .map(Some)
    }

    /// Checks the bytes of an image against the declared media types and this policy. Their number
    /// is checked while they are received.
    pub(super) fn image(
        &self,
        bytes: Vec<u8>,
        media_types: [Option<&str>; 2],
    ) -> Result<Image, IconError> {
        let format = ImageFormat::of(&bytes).ok_or(IconError::Unknown)?;
        for media_type in media_types.into_iter().flatten() {
            let declared = normalized(media_type);
            if !is_generic(&declared) && declared != format.media_type() {
                return Err(IconError::Type {
                    declared: media_type.chars().take(SHOWN).collect(),
                    found: format,
                });
            }
        }
        if format == ImageFormat::Svg {
            return if self.svg {
                Ok(Image { format, bytes })
            } else {
                Err(IconError::Svg)
            };
        }
        let found = pixels(format, &bytes).filter(|(width, height)| *width > 0 && *height > 0);
        let (width, height) = found.ok_or(IconError::Broken(format))?;
        let limit = self.pixels;
        if width > limit || height > limit {
            return Err(IconError::Pixels {
                width,
                height,
                limit,
            });
        }
        Ok(Image { format, bytes })
    }
}

/// The maximum number of characters of a media type in an error.
const SHOWN: usize = 64;

impl Default for IconPolicy {
    fn default() -> Self {
        Self::new()
    }
}
