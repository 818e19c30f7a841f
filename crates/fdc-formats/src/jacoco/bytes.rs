//! Java's numbers, read from front to back out of bytes that may end too early.

/// Bytes and how far they are read.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) at: usize,
}

/// The bytes end before what is wanted does.
pub(crate) struct CutOff {
    pub(crate) at: usize,
    pub(crate) wanted: usize,
    pub(crate) left: usize,
}

impl<'b> Bytes<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Bytes { bytes, at: 0 }
    }

    pub(crate) fn take(&mut self, length: usize) -> Result<&'b [u8], CutOff> {
        let end = self.at.checked_add(length);
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or(CutOff {
            at: self.at,
            wanted: length,
            left: self.bytes.len() - self.at,
        })?;
        self.at += length;
        Ok(taken)
    }

    pub(crate) fn skip(&mut self, length: usize) -> Result<(), CutOff> {
        self.take(length).map(drop)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, CutOff> {
        self.array().map(u8::from_be_bytes)
    }

    pub(crate) fn u16(&mut self) -> Result<u16, CutOff> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, CutOff> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn u64(&mut self) -> Result<u64, CutOff> {
        self.array().map(u64::from_be_bytes)
    }

    /// A text after its length.
    pub(crate) fn text(&mut self) -> Result<String, CutOff> {
        let length = usize::from(self.u16()?);
        // Modified UTF-8 differs from UTF-8 in characters that no name here has.
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CutOff> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }
}
