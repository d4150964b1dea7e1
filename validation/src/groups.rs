//! Parts of the report's index.

use signorini_report::{Group, MainClaim};

/// Reasons for which figures are missing.
const KURTZ_NEEDS: &str = "needs a controller or a recording that is not public";
const BORSE_NEEDS: &str = "needs the robot hand or the humanoid as hardware";
const HUROVA_NEEDS: &str = "has no page: the pages repeat the tasks and the numbers of Figures 1 and 5";
const YU_NEEDS: &str = "cloth has no strong coupling here, so that the scene has no strong reference";

/// Parts of the index in their order: one per paper, then the kinds of other pages.
pub const GROUPS: [Group; 8] = [
    Group {
        prefix: "kurtz2025cenic/",
        main: Some(MainClaim {
            id: "kurtz2025cenic/table2/iterations_1e-3",
            says: "Bodies fall into a bin, simulated with error control (accuracy 1e-3) and the paper's settings: Newton iterations of the whole run, median over random starts",
        }),
        title: "CENIC: convex error-controlled numerical integration for contact",
        text: "Kurtz and Castro (2025) solve contact as a convex problem in the velocity (ICF) and control the error by step doubling. The pages reproduce the figures and tables that need only public data. \
         Three scenes are compared with independent references. `papers/kurtz2025cenic/README.md` lists all deviations.",
        missing: &[
            ("Figure 1", "a photograph of the scenes"),
            ("Figure 3", "a diagram of the method"),
            (
                "Figure 5",
                "the residuals of one solve, whose scene and numbers could not be read from the paper",
            ),
            ("Figure 6", "its scenes a and b are on the page `cross/hydroelastic`"),
            (
                "Figure 9",
                "the trapezoid rule on the hard clutter: the rule here is of first order for bodies that turn, so that its work says nothing of that of the paper",
            ),
            ("Figure 12", KURTZ_NEEDS),
            (
                "Figure 14",
                "its scene is here as the page `kurtz2025cenic/reference_conveyor`, against an independent reference",
            ),
            (
                "Figure 15",
                "pictures of the scene, of which the page `kurtz2025cenic/table1` has a scripted one",
            ),
            (
                "Figure 16",
                "pictures of the scene, of which the page `kurtz2025cenic/table1` has a scripted one",
            ),
            (
                "Figure 17",
                "pictures of the scene, of which the page `kurtz2025cenic/table1` has a scripted one",
            ),
            ("Figure 18", KURTZ_NEEDS),
        ],
    },
    Group {
        prefix: "borse2026comfree/",
        main: Some(MainClaim {
            id: "borse2026comfree/fig03/k0.5_d0.001/paper",
            says: "125 bodies of five shapes are dropped on a table, simulated with one evaluation of each contact per step (gains k = 0.5/s and d = 0.001): mean penetration depth over all contacts",
        }),
        title: "ComFree: contact in closed form",
        text: "Borse et al. (2026) compute each contact by one evaluation of a dual-cone impedance. The pages reproduce the figures and tables that need only public data, beside runs of the authors' release. `papers/borse2026comfree/README.md` lists all deviations.",
        missing: &[
            ("Figure 1", "no number of it is compared"),
            (
                "Figure 4",
                "the scenes of the spinning sphere and of the rolling cylinder, whose curves the page `borse2026comfree/fig05` has",
            ),
            ("Figure 9", BORSE_NEEDS),
            ("Figure 10", BORSE_NEEDS),
        ],
    },
    Group {
        prefix: "chen2022midas/",
        main: Some(MainClaim {
            id: "chen2022midas/fig02/inserted",
            says: "Beams of 5, 9 and 9.9 mm fall into a notch of 10 mm: number of beams that reach the bottom (the engine Bullet in the paper: 1)",
        }),
        title: "Midas: incremental potential contact on affine bodies",
        text: "Chen et al. (2022) keep bodies apart by a barrier, so that no bodies intersect at any clearance. Each page gives the smallest distance in its scene and a film of the motion. `papers/chen2022midas/README.md` lists all deviations.",
        missing: &[
            ("Figure 6", "the scene of the page `chen2022midas/fig09`"),
            (
                "Figure 7",
                "learning curves need the learning framework of the authors; a scripted policy stands in for it",
            ),
            (
                "Figure 8",
                "pictures of the learned policy; the page `chen2022midas/fig09` has those of the scripted one",
            ),
        ],
    },
    Group {
        prefix: "yu2025mpm/",
        main: Some(MainClaim {
            id: "yu2025mpm/fig02/press",
            says: "A cube of rubber particles lies between two panels, each pressed with 10 N: contact force of the cube on a panel, along the press",
        }),
        title: "Material points: convex contact of points, cloth and rigid bodies",
        text: "Yu et al. (2025) couple material points with articulated bodies through convex contact. The coupling is asynchronous, iterated or monolithic. The pages show the scenes of the paper, convergence and verification cases. `papers/yu2025mpm/README.md` lists all deviations.",
        missing: &[
            ("Figure 1, strong coupling", YU_NEEDS),
            ("Figure 5, strong coupling", YU_NEEDS),
            ("Figure 6, strong coupling", YU_NEEDS),
        ],
    },
    Group {
        prefix: "hurova2025bimanual/",
        main: Some(MainClaim {
            id: "hurova2025bimanual/fig05/ball",
            says: "Two arms carry a ball to a goal by sampled plans: number of trials that succeed (paper: median rate over numbers of samples)",
        }),
        title: "Planning: samples of two arms, projected onto bounded motion",
        text: "Hurova et al. (2025) plan by samples that respect bounds on position, velocity, acceleration and jerk. The pages repeat the tasks in simulation. `papers/hurova2025bimanual/README.md` lists all deviations.",
        missing: &[
            ("Figure 2", HUROVA_NEEDS),
            ("Figure 3", HUROVA_NEEDS),
            (
                "Figure 4",
                "photographs of the hardware; the page `hurova2025bimanual/fig05` has pictures of the simulated tasks",
            ),
        ],
    },
    Group {
        prefix: "analytic/",
        main: None,
        title: "Closed forms",
        text: "These problems of contact mechanics have closed-form solutions: sliding, sticking, rolling, bouncing and toppling.",
        missing: &[],
    },
    Group {
        prefix: "cross/",
        main: None,
        title: "Cross-checks",
        text: "These pages compare contact laws and solvers with each other. They also read robots and model files of other projects, and predict recorded motion.",
        missing: &[],
    },
    Group {
        prefix: "identify/",
        main: None,
        title: "Identification",
        text: "This page identifies parameters of a contact from a recorded motion.",
        missing: &[],
    },
];
