/*
 * What the peer's greedy engine needs of its ftlsim.h, without Python: `run` copies it there. Its
 * hooks for statistics do nothing.
 */
struct runsim {
    void *private_data;
    void (*step)(void *, int);
    int (*get_physpage)(void *, int, int);
};

#define runsim_stats_write(simulation, address, block, page)
#define runsim_stats_enter(simulation, block)
#define runsim_stats_exit(...)
