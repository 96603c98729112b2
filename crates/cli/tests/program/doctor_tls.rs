//! Tests of `podqueue doctor`: failures of TLS.

use std::path::PathBuf;
use std::sync::Arc;

use rcgen::{CertificateParams, DnType, IsCa, KeyPair, date_time_ymd};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::{Fixture, ran};

/// A self-signed certificate, with its key.
struct Certificate {
    folder: PathBuf,
}

impl Certificate {
    /// Creates a certificate for a host, valid in these years.
    fn make(fixture: &Fixture, host: &str, years: [i32; 2]) -> Self {
        let folder = fixture.home.path().join(format!("{host}-{}-{}", years[0], years[1]));
        let [from, to] = years.map(|year| date_time_ymd(year, 1, 1));
        let mut parameters = CertificateParams::new([host.to_owned()]).unwrap();
        (parameters.not_before, parameters.not_after) = (from, to);
        parameters.is_ca = IsCa::ExplicitNoCa;
        parameters.distinguished_name.push(DnType::CommonName, host);
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("certificate.pem"), certificate.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    /// Serves the service over TLS, and returns the URL.
    async fn serve(&self, fixture: &Fixture) -> String {
        let certificate = CertificateDer::from_pem_file(self.file()).unwrap();
        let key = PrivateKeyDer::from_pem_file(self.folder.join("key.pem")).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let behind = fixture.local.base_url().strip_prefix("http://").unwrap().to_owned();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // A client that does not trust the certificate disconnects.
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut service = TcpStream::connect(&behind).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut service).await;
            }
        });
        format!("https://localhost:{port}")
    }
}

#[tokio::test]
async fn failures_of_tls_are_diagnosed() {
    let fixture = Fixture::start().await;
    let valid = Certificate::make(&fixture, "localhost", [2020, 4000]);
    let past = Certificate::make(&fixture, "localhost", [2000, 2001]);
    let future = Certificate::make(&fixture, "localhost", [3000, 4000]);
    // A host name that contains the words of other errors.
    let name = "expired.unknownissuer.example";
    let foreign = Certificate::make(&fixture, name, [2020, 4000]);
    for (certificate, trusted, code, text) in [
        (&valid, &valid, 0, "knows the endpoint echo"),
        (&valid, &foreign, 1, "does not know who issued the certificate"),
        (&past, &past, 1, "the certificate is not valid at this time"),
        (&future, &future, 1, "the certificate is not valid at this time"),
        (&foreign, &foreign, 1, "the certificate is for another host"),
    ] {
        let url = certificate.serve(&fixture).await;
        let mut doctor = fixture.program(&["doctor", "echo"]);
        doctor.env("PODQUEUE_BASE_URL", url).env("SSL_CERT_FILE", trusted.file());
        let ran = ran(&mut doctor).await;
        ran.assert_code(code);
        assert!(ran.stdout.contains(text), "{}", ran.stdout);
    }
}
