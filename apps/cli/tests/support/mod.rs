//! What the tests have in common.

pub(crate) mod conversation;
#[path = "../../../../mcp-client/tests/support/example.rs"]
pub(crate) mod example;
pub(crate) mod folder;
pub(crate) mod program;
#[allow(dead_code, reason = "the tests of the client use the rest")]
#[path = "../../../../mcp-client/tests/support/proxy.rs"]
pub(crate) mod proxy;
#[cfg(unix)]
pub(crate) mod pseudo_terminal;
#[allow(dead_code, reason = "the tests of the client use the rest")]
#[path = "../../../../mcp-client/host/tests/skills/skill_server.rs"]
pub(crate) mod skill_server;
pub(crate) mod user_folders;
