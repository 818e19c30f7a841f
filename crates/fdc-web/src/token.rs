//! The secret in the address: whoever has it may look and answer.

use std::fmt;
use std::hint::black_box;

/// 192 bits of the operating system's randomness, as hexadecimal digits.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Token(String);

impl Token {
    /// A new one.
    pub(crate) fn random() -> Result<Self, getrandom::Error> {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// For an address.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is this one. Takes as long for a nearly right guess as for a wrong one.
    pub(crate) fn is(&self, said: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differences = |sum: u8, (a, b): (&u8, &u8)| black_box(sum | (a ^ b));
        own.len() == said.len() && own.iter().zip(said).fold(0, differences) == 0
    }
}

/// Never printed by accident.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token::random().unwrap();
        let text = token.as_str().to_owned();
        assert_eq!(text.len(), 48);
        assert!(token.is(text.as_bytes()));
        assert!(!token.is(b""));
        assert!(!token.is(&text.as_bytes()[1..]));
        assert!(!token.is(text.to_uppercase().replace('0', "O").as_bytes()));
        assert!(!token.is(format!("{text}0").as_bytes()));
        assert_ne!(Token::random().unwrap(), token);
    }
}
