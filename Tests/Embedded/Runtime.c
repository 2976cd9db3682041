// The functions of C that a module without an operating system must define itself.
// Memory is allocated in powers of two, and a freed block is kept for the next allocation of its size.

#include <stddef.h>

enum { sizeClasses = 32, header = 64 };

typedef struct Block {
  size_t sizeClass;
  struct Block *next;
} Block;

static char heap[1 << 26] __attribute__((aligned(header)));
static size_t used;
static Block *freed[sizeClasses];

void *malloc(size_t size) {
  unsigned sizeClass = 7;
  while (((size_t)1 << sizeClass) < size + header) sizeClass++;
  Block *block = freed[sizeClass];
  if (block) {
    freed[sizeClass] = block->next;
  } else {
    block = (Block *)(heap + used);
    used += (size_t)1 << sizeClass;
    if (used > sizeof heap) __builtin_trap();
    block->sizeClass = sizeClass;
  }
  return (char *)block + header;
}

void free(void *memory) {
  if (!memory) return;
  Block *block = (Block *)((char *)memory - header);
  block->next = freed[block->sizeClass];
  freed[block->sizeClass] = block;
}

// Every block lies at a multiple of 64 bytes. The alignment is ignored, because Embedded Swift 6.3 passes numbers that
// aren't powers of two.
int posix_memalign(void **memory, size_t alignment, size_t size) {
  (void)alignment;
  *memory = malloc(size);
  return 0;
}

void *memcpy(void *target, const void *source, size_t count) {
  char *to = target;
  const char *from = source;
  while (count--) *to++ = *from++;
  return target;
}

void *memmove(void *target, const void *source, size_t count) {
  char *to = target;
  const char *from = source;
  if (to < from) return memcpy(target, source, count);
  while (count--) to[count] = from[count];
  return target;
}

void *memset(void *target, int value, size_t count) {
  char *to = target;
  while (count--) *to++ = (char)value;
  return target;
}

int memcmp(const void *left, const void *right, size_t count) {
  const unsigned char *a = left, *b = right;
  for (; count--; a++, b++) if (*a != *b) return *a - *b;
  return 0;
}

// The seed of hashes is the same in each run, so that a failure can be repeated.
void arc4random_buf(void *target, size_t count) {
  char *to = target, value = 7;
  while (count--) *to++ = value += 13;
}

int putchar(int character) { return character; }

size_t __stack_chk_guard = 0x1234;
void __stack_chk_fail(void) { __builtin_trap(); }
