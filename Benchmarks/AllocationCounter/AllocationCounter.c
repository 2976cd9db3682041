#define _GNU_SOURCE

#include "AllocationCounter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define UNDER_SANITIZER 1
#endif
#endif

#if !defined(UNDER_SANITIZER) && defined(__linux__) && defined(__GLIBC__)
#define COUNTS_BY_INTERPOSITION 1
#elif !defined(UNDER_SANITIZER) && defined(__APPLE__)
#define COUNTS_BY_LOGGER 1
#endif

// MARK: - The counters

static _Atomic bool counting;
static _Atomic int64_t allocations, deallocations, reallocations, requested_bytes, live_bytes, peak_bytes;
static _Atomic bool live_is_exact;

#if defined(COUNTS_BY_INTERPOSITION) || defined(COUNTS_BY_LOGGER)

static inline bool is_counting(void) {
  return __builtin_expect(atomic_load_explicit(&counting, memory_order_relaxed), false);
}

static void add(_Atomic int64_t *counter, int64_t amount) {
  atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static void live_changed(int64_t change) {
  int64_t live = atomic_fetch_add_explicit(&live_bytes, change, memory_order_relaxed) + change;
  int64_t peak = atomic_load_explicit(&peak_bytes, memory_order_relaxed);
  while (live > peak
         && !atomic_compare_exchange_weak_explicit(
             &peak_bytes, &peak, live, memory_order_relaxed, memory_order_relaxed)) {
  }
}

// The three events. They stay out of line so that the path taken while off is a load and a branch.

static __attribute__((noinline)) void did_allocate(size_t requested, size_t usable) {
  add(&allocations, 1);
  add(&requested_bytes, (int64_t)requested);
  live_changed((int64_t)usable);
}

static __attribute__((noinline)) void will_deallocate(size_t usable) {
  add(&deallocations, 1);
  live_changed(-(int64_t)usable);
}

static __attribute__((noinline)) void did_reallocate(size_t requested, size_t usable_before, size_t usable) {
  add(&reallocations, 1);
  add(&requested_bytes, (int64_t)requested);
  live_changed((int64_t)usable - (int64_t)usable_before);
}

#endif

// MARK: - Linux: malloc and its relatives, forwarding to glibc's own

#if defined(COUNTS_BY_INTERPOSITION)

#include <malloc.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void *counted(void *block, size_t requested) {
  if (is_counting() && block) did_allocate(requested, malloc_usable_size(block));
  return block;
}

void *malloc(size_t size) { return counted(__libc_malloc(size), size); }

// An overflowing product has failed in glibc by the time it would be counted.
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size), count * size); }

void free(void *block) {
  if (is_counting() && block) will_deallocate(malloc_usable_size(block));
  __libc_free(block);
}

void *realloc(void *block, size_t size) {
  if (!is_counting()) return __libc_realloc(block, size);
  if (!block) return malloc(size);
  size_t usable_before = malloc_usable_size(block);
  void *moved = __libc_realloc(block, size);
  if (moved) {
    did_reallocate(size, usable_before, malloc_usable_size(moved));
  } else if (size == 0) {
    will_deallocate(usable_before);  // glibc frees the block when asked for none.
  }
  return moved;
}

void *reallocarray(void *block, size_t count, size_t size) {
  size_t total;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(block, total);
}

void *memalign(size_t alignment, size_t size) { return counted(__libc_memalign(alignment, size), size); }

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  int error_before = errno;
  void *block = memalign(alignment, size);
  errno = error_before;  // The result says it all; errno is not this function's to change.
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

void *valloc(size_t size) { return memalign((size_t)sysconf(_SC_PAGESIZE), size); }

void *pvalloc(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return memalign(page, (size + page - 1) / page * page);
}

static void attach(void) {}
static void detach(void) {}

// MARK: - Apple platforms: libmalloc tells a listener

#elif defined(COUNTS_BY_LOGGER)

#include <malloc/malloc.h>

// Exported by libSystem and used by its own stack logging, though in no public header.
typedef void (malloc_listener)(
    uint32_t kind, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t result, uint32_t frames_to_skip);
extern malloc_listener *malloc_logger;

enum { kind_allocate = 2, kind_deallocate = 4, kind_has_zone = 8 };

static malloc_listener *previous_listener;

static void listen(
    uint32_t kind, uintptr_t first, uintptr_t second, uintptr_t third, uintptr_t result, uint32_t frames_to_skip) {
  if (previous_listener) previous_listener(kind, first, second, third, result, frames_to_skip);
  if (!is_counting()) return;
  // With a zone, the arguments proper begin one later.
  uintptr_t a = (kind & kind_has_zone) ? second : first;
  uintptr_t b = (kind & kind_has_zone) ? third : second;
  switch (kind & (kind_allocate | kind_deallocate)) {
  case kind_allocate:
    if (result) did_allocate((size_t)a, malloc_size((void *)result));
    break;
  case kind_deallocate:
    if (a) will_deallocate(malloc_size((void *)a));
    break;
  case kind_allocate | kind_deallocate:
    if (!result) break;
    if (!a) {
      did_allocate((size_t)b, malloc_size((void *)result));
    } else {
      // Told after the fact: how large the old block was can no longer be asked.
      atomic_store(&live_is_exact, false);
      did_reallocate((size_t)b, 0, malloc_size((void *)result));
    }
    break;
  }
}

static void attach(void) {
  previous_listener = malloc_logger;
  malloc_logger = listen;
}

static void detach(void) { malloc_logger = previous_listener; }

#endif

// MARK: - The interface

allocation_counter_snapshot allocation_counter_read(void) {
  return (allocation_counter_snapshot){
    .allocations = allocations,
    .deallocations = deallocations,
    .reallocations = reallocations,
    .requested_bytes = requested_bytes,
    .live_bytes = live_bytes,
    .peak_bytes = peak_bytes,
    .live_is_exact = live_is_exact,
  };
}

#if defined(COUNTS_BY_INTERPOSITION) || defined(COUNTS_BY_LOGGER)

void allocation_counter_start(void) {
  allocations = deallocations = reallocations = requested_bytes = live_bytes = peak_bytes = 0;
  live_is_exact = true;
  attach();
  atomic_store(&counting, true);
}

allocation_counter_snapshot allocation_counter_stop(void) {
  atomic_store(&counting, false);
  detach();
  return allocation_counter_read();
}

bool allocation_counter_supported(void) {
  // Called through pointers that the compiler cannot see through: it would put the bodies above right here, and the
  // question is whether everyone else gets to them.
  void *(*volatile allocate)(size_t) = malloc;
  void (*volatile deallocate)(void *) = free;
  allocation_counter_start();
  void *block = allocate(48);
  allocation_counter_snapshot held = allocation_counter_read();
  deallocate(block);
  allocation_counter_snapshot given_back = allocation_counter_stop();
  // Other threads may add to what was seen, never take away.
  return held.allocations >= 1 && held.requested_bytes >= 48 && given_back.deallocations >= 1;
}

#else

void allocation_counter_start(void) {}
allocation_counter_snapshot allocation_counter_stop(void) { return allocation_counter_read(); }
bool allocation_counter_supported(void) { return false; }

#endif
