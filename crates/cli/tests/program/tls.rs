//! `podqueue doctor` tells apart why TLS fails, with certificates that the program `openssl` makes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::process::Command;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::support::{Site, ran};

/// Signs whatever it gets.
const CONFIGURATION: &str = "\
[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
copy_extensions = copy
[any]
commonName = supplied
[req]
distinguished_name = any
";

/// A certificate that vouches for itself, with its key.
struct Certificate {
    folder: PathBuf,
}

impl Certificate {
    /// For a host, and for these years.
    async fn make(site: &Site, host: &str, years: [u16; 2]) -> Self {
        let folder = site.home.path().join(format!("{host}-{}-{}", years[0], years[1]));
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("configuration"), CONFIGURATION).unwrap();
        std::fs::write(folder.join("index"), "").unwrap();
        let key = "req -config configuration -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes \
                   -keyout key.pem -out request.pem -addext basicConstraints=critical,CA:FALSE";
        let name = format!("-subj /CN={host} -addext subjectAltName=DNS:{host}");
        openssl(&folder, &format!("{key} {name}")).await;
        let [from, to] = years.map(|year| format!("{year}0101000000Z"));
        let sign = "ca -batch -notext -selfsign -config configuration -keyfile key.pem \
                    -in request.pem -out certificate.pem";
        openssl(&folder, &format!("{sign} -startdate {from} -enddate {to}")).await;
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.join("certificate.pem")
    }

    /// Puts TLS in front of a service, and returns the URL.
    async fn serve(&self, site: &Site) -> String {
        let certificate = CertificateDer::from_pem_file(self.file()).unwrap();
        let key = PrivateKeyDer::from_pem_file(self.folder.join("key.pem")).unwrap();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(vec![certificate], key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let behind = site.local.base_url().strip_prefix("http://").unwrap().to_owned();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                // Who does not trust the certificate leaves.
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                let mut service = TcpStream::connect(&behind).await.unwrap();
                let _ = copy_bidirectional(&mut stream, &mut service).await;
            }
        });
        format!("https://localhost:{port}")
    }
}

async fn openssl(folder: &Path, arguments: &str) {
    let mut openssl = Command::new("openssl");
    openssl.args(arguments.split_whitespace()).current_dir(folder);
    let made = openssl.output().await.unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

#[tokio::test]
#[expect(clippy::print_stderr, reason = "whoever runs the tests learns what was skipped")]
async fn tls_fails_for_different_reasons() {
    if Command::new("openssl").arg("version").output().await.is_err() {
        eprintln!("skipped: openssl is not installed");
        return;
    }
    let site = Site::start().await;
    let valid = Certificate::make(&site, "localhost", [2020, 4000]).await;
    let past = Certificate::make(&site, "localhost", [2000, 2001]).await;
    let future = Certificate::make(&site, "localhost", [3000, 4000]).await;
    // A name that could pass for other reasons.
    let name = "expired.unknownissuer.example";
    let foreign = Certificate::make(&site, name, [2020, 4000]).await;
    for (certificate, trusted, code, text) in [
        (&valid, &valid, 0, "knows the endpoint echo"),
        (&valid, &foreign, 1, "does not know who issued the certificate"),
        (&past, &past, 1, "the certificate is not valid at this time"),
        (&future, &future, 1, "the certificate is not valid at this time"),
        (&foreign, &foreign, 1, "the certificate is for another host"),
    ] {
        let url = certificate.serve(&site).await;
        let mut doctor = site.program(&["doctor", "echo"]);
        doctor.env("PODQUEUE_BASE_URL", url).env("SSL_CERT_FILE", trusted.file());
        let ran = ran(&mut doctor).await;
        ran.assert_code(code);
        assert!(ran.stdout.contains(text), "{}", ran.stdout);
    }
}
