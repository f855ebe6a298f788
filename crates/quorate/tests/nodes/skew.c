/* For a test: the clock of a machine, wrong by as many nanoseconds as the first eight bytes of a file say.
 * Loaded before a node's own libraries (LD_PRELOAD). Only the time of day is wrong, as on a machine whose clock
 * was set badly; waits go by the steady clock and stay right. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *ahead_by;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("QUORATE_TEST_SKEW");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0) {
        void *bytes = mmap(NULL, sizeof *ahead_by, PROT_READ, MAP_SHARED, file, 0);
        ahead_by = bytes == MAP_FAILED ? NULL : bytes;
        close(file);
    }
    /* Its workers have no clock. */
    unsetenv("LD_PRELOAD");
}

int clock_gettime(clockid_t which, struct timespec *time) {
    int failed = (int)syscall(SYS_clock_gettime, which, time);
    if (!failed && which == CLOCK_REALTIME && ahead_by) {
        int64_t nanoseconds = time->tv_nsec + *ahead_by % 1000000000;
        int64_t carry = nanoseconds < 0 ? -1 : nanoseconds / 1000000000;
        time->tv_sec += *ahead_by / 1000000000 + carry;
        time->tv_nsec = nanoseconds - carry * 1000000000;
    }
    return failed;
}
