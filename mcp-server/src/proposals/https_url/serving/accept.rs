//! Content negotiation (RFC 9110, 12.5.1): the representation that a request prefers.

use http::HeaderMap;
use http::header::ACCEPT;
use mcp_types::{AnyResourceContents, Resource};

/// The maximum number of media ranges that are looked at. Browsers send about ten.
const RANGES: usize = 64;

/// The media ranges of the header `Accept`. Without any, every media type is acceptable.
pub(crate) struct Accept<'a>(Vec<MediaRange<'a>>);

struct MediaRange<'a> {
    /// The type and the subtype, each of them possibly `*`.
    essence: &'a str,
    /// The parameters before the weight.
    parameters: Vec<&'a str>,
    /// The weight `q`, in thousandths.
    quality: u16,
}

/// The contents to serve.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ChosenForm {
    pub(crate) index: usize,
    /// `false` if the client prefers another representation than the server.
    pub(crate) is_preferred: bool,
}

impl<'a> Accept<'a> {
    /// Parses the header. Ranges that are not valid, and those behind the first [`RANGES`], are
    /// ignored.
    pub(crate) fn of(headers: &'a HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        let ranges = values.flat_map(|value| value.split(','));
        Self(ranges.take(RANGES).filter_map(MediaRange::parse).collect())
    }

    /// Returns `true` if the client prefers no other representation to the one that the server
    /// prefers. Then it is known before the resource is read which representation is served.
    pub(crate) fn accepts_preferred(&self, resource: &Resource) -> bool {
        let best = self.0.iter().map(|range| range.quality).max();
        best.is_none_or(|best| best == self.quality(resource.mime_type.as_deref()))
    }

    /// Chooses the contents that the client prefers, among those with the URI of the resource.
    /// Returns `None` if no contents have this URI.
    ///
    /// The media type of the resource decides if the client prefers several contents equally, and
    /// if it accepts none of them.
    pub(crate) fn choose(
        &self,
        resource: &Resource,
        contents: &[AnyResourceContents],
    ) -> Option<ChosenForm> {
        let mime_type = resource.mime_type.as_deref();
        let preferred = AnyResourceContents::preferred(contents, &resource.uri, mime_type)?;
        let mut chosen = ChosenForm {
            index: preferred,
            is_preferred: true,
        };
        if self.accepts_preferred(resource) {
            return Some(chosen);
        }
        let quality = |contents: &AnyResourceContents| self.quality(contents.mime_type());
        let mut best = contents.get(preferred).map_or(0, quality);
        let own = contents.iter().enumerate();
        for (index, contents) in own.filter(|(_, contents)| contents.uri() == resource.uri) {
            let quality = quality(contents);
            if quality > best {
                best = quality;
                chosen = ChosenForm {
                    index,
                    is_preferred: false,
                };
            }
        }
        Some(chosen)
    }

    /// Returns the weight of the most specific range that matches a media type; 0 if none matches.
    /// An unknown media type is only matched by `*/*`.
    fn quality(&self, media_type: Option<&str>) -> u16 {
        if self.0.is_empty() {
            return 1000;
        }
        let mut parts = media_type.unwrap_or_default().split(';').map(str::trim);
        let essence = parts.next().unwrap_or_default();
        let parameters: Vec<&str> = parts.collect();
        let matches = self.0.iter().filter_map(|range| {
            let specificity = range.specificity(essence, &parameters)?;
            Some((specificity, range.quality))
        });
        matches.max().map_or(0, |(_, quality)| quality)
    }
}

impl<'a> MediaRange<'a> {
    fn parse(text: &'a str) -> Option<Self> {
        let mut parts = text.split(';').map(str::trim);
        let essence = parts.next().filter(|essence| essence.contains('/'))?;
        let mut parameters = Vec::new();
        for part in parts {
            match part.split_once('=') {
                // What follows the weight is not part of the media type.
                Some((name, weight)) if name.trim_end().eq_ignore_ascii_case("q") => {
                    let quality = thousandths(weight.trim_start())?;
                    return Some(Self {
                        essence,
                        parameters,
                        quality,
                    });
                }
                _ => parameters.push(part),
            }
        }
        Some(Self {
            essence,
            parameters,
            quality: 1000,
        })
    }

    /// Returns how closely the range describes a media type; `None` if it does not match.
    fn specificity(&self, essence: &str, parameters: &[&str]) -> Option<usize> {
        let has = |wanted: &&str| {
            let mut own = parameters.iter();
            own.any(|own| own.eq_ignore_ascii_case(wanted))
        };
        if self.essence == "*/*" {
            return Some(0);
        }
        if let Some(kind) = self.essence.strip_suffix("/*") {
            let own = essence.split('/').next().unwrap_or_default();
            return own.eq_ignore_ascii_case(kind).then_some(1);
        }
        let same = self.essence.eq_ignore_ascii_case(essence);
        (same && self.parameters.iter().all(has)).then_some(2 + self.parameters.len())
    }
}

/// Parses a weight with up to three decimals.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, decimals) = weight.split_once('.').unwrap_or((weight, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !matches!(whole, "0" | "1") || decimals.len() > 3 || !is_number(decimals) {
        return None;
    }
    let thousandths = format!("{whole}{decimals:0<3}").parse().ok()?;
    Some(u16::min(thousandths, 1000))
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};
    use mcp_types::TextResourceContents;

    use super::*;

    fn headers(accept: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(ACCEPT, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn most_specific_range_decides_about_a_media_type() {
        for (accept, media_type, expected) in [
            (&[][..], Some("text/html"), 1000),
            (&[""], Some("text/html"), 1000),
            (&["*/*;q=0.5"], Some("text/html"), 500),
            (&["*/*;q=0.5"], None, 500),
            (&["text/html"], None, 0),
            (&["text/*;q=0.3, */*;q=0.1"], Some("Text/Html"), 300),
            (&["text/*;q=0.3", "text/html"], Some("text/html"), 1000),
            (&["text/html;q=0, */*"], Some("text/html"), 0),
            (
                &["text/html;level=1;q=0.4, text/html;q=0.7"],
                Some("text/html; level=1"),
                400,
            ),
            (
                &["text/html;level=1;q=0.4, text/html;q=0.7"],
                Some("text/html"),
                700,
            ),
            (&["text/html; charset=utf-8"], Some("text/html"), 0),
            (&["text/html ; Q = 0.125"], Some("text/html"), 125),
            // Ranges that are not valid are ignored.
            (&["text/html;q=2, */*;q=0.2"], Some("text/html"), 200),
            (&["text/html;q=0.1234, */*;q=0.2"], Some("text/html"), 200),
            (&["html, ;;, =, */*;q=0.2"], Some("text/html"), 200),
        ] {
            let headers = headers(accept);
            let quality = Accept::of(&headers).quality(media_type);
            assert_eq!(quality, expected, "{accept:?} {media_type:?}");
        }
    }

    #[test]
    fn client_chooses_and_the_server_decides_ties() {
        let text = |uri: &str, mime_type: &str| {
            AnyResourceContents::from(TextResourceContents::new(uri, "").mime_type(mime_type))
        };
        let contents = [
            text("x:child", "image/png"),
            text("x:a", "text/plain"),
            text("x:a", "text/html"),
            text("x:a", "application/pdf"),
        ];
        let html = Resource::new("x:a", "a").mime_type("text/html");
        let many = format!("{}text/plain", "image/png, ".repeat(RANGES));
        for (accept, index, is_preferred) in [
            (&[][..], 2, true),
            (&["*/*"], 2, true),
            (&["text/plain, text/html"], 2, true),
            (&["text/plain"], 1, false),
            (&["text/plain;q=0.5, application/*"], 3, false),
            (&["text/html;q=0.1, */*"], 1, false),
            // Only the first ranges count.
            (&[many.as_str()], 2, true),
            // Nothing is acceptable: the resource is served nevertheless.
            (&["image/png"], 2, true),
            (&["*/*;q=0"], 2, true),
        ] {
            let headers = headers(accept);
            let chosen = Accept::of(&headers).choose(&html, &contents);
            let expected = ChosenForm {
                index,
                is_preferred,
            };
            assert_eq!(chosen, Some(expected), "{accept:?}");
        }
        let headers = HeaderMap::new();
        let other = Resource::new("x:b", "b");
        assert_eq!(Accept::of(&headers).choose(&other, &contents), None);
    }
}
