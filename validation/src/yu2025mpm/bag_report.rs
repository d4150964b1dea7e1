//! Figures, claims and tables that the pages of figs. 5 and 6 share.

use signorini_core::largest;
use signorini_core::na::Vector3;

use super::bag::{
    BAG, BOX, Bagged, CLOTH, COURANT, DISSIPATION, FADING, FIBRES, FRICTION, GAINS, LAST, PINCH, PLATE, STEP,
    SUBSTEPS, Setup, View, box_corners, plate_half,
};
use super::fast::{Fabric, TOLERANCE};
use super::statistics::Statistics;
use signorini_report::claim::number;
use signorini_report::{Claim, Mark, PageOutput, Plot};

const GRAVITY: f64 = 9.81;

/// Mean over the end.
fn settled(list: &[(f64, f64)]) -> f64 {
    let last = &list[list.len().saturating_sub((LAST / STEP).round() as usize)..];
    last.iter().map(|f| f.1).sum::<f64>() / last.len() as f64
}

/// Corners of a box in an order that draws all of its edges in one line.
const OUTLINE: [usize; 16] = [0, 1, 3, 2, 0, 4, 5, 1, 5, 7, 3, 7, 6, 2, 6, 4];

impl View {
    /// Seen along an axis: lines of the sheets, boxes, plates.
    fn plot(&self, name: &str, from: &str, axes: [usize; 2]) -> Plot {
        let name = format!("{name}_{}", (1e3 * self.t).round());
        let caption = format!("From {from} at {:.2} s", self.t);
        let label = |a: usize| ["x [m]", "y [m]", "z [m]"][a];
        let mut plot = Plot::new(&name, &caption, label(axes[0]), label(axes[1]));
        plot.equal_scales = true;
        let seen = |x: &Vector3<f64>| (x[axes[0]], x[axes[1]]);
        for (sheet, (title, color)) in self.sheets.iter().zip([("bag", 4), ("second sheet", 5)]) {
            let side = (sheet.len() as f64).sqrt().round() as usize;
            for i in 0..side {
                let row = sheet[i * side..(i + 1) * side].iter().map(seen).collect();
                let column = sheet.iter().skip(i).step_by(side).map(seen).collect();
                plot.add_colored(if i == 0 { title } else { "" }, Mark::Line, color, row);
                plot.add_colored("", Mark::Line, color, column);
            }
        }
        for (i, pose) in self.plates.iter().enumerate() {
            let half = plate_half();
            let (low, high) = (pose.translation.vector - half, pose.translation.vector + half);
            let ((a, b), (c, d)) = (seen(&low), seen(&high));
            let label = if i == 0 { "plates" } else { "" };
            plot.add_colored(label, Mark::Line, 6, vec![(a, b), (c, b), (c, d), (a, d), (a, b)]);
        }
        for (i, pose) in self.boxes.iter().enumerate() {
            let corners = box_corners(pose);
            let color = BOX_COLORS[i % BOX_COLORS.len()];
            let drawn = OUTLINE.iter().map(|c| seen(&corners[*c])).collect();
            plot.add_colored(&format!("box {}", i + 1), Mark::Line, color, drawn);
        }
        plot
    }
}

const BOX_COLORS: [usize; 3] = [1, 0, 3];

impl Bagged {
    /// Section with the shapes at the stages.
    pub(super) fn show(&self, out: &mut PageOutput) {
        out.heading("Shapes");
        for v in &self.views {
            out.plot(v.plot("side", "the side", [0, 2]));
            out.plot(v.plot("top", "above", [0, 1]));
        }
    }

    /// Sections on heights and forces, and on depths and limits.
    pub(super) fn account(&self, setup: &Setup, out: &mut PageOutput) {
        out.heading("Heights and forces");
        let mut heights =
            Plot::new("heights", "Middles of the boxes over the floor", "time [s]", "height [m]");
        let caption = "Vertical force of the cloth; grey: weight of the boxes, of boxes and cloth";
        let mut forces = Plot::new("forces", caption, "time [s]", "force [N]");
        for (i, (h, f)) in self.heights.iter().zip(&self.on_boxes).enumerate() {
            let (label, color) = (format!("box {}", i + 1), BOX_COLORS[i % BOX_COLORS.len()]);
            heights.add_colored(&label, Mark::Line, color, h.clone());
            forces.add_colored(&label, Mark::Line, color, f.clone());
        }
        let carried = self.on_plates.iter().map(|(t, f)| (*t, -f)).collect();
        forces.add_colored("all plates, downward", Mark::Line, 2, carried);
        for weight in self.weights(setup) {
            forces.add_closed_form(vec![(0.0, weight), (setup.end, weight)]);
        }
        forces.y_range = Some([-0.5 * self.weights(setup)[1], 3.0 * self.weights(setup)[1]]);
        out.extend([heights, forces]);
        out.extend(self.claims_of_boxes(setup));
        out.heading("Depth, slip and solves");
        let caption = "Depth of the deepest particle at the end of steps";
        let mut depth = Plot::new("depth", caption, "time [s]", "depth [m]");
        for (list, label) in self.depth.iter().zip(["in a plate", "in a box"]) {
            depth.add(label, Mark::Line, list.clone());
        }
        out.plot(depth);
        out.extend(self.claims_of_contact(setup));
        out.extend([self.bounds.table(), Statistics::table([&self.statistics])]);
    }

    /// Weight of the boxes, and of boxes and cloth \[N\].
    fn weights(&self, setup: &Setup) -> [f64; 2] {
        let boxes = setup.boxes.len() as f64 * setup.box_mass() * GRAVITY;
        [boxes, boxes + setup.cloth_mass() * GRAVITY]
    }

    /// Claims on boxes in a bag.
    fn claims_of_boxes(&self, setup: &Setup) -> [Claim; 7] {
        let [boxes, all] = self.weights(setup);
        let on_boxes = self.on_boxes.iter().map(|f| settled(f)).sum::<f64>();
        let carried = -settled(&self.on_plates);
        [
            Claim::relative(
                "borne",
                "the cloth bears the weight of the boxes at the end",
                boxes,
                on_boxes,
                0.03,
                "N",
            ).required(),
            Claim::relative("carried", "plates carry boxes and cloth at the end", all, carried, 0.03, "N").required(),
            Claim::at_least(
                "above",
                "the lowest corner of a box is above the floor at the end",
                0.05,
                self.lowest,
                "m",
            ).required(),
            Claim::at_most("rest", "speed of the fastest box at the end", 0.05, self.speed, "m/s").required(),
            Claim::at_least(
                "inside",
                "the bag covers half of what the middle of a box sees, with its upper side, at the end",
                0.5,
                self.middles,
                "of the sphere",
            ).required(),
            Claim::at_least(
                "through",
                "no corner of a box has gone through the cloth: all see its upper side at all looks",
                0.0,
                self.corners.seen,
                "of the sphere",
            )
            .because(&format!(
                "contact is a spring: a corner that bears F is F/({} N/m) out of the triangle that it meets. Up to {} corners of boxes are out at once, by up to {:.1} mm; the deepest contact of a box is {:.1} mm deep",
                number(setup.stiffness),
                self.corners.through,
                1e3 * self.corners.furthest,
                1e3 * self.told
            )),
            Claim::at_most(
                "out",
                "no corner of a box is further out of the cloth than its contacts are deep: what is out at a look has a contact",
                self.told,
                self.corners.furthest,
                "m",
            )
            .required(),
        ]
    }

    /// Claims on particles in bodies, and on the solves.
    fn claims_of_contact(&self, setup: &Setup) -> [Claim; 3] {
        let deepest = largest(self.depth.iter().flatten().map(|d| d.1));
        [
            Claim::at_most(
                "deepest",
                "no particle is deeper in a body at the end of a step",
                2e-3,
                deepest,
                "m",
            )
            .required()
            .because(&format!(
                "as deep as the law makes it: one at the edge of plates bears {:.1} N on a spring of {} N/m",
                setup.stiffness * deepest,
                number(setup.stiffness)
            )),
            Claim::at_most("held", "particles between plates stay with them", 0.01, self.slip, "m")
                .required(),
            Claim::at_most(
                "converged",
                "part of the solves that did not converge",
                1e-3,
                self.statistics.unconverged(),
                "",
            )
            .required(),
        ]
    }
}

/// Parameters of both pages.
pub(super) fn text(setup: &Setup) -> String {
    let Fabric { young, poisson, density, thickness } = CLOTH;
    let wave = (young / (1.0 - poisson * poisson) / density).sqrt();
    format!(
        "A sheet of {} m (E = {} Pa, ν = {poisson}, {density} kg/m³: the paper's; {} mm thick, which it does not state, where the release takes h; fibres of {} Pa across, the release's) in {} cells a side, {} m over the floor, on a grid of 1/{} m, in f32. At each corner two plates of {} × {} × {} m and {} kg, on joints along x, y, z with gains of {} N/m and {} N·s/m, \
         pinch the sheet about ({}, {}) m, as in the release: friction alone holds it, nothing is attached. Each of a pair is {} mm in the cloth. From {} s on they move inward at {} m/s along x and y for {} s; the release does so for 1.25 s about boxes of 5 cm, but those of 8 cm would be wedged between plates and cloth then. \
         Boxes of {} m and {} kg, friction {} (plates: {}), are free bodies that meet cloth, each other, plates and floor; how many there are, and from where they fall, is not stated. Contacts of {} N/m and {} s/m for each particle, solved to {TOLERANCE}; the release has 100 N/m, at which twenty particles under a box sink in by 2.5 mm. \
         Bodies in steps of {} ms, within which cloth meets them where they go; kept where they were, as in the paper, a box that falls at v would have it up to v Δt inside at the end of a step. The wave of {wave:.0} m/s crosses a cell in {:.2} ms: substeps are as long as {COURANT} of h/(c + |v|) allows, where the paper has {SUBSTEPS} of 0.5 ms in a step of bagging and 5 of 1 ms in laundry, unstable with its E. Strain rates fade in {} ms. \
         Weak coupling: contacts are stiff beside the mass of the particles that touch, so that this mass is what counts, a hundredth of a body's. The release's gains are 10⁶ N/m: with contacts as stiff as these, friction then pushes the plates back and forth at 17 mm/s from one step to the next, and the cloth slides out between them.",
        BAG.0,
        number(young),
        1e3 * thickness,
        number(FIBRES),
        setup.cells,
        BAG.1,
        (1.0 / setup.spacing).round(),
        PLATE.side,
        PLATE.side,
        PLATE.thickness,
        number(PLATE.density * PLATE.side * PLATE.side * PLATE.thickness),
        number(GAINS.0),
        GAINS.1,
        PLATE.away,
        PLATE.away,
        0.5e3 * PINCH,
        setup.wait,
        setup.closing.0,
        setup.closing.1,
        BOX.0,
        number(setup.box_mass()),
        FRICTION[0],
        FRICTION[1],
        number(setup.stiffness),
        number(DISSIPATION),
        1e3 * STEP,
        1e3 * setup.spacing / wave,
        number(1e3 * FADING),
    )
}
