//! An HTTP proxy that connects everything to one address.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

pub(crate) struct FakeProxy {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

impl FakeProxy {
    pub(crate) async fn start(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
        let address = listener.local_addr().expect("an address");
        let heads = Arc::<Mutex<Vec<String>>>::default();
        let noted = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                tokio::spawn(forward(client, target, Arc::clone(&noted)));
            }
        });
        Self { address, heads }
    }

    /// Returns its URL, with a user name and a password.
    pub(crate) fn url(&self) -> String {
        format!("http://me:secret@{}", self.address)
    }

    /// Returns the first lines of the requests so far, each once.
    pub(crate) fn asked(&self) -> Vec<String> {
        let heads = self.heads.lock().expect("no panic");
        let lines = heads.iter().filter_map(|head| head.lines().next());
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        lines.dedup();
        lines
    }

    /// Returns `true` if every request contained the user name and the password.
    pub(crate) fn is_authorized(&self) -> bool {
        // The base64 of `me:secret`.
        let header = "proxy-authorization: basic bwu6c2vjcmv0";
        let heads = self.heads.lock().expect("no panic");
        let mut heads = heads.iter().map(|head| head.to_ascii_lowercase());
        heads.all(|head| head.contains(header))
    }
}

async fn forward(
    mut client: TcpStream,
    target: SocketAddr,
    noted: Arc<Mutex<Vec<String>>>,
) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(client.read_u8().await.ok()?);
    }
    let text = String::from_utf8_lossy(&head).into_owned();
    let is_tunnel = text.starts_with("CONNECT ");
    noted.lock().expect("no panic").push(text);
    let mut server = TcpStream::connect(target).await.ok()?;
    if is_tunnel {
        client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
    } else {
        server.write_all(&head).await.ok()?;
    }
    copy_bidirectional(&mut client, &mut server).await.ok()?;
    Some(())
}
