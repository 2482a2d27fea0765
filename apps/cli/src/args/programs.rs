//! The arguments of `mcp shell`, `mcp completions` and `mcp man`.

use clap::Args;

use super::server::Server;

#[derive(Debug, Args)]
pub(crate) struct Shell {
    /// Does not read or write the history of earlier shells
    #[arg(long)]
    pub(crate) no_history: bool,
    #[command(flatten)]
    pub(crate) server: Server,
}

#[derive(Debug, Args)]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManPage {
    /// The command
    pub(crate) command: Option<String>,
}
