// SPDX-License-Identifier: Apache-2.0 OR GPL-2.0
//
// Watches what is given to the block layer: every write and discard of one disk goes into a ring
// buffer, with its time and its write hint. scripts/build-bpf makes block_trace.bpf.o of it.
//
// Types are the few fields that are read; the loader puts their places in the running kernel's
// structures in (CO-RE). Needs Linux 5.12: before it a bio knew a disk, not a block_device.

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define SEC(name) __attribute__((section(name), used))
#define RELOCATED __attribute__((preserve_access_index))

struct gendisk {
	int major;
	int first_minor;
} RELOCATED;

struct block_device {
	struct gendisk *bd_disk;
} RELOCATED;

struct bvec_iter {
	u64 bi_sector;
	u32 bi_size;
} RELOCATED;

// One byte since it came back in Linux 6.9.
enum rw_hint { WRITE_LIFE_NOT_SET = 0 } __attribute__((packed));

struct bio {
	struct block_device *bi_bdev;
	u32 bi_opf;
	enum rw_hint bi_write_hint;
	struct bvec_iter bi_iter;
} RELOCATED;

// As it was up to Linux 5.17; between the two a bio had no hint.
struct bio___of_5_17 {
	u16 bi_write_hint;
} RELOCATED;

// The kernel's own number of this bit differs from version to version.
enum req_flag_bits { __REQ_NOUNMAP = 29 };
#define NOUNMAP_BIT __builtin_preserve_enum_value(*(enum req_flag_bits *)__REQ_NOUNMAP, ENUM_VALUE)

// Appending to a zone has had several numbers; before Linux 6.0 the type had another name, too.
enum req_op { REQ_OP_ZONE_APPEND = 7 };
#define APPEND_EXISTS \
	__builtin_preserve_enum_value(*(enum req_op *)REQ_OP_ZONE_APPEND, ENUM_EXISTS)
#define APPEND __builtin_preserve_enum_value(*(enum req_op *)REQ_OP_ZONE_APPEND, ENUM_VALUE)

// Operations whose numbers no kernel has changed; 7 was "write the same".
enum {
	OP_MASK = 0xff,
	OP_WRITE = 1,
	OP_DISCARD = 3,
	OP_SECURE_ERASE = 5,
	OP_WRITE_SAME = 7,
	OP_WRITE_ZEROES = 9,
	OP_ZONE_APPEND_BEFORE_6_0 = 13,
};

// Of __builtin_preserve_field_info and __builtin_preserve_enum_value.
enum { FIELD_EXISTS = 2, ENUM_EXISTS = 0, ENUM_VALUE = 1 };

// Of libbpf's conventions for maps that are described by types.
#define UINT(name, value) int(*name)[value]
enum { MAP_PERCPU_ARRAY = 6, MAP_RINGBUF = 27 };

// Helpers of the kernel, by their numbers.
static void *(*ringbuf_reserve)(void *ring, u64 size, u64 flags) = (void *)131;
static void (*ringbuf_submit)(void *data, u64 flags) = (void *)132;
static void *(*map_lookup_elem)(void *map, const void *key) = (void *)1;
static u64 (*ktime_get_ns)(void) = (void *)5;

// The reader polls: to be woken for every event would cost more than the event.
enum { RINGBUF_NO_WAKEUP = 1 };

// trace/live/record.rs reads it.
struct event {
	u64 time_ns;
	u64 sector;
	u32 sectors;
	u8 operation;
	u8 hint;
	// Whether zeroes may be written by unmapping.
	u8 may_unmap;
	u8 reserved;
};

// The disk that is watched, and the sectors of it, put in by the loader.
const volatile int DISK_MAJOR = 0;
const volatile int DISK_MINOR = 0;
const volatile u64 SECTOR_FIRST = 0;
const volatile u64 SECTOR_END = 0;

// Its size is set by the loader.
struct {
	UINT(type, MAP_RINGBUF);
	UINT(max_entries, 1 << 24);
} EVENTS SEC(".maps");

// How many events are not in the ring, on each processor: those that found no room, and writes that
// were appended to a zone.
struct {
	UINT(type, MAP_PERCPU_ARRAY);
	UINT(max_entries, 1);
	u32 (*key);
	u64 (*value);
} LOST SEC(".maps");

static __attribute__((always_inline)) u8 hint_of(struct bio *bio)
{
	struct bio___of_5_17 *old = (void *)bio;

	if (__builtin_preserve_field_info(bio->bi_write_hint, FIELD_EXISTS))
		return bio->bi_write_hint;
	if (__builtin_preserve_field_info(old->bi_write_hint, FIELD_EXISTS))
		return old->bi_write_hint;
	return 0;
}

static __attribute__((always_inline)) u32 zone_append(void)
{
	if (APPEND_EXISTS)
		return APPEND;
	return OP_ZONE_APPEND_BEFORE_6_0;
}

static __attribute__((always_inline)) void count_lost(void)
{
	u32 first = 0;
	u64 *lost = map_lookup_elem(&LOST, &first);

	if (lost)
		*lost += 1;
}

SEC("tp_btf/block_bio_queue")
int block_bio_queue(u64 *arguments)
{
	struct bio *bio = (void *)arguments[0];
	struct gendisk *disk;
	struct event *event;
	u32 flags = bio->bi_opf;
	u32 operation = flags & OP_MASK;
	u32 sectors = bio->bi_iter.bi_size >> 9;
	u64 sector = bio->bi_iter.bi_sector;
	u32 is_append = operation == zone_append();

	// Everything but reads and flushes, and flushes that are asked for by an empty write.
	if ((operation != OP_WRITE && operation != OP_DISCARD && operation != OP_SECURE_ERASE &&
	     operation != OP_WRITE_SAME && operation != OP_WRITE_ZEROES && !is_append) || !sectors)
		return 0;
	disk = bio->bi_bdev->bd_disk;
	if (disk->major != DISK_MAJOR || disk->first_minor != DISK_MINOR)
		return 0;
	// A bio of a partition has been mapped to the whole disk when it comes by here.
	if (sector < SECTOR_FIRST || sector >= SECTOR_END)
		return 0;

	// Its sector is that of the zone. Where it is written is known when it has been.
	if (is_append) {
		count_lost();
		return 0;
	}

	event = ringbuf_reserve(&EVENTS, sizeof(*event), 0);
	if (!event) {
		count_lost();
		return 0;
	}
	event->time_ns = ktime_get_ns();
	event->sector = sector;
	event->sectors = sectors;
	event->operation = operation;
	event->hint = hint_of(bio);
	event->may_unmap = !(flags >> NOUNMAP_BIT & 1);
	event->reserved = 0;
	ringbuf_submit(event, RINGBUF_NO_WAKEUP);
	return 0;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
