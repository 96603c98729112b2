//! PostgreSQL server for tests: a process in a temporary folder, from the packages of the
//! distribution. It ends with the process that started it, even if that is killed.
//!
//! All failures panic.

mod pooler;
mod process_guard;
mod programs;
mod proxy;
mod scheduler;
mod session;
mod step_proxy;
mod wire;

pub use pooler::Pooler;
pub use proxy::{Proxy, Traffic};
pub use scheduler::{Actor, Cut, Deviation, Event, Executed, Played, Schedule, Scheduler, Script};
pub use session::Session;

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use self::process_guard::{GuardedProcess, Shutdown};

/// Time limit for the start of a server.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// Server that runs until the value is dropped or the process ends.
pub struct Server {
    running: Option<GuardedProcess>,
    port: u16,
    folder: PathBuf,
    has_clock: bool,
}

impl Server {
    /// Creates a database cluster and starts its server.
    ///
    /// # Panics
    ///
    /// If PostgreSQL is not installed, with what to do; or if it does not start.
    #[must_use]
    pub fn start() -> Self {
        let mut server = Self::create_cluster();
        server.resume();
        server
    }

    /// Creates and starts a server whose time of day [`set_clock`](Self::set_clock) changes.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start) does, and if there is no C compiler.
    #[must_use]
    pub fn start_with_clock() -> Self {
        let mut server = Self { has_clock: true, ..Self::create_cluster() };
        let source = server.folder.join("clock.c");
        fs::write(&source, include_str!("clock.c")).expect("a file");
        let mut compiler = Command::new("cc");
        compiler.args(["-shared", "-fPIC", "-O1", "-o"]).arg(server.clock_library());
        programs::run(compiler.arg(source).arg("-ldl"));
        server.set_clock(0);
        server.resume();
        server
    }

    fn create_cluster() -> Self {
        let server = Self::in_new_folder();
        let initialize = ["-A", "trust", "-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"];
        programs::run(programs::postgres("initdb").args(initialize).arg("-D").arg(server.data()));
        server
    }

    fn in_new_folder() -> Self {
        // Removed by the process guard, which outlives this process.
        let folder = TempDir::with_prefix("pq").expect("a temporary folder").keep();
        programs::give_to_user(&folder);
        Self { running: None, port: free_port(), folder, has_clock: false }
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }

    fn clock_library(&self) -> PathBuf {
        self.folder.join("clock.so")
    }

    /// Sets the time of day of the server: seconds ahead of this machine's, or behind it. It takes
    /// effect at once.
    ///
    /// # Panics
    ///
    /// If its file cannot be written.
    pub fn set_clock(&self, ahead: i64) {
        let mut clock = fs::File::options();
        let file = clock.write(true).create(true).truncate(false).open(self.clock_file());
        // In one write, and in place: the server has the file in its memory.
        file.and_then(|mut file| file.write_all(&ahead.to_ne_bytes())).expect("a file");
    }

    fn clock_file(&self) -> PathBuf {
        self.folder.join("clock")
    }

    /// Creates and starts a standby of this server, from a base backup: it receives every change,
    /// can be read, and becomes a server of its own by [`promote`](Self::promote).
    ///
    /// # Panics
    ///
    /// If that fails.
    #[must_use]
    pub fn standby(&self) -> Self {
        let mut standby = Self { has_clock: self.has_clock, ..Self::in_new_folder() };
        self.copy_cluster(&["--write-recovery-conf"], &standby.data());
        if self.has_clock {
            fs::copy(self.clock_library(), standby.clock_library()).expect("a file");
            standby.set_clock(0);
        }
        standby.resume();
        standby
    }

    /// Lets every commit wait until a standby has it, from now on, or does not.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn wait_for_standby(&self, waits: bool) {
        let names = if waits { "*" } else { "" };
        self.sql("postgres", &format!("ALTER SYSTEM SET synchronous_standby_names = '{names}'"));
        self.sql("postgres", "SELECT pg_reload_conf()");
    }

    /// Lets a standby receive nothing more: what its primary commits from now on, it does not have.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn fall_behind(&self) {
        self.sql("postgres", "ALTER SYSTEM SET primary_conninfo = ''");
        self.sql("postgres", "SELECT pg_reload_conf()");
    }

    /// Makes a standby a server of its own, which waits for no standby.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn promote(&self) {
        self.sql("postgres", "SELECT pg_promote()");
        self.wait_for_standby(false);
    }

    /// Restarts it after [`stop`](Self::stop) or [`crash`](Self::crash).
    ///
    /// # Panics
    ///
    /// If it does not start.
    pub fn resume(&mut self) {
        let mut server = programs::postgres("postgres");
        server.arg("-D").arg(self.data()).args(["-p", &self.port.to_string()]);
        if self.has_clock {
            server.env("LD_PRELOAD", self.clock_library()).env("SERVER_CLOCK", self.clock_file());
        }
        server.arg("-k").arg(&self.folder);
        for setting in [
            "listen_addresses=127.0.0.1",
            "max_connections=50",
            "log_min_messages=fatal",
            // Processes crash here, never the machine. On a busy disk, a recovery would sync each file
            // of the cluster first, for longer than clients wait for it.
            "fsync=off",
        ] {
            server.args(["-c", setting]);
        }
        self.running = Some(GuardedProcess::start(server, &self.folder));
        let started = Instant::now();
        let mut ready = programs::postgres("pg_isready");
        ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
        while !ready.status().is_ok_and(|status| status.success()) {
            assert!(started.elapsed() < START_TIMEOUT, "the server does not start");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Shuts it down and closes its connections.
    pub fn stop(&mut self) {
        self.end(Shutdown::Orderly);
    }

    /// Crashes it. It recovers at its next start.
    pub fn crash(&mut self) {
        self.end(Shutdown::Crash);
    }

    /// Makes a base backup of the running cluster, which replaces an earlier one.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn back_up(&mut self) {
        let backup = self.folder.join("backup");
        programs::run(Command::new("rm").arg("-rf").arg(&backup));
        self.copy_cluster(&[], &backup);
    }

    fn copy_cluster(&self, further: &[&str], to: &Path) {
        let mut program = programs::postgres("pg_basebackup");
        program.args(["-h", "127.0.0.1", "-p", &self.port.to_string(), "-U", "postgres"]);
        program.args(["--no-sync", "--checkpoint=fast"]).args(further);
        programs::run(program.arg("-D").arg(to));
    }

    /// Crashes the server and restores the cluster from the backup of [`back_up`](Self::back_up).
    ///
    /// # Panics
    ///
    /// If there is no backup, or the server does not start from it.
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

    fn end(&mut self, shutdown: Shutdown) {
        if let Some(running) = self.running.take() {
            running.end(shutdown);
        }
    }

    /// Enables TLS from its next start on, with a certificate for this name, and returns the file
    /// of the certificate that signed it.
    ///
    /// # Panics
    ///
    /// If there is no `openssl` that makes certificates.
    #[must_use]
    pub fn certify(&self, name: &str) -> PathBuf {
        self.certify_with(name, &["-addext", "basicConstraints=critical,CA:FALSE"])
    }

    /// Enables TLS with a CA certificate, which `openssl` makes by default.
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

    /// Sets the certificate that was made for this name, from its next start on.
    ///
    /// # Panics
    ///
    /// If it cannot be set.
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

    /// Returns the files of a certificate and its key.
    fn certificate(&self, name: &str) -> [PathBuf; 2] {
        ["pem", "key"].map(|kind| self.folder.join(format!("{name}.{kind}")))
    }

    /// Returns its port on this machine.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of a database, over TCP.
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

/// Returns the URL of a database at this port.
fn url(port: u16, database: &str) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/{database}")
}

/// Returns an unused port.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
