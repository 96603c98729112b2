//! Ports of a template.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// A port that a container exposes, written `<port>/<protocol>`.
///
/// ```
/// use podqueue::Port;
///
/// let port: Port = "8888/http".parse()?;
/// assert_eq!(port, Port::http(8888));
/// assert_eq!(Port::tcp(22).to_string(), "22/tcp");
/// # Ok::<(), podqueue::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Port {
    number: u16,
    protocol: Protocol,
}

/// The protocol of a [`Port`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Protocol {
    /// Reachable through the service's HTTP proxy.
    Http,
    /// Reachable at a public port of the host.
    Tcp,
}

impl Port {
    /// Creates an HTTP port.
    #[must_use]
    pub const fn http(number: u16) -> Self {
        Self { number, protocol: Protocol::Http }
    }

    /// Creates a TCP port.
    #[must_use]
    pub const fn tcp(number: u16) -> Self {
        Self { number, protocol: Protocol::Tcp }
    }

    /// The port number.
    #[must_use]
    pub const fn number(self) -> u16 {
        self.number
    }

    /// The protocol.
    #[must_use]
    pub const fn protocol(self) -> Protocol {
        self.protocol
    }
}

impl fmt::Display for Port {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let protocol = match self.protocol {
            Protocol::Http => "http",
            Protocol::Tcp => "tcp",
        };
        write!(f, "{}/{protocol}", self.number)
    }
}

impl FromStr for Port {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let parsed = text.split_once('/').and_then(|(number, protocol)| {
            let number = number.parse().ok().filter(|number| *number > 0)?;
            match protocol {
                "http" => Some(Self::http(number)),
                "tcp" => Some(Self::tcp(number)),
                _ => None,
            }
        });
        parsed.ok_or_else(|| {
            let rule = format_args!(
                "must be `<port>/http` or `<port>/tcp` with a port number from 1 to 65535, not {text:?}"
            );
            Error::refused("port of a template", "ports", rule)
        })
    }
}

impl TryFrom<&str> for Port {
    type Error = Error;

    fn try_from(text: &str) -> Result<Self, Error> {
        text.parse()
    }
}
