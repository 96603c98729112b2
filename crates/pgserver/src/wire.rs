//! Messages of PostgreSQL's protocol, version 3: a kind, a length that counts itself, a payload.

use std::io::{self, Read};

/// A message, as sent.
pub(crate) struct Message(Vec<u8>);

impl Message {
    /// A message of this kind.
    pub(crate) fn new(kind: u8, payload: &[u8]) -> Self {
        Self([&[kind], &length(payload)[..], payload].concat())
    }

    /// The first message of a client, which has no kind.
    pub(crate) fn startup(parameters: &[(&str, &str)]) -> Vec<u8> {
        let mut payload = 0x0003_0000_u32.to_be_bytes().to_vec();
        for (name, value) in parameters {
            payload.extend([name.as_bytes(), &[0], value.as_bytes(), &[0]].concat());
        }
        payload.push(0);
        [&length(&payload)[..], &payload].concat()
    }

    /// Reads a message. Fails at the end of the data.
    pub(crate) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut kind = [0];
        from.read_exact(&mut kind)?;
        let mut message = kind.to_vec();
        message.extend(read_without_kind(from)?);
        Ok(Self(message))
    }

    pub(crate) fn kind(&self) -> u8 {
        self.0[0]
    }

    pub(crate) fn payload(&self) -> &[u8] {
        &self.0[5..]
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The code and the text of an error.
    pub(crate) fn error(&self) -> (String, String) {
        let field = |code| {
            let found =
                self.payload().split(|byte| *byte == 0).find(|it| it.first() == Some(&code));
            String::from_utf8_lossy(found.unwrap_or_default().get(1..).unwrap_or_default()).into()
        };
        (field(b'C'), field(b'M'))
    }
}

/// Reads a message without a kind, which only the first message of a client is.
pub(crate) fn read_without_kind(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let payload = (u32::from_be_bytes(length) as usize).saturating_sub(4);
    let mut message = length.to_vec();
    message.resize(4 + payload, 0);
    from.read_exact(&mut message[4..])?;
    Ok(message)
}

/// The text before the first NUL from this offset on.
pub(crate) fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn length(payload: &[u8]) -> [u8; 4] {
    (payload.len() as u32 + 4).to_be_bytes()
}
