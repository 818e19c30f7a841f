//! Reading numbers out of bytes that may end too early.

pub(crate) type Result<T, E = Unreadable> = std::result::Result<T, E>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is of a version that we do not know; LLVM's tools may.
    Unknown(&'static str),
    /// It is not as it should be.
    Damaged(&'static str),
}

/// Bytes that are read from front to back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'b>(pub(crate) &'b [u8]);

const CUT: Unreadable = Unreadable::Damaged("it ends too early");

impl<'b> Bytes<'b> {
    pub(crate) fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(CUT)?;
        self.0 = rest;
        Ok(taken)
    }
    /// Passes over what is left up to the next multiple of eight bytes of a whole.
    pub(crate) fn align(&mut self, whole: usize) -> Result<()> {
        let beyond = (whole - self.0.len()) % 8;
        self.take(((8 - beyond) % 8).min(self.0.len())).map(drop)
    }

    /// The next `count` things of `size` bytes each.
    pub(crate) fn take_many(&mut self, count: usize, size: usize) -> Result<&'b [u8]> {
        self.take(count.checked_mul(size).ok_or(CUT)?)
    }

    pub(crate) fn u32(&mut self) -> Result<u32> {
        let bytes = self.take(4)?.try_into().map_err(|_| CUT)?;
        Ok(u32::from_le_bytes(bytes))
    }

    pub(crate) fn u64(&mut self) -> Result<u64> {
        let bytes = self.take(8)?.try_into().map_err(|_| CUT)?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// A number of eight bytes that tells a size.
    pub(crate) fn size(&mut self) -> Result<usize> {
        usize::try_from(self.u64()?).map_err(|_| CUT)
    }

    /// A number in groups of seven bits, the low ones first.
    pub(crate) fn varint(&mut self) -> Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Unreadable::Damaged("a number is too long"))
    }

    /// A varint that tells how many things follow; each takes a byte at least.
    pub(crate) fn count(&mut self) -> Result<usize> {
        let count = usize::try_from(self.varint()?).ok();
        count.filter(|&count| count <= self.0.len()).ok_or(CUT)
    }

    /// A varint of at most 32 bits.
    pub(crate) fn number(&mut self) -> Result<u32> {
        u32::try_from(self.varint()?).map_err(|_| Unreadable::Damaged("a number is too large"))
    }
}
