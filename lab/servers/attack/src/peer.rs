//! An attacker's connection.

use std::io::ErrorKind;
use std::net::{SocketAddr, SocketAddrV4};

use anyhow::{Context as _, Result, bail};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::http::{Head, Response};
use crate::target::Target;

/// The size of the smallest receive buffer.
const NARROW: u32 = 4096;

/// A connection from an attacker's address.
#[derive(Debug)]
pub(crate) struct Peer {
    stream: TcpStream,
    target: Target,
    input: Vec<u8>,
}

impl Peer {
    /// Connects from the address of the peer with this number.
    pub(crate) async fn open(target: &Target, number: usize) -> Result<Self> {
        Self::connect(target, number, false).await
    }

    /// Connects with a small receive buffer, so that the kernel does not buffer what the peer does
    /// not read.
    pub(crate) async fn open_narrow(target: &Target, number: usize) -> Result<Self> {
        Self::connect(target, number, true).await
    }

    async fn connect(target: &Target, number: usize, narrow: bool) -> Result<Self> {
        let connect = async {
            let socket = TcpSocket::new_v4()?;
            if narrow {
                socket.set_recv_buffer_size(NARROW)?;
            }
            socket.bind(SocketAddr::V4(SocketAddrV4::new(target.source(number), 0)))?;
            let stream = socket.connect(SocketAddr::V4(target.address())).await?;
            stream.set_nodelay(true)?;
            std::io::Result::Ok(stream)
        };
        match connect.await {
            Ok(stream) => {
                target.tally().connected();
                Ok(Self {
                    stream,
                    target: target.clone(),
                    input: Vec::new(),
                })
            }
            Err(error) => {
                target.tally().not_connected();
                Err(error).context("cannot connect")
            }
        }
    }

    /// Sends bytes as fast as the server reads them.
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        if let Err(error) = self.stream.write_all(bytes).await {
            self.target.tally().closed();
            return Err(error).context("cannot send");
        }
        self.target.tally().sent(bytes.len());
        Ok(())
    }

    /// Sends bytes one by one, with a pause after each.
    pub(crate) async fn trickle(&mut self, bytes: &[u8], pause: std::time::Duration) -> Result<()> {
        for byte in bytes {
            self.send(std::slice::from_ref(byte)).await?;
            tokio::time::sleep(pause).await;
        }
        Ok(())
    }

    /// Receives a response over HTTP/1.1.
    pub(crate) async fn receive(&mut self) -> Result<Response> {
        let mut head = None;
        loop {
            if head.is_none() {
                head = Head::read(&self.input)?;
            }
            if let Some(head) = &head
                && let Some(response) = head.take(&mut self.input)?
            {
                self.target.tally().responded(response.is_success());
                return Ok(response);
            }
            self.fill().await?;
        }
    }

    /// Receives the head of a response whose body has no end. The body is not read.
    pub(crate) async fn receive_head(&mut self) -> Result<Head> {
        loop {
            if let Some(head) = Head::read(&self.input)? {
                let success = (200..300).contains(&head.status);
                self.target.tally().responded(success);
                return Ok(head);
            }
            self.fill().await?;
        }
    }

    /// Sends a request and receives its response.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> Result<Response> {
        self.send(request).await?;
        self.receive().await
    }

    /// Discards all received data until the server closes the connection.
    pub(crate) async fn drain(&mut self) -> Result<()> {
        loop {
            self.input.clear();
            self.fill().await?;
        }
    }

    /// Reads one byte.
    pub(crate) async fn sip(&mut self) -> Result<()> {
        self.stream.read_u8().await.map(|_| ()).inspect_err(|_| {
            self.target.tally().closed();
        })?;
        Ok(())
    }

    /// Closes the connection with a reset.
    pub(crate) fn reset(self) {
        // If this fails, the connection is closed normally, which does no harm.
        let _ = self.stream.set_zero_linger();
    }

    /// Receives some bytes. The buffer is allocated only when bytes arrive, because most
    /// connections of an attack receive nothing.
    async fn fill(&mut self) -> Result<()> {
        let received = loop {
            if let Err(error) = self.stream.readable().await {
                break Err(error);
            }
            self.input.reserve(4096);
            match self.stream.try_read_buf(&mut self.input) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                received => break received,
            }
        };
        match received {
            Ok(0) => {
                self.target.tally().closed();
                bail!("the server closed the connection")
            }
            Ok(_) => Ok(()),
            Err(error) => {
                self.target.tally().closed();
                Err(error).context("cannot receive")
            }
        }
    }
}

impl Peer {
    /// Reads the first event of a channel of HTTP+SSE, up to the path in it.
    pub(crate) async fn endpoint(&mut self) -> Result<Option<String>> {
        // The event is small; a server that sends something else does not support these channels.
        while self.input.len() < 16 << 10 {
            let text = String::from_utf8_lossy(&self.input);
            let path = text.lines().find_map(|line| line.strip_prefix("data:"));
            if let Some(path) = path
                && text.ends_with('\n')
            {
                return Ok(Some(path.trim().to_owned()));
            }
            self.fill().await?;
        }
        Ok(None)
    }
}
