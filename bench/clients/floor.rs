//! The floor under every MySQL client on this kernel: prepared point selects whose packets were
//! encoded beforehand and whose replies are received and never looked at.
//!
//! ```text
//! cargo run --release -p client --example floor -- \
//!     HOST:PORT USER DATABASE ROWS CONNECTIONS SECONDS epoll|uring
//! ```
//!
//! One thread. `epoll` sends, and receives when the socket is ready. `uring` links each send to a
//! receive that waits for data first, on registered files, and submits all that is ready by the
//! call that waits for the next. The account has no password; nothing here is fit for anything
//! but being measured against.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a throw-away program for a person")]
#![allow(unsafe_code, reason = "operations carry pointers; the buffers live until the end")]

use io_uring::{IoUring, opcode, squeue, types::Fixed};
use rand::{Rng, RngExt};
use rustix::event::epoll;
use std::{
    error::Error,
    io::{Read, Write},
    net::TcpStream,
    os::fd::AsRawFd,
    time::{Duration, Instant},
};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Where in the packet the key is: behind header, command, statement, flags, iterations, NULLs,
/// a byte that says that types follow, and the type.
const KEY_AT: usize = 4 + 1 + 4 + 1 + 4 + 1 + 1 + 2;

struct Line {
    stream: TcpStream,
    request: Vec<u8>,
    reply: Vec<u8>,
}

fn main() -> Outcome<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [address, user, database, rows, connections, seconds, way] = words.as_slice() else {
        return Err("HOST:PORT USER DATABASE ROWS CONNECTIONS SECONDS epoll|uring".into());
    };
    let lines = (0..connections.parse()?)
        .map(|_| Line::open(address, user, database))
        .collect::<Outcome<Vec<_>>>()?;
    let (rows, length) = (rows.parse()?, Duration::from_secs(seconds.parse()?));
    let (started, before) = (Instant::now(), cpu_us());
    let queries = match way.as_str() {
        "epoll" => by_epoll(lines, rows, length)?,
        "uring" => by_uring(lines, rows, length)?,
        _ => return Err("epoll or uring".into()),
    } as f64;
    let (took_s, after) = (started.elapsed().as_secs_f64(), cpu_us());
    let [user, system] = [0, 1].map(|n| (after[n] - before[n]) / queries);
    println!(
        "{:.0} queries/s, {:.2} µs of processor time a query ({user:.2} user, {system:.2} system)",
        queries / took_s,
        user + system
    );
    Ok(())
}

impl Line {
    /// Logs in without a password and prepares the statement.
    fn open(address: &str, user: &str, database: &str) -> Outcome<Self> {
        let mut stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        receive(&mut stream)?;
        // PROTOCOL_41, SECURE_CONNECTION, CONNECT_WITH_DB, PLUGIN_AUTH, DEPRECATE_EOF.
        let capabilities: u32 = 1 << 9 | 1 << 15 | 1 << 3 | 1 << 19 | 1 << 24;
        let mut login = capabilities.to_le_bytes().to_vec();
        login.extend([0, 0, 0, 1, 45]);
        login.extend([0; 23]);
        login.extend([user.as_bytes(), b"\0\0", database.as_bytes(), b"\0"].concat());
        login.extend(b"mysql_native_password\0");
        send(&mut stream, 1, &login)?;
        loop {
            let packet = receive(&mut stream)?;
            match packet[0] {
                0 => break,
                // Another method, or a password that is remembered: nothing is the answer to both.
                0xfe => send(&mut stream, 3, &[])?,
                1 => {}
                _ => return Err(String::from_utf8_lossy(&packet).into()),
            }
        }
        send(&mut stream, 0, b"\x16SELECT c FROM sbtest1 WHERE id=?")?;
        let prepared = receive(&mut stream)?;
        if prepared[0] != 0 {
            return Err(String::from_utf8_lossy(&prepared).into());
        }
        // One parameter, one column.
        receive(&mut stream)?;
        receive(&mut stream)?;
        let mut execute = vec![0x17];
        execute.extend(&prepared[1..5]);
        execute.extend([0, 1, 0, 0, 0, 0, 1, 8, 0]);
        execute.extend([0; 8]);
        let mut request = vec![execute.len() as u8, 0, 0, 0];
        request.extend(execute);
        Ok(Self { stream, request, reply: vec![0; 4096] })
    }

    fn set_key(&mut self, rng: &mut impl Rng, rows: u64) {
        let key = rng.random_range(1..=rows).to_le_bytes();
        self.request[KEY_AT..KEY_AT + 8].copy_from_slice(&key);
    }
}

fn send(stream: &mut TcpStream, number: u8, payload: &[u8]) -> Outcome<()> {
    let [a, b, c, _] = (payload.len() as u32).to_le_bytes();
    Ok(stream.write_all(&[&[a, b, c, number], payload].concat())?)
}

fn receive(stream: &mut TcpStream) -> Outcome<Vec<u8>> {
    let mut header = [0; 4];
    stream.read_exact(&mut header)?;
    let mut payload = vec![0; u32::from_le_bytes([header[0], header[1], header[2], 0]) as usize];
    stream.read_exact(&mut payload)?;
    Ok(payload)
}

fn by_epoll(mut lines: Vec<Line>, rows: u64, length: Duration) -> Outcome<u64> {
    let mut rng = rand::rng();
    let poll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (n, line) in lines.iter_mut().enumerate() {
        line.stream.set_nonblocking(true)?;
        let flags = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&poll, &line.stream, epoll::EventData::new_u64(n as u64), flags)?;
        line.set_key(&mut rng, rows);
        line.stream.write_all(&line.request)?;
    }
    let (end, mut queries) = (Instant::now() + length, 0);
    let mut events = Vec::with_capacity(lines.len());
    while Instant::now() < end {
        events.clear();
        epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            let line = &mut lines[event.data.u64() as usize];
            if line.stream.read(&mut line.reply)? == 0 {
                return Err("the server hung up".into());
            }
            line.set_key(&mut rng, rows);
            line.stream.write_all(&line.request)?;
            queries += 1;
        }
    }
    Ok(queries)
}

fn by_uring(mut lines: Vec<Line>, rows: u64, length: Duration) -> Outcome<u64> {
    let mut rng = rand::rng();
    let mut ring = IoUring::builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(2 * lines.len().next_power_of_two() as u32)?;
    let files: Vec<_> = lines.iter().map(|line| line.stream.as_raw_fd()).collect();
    ring.submitter().register_files(&files)?;
    for n in 0..lines.len() {
        ask(&mut ring, &mut lines, n, &mut rng, rows)?;
    }
    let (end, mut queries) = (Instant::now() + length, 0);
    let mut ready = Vec::with_capacity(lines.len());
    while Instant::now() < end {
        ring.submit_and_wait(1)?;
        for entry in ring.completion() {
            if entry.result() <= 0 {
                return Err(format!("the server hung up: {}", entry.result()).into());
            }
            ready.push(entry.user_data() as usize);
        }
        for n in ready.drain(..) {
            ask(&mut ring, &mut lines, n, &mut rng, rows)?;
            queries += 1;
        }
    }
    Ok(queries)
}

fn ask(
    ring: &mut IoUring,
    lines: &mut [Line],
    n: usize,
    rng: &mut impl Rng,
    rows: u64,
) -> Outcome<()> {
    let line = &mut lines[n];
    line.set_key(rng, rows);
    let file = Fixed(n as u32);
    let send = opcode::Send::new(file, line.request.as_ptr(), line.request.len() as u32)
        .build()
        .flags(squeue::Flags::IO_LINK | squeue::Flags::SKIP_SUCCESS)
        .user_data(n as u64);
    let room = line.reply.len() as u32;
    let mut receive =
        opcode::Recv::new(file, line.reply.as_mut_ptr(), room).build().user_data(n as u64);
    // SAFETY: the entry is `struct io_uring_sqe`, whose third and fourth byte are `ioprio`; 1 is
    // IORING_RECVSEND_POLL_FIRST. The buffers are never moved, and outlive the ring.
    unsafe {
        (&raw mut receive).cast::<u16>().add(1).write(1);
        ring.submission().push_multiple(&[send, receive])?;
    }
    Ok(())
}

/// User and system time of this process, microseconds.
fn cpu_us() -> [f64; 2] {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap();
    let mut fields = stat.rsplit(')').next().unwrap().split_whitespace().skip(11);
    // A tick is a hundredth of a second, whatever the kernel's own clock (proc(5)).
    [(); 2].map(|()| fields.next().unwrap().parse::<f64>().unwrap() * 1e4)
}
