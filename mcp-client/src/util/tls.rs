//! Configuration of TLS, with rustls and ring.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};

/// Why a certificate cannot be used.
pub(crate) type TlsError = Box<dyn std::error::Error + Send + Sync>;

/// Returns the certificates of the system, and those in these texts in PEM.
pub(crate) fn trusted(pem: &[Vec<u8>]) -> Result<RootCertStore, TlsError> {
    let mut store = RootCertStore::empty();
    let native = rustls_native_certs::load_native_certs();
    for error in native.errors {
        tracing::warn!(%error, "a certificate of the system cannot be read");
    }
    store.add_parsable_certificates(native.certs);
    for pem in pem {
        let before = store.len();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            store.add(certificate?)?;
        }
        if store.len() == before {
            return Err("no certificate found in the PEM text".into());
        }
    }
    Ok(store)
}

pub(crate) fn config(roots: RootCertStore) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}
