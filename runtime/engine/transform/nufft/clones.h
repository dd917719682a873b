// clones.h - compiles functions for several processors; the loader takes the best one.
#pragma once

// Not used under sanitizers: the loader picks a clone before they are set up. Nor by clang (19),
// which leaves out functions that only clones call.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                \
    !defined(__SANITIZE_THREAD__)
#define FACET_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
/// For code in vectors of 32 bytes, which gains nothing by longer ones.
#define FACET_CLONES_V3 __attribute__((target_clones("arch=x86-64-v3", "default")))
/// For code in vectors of 64 bytes, called where `hasV4()`.
#define FACET_V4 __attribute__((target("arch=x86-64-v4")))
#else
#define FACET_CLONES
#define FACET_CLONES_V3
#endif
