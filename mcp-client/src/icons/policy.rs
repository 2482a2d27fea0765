//! [`IconPolicy`]: which icons are shown.

use super::data;
use super::error::IconError;
use super::format::{ImageFormat, is_generic, normal};
use super::image::Image;
use super::pixels::pixels;
use crate::util::origin::{self, Origin};

/// Which icons are loaded and shown, and which websites are trusted.
///
/// By default: `data:`, and `https` at the origin of the server, as far as the server has one; at
/// most 1 MiB and 4096 pixels on a side; no SVG.
#[derive(Clone, Debug)]
#[must_use = "a policy does nothing until something is loaded by it"]
pub struct IconPolicy {
    pub(super) hosts: Vec<String>,
    pub(super) bytes: usize,
    pixels: u32,
    pub(super) svg: bool,
}

impl IconPolicy {
    /// The default policy.
    pub fn new() -> Self {
        Self {
            hosts: Vec::new(),
            bytes: 1 << 20,
            pixels: 4096,
            svg: false,
        }
    }

    /// Trusts a host, by its name: icons may lie there, and websites. That it is on the public
    /// internet is asked of it all the same; that is a matter of
    /// [`FetchPolicy`](crate::ClientBuilder).
    pub fn allow_host(mut self, host: impl AsRef<str>) -> Self {
        self.hosts.push(origin::host(host.as_ref()));
        self
    }

    /// As many bytes at most: 1 MiB by default.
    pub fn size(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// As many pixels at most, on each side: 4096 by default. What an image says of its size is
    /// looked at before anybody makes room for it. SVG has no pixels.
    pub fn pixels(mut self, side: u32) -> Self {
        self.pixels = side;
        self
    }

    /// Whether SVG will do: a document that can hold scripts, and refer to what it wants to be
    /// loaded. Whoever shows one has to keep it from both. `false` by default.
    pub fn allow_svg(mut self, allow: bool) -> Self {
        self.svg = allow;
        self
    }

    /// Whether a URL may be loaded for a server at another one: that it is `https`, and where it
    /// lies.
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

    /// The image that a `data:` URI holds, if it is one; `None` for other URIs.
    pub(super) fn embedded(
        &self,
        uri: &str,
        said: Option<&str>,
    ) -> Result<Option<Image>, IconError> {
        let Some(rest) = data::behind_scheme(uri) else {
            return Ok(None);
        };
        let data = data::decode(rest, self.bytes)?;
        self.image(data.bytes, [Some(data.media_type.as_str()), said])
            .map(Some)
    }

    /// Holds bytes to what they are said to be, and to this policy. That they are not too many was
    /// seen to when they came.
    pub(super) fn image(
        &self,
        bytes: Vec<u8>,
        said: [Option<&str>; 2],
    ) -> Result<Image, IconError> {
        let format = ImageFormat::of(&bytes).ok_or(IconError::Unknown)?;
        for said in said.into_iter().flatten() {
            let declared = normal(said);
            if !is_generic(&declared) && declared != format.media_type() {
                return Err(IconError::Type {
                    declared: said.chars().take(SHOWN).collect(),
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
        let (width, height) = pixels(format, &bytes).ok_or(IconError::Broken(format))?;
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

/// As many characters of a media type are shown.
const SHOWN: usize = 64;

impl Default for IconPolicy {
    fn default() -> Self {
        Self::new()
    }
}
