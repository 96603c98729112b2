//! A PostgreSQL server for tests: an ordinary process in a temporary folder, from what the
//! distribution installs. It ends with the process that started it, however that ends.
//!
//! What goes wrong panics, as tests want it.

mod guarded;
mod pooler;
mod programs;
mod proxy;

pub use pooler::Pooler;
pub use proxy::{Proxy, Traffic};

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use self::guarded::{End, Guarded};

/// How long a server may take to start.
const START: Duration = Duration::from_secs(60);

/// A server that runs until this is dropped, or the process ends.
pub struct Server {
    running: Option<Guarded>,
    port: u16,
    folder: PathBuf,
}

impl Server {
    /// Makes a database cluster and starts its server.
    ///
    /// # Panics
    ///
    /// If PostgreSQL is not installed, with what to do; or if it does not start.
    #[must_use]
    pub fn start() -> Self {
        // Removed by whoever guards the server, who lives longer than this process.
        let folder = TempDir::with_prefix("pq").expect("a temporary folder").keep();
        programs::give_to_user(&folder);
        let data = folder.join("data");
        let initialize = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"];
        programs::run(programs::postgres("initdb").args(initialize).arg("-D").arg(data));
        let mut server = Self { running: None, port: free_port(), folder };
        server.resume();
        server
    }

    /// Starts it again after [`stop`](Self::stop) or [`crash`](Self::crash).
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn resume(&mut self) {
        let mut server = programs::postgres("postgres");
        server.arg("-D").arg(self.folder.join("data")).args(["-p", &self.port.to_string()]);
        server.arg("-k").arg(&self.folder);
        for setting in
            ["listen_addresses=127.0.0.1", "max_connections=50", "log_min_messages=fatal"]
        {
            server.args(["-c", setting]);
        }
        self.running = Some(Guarded::start(server, &self.folder));
        let started = Instant::now();
        let mut ready = programs::postgres("pg_isready");
        ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        while !ready.status().is_ok_and(|status| status.success()) {
            assert!(started.elapsed() < START, "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Stops it in an orderly way: connections are closed.
    pub fn stop(&mut self) {
        self.end(End::Orderly);
    }

    /// Stops it as a crash would: it recovers when it is started again.
    pub fn crash(&mut self) {
        self.end(End::Crash);
    }

    /// Makes a base backup of the whole cluster, in place of an earlier one. The server goes on meanwhile.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn back_up(&mut self) {
        let backup = self.folder.join("backup");
        programs::run(Command::new("rm").arg("-rf").arg(&backup));
        let mut program = programs::postgres("pg_basebackup");
        program.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "postgres"]);
        programs::run(program.args(["--no-sync", "--checkpoint=fast", "-D"]).arg(&backup));
    }

    /// Puts the copy that [`back_up`](Self::back_up) made in the place of the cluster, whose server
    /// crashes first.
    ///
    /// # Panics
    ///
    /// If there is no copy, or the server does not start from it.
    pub fn restore(&mut self) {
        self.crash();
        self.copy("backup", "data");
        self.resume();
    }

    fn copy(&self, from: &str, to: &str) {
        let (from, to) = (self.folder.join(from), self.folder.join(to));
        programs::run(Command::new("rm").arg("-rf").arg(&to));
        programs::run(Command::new("cp").args(["-a", "--reflink=auto"]).arg(from).arg(to));
    }

    fn end(&mut self, end: End) {
        if let Some(running) = self.running.take() {
            running.end(end);
        }
    }

    /// Lets it offer TLS from its next start on, with a certificate for this name, and returns the
    /// file with the certificate that signed it.
    ///
    /// # Panics
    ///
    /// If there is no `openssl` that makes certificates.
    #[must_use]
    pub fn certify(&self, name: &str) -> PathBuf {
        self.certify_with(name, &["-addext", "basicConstraints=critical,CA:FALSE"])
    }

    /// The same, with a certificate as `openssl` makes it unasked: one of a CA.
    ///
    /// # Panics
    ///
    /// As [`certify`](Self::certify) does.
    #[must_use]
    pub fn certify_as_ca(&self, name: &str) -> PathBuf {
        self.certify_with(name, &[])
    }

    fn certify_with(&self, name: &str, further: &[&str]) -> PathBuf {
        let [certificate, key] = self.certificate(name);
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]);
        openssl.args(["-nodes", "-days", "9", "-subj", "/CN=test"]);
        openssl.args(["-addext", &format!("subjectAltName=DNS:{name}")]);
        openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
        programs::run(openssl.args(further));
        programs::give_to_user(&key);
        self.offer(name);
        certificate
    }

    /// Lets it offer the certificate that was made for this name, from its next start on.
    ///
    /// # Panics
    ///
    /// If that cannot be set.
    pub fn offer(&self, name: &str) {
        let [certificate, key] = self.certificate(name);
        let of = |file: PathBuf| file.display().to_string();
        for (name, value) in [
            ("ssl", "on".to_owned()),
            ("ssl_cert_file", of(certificate)),
            ("ssl_key_file", of(key)),
        ] {
            self.sql("postgres", &format!("ALTER SYSTEM SET {name} = '{value}'"));
        }
    }

    /// The files of a certificate and its key.
    fn certificate(&self, name: &str) -> [PathBuf; 2] {
        ["pem", "key"].map(|kind| self.folder.join(format!("{name}.{kind}")))
    }

    /// Its port on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The URL of a database, over TCP.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }

    /// Creates a database, and returns its URL.
    ///
    /// # Panics
    ///
    /// If that fails.
    #[must_use]
    pub fn create(&self, database: &str) -> String {
        self.sql("postgres", &format!("CREATE DATABASE \"{database}\""));
        self.url(database)
    }

    /// Executes statements, and returns what they print, without headers.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn sql(&self, database: &str, statements: &str) -> String {
        let mut psql = programs::postgres("psql");
        psql.args(["-XqAt", "-v", "ON_ERROR_STOP=1", "-c", statements, &self.url(database)]);
        programs::run(&mut psql)
    }
}

/// The URL of a database at this port.
fn url(port: u16, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{database}")
}

/// A port that nobody uses.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
