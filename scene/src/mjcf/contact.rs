//! `<contact>`: pairs and excludes.

use std::collections::BTreeSet;

use signorini_core::ContactMaterial;

use super::Reader;
use super::geom::{read_condim, read_sol};
use crate::xml::{Element, Read};
use crate::{ContactPair, GeomShape, NoteKind, SolParams};

/// Statements of a pair over its class. Nothing of it comes from the geoms.
#[derive(Clone, Debug)]
pub(super) struct PairSpec {
    condim: u8,
    friction: [f64; 5],
    sol: SolParams,
    margin: f64,
    gap: f64,
    /// A solref of friction of its own is stated.
    friction_sol: bool,
}

impl Default for PairSpec {
    fn default() -> Self {
        Self {
            condim: 3,
            friction: [1.0, 1.0, 0.005, 0.0001, 0.0001],
            sol: SolParams::default(),
            margin: 0.0,
            gap: 0.0,
            friction_sol: false,
        }
    }
}

impl PairSpec {
    /// Reads a pair's attributes over its class.
    pub(super) fn read(&mut self, e: &Element) -> Read<()> {
        self.condim = read_condim(e)?.unwrap_or(self.condim);
        if e.fill("friction", 1, &mut self.friction)? == 1 {
            // A single number in real files means both tangents.
            self.friction[1] = self.friction[0];
        }
        if self.friction.iter().any(|f| *f < 0.0) {
            return Err(e.invalid_at("friction", "a friction coefficient is negative", "write numbers >= 0"));
        }
        if self.friction[0] != self.friction[1] || self.friction[3] != self.friction[4] {
            return Err(e.unsupported_at(
                "friction",
                "friction that differs between the two tangents",
                "write equal numbers for both sliding and both rolling directions",
            ));
        }
        read_sol(e, "solref", "solimp", &mut self.sol)?;
        self.margin = e.number("margin")?.unwrap_or(self.margin);
        self.gap = e.number("gap")?.unwrap_or(self.gap);
        let mut own = [0.0; 2];
        if e.fill("solreffriction", 1, &mut own)? > 0 {
            self.friction_sol = own != [0.0; 2];
        }
        if e.number("adhesion")?.is_some_and(|a| a != 0.0) {
            return Err(e.unsupported_at("adhesion", "adhesion of a pair", "remove the attribute"));
        }
        Ok(())
    }
}

impl Reader<'_> {
    /// Reads `<contact>`.
    pub(super) fn read_contact(&mut self, e: &Element) -> Read<()> {
        e.finish()?;
        for c in &e.children {
            match c.name.as_str() {
                "pair" => self.read_pair(c)?,
                "exclude" => self.read_exclude(c)?,
                _ => return Err(e.unknown_child(c, &["pair", "exclude"])),
            }
            c.no_children()?;
            c.finish()?;
        }
        self.note_missing_pairs(e);
        Ok(())
    }

    /// The geoms that pairs name.
    pub(super) fn paired_geoms<'e>(&self, all: impl Iterator<Item = &'e Element>) -> BTreeSet<usize> {
        let pairs = all.flat_map(|e| &e.children).filter(|c| c.name == "pair");
        let named = pairs.flat_map(|c| ["geom1", "geom2"].map(|key| self.names.geoms.get(c, key)));
        // Names that do not exist are refused with their pairs.
        named.filter_map(|geom| geom.ok().flatten()).collect()
    }

    fn read_exclude(&mut self, e: &Element) -> Read<()> {
        let place = e.place();
        self.names.excludes.add(e.nonempty("name"), self.scene.excludes.len(), &place)?;
        let a = self.names.bodies.need(e, "body1")?;
        let b = self.names.bodies.need(e, "body2")?;
        self.scene.excludes.push((a, b));
        Ok(())
    }

    fn read_pair(&mut self, e: &Element) -> Read<()> {
        let mut s = self.defaults.of(e, 0)?.pair.clone();
        s.read(e)?;
        if s.friction_sol {
            let text = "solreffriction of a pair: no law of contact reads it; friction has the softness of the contact";
            self.notes.add(NoteKind::Warning, e, text);
        }
        let place = e.place();
        let name = e.nonempty("name").map(str::to_owned);
        self.names.pairs.add(name.as_deref(), self.scene.pairs.len(), &place)?;
        let geom_a = self.names.geoms.need(e, "geom1")?;
        let geom_b = self.names.geoms.need(e, "geom2")?;
        let body = |g: usize| self.scene.geoms[g].body;
        if geom_a == geom_b || body(geom_a) == body(geom_b) {
            return Err(
                e.invalid("the pair names one geom twice, or two of one body", "name geoms of two bodies")
            );
        }
        let options = &self.scene.options;
        let (a, b) = (&self.scene.geoms[geom_a].surface, &self.scene.geoms[geom_b].surface);
        let (si, _) = options.combination.combine(a, b, &options.contact);
        let slides = if s.condim > 1 { s.friction[0] } else { 0.0 };
        let material = ContactMaterial {
            friction_static: slides,
            friction_dynamic: slides,
            friction_torsional: s.friction[2],
            friction_rolling: s.friction[3],
            condim: s.condim,
            solref_stated: s.sol.stated,
            solref: s.sol.solref,
            solimp: s.sol.solimp,
            ..si
        };
        self.colliding(geom_a)?;
        self.colliding(geom_b)?;
        self.scene.pairs.push(ContactPair {
            name: name.unwrap_or_default(),
            geom_a,
            geom_b,
            material,
            // MJCF's gap lies beyond its margin.
            margin: s.margin + s.gap,
            inactive_gap: s.gap,
            place,
        });
        Ok(())
    }

    /// A visual mesh that a pair makes collide gets its hull.
    fn colliding(&mut self, geom: usize) -> Read<()> {
        if let Some(name) = self.visual_meshes.remove(&geom)
            && let Some(hull) = self.assets.hull(&name)?
        {
            self.scene.geoms[geom].shape = GeomShape::Solid(hull);
        }
        Ok(())
    }

    /// Remarks on geoms that a pair names although their mesh was not read.
    fn note_missing_pairs(&mut self, e: &Element) {
        let missing = |g: usize| matches!(self.scene.geoms[g].shape, GeomShape::MissingMesh(_));
        let count = self.scene.pairs.iter().filter(|p| missing(p.geom_a) || missing(p.geom_b)).count();
        if count > 0 {
            self.notes.add(
                NoteKind::Warning,
                e,
                format!("{count} pair(s) name meshes that were not read: they do not collide"),
            );
        }
    }
}
