/* glibc.c - what libraries of Debian 12 call and glibc 2.28 does not have. A wheel carries it (glibc.py). */
#define _GNU_SOURCE
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct stat; /* on x86-64 the kernel's own */

int stat(const char *path, struct stat *out) { return (int)syscall(SYS_stat, path, out); }
int lstat(const char *path, struct stat *out) { return (int)syscall(SYS_lstat, path, out); }
int fstat(int file, struct stat *out) { return (int)syscall(SYS_fstat, file, out); }
int fstat64(int file, struct stat *out) { return fstat(file, out); }
int fstatat(int folder, const char *path, struct stat *out, int flags) {
  return (int)syscall(SYS_newfstatat, folder, path, out, flags);
}

/* 0: there may be several threads, which is always safe. */
char __libc_single_threaded = 0;

struct mallinfo2 mallinfo2(void) {
  const struct mallinfo small = mallinfo();
  return (struct mallinfo2){(unsigned)small.arena,    (unsigned)small.ordblks,  (unsigned)small.smblks, (unsigned)small.hblks,
                            (unsigned)small.hblkhd,   (unsigned)small.usmblks,  (unsigned)small.fsmblks, (unsigned)small.uordblks,
                            (unsigned)small.fordblks, (unsigned)small.keepcost};
}

void arc4random_buf(void *out, size_t bytes) {
  for (char *at = out, *end = at + bytes; at < end;) {
    const ssize_t more = getrandom(at, (size_t)(end - at), 0);
    at += more > 0 ? more : 0;
  }
}
unsigned arc4random(void) {
  unsigned value;
  arc4random_buf(&value, sizeof value);
  return value;
}

/* The wait itself is by the clock of the day: a time of another clock is translated once. */
int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until) {
  struct timespec now, day, then = *until;
  if (clock != CLOCK_REALTIME) {
    clock_gettime(clock, &now);
    clock_gettime(CLOCK_REALTIME, &day);
    then.tv_sec += day.tv_sec - now.tv_sec;
    then.tv_nsec += day.tv_nsec - now.tv_nsec;
    then.tv_sec += then.tv_nsec < 0 ? -1 : then.tv_nsec >= 1000000000;
    then.tv_nsec += then.tv_nsec < 0 ? 1000000000 : then.tv_nsec >= 1000000000 ? -1000000000 : 0;
  }
  return pthread_cond_timedwait(condition, mutex, &then);
}

/* Before 2.34 a program ran its own constructors: programs linked since leave that to the C library. With a function for
   them, which runs what the dynamic section of the program names, every glibc does as before. */
typedef void Constructor(int, char **, char **);
int started(int (*)(int, char **, char **), int, char **, Constructor *, void (*)(void), void (*)(void), void *);
__asm__(".symver started, __libc_start_main@GLIBC_2.2.5");

static int programs_own(struct dl_phdr_info *info, size_t size, void *out) {
  (void)size;
  *(struct dl_phdr_info *)out = *info;
  return 1; /* the first is the program */
}

static void construct(int count, char **arguments, char **environment) {
  struct dl_phdr_info program;
  dl_iterate_phdr(programs_own, &program);
  const ElfW(Dyn) *entry = 0;
  for (int i = 0; i < program.dlpi_phnum; ++i)
    if (program.dlpi_phdr[i].p_type == PT_DYNAMIC)
      entry = (const ElfW(Dyn) *)(program.dlpi_addr + program.dlpi_phdr[i].p_vaddr);
  ElfW(Addr) first = 0, array = 0, bytes = 0;
  for (; entry->d_tag != DT_NULL; ++entry) {
    first = entry->d_tag == DT_INIT ? program.dlpi_addr + entry->d_un.d_ptr : first;
    array = entry->d_tag == DT_INIT_ARRAY ? program.dlpi_addr + entry->d_un.d_ptr : array;
    bytes = entry->d_tag == DT_INIT_ARRAYSZ ? entry->d_un.d_val : bytes;
  }
  if (first)
    ((Constructor *)first)(count, arguments, environment);
  for (ElfW(Addr) i = 0; i < bytes / sizeof(Constructor *); ++i)
    ((Constructor **)array)[i](count, arguments, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **arguments, Constructor *init, void (*end)(void),
                      void (*end_of_loader)(void), void *stack) {
  return started(main, count, arguments, init ? init : construct, end, end_of_loader, stack);
}
