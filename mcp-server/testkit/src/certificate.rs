//! A TLS server with a certificate for tests.

use std::sync::Arc;

use rcgen::{Certificate, CertificateParams, KeyPair};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// Returns an acceptor for these names, and the certificate for clients in PEM. The function
/// changes the parameters of the certificate.
pub fn certified(
    names: &[&str],
    change: impl FnOnce(&mut CertificateParams),
) -> (Arc<ServerConfig>, String) {
    let (signing_key, cert) = signed(names, change);
    let key = PrivatePkcs8KeyDer::from(signing_key.serialize_der());
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key.into())
        .expect("key and certificate fit");
    (Arc::new(config), cert.pem())
}

/// Returns a certificate for these names and its key, both in PEM.
pub fn certificate_and_key(names: &[&str]) -> (String, String) {
    let (key, certificate) = signed(names, |_| {});
    (certificate.pem(), key.serialize_pem())
}

fn signed(names: &[&str], change: impl FnOnce(&mut CertificateParams)) -> (KeyPair, Certificate) {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("valid names");
    change(&mut params);
    let key = KeyPair::generate().expect("a key");
    let certificate = params.self_signed(&key).expect("a certificate");
    (key, certificate)
}
