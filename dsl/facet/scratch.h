// scratch.h - memory for the tables of separable sums on CPUs: halide_malloc and halide_free of a
// kernel library, hidden in it. A library with sums of devices also holds Halide's runtime. That
// has functions of these names, which keep memory beyond a call, so there these functions have
// other names, here and in the objects of the sums.
//
// A call asks for a few tables and frees them all before it returns, thousands of times a run. So
// each thread keeps one block, which grows to what a call has needed and is freed when the thread
// ends. From the C library's heap the system would unmap and zero the tables at each call.
#pragma once

#ifndef FACET_TABLES_MALLOC
#define FACET_TABLES_MALLOC halide_malloc
#define FACET_TABLES_FREE halide_free
#endif

extern "C" {
// The C library's, under names of our own: this file is compiled without standard headers.
void *facet_aligned_alloc(unsigned long, unsigned long) __asm__("aligned_alloc");
void facet_free(void *) __asm__("free");
void facet_abort() __asm__("abort");
#ifndef __wasm__
int facet_key_create(unsigned *, void (*)(void *)) __asm__("pthread_key_create");
void *facet_key_get(unsigned) __asm__("pthread_getspecific");
int facet_key_set(unsigned, const void *) __asm__("pthread_setspecific");
#endif
}

namespace facet::scratch {

constexpr unsigned long line = 128; // bytes: tables are aligned to it

/// The head of a thread's block; tables follow from `line` on.
struct Block {
  unsigned long size;   // bytes after the head
  unsigned long used;   // of them handed out
  unsigned long asked;  // bytes requested since nothing was handed out
  unsigned long wanted; // the largest `asked` so far
  unsigned long live;   // tables not freed yet
};
static_assert(sizeof(Block) <= line, "the head has room");

static unsigned key;
#ifdef __wasm__ // one thread
constexpr bool haveKey = true;
static void *kept;
static void *facet_key_get(unsigned) { return kept; }
static int facet_key_set(unsigned, const void *block) {
  kept = const_cast<void *>(block);
  return 0;
}
#else
// Freed by the C library when a thread ends, so that nothing of ours need be loaded by then.
static bool haveKey;
__attribute__((constructor)) static void makeKey() {
  haveKey = facet_key_create(&key, facet_free) == 0;
}
#endif

static void *fromHeap(unsigned long bytes) {
  void *memory = facet_aligned_alloc(line, bytes);
  if (!memory)
    facet_abort(); // a generated sum cannot say that memory is short
  return memory;
}

/// The calling thread's block, large enough for what was wanted; null if there can be none.
static Block *block(unsigned long first) {
  if (!haveKey)
    return nullptr;
  auto *mine = static_cast<Block *>(facet_key_get(key));
  if (mine && (mine->live || mine->wanted <= mine->size))
    return mine;
  const unsigned long size = mine ? mine->wanted : first;
  facet_key_set(key, nullptr);
  facet_free(mine);
  mine = static_cast<Block *>(fromHeap(line + size));
  *mine = {size, 0, 0, size, 0};
  if (facet_key_set(key, mine) == 0)
    return mine;
  facet_free(mine);
  return nullptr;
}

} // namespace facet::scratch

extern "C" {

__attribute__((visibility("hidden"))) void *FACET_TABLES_MALLOC(void *, unsigned long bytes) {
  using namespace facet::scratch;
  bytes = (bytes + line - 1) / line * line;
  Block *mine = block(bytes);
  if (!mine)
    return fromHeap(bytes);
  ++mine->live;
  mine->asked += bytes;
  if (mine->asked > mine->wanted)
    mine->wanted = mine->asked;
  if (mine->size - mine->used < bytes)
    return fromHeap(bytes); // this call only: the next one finds a larger block
  char *memory = reinterpret_cast<char *>(mine) + line + mine->used;
  mine->used += bytes;
  return memory;
}

__attribute__((visibility("hidden"))) void FACET_TABLES_FREE(void *, void *memory) {
  using namespace facet::scratch;
  if (!memory) // a table that this call does without
    return;
  Block *mine = haveKey ? static_cast<Block *>(facet_key_get(key)) : nullptr;
  const char *begin = reinterpret_cast<char *>(mine);
  if (!mine || memory < begin || memory >= begin + line + mine->size)
    facet_free(memory);
  if (mine && --mine->live == 0)
    mine->used = mine->asked = 0;
}

} // extern "C"
