//! A TLS server with a certificate for tests.

use std::sync::Arc;

use rcgen::{CertificateParams, KeyPair};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Returns an acceptor for these names, and the certificate for clients in PEM. The function
/// changes the parameters of the certificate.
pub fn certified(
    names: &[&str],
    change: impl FnOnce(&mut CertificateParams),
) -> (Arc<ServerConfig>, String) {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("valid names");
    change(&mut params);
    let signing_key = KeyPair::generate().expect("a key");
    let cert = params.self_signed(&signing_key).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key.into())
        .expect("key and certificate fit");
    (Arc::new(config), cert.pem())
}
