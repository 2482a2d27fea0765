//! The commands that connect to a server.

use super::{Command, Server, Show};

impl Command {
    /// Returns how results are printed.
    pub(crate) fn show(&self) -> Show {
        match self {
            Self::Servers(args) => args.show,
            command => command
                .server()
                .map(|server| server.show)
                .unwrap_or_default(),
        }
    }

    /// Returns the server of a command that connects to one.
    pub(crate) fn server(&self) -> Option<&Server> {
        Some(match self {
            Self::Discover(server)
            | Self::Tools(server)
            | Self::Complete(server)
            | Self::Ping(server)
            | Self::Metadata(server)
            | Self::Prompts(server)
            | Self::Watch(server) => server,
            Self::Check(args) => &args.server,
            Self::Shell(args) => &args.server,
            Self::Call(args) => &args.named.request.server,
            Self::Prompt(args) => &args.request.server,
            Self::Tasks(command) => command.server()?,
            Self::Request(args) => &args.server,
            Self::Resources(args) => &args.server,
            Self::Fetch(args) => &args.server,
            Self::Read(args) => &args.server,
            Self::Skills(args) => &args.server,
            Self::Tree(args) => &args.server,
            Self::Auth(_)
            | Self::Completions(_)
            | Self::Explain(_)
            | Self::Gateway(_)
            | Self::Install(_)
            | Self::Login(_)
            | Self::Logout(_)
            | Self::Man(_)
            | Self::Record(_)
            | Self::Replay(_)
            | Self::Servers(_)
            | Self::Uninstall(_) => return None,
        })
    }

    /// The same, to be changed.
    pub(crate) fn server_mut(&mut self) -> Option<&mut Server> {
        Some(match self {
            Self::Discover(server)
            | Self::Tools(server)
            | Self::Complete(server)
            | Self::Ping(server)
            | Self::Metadata(server)
            | Self::Prompts(server)
            | Self::Watch(server) => server,
            Self::Check(args) => &mut args.server,
            Self::Shell(args) => &mut args.server,
            Self::Call(args) => &mut args.named.request.server,
            Self::Prompt(args) => &mut args.request.server,
            Self::Tasks(command) => command.server_mut()?,
            Self::Request(args) => &mut args.server,
            Self::Resources(args) => &mut args.server,
            Self::Fetch(args) => &mut args.server,
            Self::Read(args) => &mut args.server,
            Self::Skills(args) => &mut args.server,
            Self::Tree(args) => &mut args.server,
            Self::Auth(_)
            | Self::Completions(_)
            | Self::Explain(_)
            | Self::Gateway(_)
            | Self::Install(_)
            | Self::Login(_)
            | Self::Logout(_)
            | Self::Man(_)
            | Self::Record(_)
            | Self::Replay(_)
            | Self::Servers(_)
            | Self::Uninstall(_) => return None,
        })
    }
}
