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
        let caption = format!("Sheet, boxes and plates, seen from {from} at {:.2} s", self.t);
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
        for v in &self.seen.views {
            out.plot(v.plot("side", "the side", [0, 2]));
            out.plot(v.plot("top", "above", [0, 1]));
        }
    }

    /// Sections on heights and forces, and on depths and limits.
    pub(super) fn account(&self, setup: &Setup, out: &mut PageOutput) {
        out.heading("Heights and forces");
        let mut heights = Plot::new(
            "heights",
            "Height of the centres of the boxes above the floor",
            "time [s]",
            "height [m]",
        );
        let caption = "Vertical force of the cloth on the boxes and on the plates. The weights of the boxes alone and of boxes and cloth are dashed.";
        let mut forces = Plot::new("forces", caption, "time [s]", "force [N]");
        for (i, (h, f)) in self.seen.heights.iter().zip(&self.seen.on_boxes).enumerate() {
            let (label, color) = (format!("box {}", i + 1), BOX_COLORS[i % BOX_COLORS.len()]);
            heights.add_colored(&label, Mark::Line, color, h.clone());
            forces.add_colored(&label, Mark::Line, color, f.clone());
        }
        let carried = self.seen.on_plates.iter().map(|(t, f)| (*t, -f)).collect();
        forces.add_colored("plates (downward)", Mark::Line, 2, carried);
        for weight in self.weights(setup) {
            forces.add_closed_form(vec![(0.0, weight), (setup.end, weight)]);
        }
        forces.y_range = Some([-0.5 * self.weights(setup)[1], 3.0 * self.weights(setup)[1]]);
        out.extend([heights, forces]);
        out.extend(self.claims_of_boxes(setup));
        out.heading("Penetration, slip and convergence");
        let caption = "Largest penetration depth of a particle at the end of each time step";
        let mut depth = Plot::new("depth", caption, "time [s]", "penetration depth [mm]");
        for (list, label) in self.seen.depth.iter().zip(["in a plate", "in a box"]) {
            depth.add(label, Mark::Line, list.iter().map(|(t, d)| (*t, 1e3 * d)).collect());
        }
        out.plot(depth);
        out.extend(self.claims_of_contact(setup));
        out.heading("Contacts and computing time");
        out.plot(self.seen.statistics.contact_plot());
        out.extend(self.seen.statistics.claim_of_contacts("contacts"));
        out.extend([self.seen.bounds.table(), Statistics::table([&self.seen.statistics])]);
    }

    /// Weight of the boxes, and of boxes and cloth \[N\].
    fn weights(&self, setup: &Setup) -> [f64; 2] {
        let boxes = setup.boxes.len() as f64 * setup.box_mass() * GRAVITY;
        [boxes, boxes + setup.cloth_mass() * GRAVITY]
    }

    /// Claims on boxes in a bag.
    fn claims_of_boxes(&self, setup: &Setup) -> [Claim; 7] {
        let [boxes, all] = self.weights(setup);
        let on_boxes = self.seen.on_boxes.iter().map(|f| settled(f)).sum::<f64>();
        let carried = -settled(&self.seen.on_plates);
        [
            Claim::relative(
                "borne",
                "vertical force of the cloth on the boxes at the end equals their weight",
                boxes,
                on_boxes,
                0.03,
                "N",
            ).required_since("the swing that is left at the end"),
            Claim::relative("carried", "vertical force on the plates at the end equals the weight of boxes and cloth", all, carried, 0.03, "N").required_since("as for the boxes"),
            Claim::at_least(
                "above",
                "height of the lowest box corner above the floor at the end",
                0.05,
                self.lowest,
                "m",
            ).required_since("the boxes hang clear of the floor"),
            Claim::at_most("rest", "speed of the fastest box at the end", 0.05, self.speed, "m/s").required_since("a twentieth of a metre per second, half the speed of the plates in the paper"),
            Claim::at_least(
                "inside",
                "the boxes are inside the bag at the end: smallest solid angle of the upper side of the bag, seen from the centre of a box",
                0.5,
                self.middles,
                "of the sphere",
            ).required_since("a point inside a bowl sees its inner side over half of the sphere and more"),
            Claim::at_least(
                "through",
                "no box corner passes through the cloth: smallest solid angle of the upper side of the bag, seen from a corner at any snapshot",
                0.0,
                self.seen.corners.seen,
                "of the sphere",
            )
            .because(&format!(
                "The contact acts as a spring. A corner under a load F penetrates its triangle by F/({} N/m). \
                 Up to {} box corners are through the cloth at once, by up to {:.1} mm. The deepest contact of a box is {:.1} mm deep.",
                number(setup.stiffness),
                self.seen.corners.through,
                1e3 * self.seen.corners.furthest,
                1e3 * self.seen.told
            )),
            Claim::at_most(
                "out",
                "no box corner that passes through the cloth is without contact: largest distance of such a corner from the cloth, at most the deepest contact",
                self.seen.told,
                self.seen.corners.furthest,
                "m",
            )
            .required_since("no deeper than the deepest contact"),
        ]
    }

    /// Claims on particles in bodies, and on the solves.
    fn claims_of_contact(&self, setup: &Setup) -> [Claim; 3] {
        let deepest = largest(self.seen.depth.iter().flatten().map(|d| d.1));
        [
            Claim::at_most(
                "deepest",
                "largest penetration depth of a particle into a body at the end of a time step",
                2e-3,
                deepest,
                "m",
            )
            .required_since("twice the thickness of the cloth")
            .because(&format!(
                "This depth follows from the contact law. A particle at the edge of the plates carries {:.1} N on a spring of {} N/m.",
                setup.stiffness * deepest,
                number(setup.stiffness)
            )),
            Claim::at_most("held", "largest slip of the particles held between the plates", 0.01, self.seen.slip, "m")
                .required_since("a fifth of the side of a plate"),
            Claim::at_most(
                "converged",
                "share of the contact solves that do not converge",
                1e-3,
                self.seen.statistics.unconverged(),
                "",
            )
            .required_since("one solve in a thousand may end early"),
        ]
    }
}

/// Parameters of both pages.
pub(super) fn text(setup: &Setup) -> [String; 6] {
    let Fabric { young, poisson, density, thickness } = CLOTH;
    let wave = (young / (1.0 - poisson * poisson) / density).sqrt();
    [
        format!(
            "A sheet of {} m lies {} m above the floor. It has {} cells per side and is computed in single precision (f32) on a grid with a spacing of 1/{} m. \
             The cloth has the paper's values of E = {} Pa, ν = {poisson} and {density} kg/m³. It is {} mm thick. \
             The paper does not state the thickness, and the authors' released code uses the grid spacing h. \
             Fibres across the sheet have {} Pa, as in the released code.",
            BAG.0,
            BAG.1,
            setup.cells,
            (1.0 / setup.spacing).round(),
            number(young),
            1e3 * thickness,
            number(FIBRES),
        ),
        format!(
            "At each corner two plates of {} × {} × {} m and {} kg pinch the sheet about ({}, {}) m, as in the released code. \
             Only friction holds the sheet. Nothing is attached. Each plate of a pair penetrates the cloth by {} mm. \
             The plates have joints along x, y and z. At {} s they start to move inward at {} m/s along x and y, for {} s. \
             The released code moves them for 1.25 s around boxes of 5 cm. Boxes of 8 cm would then be wedged between plates and cloth.",
            PLATE.side,
            PLATE.side,
            PLATE.thickness,
            number(PLATE.density * PLATE.side * PLATE.side * PLATE.thickness),
            PLATE.away,
            PLATE.away,
            0.5e3 * PINCH,
            setup.wait,
            setup.closing.0,
            setup.closing.1,
        ),
        format!(
            "Boxes have sides of {} m and a mass of {} kg. They are free bodies in contact with the cloth, each other, the plates and the floor. \
             The paper states neither the number of boxes nor their initial positions.",
            BOX.0,
            number(setup.box_mass()),
        ),
        format!(
            "The friction coefficient of the cloth is {} on boxes and {} on plates. Each contact of a particle has {} N/m and {} s/m and is solved to a \
             relative tolerance of {TOLERANCE}. The released code has 100 N/m. At this stiffness twenty particles under a box would sink in by 2.5 mm.",
            FRICTION[0],
            FRICTION[1],
            number(setup.stiffness),
            number(DISSIPATION),
        ),
        format!(
            "Bodies take time steps of {} ms and move at constant velocity within a step. The paper keeps them in place during a step. \
             The cloth would then penetrate a box that falls at v by up to v Δt at the end of a step. \
             A wave of {wave:.0} m/s crosses a grid cell in {:.2} ms. Substeps are as long as {COURANT} of h/(c + |v|) allows. \
             The paper has {SUBSTEPS} substeps of 0.5 ms in a bagging step and 5 of 1 ms in a laundry step. These substeps are unstable with the paper's E. \
             Strain rates decay with a time constant of {} ms.",
            1e3 * STEP,
            1e3 * setup.spacing / wave,
            number(1e3 * FADING),
        ),
        format!(
            "The contacts are stiff compared with the mass of the touching particles. The stability of the weak coupling therefore depends on this mass, \
             which is a hundredth of the mass of a body. \
             The plates have position control with gains of {} N/m and {} N·s/m. The released code has 10⁶ N/m. \
             With that gain and these stiff contacts friction pushes the plates back and forth at 17 mm/s from one step to the next, and the cloth slides \
             out between the plates.",
            number(GAINS.0),
            GAINS.1,
        ),
    ]
}
