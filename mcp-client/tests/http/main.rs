//! Streamable HTTP, and the HTTP+SSE of 2024-11-05, over real sockets.

mod served;
