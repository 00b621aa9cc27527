//! Benchmark workloads: schema, data, transactions, consistency checks.
