//! The server of the matrix as a program on standard input and output.

mod server;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    server::server().serve_stdio().await?;
    Ok(())
}
