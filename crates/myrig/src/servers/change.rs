//! `myrig server change`: other settings, another size or place.

use super::view;
use crate::{
    args::ChangeArgs,
    failure::{Failure, Status},
    output::Output,
};
use host::{Placement, Root, Size, Topology};
use server::{Change, Instance};

pub(super) fn run(
    args: &ChangeArgs,
    instance: &mut Instance,
    output: &Output,
) -> Result<Status, Failure> {
    let change = Change {
        settings: args.settings.iter().cloned().collect(),
        unset: args.unset.clone(),
        size: match args.no_limits {
            true => Some(Size::UNLIMITED),
            false => args.place.size_over(instance.size()),
        },
        placement: match args.anywhere {
            true => Some(Placement::default()),
            false => {
                let topology = Topology::of(&Root::real());
                args.place.placement_over(instance.placement(), &topology)?
            }
        },
    };
    if change.is_nothing() {
        return Err(Failure::usage(
            "nothing to change: give --set, --unset, --cpus, --memory, --cpu-set, --numa-node, \
             --memory-policy, --no-limits or --anywhere",
        ));
    }
    instance.change(&change)?;
    view::one(instance, output)
}
