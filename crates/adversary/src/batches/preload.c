/* Simulated machine of the program under test, preloaded into it (LD_PRELOAD). The driver writes two
 * numbers to the file MACHINE_CONTROL while the program runs:
 *   i64 clock   offset of the time of day, in seconds
 *   i64 delay   longest preemption of a thread after sigaction(), in microseconds
 * The program ends with the driver. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const volatile int64_t *control;

__attribute__((constructor)) static void begin(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const char *path = getenv("MACHINE_CONTROL");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *page = mmap(NULL, 16, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) control = page;
    close(file);
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = REAL(clock_gettime)(which, now);
    if (done == 0 && which == CLOCK_REALTIME && control) now->tv_sec += control[0];
    return done;
}

int sigaction(int number, const struct sigaction *action, struct sigaction *before) {
    int done = REAL(sigaction)(number, action, before);
    int64_t longest = control ? control[1] : 0;
    if (action && longest > 0) {
        struct timespec now;
        REAL(clock_gettime)(CLOCK_MONOTONIC, &now);
        usleep((useconds_t)(now.tv_nsec / 1000 % longest));
    }
    return done;
}
