//! The extension `io.modelcontextprotocol/skills` (SEP-2640): skills of servers, for hosts.
//!
//! [`SkillsHost`] finds and loads the skills of a server. The [guide](crate::guide::skills) has an
//! example.

mod consent;
mod error;
mod host;
mod id;
mod list;
mod loaded;

pub use consent::ConsentRequest;
pub use error::SkillError;
pub use host::SkillsHost;
pub use id::SkillId;
pub use list::ListSkillsRequest;
pub use loaded::LoadedSkill;
pub use mcp_extensions::skills::entry::{EntryError, SkillRules};
pub use mcp_extensions::skills::frontmatter::FrontmatterError;
pub use mcp_extensions::skills::{DIRECTORY_TYPE, IDENTIFIER, MAX_BYTES, MAX_FILES, YamlError};
pub use mcp_types::{
    DynamicSkill, GetSkillRequest, GetSkillRequestParams, GetSkillResult, ListSkillsRequestParams,
    ListSkillsResult, ReadResourceDirectoryRequest, ReadResourceDirectoryRequestParams,
    ReadResourceDirectoryResult, Skill, SkillResource, SkillResources,
};
