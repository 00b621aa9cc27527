//! TLS under a connection: which certificates are good, which are shown.

use super::Refused;
use crate::target::{Tls, TlsMode};
use rustls::{
    CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        WebPkiServerVerifier,
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    },
    crypto::{CryptoProvider, ring},
    pki_types::{
        CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer, ServerName, UnixTime,
        pem::{self, PemObject},
    },
};
use std::{fs, path::Path, sync::Arc};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

/// A name for servers that are known by none, such as an address with a zone. Only modes that do
/// not look at names get here with it.
const ANY_NAME: &str = "server.invalid";

/// What a connection needs to put TLS under itself.
pub(super) struct TlsPlan {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl TlsPlan {
    /// Reads the files of the options, before anything is sent.
    pub(super) fn new(tls: &Tls, mode: TlsMode, host: &str) -> Result<Self, Refused> {
        let config = config(tls, mode)?;
        let name = match ServerName::try_from(host.to_owned()) {
            Ok(name) => name,
            Err(_) if mode == TlsMode::VerifyIdentity => {
                let reason = format!("`{host}` is no name that a certificate could have");
                return Err(Refused::Because(reason));
            }
            Err(_) => ServerName::try_from(ANY_NAME).expect("a name of letters and a dot is one"),
        };
        Ok(Self { connector: TlsConnector::from(Arc::new(config)), name })
    }

    pub(super) async fn secure(self, stream: TcpStream) -> Result<TlsStream<TcpStream>, Refused> {
        self.connector.connect(self.name, stream).await.map_err(Refused::Handshake)
    }
}

fn config(tls: &Tls, mode: TlsMode) -> Result<ClientConfig, Refused> {
    let given = |error: &dyn std::error::Error| Refused::Because(given(tls, error));
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore::empty();
    match &tls.ca {
        // A named authority replaces the public ones: trusting both would verify too little.
        Some(ca) => {
            for certificate in certificates(ca, "--tls-ca")? {
                roots.add(certificate).map_err(|error| given(&error))?;
            }
        }
        None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
    }
    let roots = Arc::new(roots);
    let inner = WebPkiServerVerifier::builder_with_provider(Arc::clone(&roots), provider.clone());
    let verifier = match inner.build() {
        Ok(inner) => Verifier { mode, inner: Some(inner), provider: Arc::clone(&provider) },
        // Without any authority nothing can be verified; modes that verify nothing do not mind.
        Err(error) if mode >= TlsMode::VerifyCa => return Err(given(&error)),
        Err(_) => Verifier { mode, inner: None, provider: Arc::clone(&provider) },
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| given(&error))?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier));
    match (&tls.certificate, &tls.key) {
        (Some(certificate), Some(key)) => {
            let chain = certificates(certificate, "--tls-cert")?;
            builder.with_client_auth_cert(chain, private_key(key)?).map_err(|error| given(&error))
        }
        (None, None) => Ok(builder.with_no_client_auth()),
        _ => Err(Refused::Because("--tls-cert and --tls-key go together".into())),
    }
}

fn read(path: &Path, option: &str) -> Result<Vec<u8>, Refused> {
    fs::read(path)
        .map_err(|error| Refused::Because(format!("{option} {}: {error}", path.display())))
}

/// The certificates of a file, in PEM or, where that has none, as it is.
fn certificates(path: &Path, option: &str) -> Result<Vec<CertificateDer<'static>>, Refused> {
    let bytes = read(path, option)?;
    let found: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(&bytes).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) if !bytes.is_empty() => Ok(vec![CertificateDer::from(bytes)]),
        Ok(_) => Err(Refused::Because(format!("{option} {}: it is empty", path.display()))),
        Err(error) => Err(Refused::Because(format!("{option} {}: {error}", path.display()))),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, Refused> {
    let bytes = read(path, "--tls-key")?;
    let because =
        |reason: String| Err(Refused::Because(format!("--tls-key {}: {reason}", path.display())));
    match PrivateKeyDer::from_pem_slice(&bytes) {
        Ok(key) => Ok(key),
        Err(pem::Error::NoItemsFound) if std::str::from_utf8(&bytes).is_err() => {
            Ok(PrivatePkcs8KeyDer::from(bytes).into())
        }
        Err(pem::Error::NoItemsFound) => because("no private key is in it".into()),
        Err(error) => because(error.to_string()),
    }
}

/// What is wrong with the files of the TLS options, all of which are named: the TLS library does
/// not say which one it means.
fn given(tls: &Tls, error: &dyn std::error::Error) -> String {
    let files = [("--tls-ca", &tls.ca), ("--tls-cert", &tls.certificate), ("--tls-key", &tls.key)];
    let named = files.iter().filter_map(|(option, path)| {
        path.as_ref().map(|path| format!("{option} {}: ", path.display()))
    });
    format!("{}{error}", named.collect::<String>())
}

/// Looks at a server's certificate as closely as the mode asks.
#[derive(Debug)]
struct Verifier {
    mode: TlsMode,
    /// None where there is no authority to verify with.
    inner: Option<Arc<WebPkiServerVerifier>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let Some(inner) = self.inner.as_ref().filter(|_| self.mode >= TlsMode::VerifyCa) else {
            return Ok(ServerCertVerified::assertion());
        };
        let verified =
            inner.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match verified {
            // All else about the certificate has been verified when its name is looked at.
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) if self.mode == TlsMode::VerifyCa => Ok(ServerCertVerified::assertion()),
            outcome => outcome,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
