//! [`SkillError`]: why a skill or one of its files cannot be used.

use mcp_extensions::skills::MAX_BYTES;
use mcp_extensions::skills::entry::EntryError;
use mcp_extensions::skills::frontmatter::FrontmatterError;
use mcp_types::peer_text::{PeerDisplay, PeerText};
use thiserror::Error;

use super::id::SkillId;
use mcp_client::CallError;

/// A skill or one of its files cannot be used.
///
/// After a failed verification, the skill may have changed: request it again with
/// [`SkillsHost::get`](super::SkillsHost::get).
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SkillError {
    /// The server did not announce the extension.
    #[error("the server did not announce the extension for skills")]
    NotAnnounced,
    /// A request failed.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server described the skill against the rules.
    #[error(
        "the server described the skill `{}` against the rules: {}",
        PeerText(uri),
        PeerDisplay(source)
    )]
    Entry {
        /// The URI of the skill.
        uri: String,
        /// The rule.
        source: EntryError,
    },
    /// The server described another skill than the requested one.
    #[error("the server described another skill than `{}`", PeerText(uri))]
    OtherSkill {
        /// The URI that was requested.
        uri: String,
    },
    /// The content of the skill is generated, which the host does
    /// [not permit](super::SkillsHost::allow_dynamic).
    #[error(
        "the content of the skill `{}` is generated, so it cannot be verified",
        PeerText(uri)
    )]
    Dynamic {
        /// The URI of the skill.
        uri: String,
    },
    /// The user did not consent to load the skill, or the program sets no function that asks for
    /// consent.
    #[error("no consent to load the skill {id}")]
    NoConsent {
        /// The skill.
        id: SkillId,
    },
    /// The skill has no such file.
    #[error("the skill lists no file `{}`", PeerText(path))]
    Unlisted {
        /// The path or URI that was requested.
        path: String,
    },
    /// The server sent several contents, none, or those of another resource.
    #[error("the server did not send the content of `{}`", PeerText(uri))]
    Contents {
        /// The URI of the file.
        uri: String,
    },
    /// The file has another size than the listed one.
    #[error("`{}` has {found} bytes, but {listed} are listed", PeerText(uri))]
    Size {
        /// The URI of the file.
        uri: String,
        /// The listed size.
        listed: u64,
        /// The size of the received content.
        found: u64,
    },
    /// The file has another digest than the listed one.
    #[error("`{}` has another digest than the listed one", PeerText(uri))]
    Digest {
        /// The URI of the file.
        uri: String,
    },
    /// The frontmatter of the file is invalid.
    #[error(
        "the frontmatter of `{}` is invalid: {}",
        PeerText(uri),
        PeerDisplay(source)
    )]
    Frontmatter {
        /// The URI of the file.
        uri: String,
        /// The rule.
        source: FrontmatterError,
    },
    /// The frontmatter of the file differs from the listed one.
    #[error(
        "the frontmatter of `{}` differs from the listed one in `{}`",
        PeerText(uri),
        PeerText(member)
    )]
    FrontmatterDiffers {
        /// The URI of the file.
        uri: String,
        /// The first member that differs.
        member: String,
    },
    /// The files of a skill whose content is generated are too large.
    #[error(
        "more than {MAX_BYTES} bytes of the skill `{}` were read",
        PeerText(uri)
    )]
    TooLarge {
        /// The URI of the skill.
        uri: String,
    },
}
