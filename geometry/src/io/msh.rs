use signorini_core::na::Point3;

use super::{Refusal, Surface};

/// Reads MuJoCo's old binary format: four counts (vertices, normals, texture coordinates, faces), then vertices, normals and texture coordinates
/// in single precision, then faces; normals and texture coordinates are passed over.
pub(super) fn parse(bytes: &[u8]) -> Result<Surface, Refusal> {
    let word = |i: usize| -> [u8; 4] { std::array::from_fn(|k| bytes.get(4 * i + k).copied().unwrap_or(0)) };
    let counts: [usize; 4] =
        std::array::from_fn(|i| usize::try_from(i32::from_le_bytes(word(i))).unwrap_or(usize::MAX));
    let [vertices, normals, coordinates, faces] = counts;
    let words = [(vertices, 3), (normals, 3), (coordinates, 2), (faces, 3)]
        .iter()
        .try_fold(4_usize, |sum, (n, width)| sum.checked_add(n.checked_mul(*width)?));
    if words.and_then(|w| w.checked_mul(4)) != Some(bytes.len()) {
        return Err(Refusal::Syntax {
            place: format!("{} bytes", bytes.len()),
            reason: format!("its counts {counts:?} do not fit its length; it is no MSH file of MuJoCo"),
        });
    }
    let x = |i: usize| f64::from(f32::from_le_bytes(word(i)));
    let points = (0..vertices).map(|i| Point3::new(x(4 + 3 * i), x(5 + 3 * i), x(6 + 3 * i))).collect();
    let first = 4 + 3 * vertices + 3 * normals + 2 * coordinates;
    let index = |i: usize| u32::from_le_bytes(word(first + i));
    let triangles = (0..faces).map(|i| [index(3 * i), index(3 * i + 1), index(3 * i + 2)]).collect();
    Ok((points, triangles))
}
