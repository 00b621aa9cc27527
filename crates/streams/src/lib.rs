//! Where writes land on flash: rules that give files a lifetime, and the write hints that tell it
//! to the kernel.

pub mod lifetime;

pub use lifetime::Lifetime;
