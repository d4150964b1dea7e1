use std::path::Path;

use crate::{LoadOptions, Place, Scene, SceneError, directives, mjcf, sdf, urdf, xml};

impl Scene {
    /// Reads a model file: MJCF (`.xml`, `.mjcf`, root element `mujoco`), URDF (`.urdf`, `robot`), SDFormat (`.sdf`, `.world`, `sdf`), or Drake's model
    /// directives (`.dmd.yaml`).
    ///
    /// # Errors
    /// Names file, line, element and remedy. COLLADA, USD and xacro files are refused.
    pub fn load(path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        refuse_extension(path, &extension)?;
        if matches!(extension.as_str(), "yaml" | "yml") {
            return directives::read(&xml::read_text(path)?, path, options);
        }
        let root = xml::parse_file(path)?;
        Self::from_root(root, path, options)
    }

    /// Reads an MJCF text as MuJoCo 4.0 understands it; `path` stands for the file in messages, and files that it names are looked for
    /// beside it.
    ///
    /// | part | read | refused, by name |
    /// |---|---|---|
    /// | structure | `include`, default classes, `childclass`, `frame`, all five orientations, `replicate`, `attach` of bodies or whole models (keyframes come along with whole models); text between elements is noted | `composite`, `flexcomp`, `deformable`, plugins |
    /// | `compiler` | angles, `eulerseq`, folders, `autolimits`, inertia from geoms and its corrections, `fitaabb`; `fusestatic` and `discardvisual` change nothing in the motion: noted; frames of free bodies at their inertia (`alignfree`) | `coordinate="global"` |
    /// | `option` | gravity, step, `impratio`, flags; settings of MuJoCo's solver noted; a medium (density, viscosity, wind; ellipsoids by `fluidshape`); `actuatorgroupdisable` | contact `override` |
    /// | `asset` | meshes (OBJ, STL, MSH, inline; vertices alone are their hull; scale, refpos, refquat, all kinds of inertia), height fields (numbers, binary, PNG), colours of materials, `model`, built-in meshes | `wedge` and `plate` as built-in meshes |
    /// | bodies | joints of all kinds, `springdamper`, mocap, `gravcomp`, geoms (planes are half-spaces, meshes their hull, primitives fitted to meshes), sites | `sdf`, adhesion of geoms, turning `surfacevel`, nonlinear or yielding springs |
    /// | `contact` | `pair`, `exclude` | pairs with different friction along the two tangents |
    /// | `equality` | `connect`, `weld`, `joint`, `tendon` | `flex*` |
    /// | `tendon` | `fixed`, `spatial` with sites, wrapped geoms, pulleys; `armature` | yielding springs, armature around geoms |
    /// | `actuator` | `general` (fixed, affine or muscle; no, integrator, filter or muscle dynamics), `motor`, `position`, `velocity`, `intvelocity`, `damper`, `cylinder`, `muscle`, `dcmotor` (a voltage as control), `adhesion` on joints, tendons, sites, slider-cranks, bodies | `pid`, `orientation`, `plugin`, electrical dynamics of DC motors, delays |
    /// | `sensor` | sites, joints, tendons, actuators, frames (those of cameras as well), subtrees, limits, distances, rays, magnetic field, clock, energies; `user`, `contact`, `tactile`, `camprojection`, forces of limits and rays of cameras read 0, with a warning; delays are left out with a warning | plugins |
    /// | rest | `keyframe`, `custom` (see [`crate::Surface`]); cameras, lights, textures, `visual`, `statistic`, `size` noted | plastic state |
    ///
    /// Everything else is an error. Elements without mechanical meaning, and conversions, stand in [`Scene::notes`].
    ///
    /// # Errors
    /// As [`Scene::load`].
    pub fn from_mjcf(text: &str, path: impl AsRef<Path>, options: &LoadOptions) -> Result<Self, SceneError> {
        let path = path.as_ref();
        Self::from_root(xml::parse(text, path)?, path, options)
    }

    /// Refuses what was left out because it is not part of the format, when asked to.
    pub(crate) fn refuse_unknown(&self, options: &LoadOptions) -> Result<(), SceneError> {
        match self.notes.iter().find(|n| options.strict && n.kind == crate::NoteKind::Unknown) {
            Some(n) => Err(SceneError::Invalid {
                place: n.place.clone(),
                message: n.text.clone(),
                remedy: "remove it, or load without --strict".to_owned(),
            }),
            None => Ok(()),
        }
    }

    fn from_root(root: xml::Element, path: &Path, options: &LoadOptions) -> Result<Self, SceneError> {
        match root.name.as_str() {
            "mujoco" if options.floating_base => Err(SceneError::Unsupported {
                place: root.place(),
                feature: "a floating base by option".to_owned(),
                remedy: "give the base a <freejoint/> in the MJCF file, or load without the option"
                    .to_owned(),
            }),
            "mujoco" => mjcf::read(root, path, options),
            "robot" => urdf::read(&root, path, options),
            "sdf" => Ok(sdf::read(root, path, options)?.0),
            "world" | "model" => Err(root.invalid(
                format!("the root element is <{}>", root.name),
                "put it into <sdf version=\"1.9\">",
            )),
            "COLLADA" => Err(unsupported_format(
                path,
                "COLLADA",
                "it is a mesh format: convert it to OBJ or STL and name it in an MJCF or URDF file",
            )),
            "mujocoinclude" => Err(root.invalid(
                "this is an include fragment, not a model of its own",
                "load the file that includes it",
            )),
            other => Err(root.invalid(
                format!("root element <{other}> is not that of a model"),
                "an MJCF file has the root element <mujoco>, a URDF file <robot>, an SDFormat file <sdf>",
            )),
        }
    }
}

fn refuse_extension(path: &Path, extension: &str) -> Result<(), SceneError> {
    let (format, remedy) = match extension {
        "xacro" => ("xacro", "expand it first: `xacro FILE.urdf.xacro > FILE.urdf`"),
        "dae" => {
            ("COLLADA", "it is a mesh format: convert it to OBJ or STL and name it in an MJCF or URDF file")
        }
        "usd" | "usda" | "usdc" | "usdz" => ("USD", "export the model to MJCF or URDF"),
        "obj" | "stl" | "msh" | "ply" => (
            "a mesh as a model",
            "name it in the <asset> of an MJCF file, or build the scene with SceneBuilder",
        ),
        "mjb" => ("a compiled MuJoCo model", "save it as MJCF with MuJoCo's mj_saveLastXML"),
        _ => return Ok(()),
    };
    Err(unsupported_format(path, format, remedy))
}

fn unsupported_format(path: &Path, format: &str, remedy: &str) -> SceneError {
    SceneError::Unsupported {
        place: Place { file: Some(path.to_path_buf()), ..Place::default() },
        feature: format.to_owned(),
        remedy: remedy.to_owned(),
    }
}
