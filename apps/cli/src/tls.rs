//! The certificate of a server.

use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::failure::Failure;
use crate::files;

/// The maximum size of a certificate or a key, in bytes.
const PEM: u64 = 1 << 20;

/// Reads a certificate chain and its key, both in PEM.
pub(crate) fn server_config(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, Failure> {
    let invalid =
        |path: &Path, error: &dyn Display| Failure::Usage(format!("{}: {error}", path.display()));
    let bytes = |path: &Path| {
        files::read(path, PEM).map_err(|source| Failure::File {
            path: path.to_owned(),
            source,
        })
    };
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&bytes(certificate)?).collect();
    let chain = chain.map_err(|error| invalid(certificate, &error))?;
    let private =
        PrivateKeyDer::from_pem_slice(&bytes(key)?).map_err(|error| invalid(key, &error))?;
    let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(chain, private)
        })
        .map_err(|error| invalid(certificate, &error))?;
    Ok(Arc::new(config))
}
