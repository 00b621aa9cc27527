//! Database servers: flavours and versions, private instances.
