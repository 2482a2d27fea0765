//! Model Context Protocol servers, on the method table that `mcp-types` derives from the schema.
