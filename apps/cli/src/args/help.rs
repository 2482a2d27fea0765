//! Texts of `mcp --help`.

/// What precedes the options.
pub(super) const EXAMPLES: &str = "\
Examples:
  mcp tools https://example.com/mcp
  mcp call get-sum a=1 b=2 -- npx -y @modelcontextprotocol/server-everything
  mcp shell @github
  mcp check -- ./my-server
  mcp install --config claude-code github https://example.com/mcp";

/// What follows the options.
pub(super) const AFTER: &str = "\
Servers:
  A server is a program, after `--`, or a URL, as the first argument:
    mcp tools -- npx -y @modelcontextprotocol/server-everything
    mcp tools https://example.com/mcp
  Or the name that a file of a host gives it, with `--config`, or after `@` if it is unique:
    mcp tools --config .vscode/mcp.json github
    mcp tools --config claude-desktop github
    mcp tools @github

Exit codes:
  0    success
  1    the tool reported a failure, or a check found errors
  2    wrong command line, or a file that cannot be read or written
  3    the server cannot be reached, or the connection was lost
  4    the server answered with an error, or does not have what was asked for
  5    timeout
  6    the server sent an invalid answer
  7    the server requires authorization, which failed or was not permitted
  8    the resource still has the version of `read --unless`
  130  interrupted

Environment:
  HTTPS_PROXY, HTTP_PROXY, NO_PROXY  the proxy for URLs, and the hosts that need none
  MCP_AUTH_DIR                       the folder of the tokens, in files without encryption, and tasks
  NO_COLOR                           no colours on a terminal";
