//! Write amplification in closed form, which the simulated drive is held against.
//!
//! All of it is of a drive in the long run, with very many blocks, under writes of single pages
//! drawn independently. `alpha` is physical pages by logical ones, all spare blocks counted: 1 and
//! the spare factor.
//!
//! Sources: P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR'12; L. Xiang and
//! B. M. Kurkoski, "An improved analytic expression for write amplification in NAND flash",
//! arXiv 1110.4245.

/// Part of the writes, to part of the pages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Class {
    /// Share of the writes, from 0 to 1.
    pub writes: f64,
    /// Share of the pages that the host can address, from 0 to 1.
    pub pages: f64,
}

impl Class {
    /// A hot class, and the cold one of all other writes and pages.
    #[must_use]
    pub fn hot_and_cold(writes: f64, pages: f64) -> [Self; 2] {
        [Self { writes, pages }, Self { writes: 1.0 - writes, pages: 1.0 - pages }]
    }
}

/// Branch 0 of Lambert's W function: the w of at least -1 for which w·e^w is x. NaN below -1/e.
#[must_use]
pub fn lambert_w(x: f64) -> f64 {
    let branch = 1.0 + std::f64::consts::E * x;
    if branch <= 0.0 {
        return if branch > -1e-12 { -1.0 } else { f64::NAN };
    }
    // Near the branch point a series in this root converges, elsewhere a logarithm is close.
    let root = (2.0 * branch).sqrt();
    let mut w = if x < 0.5 { -1.0 + root - root * root / 3.0 } else { x.ln_1p() };
    for _ in 0..32 {
        // Halley's method.
        let error = w * w.exp() - x;
        let slope = w.exp() * (w + 1.0) - (w + 2.0) * error / (2.0 * w + 2.0);
        let step = error / slope;
        if !step.is_finite() || step.abs() < 1e-15 {
            break;
        }
        w -= step;
    }
    w
}

/// Uniform writes, the block that was filled first is collected (Desnoyers; Xiang and Kurkoski).
#[must_use]
pub fn fifo(alpha: f64) -> f64 {
    alpha / (alpha + lambert_w(-alpha * (-alpha).exp()))
}

/// Uniform writes, the block with the fewest valid pages is collected (Desnoyers).
#[must_use]
pub fn greedy(alpha: f64, block_pages: u32) -> f64 {
    let k = greedy_gain(block_pages);
    fifo(k * alpha) / k
}

/// As if a drive had so many times its pages: what greedy choice gains with blocks of this size.
fn greedy_gain(block_pages: u32) -> f64 {
    1.0 + 1.0 / (2.0 * f64::from(block_pages))
}

/// Classes of pages mixed in the same blocks, the block that was filled first is collected: the A
/// that is the sum of rᵢ / (1 - e^(-rᵢα / A·fᵢ)) over the classes (Desnoyers).
#[must_use]
pub fn mixed_fifo(alpha: f64, classes: &[Class]) -> f64 {
    let written = |a: f64| -> f64 {
        let share = |class: &Class| {
            if class.writes <= 0.0 || class.pages <= 0.0 {
                return class.writes;
            }
            class.writes / -(-class.writes * alpha / (a * class.pages)).exp_m1()
        };
        classes.iter().map(share).sum()
    };
    // What is written falls short of a large A and exceeds a small one.
    let (mut low, mut high) = (1.0, 1e9);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if written(middle) > middle { low = middle } else { high = middle }
    }
    low
}

/// The same under greedy collection.
#[must_use]
pub fn mixed_greedy(alpha: f64, block_pages: u32, classes: &[Class]) -> f64 {
    let k = greedy_gain(block_pages);
    mixed_fifo(k * alpha, classes) / k
}

/// Two classes, each in blocks and with a share of the spare space of its own, greedy collection.
#[must_use]
pub fn apart_greedy(alpha: f64, block_pages: u32, classes: [Class; 2], shares: [f64; 2]) -> f64 {
    let of = |(class, share): (&Class, f64)| {
        class.writes * greedy(1.0 + share * (alpha - 1.0) / class.pages, block_pages)
    };
    classes.iter().zip(shares).map(of).sum()
}

/// The shares of the spare space that [`split_greedy`] gives two classes.
#[must_use]
pub fn best_shares(alpha: f64, block_pages: u32, classes: [Class; 2]) -> [f64; 2] {
    let (_, [first, _]) = split_greedy(alpha, block_pages, classes);
    let share = classes[0].pages * (first - 1.0) / (alpha - 1.0);
    [share, 1.0 - share]
}

/// Two classes, each in blocks and with spare space of its own, greedy collection: the lowest write
/// amplification of all ways to share the spare space out, and the `alpha` of each class that gives
/// it.
#[must_use]
pub fn split_greedy(alpha: f64, block_pages: u32, classes: [Class; 2]) -> (f64, [f64; 2]) {
    let [one, other] = classes;
    // What is left of all pages for the other class when the first has so much.
    let alphas = |first: f64| [first, (alpha - one.pages * first) / other.pages];
    let amplification = |first: f64| {
        let [a, b] = alphas(first);
        one.writes * greedy(a, block_pages) + other.writes * greedy(b, block_pages)
    };
    // It falls and then rises, and without bounds at both ends: golden section.
    let ratio = (5f64.sqrt() - 1.0) / 2.0;
    let (mut low, mut high) = (1.0 + 1e-6, (alpha - other.pages * (1.0 + 1e-6)) / one.pages);
    for _ in 0..100 {
        let reach = ratio * (high - low);
        if amplification(high - reach) < amplification(low + reach) {
            high = low + reach;
        } else {
            low = high - reach;
        }
    }
    let first = f64::midpoint(low, high);
    (amplification(first), alphas(first))
}

#[cfg(test)]
mod tests;
