//! Reports: HTML with inline SVG charts, and text tables.
