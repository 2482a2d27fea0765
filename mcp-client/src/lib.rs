//! Model Context Protocol clients, on the method table that `mcp-types` derives from the schema.
