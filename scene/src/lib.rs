//! What there is, free of coordinates, and its MJCF and URDF importers.
