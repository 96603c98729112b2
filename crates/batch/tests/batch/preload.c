/* Loaded into a process under test (LD_PRELOAD). It records, in the order in which they happen,
 * what the process writes to files in the folder PRELOAD_FOLDER, what it syncs, and what it sends
 * over sockets, to the file PRELOAD_LOG; and it advances the time of day by PRELOAD_CLOCK seconds.
 *
 * A record is a kind, and two texts of bytes with a number between them:
 *   u8 kind, u32 length, bytes, u64 number, u32 length, bytes
 *   C name            a file was created        W name offset bytes   it was written
 *   T name length     it was truncated          S name                it was synced
 *   D name            a folder was synced       R name 0 name         a file was renamed
 *   U name            a file was removed        N "" 0 bytes          bytes are sent
 * A send is recorded before it happens, everything else after it has. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define FILES 4096
#define REAL(name) ((__typeof__(&name))real(#name))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *names[FILES];
static const char *folder;
static int out = -1;
static long advance;

static void *real(const char *name) { return dlsym(RTLD_NEXT, name); }

__attribute__((constructor)) static void begin(void) {
    const char *clock = getenv("PRELOAD_CLOCK"), *path = getenv("PRELOAD_LOG");
    advance = clock ? atol(clock) : 0;
    if (path) {
        folder = getenv("PRELOAD_FOLDER");
        out = REAL(open64)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
}

static void put(char kind, const char *name, uint64_t number, const void *bytes, size_t size) {
    uint32_t first = (uint32_t)strlen(name), second = (uint32_t)size;
    struct iovec parts[] = {
        {&kind, 1}, {&first, 4}, {(void *)name, first}, {&number, 8}, {&second, 4}, {(void *)bytes, size},
    };
    int before = errno;
    if (REAL(writev)(out, parts, 6) < 0) abort();
    errno = before;
}

static const char *name_of(int fd) { return fd >= 0 && fd < FILES ? names[fd] : NULL; }

static int is_ours(const char *path) {
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static int is_socket(int fd) {
    struct stat found;
    return folder && fstat(fd, &found) == 0 && S_ISSOCK(found.st_mode);
}

static int opened(int fd, int created, int flags) {
    if (fd < 0 || fd >= FILES || !folder) return fd;
    char link[64], path[PATH_MAX + 1];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, PATH_MAX);
    if (length <= 0) return fd;
    path[length] = 0;
    if (!is_ours(path)) return fd;
    free(names[fd]);
    names[fd] = strdup(path);
    if (created) put('C', path, 0, "", 0);
    if (flags & O_TRUNC) put('T', path, 0, "", 0);
    return fd;
}

#define OPEN(function, place, ...)                                              \
    mode_t mode = 0;                                                            \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                      \
        va_list rest;                                                           \
        va_start(rest, flags);                                                  \
        mode = va_arg(rest, mode_t);                                            \
        va_end(rest);                                                           \
    }                                                                           \
    pthread_mutex_lock(&lock);                                                  \
    int created = (flags & O_CREAT) && faccessat(place, path, F_OK, 0) != 0;    \
    int fd = opened(REAL(function)(__VA_ARGS__, flags, mode), created, flags);  \
    pthread_mutex_unlock(&lock);                                                \
    return fd

int open(const char *path, int flags, ...) { OPEN(open, AT_FDCWD, path); }
int open64(const char *path, int flags, ...) { OPEN(open64, AT_FDCWD, path); }
int openat(int at, const char *path, int flags, ...) { OPEN(openat, at, at, path); }
int openat64(int at, const char *path, int flags, ...) { OPEN(openat64, at, at, path); }

int close(int fd) {
    pthread_mutex_lock(&lock);
    if (name_of(fd)) {
        free(names[fd]);
        names[fd] = NULL;
    }
    int done = REAL(close)(fd);
    pthread_mutex_unlock(&lock);
    return done;
}

static void wrote(int fd, off64_t offset, const struct iovec *parts, int count, ssize_t written) {
    for (int part = 0; part < count && written > 0; part++) {
        size_t size = parts[part].iov_len < (size_t)written ? parts[part].iov_len : (size_t)written;
        put('W', name_of(fd), (uint64_t)offset, parts[part].iov_base, size);
        offset += (off64_t)size;
        written -= (ssize_t)size;
    }
}

static void sends(const struct iovec *parts, size_t count) {
    static char all[65536];
    size_t size = 0;
    for (size_t part = 0; part < count; part++) {
        size_t some = parts[part].iov_len;
        if (some > sizeof all - size) some = sizeof all - size;
        memcpy(all + size, parts[part].iov_base, some);
        size += some;
    }
    put('N', "", 0, all, size);
}

/* What is written to a file is recorded after, what is sent before it happens. */
#define WRITE(fd, offset, parts, count, call)                 \
    pthread_mutex_lock(&lock);                                \
    ssize_t written;                                          \
    if (name_of(fd)) {                                        \
        off64_t from = offset;                                \
        written = call;                                       \
        wrote(fd, from, parts, (int)(count), written);        \
    } else {                                                  \
        if (is_socket(fd)) sends(parts, (size_t)(count));     \
        pthread_mutex_unlock(&lock);                          \
        return call;                                          \
    }                                                         \
    pthread_mutex_unlock(&lock);                              \
    return written

static off64_t here(int fd) {
    int end = fcntl(fd, F_GETFL) & O_APPEND;
    return lseek64(fd, 0, end ? SEEK_END : SEEK_CUR);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    struct iovec part = {(void *)bytes, size};
    WRITE(fd, here(fd), &part, 1, REAL(write)(fd, bytes, size));
}
ssize_t writev(int fd, const struct iovec *parts, int count) {
    WRITE(fd, here(fd), parts, count, REAL(writev)(fd, parts, count));
}
ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at) {
    struct iovec part = {(void *)bytes, size};
    WRITE(fd, at, &part, 1, REAL(pwrite)(fd, bytes, size, at));
}
ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) {
    struct iovec part = {(void *)bytes, size};
    WRITE(fd, at, &part, 1, REAL(pwrite64)(fd, bytes, size, at));
}
ssize_t send(int fd, const void *bytes, size_t size, int flags) {
    struct iovec part = {(void *)bytes, size};
    WRITE(fd, 0, &part, 1, REAL(send)(fd, bytes, size, flags));
}
ssize_t sendto(int fd, const void *bytes, size_t size, int flags, const struct sockaddr *to, socklen_t length) {
    struct iovec part = {(void *)bytes, size};
    WRITE(fd, 0, &part, 1, REAL(sendto)(fd, bytes, size, flags, to, length));
}
ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    WRITE(fd, 0, message->msg_iov, message->msg_iovlen, REAL(sendmsg)(fd, message, flags));
}

/* An operation on files whose success is recorded. */
#define DONE(call, condition, ...)                    \
    pthread_mutex_lock(&lock);                        \
    int done = call;                                  \
    if (done == 0 && (condition)) put(__VA_ARGS__);   \
    pthread_mutex_unlock(&lock);                      \
    return done

static char sync_kind(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 && S_ISDIR(found.st_mode) ? 'D' : 'S';
}

int fsync(int fd) { DONE(REAL(fsync)(fd), name_of(fd), sync_kind(fd), name_of(fd), 0, "", 0); }
int fdatasync(int fd) { DONE(REAL(fdatasync)(fd), name_of(fd), sync_kind(fd), name_of(fd), 0, "", 0); }
int ftruncate(int fd, off_t to) { DONE(REAL(ftruncate)(fd, to), name_of(fd), 'T', name_of(fd), (uint64_t)to, "", 0); }
int ftruncate64(int fd, off64_t to) { DONE(REAL(ftruncate64)(fd, to), name_of(fd), 'T', name_of(fd), (uint64_t)to, "", 0); }
int unlink(const char *path) { DONE(REAL(unlink)(path), is_ours(path), 'U', path, 0, "", 0); }
int rename(const char *from, const char *to) { DONE(REAL(rename)(from, to), is_ours(to), 'R', from, 0, to, strlen(to)); }

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = REAL(clock_gettime)(which, now);
    if (done == 0 && which == CLOCK_REALTIME) now->tv_sec += advance;
    return done;
}
