/* Loaded into a process under test (LD_PRELOAD). It sends the process the signal PRELOAD_SIGNAL at
 * the worst moment of its start: when the action of that signal has been replaced for the first time,
 * and the function that replaces it has not returned yet. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

int sigaction(int number, const struct sigaction *action, struct sigaction *former) {
    static int is_sent;
    int (*real)(int, const struct sigaction *, struct sigaction *);
    *(void **)&real = dlsym(RTLD_NEXT, "sigaction");
    int done = real(number, action, former);
    const char *wanted = getenv("PRELOAD_SIGNAL");
    if (action && wanted && number == atoi(wanted) && !is_sent) {
        is_sent = 1;
        kill(getpid(), number);
    }
    return done;
}
