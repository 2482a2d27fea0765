//! A peer that writes lines and reads lines, and a server with handlers to be tried on.

use std::time::Duration;

use mcp_server::types::json::{self, Value};
use mcp_server::types::{
    CallToolRequest, CallToolRequestParams, CallToolResult, ContentBlock, TextContent,
};
use mcp_server::{Server, ServerBuilder};
use serde_json::json;
use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, ReadHalf,
    WriteHalf, split,
};
