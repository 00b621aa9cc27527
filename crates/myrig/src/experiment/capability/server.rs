//! The server's own settings, its size and its processors.

use crate::{experiment::carried::carried, servers::size};
use host::{Placement, Size};
use lab::experiment::{
    Fault, Stage, Variant,
    spec::{Arm, ServerSpec},
};
use serde_json::Value;
use server::{Change, Instance, Settings};

/// The section `server` of a variant.
pub(super) struct ServerSettings;

impl Variant for ServerSettings {
    fn key(&self) -> &'static str {
        "server"
    }

    fn plan(&self, arm: &Arm) -> Result<Vec<String>, Fault> {
        limits(&arm.server)?;
        placement(&arm.server)?;
        let settings = settings(&arm.server)?;
        Ok(settings.iter().map(|(name, value)| format!("{name} = {value}")).collect())
    }

    fn before_start(&mut self, stage: &mut Stage<'_>) -> Result<(), Fault> {
        let Change { settings, unset, size, placement } =
            change(&stage.arm.server, stage.instance)?;
        stage.change.settings.extend(settings);
        stage.change.unset.extend(unset);
        stage.change.size = size;
        stage.change.placement = placement;
        Ok(())
    }
}

/// What makes an instance the server that is asked for, whatever it was before.
///
/// # Errors
/// The key at fault.
pub(crate) fn change(spec: &ServerSpec, instance: &Instance) -> Result<Change, Fault> {
    let (limits, placement) = (limits(spec)?, placement(spec)?);
    let release = instance.installation().release();
    let mut wanted = carried(spec, release)?;
    if spec.sized {
        let resources = size::of_instance(1.0, &instance.data_dir(), &limits, &placement);
        wanted = size::sized(&wanted, release, &resources).map_err(|it| it.to_string())?;
    }
    // What another variant had set and this one does not comes back to the server's default.
    let plain = |name: &str| name.replace('_', "-").to_ascii_lowercase();
    let is_wanted = |name: &str| wanted.keys().any(|wanted| plain(wanted) == plain(name));
    let present = instance.settings().keys();
    let unset = present.filter(|name| !is_wanted(name)).cloned().collect();
    Ok(Change { settings: wanted, unset, size: Some(limits), placement: Some(placement) })
}

/// Server options as an option file has them.
pub(crate) fn settings(spec: &ServerSpec) -> Result<Settings, Fault> {
    let text = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => text.clone(),
            Value::Bool(on) => if *on { "ON" } else { "OFF" }.to_owned(),
            Value::Number(number) => number.to_string(),
            other => {
                let words = "give a string, a number or a boolean";
                return Err(format!("server.settings.{name}: {other} is no value: {words}").into());
            }
        };
        Ok((name.clone(), value))
    };
    spec.settings.iter().map(text).collect()
}

/// Limits on processor time and memory.
pub(crate) fn limits(spec: &ServerSpec) -> Result<Size, Fault> {
    let memory = spec.memory.as_deref().map(crate::args::parse_bytes).transpose();
    let memory_bytes = memory.map_err(|error| format!("server.memory: {error}"))?;
    let size = Size { cpus: spec.cores, memory_bytes };
    size.check().map_err(|error| format!("server.cores, server.memory: {error}"))?;
    Ok(size)
}

/// Processors that it runs on.
pub(crate) fn placement(spec: &ServerSpec) -> Result<Placement, Fault> {
    let cpus = spec.cpus.as_deref().map(str::parse).transpose();
    let cpus = cpus.map_err(|error| format!("server.cpus: {error}"))?;
    Ok(Placement { cpus, memory: None })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_written_as_option_files_have_them() {
        let named = |value: Value| ServerSpec {
            settings: [("a-b".to_owned(), value)].into(),
            ..ServerSpec::default()
        };
        let told = |value| settings(&named(value)).map(|all| all["a-b"].clone());
        assert_eq!(told(json!("1G")).unwrap(), "1G");
        assert_eq!(told(json!(2)).unwrap(), "2");
        assert_eq!(told(json!(true)).unwrap(), "ON");
        let error = told(json!([1])).unwrap_err().to_string();
        assert!(error.starts_with("server.settings.a-b"), "{error}");
    }

    #[test]
    fn limits_that_cannot_be_name_their_key() {
        let spec = |memory: &str| ServerSpec {
            memory: Some(memory.to_owned()),
            cores: Some(0.5),
            ..ServerSpec::default()
        };
        assert_eq!(limits(&spec("512M")).unwrap().memory_bytes, Some(512 << 20));
        for wrong in ["512Q", "1"] {
            let error = limits(&spec(wrong)).unwrap_err().to_string();
            assert!(error.contains("server.memory"), "{error}");
        }
        let cpus = ServerSpec { cpus: Some("0-".into()), ..ServerSpec::default() };
        assert!(placement(&cpus).unwrap_err().to_string().starts_with("server.cpus"));
    }
}
