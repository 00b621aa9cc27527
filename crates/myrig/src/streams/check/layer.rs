//! What a hint passes on its way down, and how far it gets.

use serde::Serialize;

/// What becomes of a hint in a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reach {
    /// It is handed on, or used.
    Passes,
    /// It ends here.
    Stops,
    /// That cannot be known from here.
    Unknown,
}

/// How that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Proof {
    /// It was tried, just now.
    Measured,
    /// It is what this version of the kernel does by its source, or what it says of itself.
    Known,
}

/// A layer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Layer {
    /// What it is: `call`, `file system`, `device`, `drive`.
    pub(super) layer: &'static str,
    /// Which: `xfs`, `loop0`.
    pub(super) name: String,
    /// What becomes of the hint.
    pub(super) hint: Reach,
    /// How that is known.
    pub(super) proof: Proof,
    /// The same in words.
    pub(super) words: String,
    /// What would make it go on.
    pub(super) remedy: Option<String>,
}

impl Layer {
    /// One that is known to do this, without anything that would help.
    pub(super) fn known(
        layer: &'static str,
        name: &str,
        hint: Reach,
        words: impl Into<String>,
    ) -> Self {
        let words = words.into();
        Self { layer, name: name.to_owned(), hint, proof: Proof::Known, words, remedy: None }
    }

    /// The same, with what would help.
    pub(super) fn but(self, remedy: impl Into<String>) -> Self {
        Self { remedy: Some(remedy.into()), ..self }
    }

    /// The same, tried.
    pub(super) fn measured(self) -> Self {
        Self { proof: Proof::Measured, ..self }
    }

    /// Its kind and its name, each once.
    pub(super) fn place(&self) -> String {
        match self.layer == self.name {
            true => self.name.clone(),
            false => format!("{} {}", self.layer, self.name),
        }
    }
}

/// How far it gets: the first layer that stops it, else the first that is not known.
pub(super) fn outcome(layers: &[Layer]) -> (Reach, Option<&Layer>) {
    for wanted in [Reach::Stops, Reach::Unknown] {
        if let Some(found) = layers.iter().find(|layer| layer.hint == wanted) {
            return (wanted, Some(found));
        }
    }
    (Reach::Passes, None)
}

/// The answer in a sentence.
pub(super) fn verdict(layers: &[Layer]) -> String {
    let (reach, layer) = outcome(layers);
    let place = layer.map(Layer::place).unwrap_or_default();
    match reach {
        Reach::Passes => "Hints reach the flash.".to_owned(),
        Reach::Stops => format!("Hints do not reach the flash: they end at the {place}."),
        Reach::Unknown => format!(
            "Whether hints reach the flash is not known: what the {place} does cannot be seen from \
             here."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_that_stops_decides_even_behind_one_that_is_not_known() {
        let layer = |name: &str, hint| Layer::known("device", name, hint, "");
        let (passes, stops) = (layer("a", Reach::Passes), layer("c", Reach::Stops));
        let unknown = layer("b", Reach::Unknown);
        assert_eq!(verdict(std::slice::from_ref(&passes)), "Hints reach the flash.");
        let all = [passes.clone(), unknown.clone(), stops];
        assert!(verdict(&all).contains("end at the device c"), "{}", verdict(&all));
        assert!(verdict(&[passes, unknown]).contains("what the device b does"));
    }
}
