//! Session: a blocking connection for the queries of a test, without a process per query.

use std::io::{BufReader, Write};
use std::net::TcpStream;

use crate::Server;
use crate::wire::Message;

/// A connection for queries of a test.
pub struct Session {
    from: BufReader<TcpStream>,
    to: TcpStream,
}

impl Session {
    /// Connects to a database.
    ///
    /// # Panics
    ///
    /// If that fails.
    #[must_use]
    pub fn open(server: &Server, database: &str) -> Self {
        let mut to = TcpStream::connect(("127.0.0.1", server.port())).expect("a connection");
        to.set_nodelay(true).expect("a socket");
        let parameters = [("user", "postgres"), ("database", database)];
        to.write_all(&Message::startup(&parameters)).expect("a connection");
        let from = BufReader::new(to.try_clone().expect("a socket"));
        let mut session = Self { from, to };
        session.rows();
        session
    }

    /// Executes statements, and returns their rows. NULL is an empty text.
    ///
    /// # Panics
    ///
    /// If that fails.
    pub fn query(&mut self, statements: &str) -> Vec<Vec<String>> {
        let message = Message::new(b'Q', &[statements.as_bytes(), &[0]].concat());
        self.to.write_all(message.bytes()).expect("a connection");
        self.rows()
    }

    /// The rows until the server is ready for the next query.
    fn rows(&mut self) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        loop {
            let message = Message::read(&mut self.from).expect("a connection");
            match message.kind() {
                b'Z' => return rows,
                b'D' => rows.push(row(message.payload())),
                b'E' => panic!("{:?}", message.error()),
                _ => {}
            }
        }
    }
}

fn row(payload: &[u8]) -> Vec<String> {
    let (_, mut rest) = payload.split_at(2);
    let mut values = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::try_from(i32::from_be_bytes(*length)).unwrap_or_default();
        let (value, after) = after.split_at(length);
        values.push(String::from_utf8_lossy(value).into_owned());
        rest = after;
    }
    values
}
