//! Parts of the report's index.

use signorini_report::Group;

/// Parts of the index in their order: one per paper, then the kinds of other pages.
pub const GROUPS: [Group; 8] = [
    Group {
        prefix: "kurtz2025cenic/",
        title: "CENIC: convex error-controlled numerical integration for contact",
        text: "Kurtz and Castro (2025) solve contact as a convex problem in the velocity (ICF) and control the error by step doubling. The pages reproduce the figures and tables that need only public data. \
         Three scenes are compared with independent references. `papers/kurtz2025cenic/README.md` lists all deviations.",
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
        text: "Borse et al. (2026) compute each contact by one evaluation of a dual-cone impedance. The pages reproduce the figures and tables that need only public data, beside runs of the authors' release. `papers/borse2026comfree/README.md` lists all deviations.",
        missing: &[("Figures 9 and 10", "need the robot hand and the humanoid as hardware")],
    },
    Group {
        prefix: "chen2022midas/",
        title: "Midas: incremental potential contact on affine bodies",
        text: "Chen et al. (2022) keep bodies apart by a barrier, so that no bodies intersect at any clearance. Each page gives the smallest distance in its scene and a film of the motion. `papers/chen2022midas/README.md` lists all deviations.",
        missing: &[(
            "Figures 7 and 8 in part",
            "learning curves need the learning framework of the authors; a scripted policy stands in for it",
        )],
    },
    Group {
        prefix: "yu2025mpm/",
        title: "Material points: convex contact of points, cloth and rigid bodies",
        text: "Yu et al. (2025) couple material points with articulated bodies through convex contact. The coupling is asynchronous, iterated or monolithic. The pages show the scenes of the paper, convergence and verification cases. `papers/yu2025mpm/README.md` lists all deviations.",
        missing: &[(
            "Figures 1, 5 and 6, strong coupling",
            "cloth has no strong coupling here, so that these scenes have no strong reference",
        )],
    },
    Group {
        prefix: "hurova2025bimanual/",
        title: "Planning: samples of two arms, projected onto bounded motion",
        text: "Hurova et al. (2025) plan by samples that respect bounds on position, velocity, acceleration and jerk. The pages repeat the tasks in simulation. `papers/hurova2025bimanual/README.md` lists all deviations.",
        missing: &[(
            "Hardware experiments",
            "need the two arms of the authors; all trials here are simulated",
        )],
    },
    Group {
        prefix: "analytic/",
        title: "Closed forms",
        text: "These problems of contact mechanics have closed-form solutions: sliding, sticking, rolling, bouncing and toppling.",
        missing: &[],
    },
    Group {
        prefix: "cross/",
        title: "Cross-checks",
        text: "These pages compare contact laws and solvers with each other. They also read robots and model files of other projects, and predict recorded motion.",
        missing: &[],
    },
    Group {
        prefix: "identify/",
        title: "Identification",
        text: "This page identifies parameters of a contact from a recorded motion.",
        missing: &[],
    },
];
