//! Connections to MySQL and its kin.
