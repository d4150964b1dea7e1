//! Arrays in numpy's format, version 1: as many types as a recording has, little-endian, rows first.

/// A number as it lies in an array.
pub(super) trait Scalar: Copy {
    /// Type in numpy's notation.
    const DESCR: &'static str;
    const SIZE: usize;
    fn put(self, out: &mut Vec<u8>);
    /// From `SIZE` bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! scalar {
    ($t:ty, $descr:literal) => {
        impl Scalar for $t {
            const DESCR: &'static str = $descr;
            const SIZE: usize = size_of::<$t>();
            fn put(self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }
            fn get(bytes: &[u8]) -> Self {
                bytes.try_into().map_or(Self::default(), Self::from_le_bytes)
            }
        }
    };
}
scalar!(f64, "<f8");
scalar!(f32, "<f4");
scalar!(i64, "<i8");
scalar!(u32, "<u4");
scalar!(u8, "|u1");

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Bytes before the numbers of an array of a shape, padded so that numbers begin at a multiple of 64 bytes.
pub(super) fn head(descr: &str, shape: &[usize]) -> Vec<u8> {
    let sizes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({}), }}", sizes.trim_end());
    let start = (MAGIC.len() + 2 + header.len() + 1).next_multiple_of(64);
    header.extend(std::iter::repeat_n(' ', start - MAGIC.len() - 2 - header.len() - 1));
    header.push('\n');
    let mut out = Vec::with_capacity(start);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&(header.len() as u16).to_le_bytes());
    out.extend_from_slice(header.as_bytes());
    out
}

/// The array of a shape.
pub(super) fn to_bytes<T: Scalar>(shape: &[usize], data: &[T]) -> Vec<u8> {
    let mut out = head(T::DESCR, shape);
    out.reserve(data.len() * T::SIZE);
    data.iter().for_each(|x| x.put(&mut out));
    out
}

/// The entry of a header's dictionary after `key`.
fn entry<'a>(header: &'a str, key: &str) -> Result<&'a str, String> {
    match header.split_once(&format!("'{key}':")) {
        Some((_, rest)) => Ok(rest.trim_start()),
        None => Err(format!("its header has no '{key}'")),
    }
}

/// The numbers of an array; their count must be that of its shape.
pub(super) fn from_bytes<T: Scalar>(bytes: &[u8]) -> Result<Vec<T>, String> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return Err("not a numpy array of version 1".into()) };
    let Some((length, rest)) = rest.split_first_chunk() else { return Err("it ends in its header".into()) };
    let Some((header, numbers)) = rest.split_at_checked(u16::from_le_bytes(*length).into()) else {
        return Err("it ends in its header".into());
    };
    let header = std::str::from_utf8(header).map_err(|e| format!("its header: {e}"))?;
    if !entry(header, "descr")?.starts_with(&format!("'{}'", T::DESCR)) {
        return Err(format!("its numbers are not of type {}", T::DESCR));
    }
    if !entry(header, "fortran_order")?.starts_with("False") {
        return Err("its columns come first".into());
    }
    let shape = entry(header, "shape")?;
    let Some((sizes, _)) = shape.strip_prefix('(').and_then(|s| s.split_once(')')) else {
        return Err("its shape is no tuple".into());
    };
    let mut count = Some(1usize);
    for size in sizes.split(',').map(str::trim).filter(|s| !s.is_empty()) {
        let size: usize = size.parse().map_err(|e| format!("its shape ({sizes}): {e}"))?;
        count = count.and_then(|c| c.checked_mul(size));
    }
    if count.and_then(|c| c.checked_mul(T::SIZE)) != Some(numbers.len()) {
        return Err(format!("its shape ({sizes}) does not fit {} bytes", numbers.len()));
    }
    Ok(numbers.chunks_exact(T::SIZE).map(T::get).collect())
}
