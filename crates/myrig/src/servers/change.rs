//! `myrig server change`: other settings, another size or place.

use super::{size, view};
use crate::{
    args::{ChangeArgs, SizeArg},
    failure::{Failure, Status},
    output::Output,
};
use host::{Placement, Root, Size, Topology};
use server::{Change, Instance, sizing::Sizing};

pub(super) fn run(
    args: &ChangeArgs,
    instance: &mut Instance,
    output: &Output,
) -> Result<Status, Failure> {
    let mut change = Change {
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
    if change.is_nothing() && args.sizing.is_none() {
        return Err(Failure::usage(
            "nothing to change: give --set, --unset, --size, --cpus, --memory, --cpu-set, \
             --numa-node, --memory-policy, --no-limits or --anywhere",
        ));
    }
    if let Some(sizing) = args.sizing {
        size_anew(sizing, instance, &mut change)?;
    }
    instance.change(&change)?;
    view::one(instance, output)
}

/// Adds to a change what sizing makes of the instance that there will be.
fn size_anew(sizing: SizeArg, instance: &Instance, change: &mut Change) -> Result<(), Failure> {
    let limits = change.size.unwrap_or(instance.size());
    let placement = change.placement.as_ref().unwrap_or(instance.placement());
    let part = size::part(Some(sizing), 1);
    let resources = size::of_instance(part, &instance.data_dir(), &limits, placement);
    let (release, present) = (instance.installation().release(), instance.settings());
    let (set, stale) = Sizing::anew(&resources, release, present, &change.settings)?;
    change.settings = set;
    change.unset.extend(stale);
    change.unset.sort();
    change.unset.dedup();
    Ok(())
}
