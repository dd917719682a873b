// opencl.h - tests that need a device of OpenCL fail without one: .ci/setup.sh installs PoCL.
#pragma once
#include "tests/support/environment.h"
#include <gtest/gtest.h>

/// For a test's body or SetUp(); `found`: whether a device is here; `why`: the message if none
/// is.
#define FACET_NEED_OPENCL(found, why)                                                              \
  do {                                                                                             \
    if (facet::test::isSet("FACET_TEST_WITHOUT_OPENCL"))                                           \
      GTEST_SKIP() << "FACET_TEST_WITHOUT_OPENCL=1";                                               \
    if (!(found))                                                                                  \
      FAIL() << "no device of OpenCL: " << (why)                                                   \
             << "; install PoCL (Debian: pocl-opencl-icd ocl-icd-libopencl1, as .ci/setup.sh "     \
                "does), or set FACET_TEST_WITHOUT_OPENCL=1 to leave these tests out";              \
  } while (false)
