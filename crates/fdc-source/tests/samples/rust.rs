//! Every shape of function that Rust has.
use std::fmt;

#[inline]
#[must_use]
pub(crate) const fn plain(a: u32) -> u32 {
    let twice = |x| {
        x * 2
    };
    twice(a)
}

pub async unsafe fn long_signature<'a, T>(
    first: &'a T,
    second: impl Fn(u32) -> u32,
) -> Option<&'a T>
where
    T: fmt::Debug,
{
    fn inner() {}
    inner();
    Some(first)
}

mod deep {
    pub(crate) mod deeper {
        pub(crate) struct Stack<T>(Vec<T>);

        impl<T> Stack<T>
        where
            T: Clone,
        {
            pub(crate) fn new() -> Self {
                Stack(Vec::new())
            }
        }

        impl<'a, T: Clone> IntoIterator
            for &'a mut Stack<T>
        {
            type Item = T;
            fn into_iter(self) -> Self::Item { todo!() }
        }
    }
}

impl From<A> for B {
    fn from(a: A) -> B {
        match a {
            A::One => B,
            A::Two { .. } => {
                B
            }
        }
    }
}

impl From<C> for B {
    fn from(c: C) -> B {
        B
    }
}

trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        String::new()
    }
}

macro_rules! make {
    ($name:ident) => {
        fn $name() {}
        fn ignored() {}
    };
}

make!(made);

proptest! {
    #[test]
    fn in_a_macro(x in 0..10u32, f: fn(u32) -> bool) {
        assert!(x < 10);
    }

    fn second() { if true { } }
}

#[cfg(unix)]
fn by_platform() {}

#[cfg(not(unix))]
fn by_platform() {}

extern "C" {
    fn foreign();
}

#[cfg(test)]
mod tests {
    #[test]
    fn works() {}
}
