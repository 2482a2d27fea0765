//! Has only tests: of `mcp-server` without features.
