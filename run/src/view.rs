//! One self-contained page that shows a recording: orbit, play, scrub. No network, no library.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::Recording;
use crate::snapshot::RAMP;

const FRAME_RATE: f64 = 60.0;
const MAX_FRAMES: usize = 3600;
/// Most places of material points in a page: fewer frames are shown where there would be more.
const MAX_PLACES: usize = 1_000_000;
/// Most triangles of surfaces in a page, likewise.
const MAX_TRIANGLES: usize = 400_000;

fn pack(values: impl Iterator<Item = f32>) -> String {
    STANDARD.encode(values.flat_map(f32::to_le_bytes).collect::<Vec<u8>>())
}

fn pack_u32(values: &[u32]) -> String {
    STANDARD.encode(values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>())
}

/// Rows shown: evenly spaced in time at 60 frames per second, at most so many, each the first row at or after its time.
fn frames(t: &[f64], most: usize) -> Vec<usize> {
    let (Some(&start), Some(&end)) = (t.first(), t.last()) else { return Vec::new() };
    let most = most as f64;
    let count = ((end - start) * FRAME_RATE + 1.0).ceil().clamp(1.0, most) as usize;
    let mut rows: Vec<usize> = (0..count)
        .map(|i| start + (end - start) * i as f64 / (count.max(2) - 1) as f64)
        .map(|time| t.partition_point(|x| *x < time - 1e-12).min(t.len() - 1))
        .collect();
    rows.dedup();
    rows
}

/// Places of material points in the rows shown, in 65535 parts of the box around them.
fn places(r: &Recording, rows: &[usize]) -> Value {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for x in rows.iter().flat_map(|i| r.points(*i).as_chunks::<3>().0) {
        for a in 0..3 {
            (low[a], high[a]) = (low[a].min(x[a]), high[a].max(x[a]));
        }
    }
    let span = [0, 1, 2].map(|a| (high[a] - low[a]).max(f32::MIN_POSITIVE));
    let parts = |x: &[f32; 3]| {
        [0, 1, 2]
            .map(|a| (65535.0 * (f64::from(x[a]) - f64::from(low[a])) / f64::from(span[a])).round() as u16)
    };
    let all: Vec<u8> = rows
        .iter()
        .flat_map(|i| r.points(*i).as_chunks::<3>().0)
        .flat_map(parts)
        .flat_map(u16::to_le_bytes)
        .collect();
    let clouds: Vec<Value> = r
        .header
        .clouds
        .iter()
        .map(|c| json!({"rgb": c.rgb, "count": c.count, "radius": c.radius, "i": pack_u32(&c.triangles)}))
        .collect();
    json!({"count": r.header.point_count(), "low": low, "span": span, "at": STANDARD.encode(all), "clouds": clouds})
}

/// Surfaces over which geoms meet in the rows shown: x, y, z and pressure of each corner, triangle by triangle, and how many triangles come before each row.
fn surfaces(r: &Recording, rows: &[usize]) -> Value {
    let s = &r.surfaces;
    let (mut starts, mut corners) = (vec![0], Vec::new());
    let highest: Vec<f32> = rows.iter().map(|row| s.highest(*row)).collect();
    for row in rows {
        let of_triangle = |i: usize| s.triangle(i).into_iter().flat_map(|([x, y, z], p)| [x, y, z, p]);
        corners.extend(s.of_row(*row).flat_map(of_triangle));
        starts.push(corners.len() / 12);
    }
    json!({"highest": highest, "ramp": RAMP, "start": starts, "corners": pack(corners.into_iter())})
}

/// The page as HTML text.
///
/// Frames lie at recorded steps; between them the page interpolates poses. Contact forces are drawn at the step they belong to.
pub fn page(r: &Recording) -> String {
    let count = r.header.point_count();
    let triangles = r.surfaces.row.len().div_ceil(r.len().max(1));
    let most = [MAX_PLACES.checked_div(count), MAX_TRIANGLES.checked_div(triangles)];
    let most = most.into_iter().flatten().min().map_or(MAX_FRAMES, |n| n.clamp(2, MAX_FRAMES));
    let rows = frames(&r.t, most);
    let nb = r.header.body_names.len();
    let poses =
        pack(rows.iter().flat_map(|&i| r.poses[i * nb * 7..(i + 1) * nb * 7].iter().map(|x| *x as f32)));
    let mut starts = vec![0u32];
    let mut contacts: Vec<f32> = Vec::new();
    for &i in &rows {
        let lo = r.contact_row.partition_point(|&c| (c as usize) < i);
        let hi = r.contact_row.partition_point(|&c| (c as usize) <= i);
        for k in lo..hi {
            let frame = &r.contact_frame[9 * k..9 * k + 9];
            let gamma = &r.contact_impulse[3 * k..3 * k + 3];
            if !r.is_of_end(k) || gamma.iter().all(|g| *g == 0.0) {
                continue;
            }
            let force =
                |axis: usize| (0..3).map(|c| frame[3 * axis + c] * gamma[c]).sum::<f64>() / r.contact_dt[k];
            contacts.extend(r.contact_point[3 * k..3 * k + 3].iter().map(|x| *x as f32));
            contacts.extend((0..3).map(|axis| force(axis) as f32));
        }
        starts.push((contacts.len() / 6) as u32);
    }
    let shapes: Vec<_> = r
        .header
        .shapes
        .iter()
        .map(|s| {
            json!({"name": s.name, "body": s.body, "rgba": s.rgba, "collides": s.collides,
                "v": pack(s.vertices.iter().copied()), "i": pack_u32(&s.triangles)})
        })
        .collect();
    // A page that is handed on tells no folder of this machine.
    let model = std::path::Path::new(&r.header.model)
        .file_name()
        .map_or(r.header.model.as_str().into(), |n| n.to_string_lossy());
    let data = json!({
        "model": model, "solver": r.header.solver, "law": r.header.law, "integrator": r.header.integrator,
        "bodies": r.header.body_names, "shapes": shapes, "warnings": r.header.warnings,
        "t": rows.iter().map(|&i| r.t[i]).collect::<Vec<_>>(),
        "energy": rows.iter().map(|&i| r.energy[3 * i..3 * i + 3].iter().sum::<f64>()).collect::<Vec<_>>(),
        "points": if count > 0 { places(r, &rows) } else { Value::Null },
        "surfaces": if r.header.has_surfaces { surfaces(r, &rows) } else { Value::Null },
        "poses": poses, "contactStart": starts, "contacts": pack(contacts.into_iter()),
    });
    // `</` inside a script element would end it.
    let text = data.to_string().replace("</", "<\\/");
    include_str!("templates/view.html").replace("/*DATA*/null", &text)
}
