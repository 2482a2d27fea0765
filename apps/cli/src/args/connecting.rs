//! The commands that connect to a server.

use super::{Auth, Command, Options, Server, Show, TasksCommand};

/// Returns the server of a command that connects to one, by a reference of the given kind.
macro_rules! server {
    ($command:expr, $of_tasks:ident, $($reference:tt)+) => {
        Some(match $command {
            Command::Discover(server)
            | Command::Tools(server)
            | Command::Complete(server)
            | Command::Ping(server)
            | Command::Metadata(server)
            | Command::Prompts(server)
            | Command::Watch(server) => server,
            Command::Check(args) => $($reference)+ args.server,
            Command::Shell(args) => $($reference)+ args.server,
            Command::Call(args) => $($reference)+ args.named.request.server,
            Command::Prompt(args) => $($reference)+ args.request.server,
            Command::Tasks(command) => command.$of_tasks()?,
            Command::Request(args) => $($reference)+ args.server,
            Command::Resources(args) => $($reference)+ args.server,
            Command::Icons(args) => $($reference)+ args.server,
            Command::Fetch(args) => $($reference)+ args.server,
            Command::Read(args) => $($reference)+ args.server,
            Command::Skills(args) => $($reference)+ args.server,
            Command::Tree(args) => $($reference)+ args.server,
            Command::Auth(_)
            | Command::Completions(_)
            | Command::Explain(_)
            | Command::Gateway(_)
            | Command::Install(_)
            | Command::Login(_)
            | Command::Logout(_)
            | Command::Man(_)
            | Command::Mock(_)
            | Command::Record(_)
            | Command::Replay(_)
            | Command::Servers(_)
            | Command::Uninstall(_) => return None,
        })
    };
}

impl Command {
    /// Returns how results are printed.
    pub(crate) fn show(&self) -> Show {
        let json = match self {
            Self::Servers(args) => return args.show,
            Self::Explain(args) => args.json,
            Self::Replay(args) => args.json,
            Self::Auth(Auth::Status { json }) | Self::Tasks(TasksCommand::List { json }) => *json,
            command => {
                return command
                    .server()
                    .map(|server| server.show)
                    .unwrap_or_default();
            }
        };
        Show {
            json,
            ..Show::default()
        }
    }

    /// Returns how the command connects; nothing of use if it does not.
    pub(crate) fn options(&self) -> Options {
        match self {
            Self::Login(args) => (&args.options).into(),
            Self::Logout(args) => (&args.options).into(),
            Self::Gateway(args) => (&args.common).into(),
            Self::Record(args) => args.options.clone(),
            Self::Replay(args) => args.options.clone(),
            command => command
                .server()
                .map(|server| server.options.clone())
                .unwrap_or_default(),
        }
    }

    /// Returns the server of a command that connects to one.
    pub(crate) fn server(&self) -> Option<&Server> {
        server!(self, server, &)
    }

    /// Returns the same server, to be changed.
    pub(crate) fn server_mut(&mut self) -> Option<&mut Server> {
        server!(self, server_mut, &mut)
    }
}
