//! Load generation: pacing, phases, workers, outcomes, histograms. Knows no SQL.
