// shim.cpp - preloaded (LD_PRELOAD) into a program and all that it starts. It counts what they ask
// of the operating system, and says no to the n-th request of a kind in its place.
//
// The file named by FACET_FAULTS is shared by all processes of a run; faults.py writes what is
// wanted and reads what was counted. Calls by which the C library serves itself do not come here,
// so its streams are met where they are called. Standard error is left alone: messages go there.
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <iterator>
#include <new>
#include <pthread.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

namespace {

/// In the order of KINDS in faults.py.
enum Kind {
  Open,
  Read,
  Write,
  Map,
  Sync,
  Rename,
  Truncate,
  Alloc,
  Thread,
  Library,
  Process,
  Look,
  Kinds
};

/// As Shared in faults.py.
struct Shared {
  std::int64_t kind, at; // the at-th of the kind, from 1, is refused
  std::int64_t error;    // errno; 0: half of what is asked for is read or written
  std::int64_t onwards;  // 1: all that follow too
  std::int64_t least;    // bytes: smaller allocations are not counted
  std::atomic<std::int64_t> hits, counts[Kinds];
  char who[512]; // the first that was refused: function, file, program
  char of[64];   // requests of files with this in their path alone are counted; "": all
};

Shared *shared = nullptr;
std::atomic<bool> begun =
    false; // memory before main() is the loader's, and of constructors in libraries

__attribute__((constructor(101))) void begin() {
  const char *path = getenv("FACET_FAULTS");
  const long file = path == nullptr ? -1 : syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
  if (file < 0)
    return;
  const long at =
      syscall(SYS_mmap, nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0L);
  syscall(SYS_close, file);
  if (at > 0)
    shared = reinterpret_cast<Shared *>(at); // NOLINT
}

enum class Answer { Yes, No, Half };

/// Answers one request. errno says why not.
Answer judge(Kind kind, const char *function, const char *what, bool halves = false) {
  if (shared == nullptr)
    return Answer::Yes;
  if (kind == shared->kind && strstr(what, shared->of) == nullptr)
    return Answer::Yes;
  const std::int64_t n = ++shared->counts[kind];
  if (kind != shared->kind || (shared->onwards != 0 ? n < shared->at : n != shared->at) ||
      (shared->error == 0 && !halves))
    return Answer::Yes;
  if (++shared->hits == 1)
    snprintf(shared->who, sizeof shared->who, "%s %s (%s)", function, what,
             program_invocation_short_name);
  errno = static_cast<int>(shared->error);
  return errno == 0 ? Answer::Half : Answer::No;
}

bool refused(Kind kind, const char *function, const char *what = "") {
  return judge(kind, function, what) == Answer::No;
}

/// The name of an open file, for whoever reads the report.
const char *nameOf(Kind kind, int file) {
  static thread_local char name[256];
  name[0] = 0;
  if (shared != nullptr && shared->kind == kind) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    const long count = syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1);
    name[count > 0 ? count : 0] = 0;
  }
  return name;
}

/// Reads or writes as much as it may.
template <class Transfer>
ssize_t transfer(Kind kind, const char *function, int file, std::size_t size,
                 const Transfer &some) {
  if (file == STDERR_FILENO)
    return some(size);
  switch (judge(kind, function, nameOf(kind, file), size > 1)) {
  case Answer::Yes:
    return some(size);
  case Answer::No:
    return -1;
  case Answer::Half:
    break;
  }
  return some(size / 2);
}

/// Refuses a stream of the C library, which has its error flag then.
bool refusedStream(Kind kind, const char *function, FILE *stream) {
  if (stream == nullptr || fileno(stream) == STDERR_FILENO ||
      !refused(kind, function, nameOf(kind, fileno(stream))))
    return false;
  stream->_flags |= 0x20; // _IO_ERR_SEEN of the GNU C library
  return true;
}

/// Whether `caller` is code that is not facet's and does not bear a refusal. Without memory HDF5
/// 1.10, cairo and libpng write to where nothing is, and fontconfig and FreeType take another font.
/// The LLVM in Halide throws through its own destructors. (new is refused to it too, by the handler
/// that facetc sets.)
bool isForeign(const void *caller) {
  constexpr const char *foreign[] = {"libhdf5",       "libcairo",    "libpixman", "libpng",
                                     "libfontconfig", "libfreetype", "libHalide"};
  Dl_info where{};
  if (dladdr(caller, &where) == 0 || where.dli_fname == nullptr)
    return false;
  return std::any_of(std::begin(foreign), std::end(foreign),
                     [&](const char *name) { return strstr(where.dli_fname, name) != nullptr; });
}

[[gnu::always_inline]] inline bool refusedBytes(const char *function, std::size_t size) {
  if (shared == nullptr || !begun || static_cast<std::int64_t>(size) < shared->least ||
      shared->kind != Alloc || isForeign(__builtin_return_address(0)))
    return false;
  char text[32];
  text[0] = 0;
  snprintf(text, sizeof text, "%zu", size);
  return refused(Alloc, function, text);
}

[[gnu::always_inline]] inline bool refusedLook(const char *function, const char *what) {
  return shared != nullptr && !isForeign(__builtin_return_address(0)) &&
         refused(Look, function, what);
}

template <class Function> Function next(const char *name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name)); // NOLINT
}

mode_t modeOf(int flags, va_list arguments) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

int openAt(const char *function, int folder, const char *path, int flags, mode_t mode) {
  return refused(Open, function, path)
             ? -1
             : static_cast<int>(syscall(SYS_openat, folder, path, flags, mode));
}

} // namespace

#define REAL(name) static const auto real = next<decltype(&(name))>(#name)

#define OPEN(name, folder, ...)                                                                    \
  int name(__VA_ARGS__, int flags, ...) {                                                          \
    va_list arguments;                                                                             \
    va_start(arguments, flags);                                                                    \
    const mode_t mode = modeOf(flags, arguments);                                                  \
    va_end(arguments);                                                                             \
    return openAt(#name, folder, path, flags, mode);                                               \
  }
#define CREATE(name)                                                                               \
  int name(const char *path, mode_t mode) {                                                        \
    return openAt(#name, AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);                      \
  }
#define STREAM(name)                                                                               \
  FILE *name(const char *path, const char *mode) {                                                 \
    REAL(name);                                                                                    \
    return refused(Open, #name, path) ? nullptr : real(path, mode);                                \
  }
#define READ_AT(name)                                                                              \
  ssize_t name(int file, void *to, size_t size, off64_t at) {                                      \
    return transfer(Read, #name, file, size,                                                       \
                    [&](size_t some) { return syscall(SYS_pread64, file, to, some, at); });        \
  }
#define WRITE_AT(name)                                                                             \
  ssize_t name(int file, const void *from, size_t size, off64_t at) {                              \
    return transfer(Write, #name, file, size,                                                      \
                    [&](size_t some) { return syscall(SYS_pwrite64, file, from, some, at); });     \
  }
#define MAP(name)                                                                                  \
  void *name(void *at, size_t size, int access, int flags, int file, off64_t from) noexcept {      \
    return refused(Map, #name, nameOf(Map, file))                                                  \
               ? MAP_FAILED                                                                        \
               : reinterpret_cast<void *>(                                                         \
                     syscall(SYS_mmap, at, size, access, flags, file, from)); /* NOLINT */         \
  }
#define TRUNCATE(name)                                                                             \
  int name(int file, off64_t size) noexcept {                                                      \
    return refused(Truncate, #name, nameOf(Truncate, file))                                        \
               ? -1                                                                                \
               : static_cast<int>(syscall(SYS_ftruncate, file, size));                             \
  }
#define ALLOCATE(name)                                                                             \
  int name(int file, off64_t from, off64_t size) {                                                 \
    REAL(name);                                                                                    \
    return refused(Truncate, #name, nameOf(Truncate, file)) ? errno : real(file, from, size);      \
  }
#define LOOK(name, type)                                                                           \
  int name(const char *path, type *to) noexcept {                                                  \
    REAL(name);                                                                                    \
    return refusedLook(#name, path) ? -1 : real(path, to);                                         \
  }
#define LOOK_AT(name, type)                                                                        \
  int name(int file, type *to) noexcept {                                                          \
    REAL(name);                                                                                    \
    return refusedLook(#name, nameOf(Look, file)) ? -1 : real(file, to);                           \
  }
#define SYNC(name)                                                                                 \
  int name(int file) {                                                                             \
    return refused(Sync, #name, nameOf(Sync, file)) ? -1                                           \
                                                    : static_cast<int>(syscall(SYS_##name, file)); \
  }

namespace {
int (*mainOf)(int, char **, char **) = nullptr;
int mainHere(int count, char **words, char **environment) {
  begun = true;
  return mainOf(count, words, environment);
}
} // namespace

extern "C" {
int __libc_start_main(int (*program)(int, char **, char **), int count, char **words,
                      void (*before)(), void (*after)(), void (*loader)(), void *stack) {
  REAL(__libc_start_main);
  mainOf = program;
  return real(mainHere, count, words, before, after, loader, stack);
}

OPEN(open, AT_FDCWD, const char *path)
OPEN(open64, AT_FDCWD, const char *path)
OPEN(openat, folder, int folder, const char *path)
OPEN(openat64, folder, int folder, const char *path)
CREATE(creat)
CREATE(creat64)
STREAM(fopen)
STREAM(fopen64)

int __open_2(const char *path, int flags) { return openAt("open", AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return openAt("open", AT_FDCWD, path, flags, 0); }

DIR *opendir(const char *path) {
  REAL(opendir);
  return refused(Open, "opendir", path) ? nullptr : real(path);
}
int memfd_create(const char *name, unsigned flags) noexcept {
  return refused(Open, "memfd_create", name)
             ? -1
             : static_cast<int>(syscall(SYS_memfd_create, name, flags));
}
int mkdir(const char *path, mode_t mode) noexcept {
  return refused(Open, "mkdir", path)
             ? -1
             : static_cast<int>(syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}
char *mkdtemp(char *path) noexcept {
  REAL(mkdtemp);
  return refused(Open, "mkdtemp", path) ? nullptr : real(path);
}

LOOK(stat, struct stat)
LOOK(stat64, struct stat64)
LOOK(lstat, struct stat)
LOOK(lstat64, struct stat64)
LOOK_AT(fstat, struct stat)
LOOK_AT(fstat64, struct stat64)
int access(const char *path, int mode) noexcept {
  REAL(access);
  return refusedLook("access", path) ? -1 : real(path, mode);
}

ssize_t read(int file, void *to, size_t size) {
  return transfer(Read, "read", file, size,
                  [&](size_t some) { return syscall(SYS_read, file, to, some); });
}
READ_AT(pread)
READ_AT(pread64)
size_t fread(void *to, size_t size, size_t count, FILE *stream) {
  REAL(fread);
  return refusedStream(Read, "fread", stream) ? 0 : real(to, size, count, stream);
}

ssize_t write(int file, const void *from, size_t size) {
  return transfer(Write, "write", file, size,
                  [&](size_t some) { return syscall(SYS_write, file, from, some); });
}
WRITE_AT(pwrite)
WRITE_AT(pwrite64)
ssize_t writev(int file, const iovec *parts, int count) {
  return file != STDERR_FILENO && refused(Write, "writev", nameOf(Write, file))
             ? -1
             : syscall(SYS_writev, file, parts, count);
}
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream) {
  REAL(fwrite);
  return refusedStream(Write, "fwrite", stream) ? 0 : real(from, size, count, stream);
}
int vfprintf(FILE *stream, const char *format, va_list arguments) {
  REAL(vfprintf);
  return refusedStream(Write, "vfprintf", stream) ? -1 : real(stream, format, arguments);
}
int fflush(FILE *stream) {
  REAL(fflush);
  return refusedStream(Write, "fflush", stream) ? EOF : real(stream);
}
// It closes the stream all the same, as the system does.
int fclose(FILE *stream) {
  REAL(fclose);
  const bool no = refusedStream(Write, "fclose", stream);
  const int error = errno;
  const int closed = real(stream);
  if (no)
    errno = error;
  return no ? EOF : closed;
}

MAP(mmap)
MAP(mmap64)
SYNC(fsync)
SYNC(fdatasync)
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)
ALLOCATE(posix_fallocate)
ALLOCATE(posix_fallocate64)

int rename(const char *from, const char *to) noexcept {
  return refused(Rename, "rename", to)
             ? -1
             : static_cast<int>(syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}

// The C library's own names give its functions before dlsym can. All that makes and frees memory
// goes there, also in a program that has another allocator.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

void free(void *memory) noexcept { __libc_free(memory); }
void *malloc(size_t size) noexcept {
  return refusedBytes("malloc", size) ? nullptr : __libc_malloc(size);
}
void *calloc(size_t count, size_t size) noexcept {
  return refusedBytes("calloc", count * size) ? nullptr : __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) noexcept {
  return refusedBytes("realloc", size) ? nullptr : __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) noexcept {
  return refusedBytes("aligned_alloc", size) ? nullptr : __libc_memalign(alignment, size);
}
void *memalign(size_t alignment, size_t size) noexcept {
  return refusedBytes("memalign", size) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void **to, size_t alignment, size_t size) noexcept {
  if (refusedBytes("posix_memalign", size))
    return errno;
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? ENOMEM : 0;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *argument) noexcept {
  REAL(pthread_create);
  return refused(Thread, "pthread_create") ? errno : real(thread, attributes, work, argument);
}
// The reason is the loader's own: that of a file that is not there.
void *dlopen(const char *path, int flags) noexcept {
  REAL(dlopen);
  const bool no = refused(Library, "dlopen", path == nullptr ? "" : path);
  return real(no ? "/nowhere/refused.so" : path, flags);
}
int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const words[],
                char *const environment[]) {
  REAL(posix_spawn);
  return refused(Process, "posix_spawn", path)
             ? errno
             : real(child, path, actions, attributes, words, environment);
}
int posix_spawnp(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const words[],
                 char *const environment[]) {
  REAL(posix_spawnp);
  return refused(Process, "posix_spawnp", path)
             ? errno
             : real(child, path, actions, attributes, words, environment);
}
pid_t fork() noexcept {
  REAL(fork);
  return refused(Process, "fork") ? -1 : real();
}
}

// As C++ has them: an allocator may bring its own, which would not come by malloc.
namespace {
void *orHandled(std::size_t size, std::size_t alignment) {
  for (;;) {
    if (void *memory = alignment == 0 ? malloc(size) : aligned_alloc(alignment, size))
      return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr)
      throw std::bad_alloc();
    handler();
  }
}
void *orNull(std::size_t size, std::size_t alignment) noexcept {
  try {
    return orHandled(size, alignment);
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}
} // namespace

using Alignment = std::align_val_t;
using NoThrow = std::nothrow_t;
void *operator new(std::size_t n) { return orHandled(n, 0); }
void *operator new[](std::size_t n) { return orHandled(n, 0); }
void *operator new(std::size_t n, const NoThrow &) noexcept { return orNull(n, 0); }
void *operator new[](std::size_t n, const NoThrow &) noexcept { return orNull(n, 0); }
void *operator new(std::size_t n, Alignment a) { return orHandled(n, std::size_t(a)); }
void *operator new[](std::size_t n, Alignment a) { return orHandled(n, std::size_t(a)); }
void *operator new(std::size_t n, Alignment a, const NoThrow &) noexcept {
  return orNull(n, std::size_t(a));
}
void *operator new[](std::size_t n, Alignment a, const NoThrow &) noexcept {
  return orNull(n, std::size_t(a));
}
void operator delete(void *p) noexcept { free(p); }
void operator delete[](void *p) noexcept { free(p); }
void operator delete(void *p, std::size_t) noexcept { free(p); }
void operator delete[](void *p, std::size_t) noexcept { free(p); }
void operator delete(void *p, const NoThrow &) noexcept { free(p); }
void operator delete[](void *p, const NoThrow &) noexcept { free(p); }
void operator delete(void *p, Alignment) noexcept { free(p); }
void operator delete[](void *p, Alignment) noexcept { free(p); }
void operator delete(void *p, std::size_t, Alignment) noexcept { free(p); }
void operator delete[](void *p, std::size_t, Alignment) noexcept { free(p); }
void operator delete(void *p, Alignment, const NoThrow &) noexcept { free(p); }
void operator delete[](void *p, Alignment, const NoThrow &) noexcept { free(p); }
