//! As much of protobuf's wire format as ONNX needs: fields are written in the order they are given.

/// `wire type` of a varint and of something with a length.
const VARINT: u64 = 0;
const LENGTH: u64 = 2;

#[derive(Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn number(mut self, field: u32, value: u64) -> Self {
        self.varint(u64::from(field) << 3 | VARINT);
        self.varint(value);
        self
    }

    pub(super) fn bytes(mut self, field: u32, value: &[u8]) -> Self {
        self.varint(u64::from(field) << 3 | LENGTH);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(super) fn text(self, field: u32, value: &str) -> Self {
        self.bytes(field, value.as_bytes())
    }

    pub(super) fn message(self, field: u32, value: &Message) -> Self {
        self.bytes(field, &value.0)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    /// Seven bits a byte, the low ones first; the top bit says that more follow.
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of protobuf.dev/programming-guides/encoding.
    #[test]
    fn fields_are_encoded_as_the_manual_shows() {
        assert_eq!(
            Message::default().number(1, 150).into_bytes(),
            [0x08, 0x96, 0x01]
        );
        assert_eq!(
            Message::default().text(2, "testing").into_bytes(),
            b"\x12\x07testing"
        );
        let inner = Message::default().number(1, 150);
        assert_eq!(
            Message::default().message(3, &inner).into_bytes(),
            [0x1a, 0x03, 0x08, 0x96, 0x01]
        );
    }
}
