//! The rates of error of the whole verdict, by simulation: A against A must raise a false alarm in
//! at most 5 of 100 cases, A against B with a known effect must be covered by the interval in at
//! least 94. The tables in `docs/statistics.md` are those of these tests.

mod alarms;
mod coverage;
mod noises;
mod seconds;
