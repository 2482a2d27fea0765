//! Configuration of TLS, with rustls and ring.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{WebPkiSupportedAlgorithms, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
};

use crate::origin::is_this_machine;

/// Why a certificate cannot be used.
pub type TlsError = Box<dyn std::error::Error + Send + Sync>;

/// Which certificates are trusted.
#[derive(Clone)]
#[must_use = "it does nothing until a configuration is created with it"]
pub struct Trust {
    /// Whether those of the system are trusted.
    system: bool,
    /// In PEM.
    pem: Vec<Vec<u8>>,
    /// Whether hosts of this machine may have any certificate.
    insecure_loopback: bool,
}

impl Trust {
    /// Trusts the certificates of the system.
    pub fn new() -> Self {
        Self {
            system: true,
            pem: Vec::new(),
            insecure_loopback: false,
        }
    }

    /// Trusts no certificates, not even those of the system.
    pub fn none() -> Self {
        Self {
            system: false,
            ..Self::new()
        }
    }

    /// Trusts these certificates, in PEM, too: of authorities, or of the server itself.
    pub fn roots(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.pem.push(pem.into());
        self
    }

    /// Sets whether every certificate is accepted of hosts on this machine, at `localhost` or a
    /// loopback address. `false` by default; for development.
    pub fn insecure_loopback(mut self, accept: bool) -> Self {
        self.insecure_loopback = accept;
        self
    }

    /// Creates the configuration for rustls. Reading the certificates of the system takes a while
    /// and blocks the thread.
    ///
    /// # Errors
    ///
    /// Fails if a certificate that the program trusts cannot be read.
    pub fn client_config(&self) -> Result<ClientConfig, TlsError> {
        let mut roots = RootCertStore::empty();
        if self.system {
            let native = rustls_native_certs::load_native_certs();
            for error in native.errors {
                tracing::warn!(%error, "a certificate of the system cannot be read");
            }
            roots.add_parsable_certificates(native.certs);
        }
        let mut own = Vec::new();
        for pem in &self.pem {
            let before = own.len();
            for certificate in CertificateDer::pem_slice_iter(pem) {
                let certificate = certificate?;
                roots.add(certificate.clone())?;
                own.push(certificate);
            }
            if own.len() == before {
                return Err("no certificate found in the PEM text".into());
            }
        }
        let mut config = config(roots.clone())?;
        if !own.is_empty() || self.insecure_loopback {
            let provider = config.crypto_provider();
            let algorithms = provider.signature_verification_algorithms;
            let by_roots = if roots.is_empty() {
                None
            } else {
                let roots = Arc::new(roots);
                Some(
                    WebPkiServerVerifier::builder_with_provider(roots, Arc::clone(provider))
                        .build()?,
                )
            };
            let verifier = Verifier {
                by_roots,
                own,
                insecure_loopback: self.insecure_loopback,
                algorithms,
            };
            let verifier = Arc::new(verifier);
            config.dangerous().set_certificate_verifier(verifier);
        }
        Ok(config)
    }
}

fn config(roots: RootCertStore) -> Result<ClientConfig, TlsError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    Ok(ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth())
}

/// The text may contain more than certificates.
impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust")
            .field("system", &self.system)
            .field("insecure_loopback", &self.insecure_loopback)
            .finish_non_exhaustive()
    }
}

impl Default for Trust {
    fn default() -> Self {
        Self::new()
    }
}

/// Verifies certificates by the trusted ones, with two exceptions.
///
/// A certificate that the program trusts itself may be that of the server, even if it is marked as
/// one of an authority, as `openssl req -x509` does. Names and times are checked as always. And if
/// the program says so, hosts of this machine may have any certificate.
#[derive(Debug)]
struct Verifier {
    /// `None` if no certificate is trusted.
    by_roots: Option<Arc<WebPkiServerVerifier>>,
    own: Vec<CertificateDer<'static>>,
    insecure_loopback: bool,
    algorithms: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.insecure_loopback && is_this_machine(&name.to_str()) {
            return Ok(ServerCertVerified::assertion());
        }
        let by_roots = self.by_roots.as_ref();
        let by_roots =
            by_roots.ok_or(Error::InvalidCertificate(CertificateError::UnknownIssuer))?;
        let verified = by_roots.verify_server_cert(end_entity, intermediates, name, ocsp, now);
        match verified {
            Err(error) if is_of_authority(&error) && self.own.contains(end_entity) => {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signature, &self.algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signature, &self.algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.algorithms.supported_schemes()
    }
}

/// Returns `true` if the only fault of a certificate is that it is one of an authority. webpki
/// checks the times first; its errors are not public in rustls, so this one is recognized by its
/// text.
fn is_of_authority(error: &Error) -> bool {
    match error {
        Error::InvalidCertificate(CertificateError::Other(error)) => {
            error.to_string() == "CaUsedAsEndEntity"
        }
        _ => false,
    }
}
