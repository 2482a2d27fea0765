//! The arguments of `mcp call` and `mcp tasks`.

use clap::{Args, Subcommand};

use super::server::{Server, WithArguments};

#[derive(Debug, Args)]
pub(crate) struct CallTool {
    /// Does not wait if the server makes a task of the call: prints its id, and remembers it
    #[arg(long, conflicts_with = "output")]
    pub(crate) background: bool,
    #[command(flatten)]
    pub(crate) named: WithArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TasksCommand {
    /// Lists the tasks that are remembered, without asking their servers
    List {
        /// Prints the result as one JSON value
        #[arg(long)]
        json: bool,
    },
    /// Shows the state of a task
    #[command(
        override_usage = "mcp tasks get [OPTIONS] [URL] ID\n       mcp tasks get [OPTIONS] ID -- PROGRAM..."
    )]
    Get(Server),
    /// Waits for the result of a task, and answers its questions
    #[command(
        override_usage = "mcp tasks wait [OPTIONS] [URL] ID\n       mcp tasks wait [OPTIONS] ID -- PROGRAM..."
    )]
    Wait(Server),
    /// Cancels a task
    #[command(
        override_usage = "mcp tasks cancel [OPTIONS] [URL] ID\n       mcp tasks cancel [OPTIONS] ID -- PROGRAM..."
    )]
    Cancel(Server),
}

impl TasksCommand {
    /// Returns the server that is named, unless the command needs none.
    pub(crate) fn server(&self) -> Option<&Server> {
        match self {
            Self::List { .. } => None,
            Self::Get(server) | Self::Wait(server) | Self::Cancel(server) => Some(server),
        }
    }

    pub(crate) fn server_mut(&mut self) -> Option<&mut Server> {
        match self {
            Self::List { .. } => None,
            Self::Get(server) | Self::Wait(server) | Self::Cancel(server) => Some(server),
        }
    }
}
