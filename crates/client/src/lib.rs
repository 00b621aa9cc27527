//! Connections to MySQL and its kin: endpoints, TLS, statements, error classes.
