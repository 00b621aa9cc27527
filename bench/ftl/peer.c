/*
 * Drives the greedy engine of sssl-ftlsim (P. Desnoyers), whose source is fetched and not ours:
 * fills a drive, writes it over once at random, and measures what follows, as
 * crates/flash/examples/speed.rs does with ours.
 *
 *   peer CAPACITY_GIB...
 *
 * `run` compiles it beside a copy of the engine, with peer.h in place of the ftlsim.h that wants
 * Python. The peer's generator calls rand() for each page; a faster one is used here, so that it is
 * the engine that is measured.
 */
#include <stdint.h>
#include <time.h>
#include "runsim_greedy.c"

static uint64_t state = 88172645463325252u;

static uint32_t below(uint32_t pages)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(((state >> 32) * pages) >> 32);
}

static double now_s(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Pages written by host and engine, in millions a second. */
static double timed(struct greedy *drive, uint32_t pages, uint64_t count, double *factor)
{
    uint64_t programs = 0, written = 0;
    double start = now_s();
    while (written < count) {
        uint64_t batch = count - written < 10000000 ? count - written : 10000000;
        drive->int_writes = drive->ext_writes = 0;
        for (uint64_t i = 0; i < batch; i++)
            drive->handle.step(drive->handle.private_data, below(pages));
        programs += drive->int_writes;
        written += batch;
    }
    *factor = (double)programs / written;
    return programs / (now_s() - start) / 1e6;
}

int main(int count, char **names)
{
    for (int i = 1; i < count; i++) {
        int gib = atoi(names[i]), block_pages = 256;
        uint32_t pages = (uint32_t)gib << 18;
        int used = pages / block_pages, blocks = used / 0.9 + 0.5;
        struct greedy *drive = calloc(1, sizeof(*drive));
        drive->handle.private_data = drive;
        drive->handle.step = greedy_step;
        drive->T = blocks, drive->U = used, drive->Np = block_pages;
        drive->target_free = 2;
        greedy_init(drive);
        double factor, warm = timed(drive, pages, pages, &factor);
        double steady = timed(drive, pages, 10000000, &factor);
        printf("{\"peer\": \"sssl-ftlsim\", \"capacity_gib\": %d, \"warm_mps\": %.1f, "
               "\"programs_mps\": %.1f, \"factor\": %.3f}\n", gib, warm, steady, factor);
        fflush(stdout);
        greedy_del(drive);
    }
    return 0;
}
