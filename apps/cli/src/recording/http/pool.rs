//! [`Pool`]: connections to the server, direct or through the proxy of the environment.

use std::error::Error as _;
use std::time::Duration;

use http_body::Body;
use hyper::body::{Bytes, Incoming};
use hyper::{Request, Response, Uri};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::Tunnel;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use mcp_client::is_loopback_url;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

use crate::args::Options;
use crate::failure::Failure;
use crate::network;
use crate::recording::RecordingError;

/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(30);

/// How long an idle connection is kept. Less than the 5 seconds after which Node.js closes it.
const IDLE: Duration = Duration::from_secs(4);

/// Connections to a server.
pub(crate) enum Pool<B> {
    Direct(Client<HttpsConnector<HttpConnector>, B>),
    Proxied(Client<HttpsConnector<Tunnel<HttpConnector>>, B>),
}

impl<B> Pool<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// Creates the pool for a URL.
    pub(crate) fn new(url: &Uri, options: &Options) -> Result<Self, Failure> {
        if options.common.network.insecure {
            let message = "`--insecure` is not supported here: use `--cacert`";
            return Err(Failure::Usage(message.to_owned()));
        }
        let mut direct = HttpConnector::new();
        direct.enforce_http(false);
        direct.set_nodelay(true);
        direct.set_connect_timeout(Some(CONNECT));
        let config = config(url, options)?;
        let mut pool = Client::builder(TokioExecutor::new());
        pool.timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE);
        let https = HttpsConnectorBuilder::new().with_tls_config(config);
        let https = https.https_or_http().enable_http1();
        let proxy = Matcher::from_env().intercept(url);
        Ok(match proxy.filter(|_| !is_loopback_url(&url.to_string())) {
            Some(proxy) => {
                let mut tunnel = Tunnel::new(proxy.uri().clone(), direct);
                if let Some(auth) = proxy.basic_auth() {
                    tunnel = tunnel.with_auth(auth.clone());
                }
                Self::Proxied(pool.build(https.wrap_connector(tunnel)))
            }
            None => Self::Direct(pool.build(https.wrap_connector(direct))),
        })
    }

    /// Sends a request, and waits for the head of the response.
    pub(crate) async fn send(&self, request: Request<B>) -> Result<Response<Incoming>, String> {
        let sent = match self {
            Self::Direct(client) => client.request(request).await,
            Self::Proxied(client) => client.request(request).await,
        };
        sent.map_err(|error| match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        })
    }
}

/// Creates the configuration of TLS: with the certificates of the system and those of `--cacert`.
fn config(url: &Uri, options: &Options) -> Result<ClientConfig, Failure> {
    let failed = |error| Failure::from(RecordingError::Certificate(error));
    let mut roots = RootCertStore::empty();
    if url.scheme_str() == Some("https") {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if let Some(pem) = network::certificates(options)? {
            for certificate in CertificateDer::pem_slice_iter(&pem) {
                let certificate = certificate.map_err(|error| failed(error.into()))?;
                roots
                    .add(certificate)
                    .map_err(|error| failed(error.into()))?;
            }
        }
    }
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let versions =
        ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = versions.map_err(|error| failed(error.into()))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}
