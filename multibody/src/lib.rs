//! A scene in generalised coordinates.
