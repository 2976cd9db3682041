#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

/// Counts what the whole process asks of malloc, from `allocation_counter_start` to `allocation_counter_stop`.
///
/// How: on Linux with glibc this target defines `malloc` and its relatives in the executable and forwards to glibc's own,
/// so that every library of the process, the Swift runtime too, comes through here; no environment variable is needed and
/// the allocator is not replaced. On Apple platforms it listens to libmalloc's `malloc_logger`. Under a sanitizer, and on
/// every other C library, nothing is defined and `allocation_counter_supported` is false.
///
/// Cost: while off, one relaxed load and a predicted branch a call. While on, atomic updates: never time with it on.
///
/// Invariants:
/// 1. While off, no counter changes.
/// 2. `requested_bytes` adds what callers asked for, never what the allocator rounded it to: the same work gives the same
///    number in every process. `live_bytes` and `peak_bytes` use the rounded sizes, which vary a little with the heap.
/// 3. A failed call counts as nothing.
/// 4. `peak_bytes >= live_bytes` and `peak_bytes >= 0`. `live_bytes` is relative to the start: freeing what was
///    allocated before it makes it negative.
typedef struct {
  /// Blocks handed out by malloc, calloc, the aligned variants, and realloc of no block.
  int64_t allocations;
  /// Blocks given back.
  int64_t deallocations;
  /// Blocks resized by realloc.
  int64_t reallocations;
  /// Sum of the sizes asked for; a realloc counts its whole new size.
  int64_t requested_bytes;
  /// Usable bytes allocated and not freed since the start.
  int64_t live_bytes;
  /// The highest `live_bytes` since the start.
  int64_t peak_bytes;
  /// False when the system did not tell the size of a block that went away: then live and peak are guesses.
  bool live_is_exact;
} allocation_counter_snapshot;

/// Whether allocations are really seen: compiled in, and tried out once with an allocation of its own.
/// False under valgrind, for one, which puts its own malloc before ours. Not to be called while counting.
bool allocation_counter_supported(void);

/// Sets every counter to zero and begins to count. Does nothing where it is not supported.
void allocation_counter_start(void);

/// The counters now; counting goes on.
allocation_counter_snapshot allocation_counter_read(void);

/// Ends counting, and answers what was counted.
allocation_counter_snapshot allocation_counter_stop(void);

#endif
