//! Versions of resources, where their author gives none: derived from what they hold.

use std::fmt::Write as _;
use std::sync::{Arc, OnceLock};

use mcp_types::{AnyResourceContents, Resource, json};
use sha2::{Digest, Sha256};

use super::finish::finish;
use crate::features::resources::catalog::ResourceCatalog;
use crate::features::resources::found::Found;
use crate::protocol::core::Context;
use crate::protocol::error::HandlerError;

/// The resource as it is now, with its version.
pub(crate) async fn current(
    uri: &str,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<Resource, HandlerError> {
    let found = resources.find(cx, uri)?;
    let (resource, _) = described(&found, cx, resources).await?;
    Ok(resource)
}

/// The resource with its version, and its contents where they had to be read for that.
///
/// What it holds may change at any time. A version is known before the contents are read that
/// leave with it: old contents under a new version would be kept for ever, while new ones under an
/// old version are only sent once more.
pub(crate) async fn described(
    found: &Found,
    cx: &Context,
    resources: &ResourceCatalog,
) -> Result<(Resource, Option<Vec<AnyResourceContents>>), HandlerError> {
    let mut resource = found.describe(cx).await?;
    finish(&mut resource, cx, resources);
    if resource.version.is_some() {
        return Ok((resource, None));
    }
    let contents = found.read_as(&resource, cx).await?;
    resource.version = Some(derived(&contents));
    Ok((resource, Some(contents)))
}

/// Makes contents for a URI and a media type.
type Contents = dyn Fn(&str, Option<&str>) -> Vec<AnyResourceContents> + Send + Sync;

/// The version of contents that are part of a definition.
pub(crate) struct FixedVersion {
    contents: Arc<Contents>,
    /// Derived when it is first asked for: the definition is whole then, and programs that did not
    /// opt in never ask.
    version: OnceLock<String>,
}

impl FixedVersion {
    pub(crate) fn new(contents: Arc<Contents>) -> Self {
        Self {
            contents,
            version: OnceLock::new(),
        }
    }

    pub(crate) fn get(&self, uri: &str, mime_type: Option<&str>) -> String {
        let version = self
            .version
            .get_or_init(|| derived(&(self.contents)(uri, mime_type)));
        version.clone()
    }
}

/// How much of the digest is the version: as much as is needed for no two to be the same by
/// accident, nor to be made so.
const KEPT: usize = 16;

/// The version that contents have: the same in every process, and another one where a byte, a
/// media type or a URI of them differs.
pub(crate) fn derived(contents: &[AnyResourceContents]) -> String {
    let mut digest = Sha256::new();
    for part in contents {
        match part {
            AnyResourceContents::Text(text) => {
                named(&mut digest, &text.uri, text.mime_type.as_deref());
                content(&mut digest, text.text.as_bytes());
            }
            AnyResourceContents::Blob(blob) => {
                named(&mut digest, &blob.uri, blob.mime_type.as_deref());
                match blob.blob.decode() {
                    Ok(bytes) => content(&mut digest, &bytes),
                    // What is no base64 is what it is.
                    Err(_) => content(&mut digest, blob.blob.as_str().as_bytes()),
                }
            }
            // Of a kind that is still to come: as it is written.
            other => content(
                &mut digest,
                json::to_string(other).unwrap_or_default().as_bytes(),
            ),
        }
    }
    let mut version = String::with_capacity(2 * KEPT);
    for byte in digest.finalize().iter().take(KEPT) {
        // A string takes all that is written to it.
        let _ = write!(version, "{byte:02x}");
    }
    version
}

fn named(digest: &mut Sha256, uri: &str, mime_type: Option<&str>) {
    content(digest, uri.as_bytes());
    digest.update([u8::from(mime_type.is_some())]);
    content(digest, mime_type.unwrap_or_default().as_bytes());
}

/// The length in front keeps what follows apart.
fn content(digest: &mut Sha256, bytes: &[u8]) {
    digest.update((bytes.len() as u64).to_be_bytes());
    digest.update(bytes);
}

#[cfg(test)]
mod tests {
    use mcp_types::{Base64Text, BlobResourceContents, TextResourceContents};

    use super::*;

    fn text(uri: &str, mime_type: Option<&str>, text: &str) -> AnyResourceContents {
        let mut contents = TextResourceContents::new(uri, text);
        contents.mime_type = mime_type.map(Into::into);
        contents.into()
    }

    #[test]
    fn versions_stay_what_they_were() {
        let contents = [text("x:a", Some("text/plain"), "hello")];
        // Peers keep versions for longer than a process lasts: this one must never change.
        assert_eq!(derived(&contents), "81c47a18fe0b4ed61d88b20b10c0526e");
        let same = BlobResourceContents::new("x:a", Base64Text::encode(b"hello"));
        let same = [same.mime_type("text/plain").into()];
        assert_eq!(derived(&same), derived(&contents));
    }

    #[test]
    fn nothing_that_differs_has_the_same_version() {
        let all = [
            vec![],
            vec![text("x:a", None, "")],
            vec![text("x:a", Some(""), "")],
            vec![text("x:a", None, "a")],
            vec![text("x:a", Some("a"), "")],
            vec![text("x:b", None, "a")],
            vec![text("x:a", None, "a"), text("x:a", None, "b")],
            vec![text("x:a", None, "b"), text("x:a", None, "a")],
            vec![text("x:a", None, "ab"), text("x:a", None, "")],
            vec![BlobResourceContents::new("x:a", Base64Text::from("?".to_owned())).into()],
        ];
        let mut versions: Vec<_> = all.iter().map(|contents| derived(contents)).collect();
        versions.sort();
        versions.dedup();
        assert_eq!(versions.len(), all.len());
    }
}
