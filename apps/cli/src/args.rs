//! [`Mcp`]: the command line.

mod check;
mod connecting;
pub(crate) mod gateway;
pub(crate) mod gateway_login;
mod help;
mod install;
mod mock;
mod network;
mod options;
mod programs;
mod recording;
mod resources;
mod server;
mod tasks;

use clap::{Args, Parser, Subcommand};

pub(crate) use check::Check;
pub(crate) use install::{Install, Place, Servers, Uninstall};
pub(crate) use mock::Mock;
pub(crate) use network::AccountOptions;
pub(crate) use options::{Common, Options, UrlOptions};
pub(crate) use programs::{Completions, ManPage, Shell};
pub(crate) use recording::{Explain, Format, Record, Replay, Timing};
pub(crate) use resources::{Fetch, Icons, Read, Resources, Skills, Theme, Tree};
pub(crate) use server::{OutputFormat, RawRequest, Server, Show, Source, WithArguments};
pub(crate) use tasks::{CallTool, TasksCommand};

/// Calls servers of the Model Context Protocol, over standard input and output or HTTP.
#[derive(Debug, Parser)]
#[command(name = "mcp", version, before_help = help::EXAMPLES, after_help = help::AFTER)]
pub(crate) struct Mcp {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Shows the name, the version and the capabilities of the server
    #[command(
        override_usage = "mcp discover [OPTIONS] URL\n       mcp discover [OPTIONS] -- PROGRAM..."
    )]
    Discover(Server),
    /// Lists the tools with their arguments: all, or those whose names contain one of the words
    #[command(
        override_usage = "mcp tools [OPTIONS] URL [WORD]...\n       mcp tools [OPTIONS] [WORD]... -- PROGRAM..."
    )]
    Tools(Server),
    /// Calls a tool
    ///
    /// The value of an argument is text if the tool expects text, otherwise JSON. The elements of a
    /// list can be separated by commas, and `yes` and `no` are booleans.
    ///
    /// If the server asks a question, it is shown on stderr, and the answer is read from standard
    /// input: typed, or piped with one line for each field and one to confirm. A question without
    /// an answer is declined.
    #[command(
        override_usage = "mcp call [OPTIONS] URL TOOL [NAME=VALUE]...\n       mcp call [OPTIONS] TOOL [NAME=VALUE]... -- PROGRAM..."
    )]
    ///
    /// A task of the server is followed to its end. An interrupt cancels it.
    Call(CallTool),
    /// Shows, waits for and cancels tasks that `mcp call --background` has begun
    #[command(subcommand)]
    Tasks(TasksCommand),
    /// Lists the resources and the resource templates
    #[command(
        override_usage = "mcp resources [OPTIONS] URL\n       mcp resources [OPTIONS] -- PROGRAM..."
    )]
    Resources(Resources),
    /// Reads a resource
    ///
    /// Text is written unchanged to a file or a pipe, without a line break at its end that it does
    /// not have. On a terminal, the output ends with a line break.
    #[command(
        override_usage = "mcp read [OPTIONS] URL URI\n       mcp read [OPTIONS] URI -- PROGRAM..."
    )]
    Read(Read),
    /// Fetches the content of a resource by its HTTPS URL, or with `resources/read`
    ///
    /// Shows on stderr which of the two was used, and why the URL was not.
    #[command(
        override_usage = "mcp fetch [OPTIONS] URL URI\n       mcp fetch [OPTIONS] URI -- PROGRAM..."
    )]
    Fetch(Fetch),
    /// Shows the metadata of a resource without its contents
    #[command(
        override_usage = "mcp metadata [OPTIONS] URL URI\n       mcp metadata [OPTIONS] URI -- PROGRAM..."
    )]
    Metadata(Server),
    /// Shows resources as a tree: all listed ones, or the members of a collection
    #[command(
        override_usage = "mcp tree [OPTIONS] URL [URI]\n       mcp tree [OPTIONS] [URI] -- PROGRAM..."
    )]
    Tree(Tree),
    /// Shows the icons of the server and of all that it lists, and whether hosts may load them
    ///
    /// With `--output`, writes one page with all of them, to be looked at in a browser.
    #[command(override_usage = "mcp icons [OPTIONS] URL\n       mcp icons [OPTIONS] -- PROGRAM...")]
    Icons(Icons),
    /// Lists the skills
    ///
    /// With `--verify`, loads every skill and reads all of its files, to compare them with the
    /// sizes, digests and frontmatters that the server lists.
    #[command(
        override_usage = "mcp skills [OPTIONS] URL\n       mcp skills [OPTIONS] -- PROGRAM..."
    )]
    Skills(Skills),
    /// Lists the prompts with their arguments
    #[command(
        override_usage = "mcp prompts [OPTIONS] URL\n       mcp prompts [OPTIONS] -- PROGRAM..."
    )]
    Prompts(Server),
    /// Fetches a prompt
    #[command(
        override_usage = "mcp prompt [OPTIONS] URL PROMPT [NAME=VALUE]...\n       mcp prompt [OPTIONS] PROMPT [NAME=VALUE]... -- PROGRAM..."
    )]
    Prompt(WithArguments),
    /// Shows changes of lists and of the named resources, until it is interrupted
    #[command(
        override_usage = "mcp watch [OPTIONS] URL [URI]...\n       mcp watch [OPTIONS] [URI]... -- PROGRAM..."
    )]
    Watch(Server),
    /// Suggests values for the first of the named arguments of a prompt or a URI template
    #[command(
        override_usage = "mcp complete [OPTIONS] URL PROMPT NAME=VALUE...\n       mcp complete [OPTIONS] PROMPT NAME=VALUE... -- PROGRAM..."
    )]
    Complete(Server),
    /// Measures how long the server takes to answer
    #[command(override_usage = "mcp ping [OPTIONS] URL\n       mcp ping [OPTIONS] -- PROGRAM...")]
    Ping(Server),
    /// Sends any request, and prints its result as JSON. Questions of the server are not answered
    #[command(
        override_usage = "mcp request [OPTIONS] URL METHOD\n       mcp request [OPTIONS] METHOD -- PROGRAM..."
    )]
    Request(RawRequest),
    Record(Record),
    Replay(Replay),
    Mock(Mock),
    Explain(Explain),
    /// Serves all servers of a file as one, over standard input and output or HTTP
    ///
    /// The file has the form of `mcpServers`, as those of hosts. If it has several servers, names of
    /// tools and prompts get the name of their server as a prefix. The members `prefix`, `rename` and
    /// `tools` of an entry change what is presented. A server that cannot be used is left out, and named
    /// on stderr. Changes of the file take effect while the gateway runs. Servers at URLs are used with
    /// the tokens of `mcp login`.
    #[command(override_usage = "mcp gateway [OPTIONS] FILE [NAME]...")]
    Gateway(gateway::Gateway),
    /// Checks a server before a release
    ///
    /// Reads all lists, validates each message against the schema of the negotiated revision, and
    /// checks the tools for what hosts and models are known to refuse. The exit code is 1 if there
    /// are errors.
    #[command(override_usage = "mcp check [OPTIONS] URL\n       mcp check [OPTIONS] -- PROGRAM...")]
    Check(Check),
    /// Runs commands on one connection: those of this program, without the server
    ///
    /// The key Tab completes commands and the names of tools, arguments, prompts and resources. Lines
    /// that begin with a space, or in which something looks like a secret, are not stored in the
    /// history.
    #[command(override_usage = "mcp shell [OPTIONS] URL\n       mcp shell [OPTIONS] -- PROGRAM...")]
    Shell(Shell),
    /// Prints a script that completes command lines in a shell
    ///
    /// For bash, for example: `mcp completions bash > ~/.local/share/bash-completion/completions/mcp`
    Completions(Completions),
    /// Prints the manual page, of the program or of a command
    Man(ManPage),
    /// Lists the servers that the files of hosts name, without their secrets
    ///
    /// The hosts are Claude Code, Claude Desktop, Cursor, VS Code and Zed. Their files are searched
    /// in the current folder and in the home of the user.
    Servers(Servers),
    /// Adds a server to a file of a host
    ///
    /// Keeps everything else in the file, and before the first change a copy of it as `FILE.bak`.
    /// Secrets are not written: name the variables that have them, in single quotes, such as `--env
    /// 'TOKEN=${TOKEN}'`.
    #[command(
        override_usage = "mcp install [OPTIONS] --config FILE|HOST NAME URL\n       mcp install [OPTIONS] --config FILE|HOST NAME -- PROGRAM..."
    )]
    Install(Install),
    /// Removes a server from a file of a host
    Uninstall(Uninstall),
    /// Logs in to a server, and stores the token
    ///
    /// If the browser is on another machine, paste the address to which it is sent after the login,
    /// even if that page cannot be loaded. Or forward a port, such as with `ssh -L
    /// 8765:127.0.0.1:8765`, and name it with `--login-port`.
    #[command(override_usage = "mcp login [OPTIONS] URL")]
    Login(Login),
    /// Revokes and forgets the token for a server
    ///
    /// The secret of a client is not stored: to revoke its token, name it with `--client-id`,
    /// `--client-secret-env` and `--issuer`.
    #[command(override_usage = "mcp logout [OPTIONS] URL")]
    Logout(Url),
    /// Shows the stored tokens, without their secrets
    #[command(subcommand)]
    Auth(Auth),
}

#[derive(Debug, Args)]
pub(crate) struct Login {
    /// The URL of the server
    pub(crate) url: String,
    /// Also requests this scope; several are separated by spaces, or the option is repeated
    #[arg(long, value_name = "SCOPE", value_delimiter = ' ')]
    pub(crate) scope: Vec<String>,
    #[command(flatten)]
    pub(crate) options: UrlOptions,
}

#[derive(Debug, Args)]
pub(crate) struct Url {
    /// The URL of the server
    pub(crate) url: String,
    #[command(flatten)]
    pub(crate) options: UrlOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Auth {
    /// Shows for which servers there are tokens, and when they expire
    Status {
        /// Prints the result as one JSON value
        #[arg(long)]
        json: bool,
    },
}
