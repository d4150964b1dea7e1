//! Parts of the report's index.

use signorini_report::Group;

/// Parts of the index in their order: one per paper, then the kinds of other pages.
pub const GROUPS: [Group; 8] = [
    Group {
        prefix: "kurtz2025cenic/",
        title: "CENIC: convex error-controlled numerical integration for contact",
        text: "Kurtz and Castro (2025): contact as a convex problem in the velocity (ICF), with step doubling for error control. Its figures and tables that \
         can be made from public data, and three scenes against independent references. Figures that are not made, and every deviation, stand in `papers/kurtz2025cenic/README.md`.",
        missing: &[
            ("Figures 1 and 3", "a photograph of the scenes and a diagram of the method"),
            (
                "Figures 5 to 7, 9 to 13, 15 to 18",
                "need contact over areas (pressure fields), controllers of robots that are not public, or both",
            ),
            ("Table 1", "lists parameters of those scenes"),
        ],
    },
    Group {
        prefix: "borse2026comfree/",
        title: "ComFree: contact in closed form",
        text: "Borse et al. (2026): each contact by one evaluation of a dual-cone impedance. Its figures that can be made from public data, beside runs of the authors' release; figures that are not made, and every deviation, stand in `papers/borse2026comfree/README.md`.",
        missing: &[("Figures 9 and 10", "need the robot hand and the humanoid as hardware")],
    },
    Group {
        prefix: "chen2022midas/",
        title: "Midas: incremental potential contact on affine bodies",
        text: "Chen et al. (2022): a barrier keeps bodies apart, so that nothing ever intersects, whatever the clearance. Every scene with its smallest distance, and its motion to watch; `papers/chen2022midas/README.md`.",
        missing: &[(
            "Figures 7 and 8 in part",
            "learning curves need the learning framework of the authors; a scripted policy stands in for it",
        )],
    },
    Group {
        prefix: "yu2025mpm/",
        title: "Material points: convex contact of points, cloth and rigid bodies",
        text: "Yu et al. (2025): particles meet bodies in the convex laws of contact, coupled with articulated bodies asynchronously, iterated or in one step. Its scenes, its convergence and its verification cases; figures that are not made, and every deviation, stand in `papers/yu2025mpm/README.md`.",
        missing: &[(
            "Figures 1, 5 and 6, strong coupling",
            "cloth has no strong coupling here, so that these scenes have no strong reference",
        )],
    },
    Group {
        prefix: "hurova2025bimanual/",
        title: "Planning: samples of two arms, projected onto bounded motion",
        text: "Hurova et al. (2025): sampling-based control whose samples keep bounds on position, velocity, acceleration and jerk; its results stand in `papers/hurova2025bimanual/README.md`.",
        missing: &[(
            "Hardware experiments",
            "need the two arms of the authors; all trials here are simulated",
        )],
    },
    Group {
        prefix: "analytic/",
        title: "Closed forms",
        text: "Contact mechanics that can be solved by hand: does a block slide, stick, roll, bounce and topple as it must?",
        missing: &[],
    },
    Group {
        prefix: "cross/",
        title: "Cross-checks",
        text: "Laws against laws, solvers against solvers, options against their absence; robots and model files of other projects.",
        missing: &[],
    },
    Group {
        prefix: "identify/",
        title: "Identification",
        text: "Parameters of a contact from a recorded motion.",
        missing: &[],
    },
];
