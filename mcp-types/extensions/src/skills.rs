//! The extension `io.modelcontextprotocol/skills` (SEP-2640): the rules for skills, which the
//! server and the host check alike. The messages are in [`mcp_types`].

pub mod entry;
pub mod frontmatter;

pub use mcp_guard::yaml::YamlError;

/// The identifier of the extension.
pub const IDENTIFIER: &str = "io.modelcontextprotocol/skills";
/// The file that every skill has at its root.
pub const SKILL_FILE: &str = "SKILL.md";
/// The maximum number of files of a skill.
pub const MAX_FILES: usize = 512;
/// The maximum size of all files of a skill, in bytes.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// The media type of directories.
pub const DIRECTORY_TYPE: &str = "inode/directory";
