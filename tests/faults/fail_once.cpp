// Loaded before the C library (LD_PRELOAD): one allocation, or one call that writes, fails.
//
// PATE_FAIL_KIND is memory or files, PATE_FAIL_AT the number of the call that fails, from 1 on; 0
// is none. Calls count from the beginning of main, those of all threads. At the end
// PATE_FAIL_COUNT, a file, gets how many there were. Of files, PATE_WRITES, another, gets them in
// their order: "make NAME", "write NAME", "fsync NAME", "rename NAME TO", "link NAME TO".
// PATE_CLOCK is what the clock says.
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
}

namespace {

enum class Kind { none, memory, files };

std::atomic<Kind> counted{Kind::none};  // none before main, and after it
std::atomic<long> calls{0};
long wanted = 0;
int (*program)(int, char**, char**) = nullptr;

// Where OpenSSL lies, which may crash when an allocation of its own fails while it loads a digest.
std::uintptr_t crypto_begin = 0;
std::uintptr_t crypto_end = 0;

int find_crypto(dl_phdr_info* library, std::size_t /*size*/, void* /*data*/) {
  if (std::strstr(library->dlpi_name, "libcrypto") == nullptr) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    if (library->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const std::uintptr_t begin = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
    if (crypto_begin == 0 || begin < crypto_begin) crypto_begin = begin;
    if (begin + library->dlpi_phdr[i].p_memsz > crypto_end) {
      crypto_end = begin + library->dlpi_phdr[i].p_memsz;
    }
  }
  return 1;
}

// Whether this call is the one.
bool fails(Kind kind) {
  return counted == kind && ++calls == wanted;
}

void record(const char* what, const char* name, const char* to = "") {
  const char* const writes = std::getenv("PATE_WRITES");
  if (counted != Kind::files || writes == nullptr) return;
  char text[3 * 4096];
  const int length = std::snprintf(text, sizeof text, "%s %s %s\n", what, name, to);
  const long file =
      syscall(SYS_openat, AT_FDCWD, writes, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  (void)!syscall(SYS_write, file, text, length);
  syscall(SYS_close, file);
}

void record(const char* what, int file) {
  char link[64];
  char name[4096];
  (void)std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, name, sizeof name - 1);
  name[length < 0 ? 0 : length] = '\0';
  record(what, name);
}

bool allocation_fails(const void* caller) {
  const auto address = reinterpret_cast<std::uintptr_t>(caller);
  return (address < crypto_begin || address >= crypto_end) && fails(Kind::memory);
}

void tell() {
  counted = Kind::none;
  const char* const name = std::getenv("PATE_FAIL_COUNT");
  if (name == nullptr) return;
  char text[32];
  const int length = std::snprintf(text, sizeof text, "%ld\n", calls.load());
  const long file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0) (void)!syscall(SYS_write, file, text, length);
}

int counted_main(int count, char** words, char** environment) {
  const char* const at = std::getenv("PATE_FAIL_AT");
  const char* const kind = std::getenv("PATE_FAIL_KIND");
  if (at != nullptr) wanted = std::atol(at);
  std::atexit(tell);
  dl_iterate_phdr(find_crypto, nullptr);
  if (kind != nullptr) counted = std::strcmp(kind, "memory") == 0 ? Kind::memory : Kind::files;
  return program(count, words, environment);
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

template <typename Result>
Result failed(int error) {
  errno = error;
  return static_cast<Result>(-1);
}

}  // namespace

extern "C" {

int __libc_start_main(int (*main)(int, char**, char**), int count, char** words, void (*begin)(),
                      void (*end)(), void (*loaded)(), void* stack) {
  program = main;
  return next<decltype(&__libc_start_main)>("__libc_start_main")(counted_main, count, words, begin,
                                                                 end, loaded, stack);
}

void* malloc(std::size_t size) {
  if (!allocation_fails(__builtin_return_address(0))) return __libc_malloc(size);
  errno = ENOMEM;
  return nullptr;
}

void* calloc(std::size_t count, std::size_t size) {
  if (!allocation_fails(__builtin_return_address(0))) return __libc_calloc(count, size);
  errno = ENOMEM;
  return nullptr;
}

void* realloc(void* old, std::size_t size) {
  if (!allocation_fails(__builtin_return_address(0))) return __libc_realloc(old, size);
  errno = ENOMEM;
  return nullptr;
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!allocation_fails(__builtin_return_address(0))) return __libc_memalign(alignment, size);
  errno = ENOMEM;
  return nullptr;
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
  if (allocation_fails(__builtin_return_address(0))) return ENOMEM;
  *result = __libc_memalign(alignment, size);
  return *result == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  if (fails(Kind::files)) return failed<ssize_t>(ENOSPC);
  record("write", file);
  return syscall(SYS_write, file, bytes, size);
}

ssize_t writev(int file, const iovec* pieces, int count) {
  if (fails(Kind::files)) return failed<ssize_t>(ENOSPC);
  return syscall(SYS_writev, file, pieces, count);
}

int fsync(int file) {
  if (fails(Kind::files)) return failed<int>(EIO);
  record("fsync", file);
  return static_cast<int>(syscall(SYS_fsync, file));
}

int rename(const char* from, const char* to) {
  return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_in, const char* from, int to_in, const char* to, unsigned flags) {
  if (fails(Kind::files)) return failed<int>(EIO);
  record("rename", from, to);
  return static_cast<int>(syscall(SYS_renameat2, from_in, from, to_in, to, flags));
}

int linkat(int from_in, const char* from, int to_in, const char* to, int flags) {
  if (fails(Kind::files)) return failed<int>(EIO);
  record("link", from, to);
  return static_cast<int>(syscall(SYS_linkat, from_in, from, to_in, to, flags));
}

int link(const char* from, const char* to) {
  return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

std::time_t time(std::time_t* to) {
  const char* const told = std::getenv("PATE_CLOCK");
  timespec now{};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  const std::time_t seconds = told == nullptr ? now.tv_sec : std::atoll(told);
  if (to != nullptr) *to = seconds;
  return seconds;
}

// Of files that are made.
int open(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_CREAT) != 0 && fails(Kind::files)) return failed<int>(ENOSPC);
  if ((flags & O_CREAT) != 0) record("make", name);
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, name, flags, mode));
}

int open64(const char* name, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  return open(name, flags, mode);
}

}  // extern "C"
