use signorini_core::na::Vector3;
use signorini_core::{ContactGeometry, ContactMaterial, ContactSeed, ProblemError};

/// Parameters of each contact by a function of one's own, a learned impedance among them: (contact, velocity at it, material).
///
/// - contact: bodies, geoms, point and frame (n, t₁, t₂) in world axes, gap \[m\]
/// - velocity: of B relative to A at the contact at the start of the step, contact frame \[m/s\], 3
/// - material: as the scene combines it; to be changed in place. Laws read what they document: `DualCone` under `Gains::Material` the stiffness K \[N/m\] and, with
///   the relaxation time τ \[s\], the damping D = τ K \[N·s/m\]; all of them friction.
///
/// Called once for every contact of every state that a step starts from or that lies halfway, in the order of the contacts, and for each whose energy is asked for; it should depend on its arguments alone, or error
/// control compares steps under different laws.
pub type ContactModel = Box<dyn FnMut(&ContactGeometry, &Vector3<f64>, &mut ContactMaterial) + Send>;

/// Offers all contacts to the model; `rows` are those of the law.
///
/// # Errors
/// [`ProblemError::Material`]: the first contact with a parameter out of range.
pub(crate) fn rewrite(
    model: &mut ContactModel,
    contacts: &[ContactGeometry],
    seeds: &mut [ContactSeed],
    rows: usize,
) -> Result<(), ProblemError> {
    for (contact, (c, seed)) in contacts.iter().zip(seeds).enumerate() {
        let before = seed.material.condim;
        model(c, &seed.velocity, &mut seed.material);
        let m = &seed.material;
        // A polygon may have a force alone.
        let stiffness = if seed.preload != 0.0 && m.stiffness == 0.0 { 1.0 } else { m.stiffness };
        ContactMaterial { stiffness, ..*m }.check(contact)?;
        let refuse = |field, value, range| Err(ProblemError::Material { contact, field, value, range });
        if let Some(value) = m.solref.iter().find(|x| !x.is_finite()) {
            return refuse("solref", *value, "finite");
        }
        if let Some(value) = m.solimp.iter().find(|x| !x.is_finite()) {
            return refuse("solimp", *value, "finite");
        }
        let known = matches!(m.condim, 1 | 3 | 4 | 6) && usize::from(m.condim) <= rows;
        if m.condim != before && !known {
            return refuse("condim", f64::from(m.condim), "1, 3, 4 or 6 and at most the rows of the law");
        }
    }
    Ok(())
}
