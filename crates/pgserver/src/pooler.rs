//! Connection pooler: `pgbouncer` in transaction mode.

use std::fs;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::process_guard::GuardedProcess;
use crate::{Server, free_port, programs, url};

/// Time limit for the start of a pooler.
const START_TIMEOUT: Duration = Duration::from_secs(20);

/// Pooler in transaction mode, with fewer connections to the server than it accepts.
pub struct Pooler {
    _running: GuardedProcess,
    port: u16,
}

impl Pooler {
    /// Starts a pooler in front of a server.
    ///
    /// # Panics
    ///
    /// If it is not installed, with what to do; or if it does not start.
    #[must_use]
    pub fn start(server: &Server) -> Self {
        Self::start_with(server, "")
    }

    /// Starts a pooler with further settings, one per line, which override its own.
    ///
    /// # Panics
    ///
    /// As [`start`](Self::start) does.
    #[must_use]
    pub fn start_with(server: &Server, further: &str) -> Self {
        let folder = TempDir::with_prefix("pq").expect("a temporary folder").keep();
        let (port, behind) = (free_port(), server.port());
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={behind} user=postgres\n\
             [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nauth_type = any\n\
             pool_mode = transaction\ndefault_pool_size = 3\nunix_socket_dir =\n\
             server_check_delay = 0\n{further}\n"
        );
        let file = folder.join("pgbouncer.ini");
        fs::write(&file, settings).expect("a file");
        programs::give_to_user(&folder);
        let mut pooler = programs::pgbouncer();
        pooler.arg("-q").arg(&file);
        let running = GuardedProcess::start(pooler, &folder);
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(started.elapsed() < START_TIMEOUT, "the pooler does not start");
            std::thread::sleep(Duration::from_millis(20));
        }
        Self { _running: running, port }
    }

    /// Returns the URL of a database through the pooler.
    #[must_use]
    pub fn url(&self, database: &str) -> String {
        url(self.port, database)
    }
}
