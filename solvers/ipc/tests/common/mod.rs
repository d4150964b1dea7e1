//! Oracles as arrays.

use std::collections::HashMap;
use std::io::Read;

use signorini_testkit::data;

/// Arrays of a numpy archive as numbers, in the order of the file; None when it is absent.
pub(crate) fn archive(name: &str) -> Option<HashMap<String, Vec<f64>>> {
    let file = std::fs::File::open(data::oracle(format!("ipc/{name}"))?).unwrap();
    let mut zip = zip::ZipArchive::new(file).unwrap();
    let mut out = HashMap::new();
    for i in 0..zip.len() {
        let mut entry = zip.by_index(i).unwrap();
        let name = entry.name().unwrap().trim_end_matches(".npy").to_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        let start = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        let head = String::from_utf8_lossy(&bytes[10..start]).into_owned();
        // Columns first: none that a test reads.
        if !head.contains("'fortran_order': False") {
            continue;
        }
        let numbers = if head.contains("'<f8'") {
            bytes[start..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
        } else if head.contains("'<i8'") {
            bytes[start..].chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64).collect()
        } else if head.contains("'<i4'") {
            bytes[start..]
                .chunks_exact(4)
                .map(|b| f64::from(i32::from_le_bytes(b.try_into().unwrap())))
                .collect()
        } else if head.contains("'|b1'") {
            bytes[start..].iter().map(|b| f64::from(*b)).collect()
        } else {
            panic!("{name}: {head}")
        };
        out.insert(name, numbers);
    }
    Some(out)
}
