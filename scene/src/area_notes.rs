use crate::{Geom, GeomShape, Note};

/// Notes on contact over areas of geoms; equal ones are one, with their number and the first geom.
pub(crate) fn notes_on_areas(geoms: &[Geom]) -> Vec<Note> {
    let mut out: Vec<(Note, usize)> = Vec::new();
    for g in geoms {
        let GeomShape::Solid(shape) = &g.shape else { continue };
        for (kind, text) in g.surface.hydroelastic.notes(shape) {
            match out.iter_mut().find(|(n, _)| n.text == text) {
                Some((_, more)) => *more += 1,
                None => out.push((Note { kind, place: g.named_place(), text }, 0)),
            }
        }
    }
    let counted = |(mut n, more): (Note, usize)| {
        if more > 0 {
            n.text = format!("{} ({} geoms, here first)", n.text, more + 1);
        }
        n
    };
    out.into_iter().map(counted).collect()
}
