/* Loaded into the program under test (LD_PRELOAD), as the machine that it runs on. The file
 * MACHINE_CONTROL, which the driver writes while the program runs, contains two numbers:
 *   i64 clock   by how many seconds the time of day is turned
 *   i64 delay   for up to how many microseconds the thread is preempted after it has asked for a signal
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
