//! Every contact and constraint law, one file each.
