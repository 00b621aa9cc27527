//! Experiments: run, record, statistics, and the store.
