//! What becomes of a hint at an NVMe drive: by the kernel's version, by what the driver says in
//! `/sys`, and by what the drive answers.

use super::{
    device::Device,
    kernel::Era,
    layer::{Layer, Reach},
    machine::{Machine, StreamsAnswer},
};

/// The driver's switch (`drivers/nvme/host/core.c`, Linux 4.13 to 5.17), off by default. It is
/// looked at when a drive is set up, which is at its reset, too.
const PARAMETER: &str = "sys/module/nvme_core/parameters/streams";

/// Streams that must be free on the drive for the driver to use any, and that it uses then:
/// `BLK_MAX_WRITE_HINTS - 1`. A hint's stream is hint − 1, so there is one for each hint.
const STREAMS: u16 = 4;

/// The layer of an NVMe drive. `direct` is for writes to the device itself.
pub(super) fn layer(device: &Device, direct: bool, machine: &Machine<'_>) -> Layer {
    let kernel = machine.kernel;
    let this = |hint, words: String| Layer::known("drive", &device.name, hint, words);
    let streams = device.number_in("queue/max_write_streams").unwrap_or(0);
    match kernel.era() {
        Era::Before => this(Reach::Stops, format!("{kernel} has no hints"))
            .but("use Linux 4.13 to 5.17 with nvme_core.streams=1"),
        Era::Directives => directives(device, machine),
        Era::Dropped | Era::Restored => this(
            Reach::Stops,
            format!("{kernel} tells NVMe drives no hints (taken out in 5.18)"),
        )
        .but(
            "use Linux 4.13 to 5.17 with nvme_core.streams=1 and a drive with streams, or from \
             6.16 on a drive with FDP, which io_uring or a whole device can address",
        ),
        Era::WriteStreams if direct && streams > 0 => this(
            Reach::Passes,
            format!("a direct write's hint chooses one of {streams} write streams of the drive"),
        ),
        Era::WriteStreams => {
            let has = match streams {
                0 => "and this drive offers no write streams (max_write_streams 0)".to_owned(),
                some => format!("only whole devices and io_uring choose one of its {some} streams"),
            };
            let words = format!("{kernel} takes no hint of a file to an NVMe drive; {has}");
            this(Reach::Stops, words).but(match streams {
                0 => {
                    "a drive with FDP that is switched on (`myrig ssd info`), and a file system \
                     that chooses write streams; or Linux 4.13 to 5.17 with nvme_core.streams=1"
                }
                _ => {
                    "write to the device itself, or by io_uring with write_stream; or a later \
                     kernel whose file system chooses write streams"
                }
            })
        }
    }
}

/// Linux 4.13 to 5.17: the streams directive, if the driver has switched it on.
fn directives(device: &Device, machine: &Machine<'_>) -> Layer {
    let parameter = machine.root.text(PARAMETER);
    let is_on = matches!(parameter.as_deref().map(str::trim), Some("Y" | "1"));
    let switch = if is_on { "nvme_core.streams is on" } else { "nvme_core.streams is off" };
    let this = |hint, words: String| {
        Layer::known("drive", &device.name, hint, format!("{switch}, and {words}"))
    };
    let answer = match machine.streams_of(device) {
        Ok(answer) => answer,
        Err(why) if is_on => {
            let words = format!("whether the drive has streams is not known: {why}");
            return this(Reach::Unknown, words).but(
                "run this as root: it then asks whether the drive has the streams directive, \
                 whether that is switched on, and for how many streams",
            );
        }
        Err(why) => {
            return this(Reach::Stops, format!("the drive was not asked for streams: {why}")).but(
                format!("{SWITCH_ON}; as root, this says beforehand whether the drive has any"),
            );
        }
    };
    judged(is_on, answer, this)
}

const SWITCH_ON: &str = "boot with nvme_core.streams=1, or write Y to \
                         /sys/module/nvme_core/parameters/streams and reset the drive";

/// By what the drive has answered.
fn judged(is_on: bool, answer: StreamsAnswer, this: impl Fn(Reach, String) -> Layer) -> Layer {
    let available = answer.streams.limits.map_or(0, |limits| limits.available);
    match answer {
        StreamsAnswer { directives: false, .. } => {
            this(Reach::Stops, "the drive knows no directives".to_owned())
                .but("use a drive with the streams directive")
        }
        StreamsAnswer { streams, .. } if !streams.supported => {
            this(Reach::Stops, "the drive has no streams directive".to_owned())
                .but("use a drive with the streams directive")
        }
        _ if available < STREAMS => this(
            Reach::Stops,
            format!("the drive has {available} streams free; the driver uses none below {STREAMS}"),
        )
        .but(format!("give back streams that others hold, or use a drive with {STREAMS} or more")),
        _ if !is_on => {
            this(Reach::Stops, format!("the drive has {available} streams free")).but(SWITCH_ON)
        }
        StreamsAnswer { streams, .. } if !streams.enabled => this(
            Reach::Stops,
            "streams are not switched on at the drive: the driver does so when it sets a drive up"
                .to_owned(),
        )
        .but("reset the drive (write 1 to its reset_controller in /sys/class/nvme), or boot anew"),
        _ => this(
            Reach::Passes,
            format!("the driver uses {STREAMS} streams of the drive: stream = hint − 1"),
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::{super::device::tests::tree, super::kernel::Kernel, *};
    use flash::nvme::streams::{Limits, Streams};
    use host::Root;

    /// A machine with one drive.
    fn told(
        release: &str,
        direct: bool,
        files: &[(&str, &str)],
        parameter: Option<&str>,
        answer: &Result<StreamsAnswer, String>,
    ) -> Layer {
        let dir = tree(&[("nvme0n1", "259:0", files)]);
        if let Some(value) = parameter {
            let file = dir.path().join(PARAMETER);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, format!("{value}\n")).unwrap();
        }
        let root = Root::at(dir.path());
        let device = Device::of((259, 0), &root).unwrap();
        let ask = |_: &Device| answer.clone();
        let machine =
            Machine { kernel: Kernel::parse(release).unwrap(), root: &root, ask_streams: &ask };
        layer(&device, direct, &machine)
    }

    fn answer(directives: bool, supported: bool, enabled: bool, available: u16) -> StreamsAnswer {
        let limits = Limits {
            streams_max: 16,
            available,
            open: 0,
            write_blocks: 8,
            granule_writes: 1,
            allocated: 0,
        };
        StreamsAnswer {
            directives,
            streams: Streams { supported, enabled, limits: supported.then_some(limits) },
        }
    }

    #[test]
    fn an_nvme_drive_depends_on_the_kernel() {
        let fdp = [("queue/max_write_streams", "7\n")];
        let nobody = Err("not asked".to_owned());
        for (release, direct, files, hint, words) in [
            ("4.9", false, &[][..], Reach::Stops, "has no hints"),
            ("6.1", false, &[], Reach::Stops, "taken out in 5.18"),
            ("6.12", true, &[], Reach::Stops, "taken out in 5.18"),
            ("6.18", false, &[], Reach::Stops, "max_write_streams 0"),
            ("6.18", false, &fdp, Reach::Stops, "one of its 7 streams"),
            ("6.18", true, &fdp, Reach::Passes, "one of 7 write streams"),
        ] {
            let layer = told(release, direct, files, None, &nobody);
            assert_eq!(layer.hint, hint, "{release} {direct}: {layer:?}");
            assert!(layer.words.contains(words), "{release} {direct}: {layer:?}");
            assert!(layer.remedy.is_some() || hint == Reach::Passes, "{release} {direct}");
        }
    }

    #[test]
    fn with_directives_the_driver_and_the_drive_both_must_want_streams() {
        let refused = || Err("only root may send commands to a drive".to_owned());
        let told = |release, parameter, answer| told(release, false, &[], parameter, &answer);
        for (parameter, answer, hint, words, remedy) in [
            (Some("Y"), Ok(answer(true, true, true, 16)), Reach::Passes, "hint − 1", ""),
            (Some("1"), Ok(answer(true, true, true, 4)), Reach::Passes, "uses 4 streams", ""),
            (Some("Y"), Ok(answer(true, true, true, 3)), Reach::Stops, "3 streams free", "4 or"),
            (Some("Y"), Ok(answer(true, true, false, 8)), Reach::Stops, "not switched", "reset"),
            (Some("Y"), Ok(answer(true, false, false, 0)), Reach::Stops, "no streams dir", "use a"),
            (Some("Y"), Ok(answer(false, false, false, 0)), Reach::Stops, "no directives", "use a"),
            (Some("Y"), refused(), Reach::Unknown, "only root", "as root"),
            (Some("N"), Ok(answer(true, true, false, 8)), Reach::Stops, "8 streams free", "boot"),
            (Some("N"), Ok(answer(false, false, false, 0)), Reach::Stops, "is off", "use a drive"),
            (None, refused(), Reach::Stops, "nvme_core.streams is off", "nvme_core.streams=1"),
        ] {
            for release in ["4.13", "4.19", "5.17"] {
                let layer = told(release, parameter, answer.clone());
                assert_eq!(layer.hint, hint, "{release} {parameter:?}: {layer:?}");
                assert!(layer.words.contains(words), "{words}: {layer:?}");
                assert_eq!(layer.remedy.is_none(), remedy.is_empty(), "{layer:?}");
                assert!(layer.remedy.clone().unwrap_or_default().contains(remedy), "{layer:?}");
            }
        }
        let absent = told("6.1", Some("Y"), Ok(answer(true, true, true, 16)));
        assert_eq!(absent.hint, Reach::Stops, "the parameter means nothing from 5.18 on");
    }
}
