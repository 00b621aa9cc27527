//! The nine tables as the loader of all workloads sends them.

use super::{chunk::Chunk, source::Source};
use crate::{
    load::{Part, Piece, Supply},
    tpcc::table::Table,
};

impl Piece for Chunk {
    type Table = Table;

    fn table(self) -> Table {
        self.table
    }

    fn id(self) -> u64 {
        Self::id(self)
    }

    fn expected_rows(self) -> u64 {
        Self::expected_rows(self)
    }

    fn cost(self) -> u64 {
        Self::cost(self)
    }
}

impl<S: Source> Supply for S {
    type Piece = Chunk;

    fn name(&self, chunk: Chunk) -> String {
        Source::name(self, chunk.table).to_owned()
    }

    fn columns(&self, chunk: Chunk) -> String {
        Source::columns(self, chunk.table).to_owned()
    }

    fn chunk_table(&self) -> &'static str {
        Source::chunk_table(self)
    }

    fn write(&self, chunk: Chunk, out: &mut Vec<u8>) {
        Source::write(self, chunk, out);
    }

    fn parts(&self, chunk: Chunk) -> Vec<Part> {
        Source::parts(self, chunk)
    }
}
