//! `<option>`, `<size>`, `<statistic>`, `<visual>`: settings.

use super::Notes;
use crate::xml::{Element, Read};
use crate::{NoteKind, Options};

const SOLVER_SETTINGS: [&str; 18] = [
    "integrator",
    "cone",
    "jacobian",
    "solver",
    "iterations",
    "tolerance",
    "ls_iterations",
    "ls_tolerance",
    "noslip_iterations",
    "noslip_tolerance",
    "ccd_iterations",
    "ccd_tolerance",
    "sleep_tolerance",
    "sdf_iterations",
    "sdf_initpoints",
    "mpr_iterations",
    "mpr_tolerance",
    "apirate",
];

const FLAGS_WITHOUT_MEANING: [&str; 19] = [
    "passive",
    "warmstart",
    "autoreset",
    "refsafe",
    "sensor",
    "midphase",
    "nativeccd",
    "island",
    "eulerdamp",
    "multiccd",
    "energy",
    "fwdinv",
    "invdiscrete",
    "ipc",
    "speculative",
    "diagexact",
    "sleep",
    "forces",
    "frictionlossfree",
];

/// Reads `<option>` over the earlier ones.
pub(crate) fn read_option(o: &mut Options, e: &Element, notes: &mut Notes) -> Read<()> {
    if let Some(g) = e.vector::<3>("gravity")? {
        o.gravity = g.into();
    }
    if let Some(dt) = e.positive("timestep")? {
        o.suggested_dt = Some(dt);
    }
    if let Some(r) = e.positive("impratio")? {
        o.impedance_ratio = r;
    }
    if let Some(wind) = e.vector::<3>("wind")? {
        o.medium.wind = wind.into();
    }
    for (name, value) in [("density", e.nonnegative("density")?), ("viscosity", e.nonnegative("viscosity")?)]
    {
        let Some(value) = value else { continue };
        let medium = &mut o.medium;
        *(if name == "density" { &mut medium.density } else { &mut medium.viscosity }) = value;
        medium.place = e.place();
    }
    for name in SOLVER_SETTINGS.into_iter().chain(["density", "viscosity", "wind"]) {
        if let Some(value) = e.string(name) {
            o.unused.push((name.to_owned(), value.trim().to_owned()));
        }
    }
    if let Some(groups) = e.numbers("actuatorgroupdisable")? {
        if let Some(g) = groups.iter().find(|g| g.fract() != 0.0 || !(0.0..=30.0).contains(*g)) {
            return Err(e.invalid_at(
                "actuatorgroupdisable",
                format!("{g} is no group of actuators"),
                "write whole numbers from 0 to 30",
            ));
        }
        o.disabled_actuator_groups = groups.into_iter().map(|g| g as i64).collect();
    }
    let set: Vec<_> = SOLVER_SETTINGS.iter().filter(|s| e.string(s).is_some()).copied().collect();
    if !set.is_empty() {
        notes.add(NoteKind::Converted, e, format!("settings of MuJoCo's solver, unused: {}", set.join(", ")));
    }
    let overrides: Vec<_> = ["o_margin", "o_solref", "o_solimp", "o_friction"]
        .into_iter()
        .filter(|s| e.string(s).is_some())
        .collect();
    if !overrides.is_empty() {
        notes.add(
            NoteKind::Converted,
            e,
            format!("{}: act only with flag override, which is refused", overrides.join(", ")),
        );
    }
    e.finish()?;
    for c in &e.children {
        match c.name.as_str() {
            "flag" => read_flags(o, c, notes)?,
            _ => return Err(e.unknown_child(c, &["flag"])),
        }
    }
    Ok(())
}

fn read_flags(o: &mut Options, e: &Element, notes: &mut Notes) -> Read<()> {
    let words = [("enable", true), ("disable", false)];
    let s = &mut o.switches;
    for (name, switch) in [
        ("contact", &mut s.contact),
        ("limit", &mut s.limits),
        ("equality", &mut s.equality),
        ("frictionloss", &mut s.dry_friction),
        ("spring", &mut s.springs),
        ("damper", &mut s.dampers),
        ("gravity", &mut s.gravity),
        ("actuation", &mut s.actuation),
        ("clampctrl", &mut s.clamp_control),
        ("filterparent", &mut s.filter_parent),
    ] {
        if let Some(on) = e.word(name, &words)? {
            *switch = on;
        }
    }
    if e.word("constraint", &words)? == Some(false) {
        (s.contact, s.limits, s.equality, s.dry_friction) = (false, false, false, false);
    }
    if e.word("override", &words)? == Some(true) {
        return Err(e.unsupported_at(
            "override",
            "contact override",
            "set override=\"disable\" and write solref, solimp, margin and friction into the geoms",
        ));
    }
    let mut set = Vec::new();
    for f in FLAGS_WITHOUT_MEANING {
        if let Some(on) = e.word(f, &words)? {
            set.push(f);
            let value = if on { "enable" } else { "disable" };
            o.unused.push((format!("flag {f}"), value.to_owned()));
        }
    }
    if !set.is_empty() {
        notes.add(NoteKind::Converted, e, format!("flags of MuJoCo's engine, unused: {}", set.join(", ")));
    }
    e.no_children()?;
    e.finish()
}

/// `<size>`: room for MuJoCo's buffers.
pub(crate) fn read_size(e: &Element, notes: &mut Notes) -> Read<()> {
    e.skip_attributes(&[
        "memory",
        "nconmax",
        "njmax",
        "nkey",
        "nstack",
        "nuserdata",
        "nuser_actuator",
        "nuser_body",
        "nuser_cam",
        "nuser_geom",
        "nuser_jnt",
        "nuser_sensor",
        "nuser_site",
        "nuser_tendon",
    ]);
    notes.visual(e, "buffer size");
    e.no_children()?;
    e.finish()
}

/// `<statistic>`: numbers for cameras.
pub(super) fn read_statistic(e: &Element, notes: &mut Notes) -> Read<()> {
    e.skip_attributes(&["center", "extent", "meaninertia", "meanmass", "meansize"]);
    notes.visual(e, "statistic");
    e.no_children()?;
    e.finish()
}

/// `<visual>` and its groups.
pub(super) fn read_visual(e: &Element, notes: &mut Notes) -> Read<()> {
    e.finish()?;
    for c in &e.children {
        let known = ["global", "quality", "headlight", "map", "scale", "rgba"];
        if !known.contains(&c.name.as_str()) {
            return Err(e.unknown_child(c, &known));
        }
        c.no_children()?;
        c.skip();
        notes.visual(c, "visual setting");
    }
    Ok(())
}
