//! `myrig server init`: one instance, or several that share the machine.

use super::{config, find, parse, size, view, waiting};
use crate::{
    args::InitArgs,
    failure::{Failure, Status},
    output::Output,
};
use host::{CpuSet, Placement, Root, Size, Topology};
use server::{Home, InitOptions, Installation, Instance, InstanceName};

pub(super) fn run(args: &InitArgs, home: &Home, output: &Output) -> Result<Status, Failure> {
    let names: Vec<InstanceName> =
        args.names.iter().map(|it| parse(it)).collect::<Result<_, _>>()?;
    if let Some(twice) = (1..names.len()).find(|place| names[..*place].contains(&names[*place])) {
        return Err(Failure::usage(format!("`{}` is named twice", names[twice])));
    }
    let mut plans = plans(args, &Topology::of(&Root::real()))?;
    let installation = waiting("looking for a server", find(&args.installation, home), output)?;
    if !args.config.is_empty() {
        let release = installation.release();
        let settings =
            config::for_instance(&args.config, &args.settings, release, args.explain, output)?;
        plans.iter_mut().for_each(|plan| plan.settings = settings.clone());
    }
    let (part, release) = (size::part(args.sizing, plans.len()), installation.release());
    for plan in &mut plans {
        let data = plan.data.as_deref().unwrap_or_else(|| home.servers());
        let resources = size::of_instance(part, data, &plan.size, &plan.placement);
        if args.fit {
            size::fit(&mut plan.settings, release, &resources, output);
        }
        if args.sizing.is_some() {
            plan.settings = size::sized(&plan.settings, release, &resources)?;
        }
    }
    let mut made = Vec::new();
    for (name, options) in names.iter().zip(&plans) {
        match one(home, name, &installation, options, output) {
            Ok(instance) => made.push(instance),
            Err(failure) => {
                // Those that are whole stay; each of them can be removed by its name.
                let made = made.iter().map(|made: &Instance| made.name().as_str());
                let made: Vec<_> = made.collect();
                if !made.is_empty() {
                    output.note(&format!("made before that: {}", made.join(", ")));
                }
                return Err(failure);
            }
        }
    }
    match made.as_slice() {
        [one] => view::one(one, output),
        several => view::several(several, output),
    }
}

fn one(
    home: &Home,
    name: &InstanceName,
    installation: &Installation,
    options: &InitOptions,
    output: &Output,
) -> Result<Instance, Failure> {
    let making = Instance::init(home, name, installation, options);
    waiting(&format!("making {name}"), making, output)
}

/// What each instance is to be.
fn plans(args: &InitArgs, topology: &Topology) -> Result<Vec<InitOptions>, Failure> {
    let several = args.names.len() > 1;
    let size = args.place.size_over(Size::UNLIMITED).unwrap_or_default();
    let given = args.place.placement_over(&Placement::default(), topology)?.unwrap_or_default();
    let shares = match args.spread {
        true => spread(args.names.len(), topology)?.into_iter().map(Some).collect(),
        false => vec![None; args.names.len()],
    };
    let plan = |(place, (name, share)): (usize, (&String, Option<CpuSet>))| {
        let port = args.port.map(|first| port_of(first, place)).transpose()?;
        let data =
            args.data.as_ref().map(|data| if several { data.join(name) } else { data.clone() });
        let placement = match share {
            Some(cpus) => Placement { cpus: Some(cpus), memory: given.memory.clone() },
            None => given.clone(),
        };
        let settings = args.settings.iter().cloned().collect();
        Ok(InitOptions { port, settings, size, placement, data, ..InitOptions::default() })
    };
    args.names.iter().zip(shares).enumerate().map(plan).collect()
}

fn port_of(first: u16, place: usize) -> Result<u16, Failure> {
    let port = u16::try_from(place).ok().and_then(|place| first.checked_add(place));
    port.ok_or_else(|| Failure::usage(format!("--port {first}: there are not so many ports")))
}

/// Processors for each of so many instances: neighbours together, nodes one after the other.
fn spread(instances: usize, topology: &Topology) -> Result<Vec<CpuSet>, Failure> {
    let of_nodes = topology.nodes.iter().filter_map(|node| node.cpus.as_ref());
    let cpus: Vec<u32> = of_nodes.flat_map(CpuSet::iter).collect();
    let share = |place: usize| {
        let (from, until) = (cpus.len() * place / instances, cpus.len() * (place + 1) / instances);
        CpuSet::of(cpus[from..until].iter().copied())
    };
    (0..instances).map(share).collect::<Option<_>>().ok_or_else(|| {
        Failure::usage(format!(
            "--spread: {instances} instances cannot share {} processors; leave it out, or give \
             them --cpus",
            cpus.len()
        ))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use host::Node;

    #[test]
    fn instances_get_neighbouring_processors_and_none_is_left_over() {
        let node = |number, cpus: &str| Node { number, cpus: cpus.parse().ok(), memory_bytes: 0 };
        // Node by node, as machines number them that spread their processors over the sockets.
        let topology = Topology {
            online: "0-7".parse().unwrap(),
            nodes: vec![node(0, "0,2,4,6"), node(1, "1,3,5,7")],
            memory_bytes: 0,
        };
        let told = |instances| -> Vec<String> {
            spread(instances, &topology).unwrap().iter().map(ToString::to_string).collect()
        };
        assert_eq!(told(2), ["0,2,4,6", "1,3,5,7"]);
        assert_eq!(told(3), ["0,2", "1,4,6", "3,5,7"]);
        assert!(spread(9, &topology).unwrap_err().to_string().contains("--cpus"));
    }
}
