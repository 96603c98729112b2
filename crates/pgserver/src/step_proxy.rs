//! Proxy that holds each step of a connection until it is released, and its response until it is
//! delivered.
//!
//! A step is what a client sends before it waits: a simple query, or the messages up to `Sync`. The
//! start of a connection passes. A connection that ends outside of a transaction leaves its backend
//! to the next one: to start a backend takes longer than most schedules.

use std::io::{self, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crate::wire::{self, Message};

/// Connections of processes through the proxy, and the states of the processes.
#[derive(Default)]
pub(crate) struct Connections {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) connections: Vec<Connection>,
    backends: Vec<Backend>,
    pub(crate) processes: Vec<Process>,
}

/// State of a process.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Process {
    pub(crate) is_waiting: bool,
    pub(crate) has_ended: bool,
    /// It was killed: it cannot connect any more.
    pub(crate) is_killed: bool,
    /// Number of connections that are being established.
    pub(crate) connecting: usize,
}

/// A process of the server.
struct Backend {
    id: i32,
    server: TcpStream,
    /// Its response to the start of the connection.
    greeting: Vec<u8>,
    /// The connection that uses it.
    connection: Option<usize>,
    is_open: bool,
}

pub(crate) struct Connection {
    pub(crate) process: usize,
    pub(crate) backend: i32,
    place: usize,
    client: TcpStream,
    server: TcpStream,
    pub(crate) has_client: bool,
    /// Its thread reads what the client sends.
    pub(crate) is_read: bool,
    pub(crate) has_server: bool,
    /// The backend has ended.
    pub(crate) is_gone: bool,
    pub(crate) held: Option<Step>,
    /// The step that the server executes, or has executed.
    pub(crate) released: Option<Step>,
    pub(crate) is_blocked: bool,
    /// The response is lost, and the connection with it.
    pub(crate) loses: bool,
    /// The client is gone, and the held step arrives from this moment on.
    pub(crate) late: Option<usize>,
    answer: Vec<u8>,
    /// The state of the transaction after the response.
    pub(crate) answered: Option<u8>,
    pub(crate) error: Option<(String, String)>,
}

/// Messages that a client sends before it waits for the response.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    bytes: Vec<u8>,
    pub(crate) sql: String,
}

impl Connections {
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until something changes, or for this time.
    pub(crate) fn wait<'a>(
        &self,
        state: MutexGuard<'a, State>,
        time: Duration,
    ) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }

    pub(crate) fn notify(&self) {
        self.changed.notify_all();
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.notify();
    }

    /// Accepts connections of this process on a port of its own, which is returned.
    pub(crate) fn listen(self: &Arc<Self>, process: usize, behind: u16) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let this = Arc::clone(self);
        // The threads end with the process, or with their connection.
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let this = Arc::clone(&this);
                this.change(|state| state.processes[process].connecting += 1);
                thread::spawn(move || {
                    let started = this.start(process, client, behind);
                    if started.is_err() {
                        this.change(|state| state.processes[process].connecting -= 1);
                    }
                });
            }
        });
        port
    }

    /// Passes the start of a connection on, and reads it to its end.
    fn start(
        self: &Arc<Self>,
        process: usize,
        mut client: TcpStream,
        behind: u16,
    ) -> io::Result<()> {
        client.set_nodelay(true)?;
        let mut from_client = BufReader::new(client.try_clone()?);
        let startup = wire::read_without_kind(&mut from_client)?;
        if self.lock().processes[process].is_killed {
            // A final error, so that the process does not try again.
            let refusal = b"SFATAL\0VFATAL\0C3D000\0Mthe process was killed\0\0";
            client.write_all(Message::new(b'E', refusal).bytes())?;
            return Err(io::ErrorKind::ConnectionRefused.into());
        }
        let free = |it: &Backend| it.is_open && it.connection.is_none();
        let mut state = self.lock();
        let mut found = state.backends.iter().position(free);
        if found.is_none() {
            drop(state);
            let place = self.add_backend(&startup, behind)?;
            state = self.lock();
            found = Some(place);
        }
        let place = found.unwrap_or_default();
        let number = state.connections.len();
        let backend = &mut state.backends[place];
        backend.connection = Some(number);
        client.write_all(&backend.greeting)?;
        let connection = Connection {
            process,
            backend: backend.id,
            place,
            client,
            server: backend.server.try_clone()?,
            has_client: true,
            is_read: true,
            has_server: true,
            is_gone: false,
            held: None,
            released: None,
            is_blocked: false,
            loses: false,
            late: None,
            answer: Vec::new(),
            answered: None,
            error: None,
        };
        state.connections.push(connection);
        state.processes[process].connecting -= 1;
        drop(state);
        self.notify();
        self.read_client(number, from_client);
        Ok(())
    }

    /// Starts a backend, which is not free yet.
    fn add_backend(self: &Arc<Self>, startup: &[u8], behind: u16) -> io::Result<usize> {
        let mut server = TcpStream::connect(("127.0.0.1", behind))?;
        server.set_nodelay(true)?;
        server.write_all(startup)?;
        let mut from = BufReader::new(server.try_clone()?);
        let (mut id, mut greeting, mut kind) = (0, Vec::new(), 0);
        while kind != b'Z' {
            let message = Message::read(&mut from)?;
            kind = message.kind();
            if let (b'K', Some(number)) = (kind, message.payload().first_chunk()) {
                id = i32::from_be_bytes(*number);
            }
            greeting.extend_from_slice(message.bytes());
        }
        let mut state = self.lock();
        let place = state.backends.len();
        let connection = Some(usize::MAX);
        state.backends.push(Backend { id, server, greeting, connection, is_open: true });
        let this = Arc::clone(self);
        thread::spawn(move || this.read_server(place, from));
        Ok(place)
    }

    fn read_client(&self, number: usize, mut from: BufReader<TcpStream>) {
        let (mut bytes, mut sql) = (Vec::new(), String::new());
        while let Ok(message) = Message::read(&mut from) {
            let payload = message.payload();
            match message.kind() {
                b'Q' => sql = wire::text(payload),
                // After the name of the statement, which has none.
                b'P' => sql = wire::text(&payload[wire::text(payload).len() + 1..]),
                b'X' => break,
                _ => {}
            }
            bytes.extend_from_slice(message.bytes());
            if matches!(message.kind(), b'Q' | b'S') {
                let sql = sql.split_whitespace().collect::<Vec<_>>().join(" ");
                let step = Step { bytes: std::mem::take(&mut bytes), sql };
                self.change(|state| state.connections[number].held = Some(step));
            }
        }
        self.change(|state| {
            let connection = &mut state.connections[number];
            connection.is_read = false;
            if connection.late.is_none() {
                state.end(number);
            }
        });
    }

    fn read_server(&self, place: usize, mut from: BufReader<TcpStream>) {
        while let Ok(message) = Message::read(&mut from) {
            let mut state = self.lock();
            let number = state.backends[place].connection;
            let Some(connection) = number.and_then(|it| state.connections.get_mut(it)) else {
                continue;
            };
            connection.answer.extend_from_slice(message.bytes());
            match message.kind() {
                b'E' => connection.error = Some(message.error()),
                b'Z' => connection.answered = message.payload().first().copied(),
                _ => continue,
            }
            drop(state);
            self.notify();
        }
        self.change(|state| {
            state.backends[place].is_open = false;
            let number = state.backends[place].connection;
            let Some(connection) = number.and_then(|it| state.connections.get_mut(it)) else {
                return;
            };
            connection.has_server = false;
            // Such as the reason for which the server has closed it.
            connection.pass_answer();
            connection.close();
        });
    }
}

impl State {
    /// Passes a response on to the client, unless it is lost.
    pub(crate) fn deliver(&mut self, number: usize) {
        self.connections[number].pass_answer();
        if self.connections[number].loses {
            self.end(number);
        }
    }

    /// Ends a connection that has lost its client: its transaction is rolled back, as the server
    /// does by itself, and its backend left to the next one.
    pub(crate) fn end(&mut self, number: usize) {
        let connection = &mut self.connections[number];
        connection.cut_client();
        (connection.loses, connection.held) = (true, None);
        if !connection.has_server || connection.is_gone {
            return;
        }
        if connection.released.is_some() {
            connection.close();
        } else if matches!(connection.answered, None | Some(b'I')) {
            (connection.is_gone, connection.has_server) = (true, false);
            self.backends[connection.place].connection = None;
        } else {
            let bytes = Message::new(b'Q', b"ROLLBACK\0").bytes().to_vec();
            connection.held = Some(Step { bytes, sql: "ROLLBACK".to_owned() });
            connection.release();
        }
    }
}

impl Connection {
    /// Closes both ends. The server rolls back what is not committed.
    pub(crate) fn close(&mut self) {
        self.cut_client();
        let _ = self.server.shutdown(Shutdown::Both);
    }

    /// Closes the end of the client.
    pub(crate) fn cut_client(&mut self) {
        let _ = self.client.shutdown(Shutdown::Both);
        self.has_client = false;
    }

    /// Passes the held step on to the server.
    pub(crate) fn release(&mut self) {
        let Some(step) = self.held.take() else { return };
        (self.answered, self.error, self.is_blocked) = (None, None, false);
        // If the server has closed the connection, that is noticed by reading it.
        let _ = self.server.write_all(&step.bytes);
        self.released = Some(step);
    }

    fn pass_answer(&mut self) {
        let answer = std::mem::take(&mut self.answer);
        if !self.loses {
            let _ = self.client.write_all(&answer);
        }
    }

    /// Returns true if the client waits for its held step to be released.
    pub(crate) fn is_held(&self) -> bool {
        self.has_client && self.has_server && self.held.is_some() && self.released.is_none()
    }
}
