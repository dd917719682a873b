// faults.cpp - small kernels in PTX: what the interpreter refuses, with its place; values at the
// edges of what instructions take; lanes whose paths part and meet.
#include "launch.h"
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace facet::ptx {
namespace {

/// A kernel of one pointer, which %rd1 holds; thread's number in %r1, eight times it in %rd2, %rd3:
/// the pointer and %rd2.
std::string kernel(const std::string &body) {
  return ".version 7.0\n.target sm_80\n.address_size 64\n"
         ".extern .shared .align 16 .b8 tables[];\n"
         ".visible .entry small(\n.param .u64 .ptr .align 1 p\n)\n{\n"
         ".reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n.reg .f64 %fd<40>;\n"
         "ld.param.b64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 8;\n"
         "add.s64 %rd3, %rd1, %rd2;\n" +
         body + "\nret;\n}\n";
}

/// Runs a kernel on an array of doubles of the device, `blocks` of `threads`, 64 bytes of shared
/// memory.
class Device {
public:
  explicit Device(std::size_t count) : count(count), at(memory.allocate(8 * count)) {}

  void upload(const std::vector<double> &values) {
    memory.of(at).upload(at, values.data(), 8 * values.size());
  }
  std::vector<double> download() {
    std::vector<double> values(count);
    memory.of(at).download(at, values.data(), 8 * count);
    return values;
  }
  void run(const std::string &body, unsigned threads, unsigned blocks = 1) {
    void *arguments[] = {&at};
    const auto kernels = parse(kernel(body));
    ptx::run(kernels.at("small"), {{blocks, 1, 1}, {threads, 1, 1}, 64, arguments}, memory, clock);
  }
  /// What it says of a kernel; "" if nothing.
  std::string fault(const std::string &body, unsigned threads, unsigned blocks = 1) {
    try {
      run(body, threads, blocks);
    } catch (const std::runtime_error &said) {
      return said.what();
    }
    return "";
  }

private:
  std::size_t count;
  GlobalMemory memory;
  Clock clock;
  std::uint64_t at;
};

struct Bad {
  const char *name, *body, *said;
  unsigned threads = 2, blocks = 1;
};
class Faults : public testing::TestWithParam<Bad> {};

TEST_P(Faults, AreReportedWithTheirPlace) {
  Device device(4);
  device.upload({1, 2, 3});
  const std::string said = device.fault(GetParam().body, GetParam().threads, GetParam().blocks);
  EXPECT_NE(said.find(GetParam().said), std::string::npos) << said;
  EXPECT_NE(said.find("kernel small, line "), std::string::npos) << said;
}

// %r2: an address of shared memory, eight bytes a thread. %r3: the next thread's.
#define PLACES "mul.lo.s32 %r2, %r1, 8; add.s32 %r3, %r2, 8;"
INSTANTIATE_TEST_SUITE_P(
    Of, Faults,
    testing::Values(
        Bad{"WritesOfTwoThreads", "st.shared.b64 [tables], %rd1;",
            "race: thread 0 of the block writes it too"},
        Bad{"AReadOfWhatAnotherWrites",
            PLACES "st.shared.b64 [%r2], %rd1; ld.shared.b64 %rd4, [tables];",
            "race: thread 0 of the block writes it too"},
        Bad{"AWriteOfWhatAnotherReads",
            PLACES "st.shared.b64 [%r2], %rd1; bar.sync 0; ld.shared.b64 %rd4, [tables];"
                   "st.shared.b64 [%r2], %rd1;",
            "race: thread after thread of the block reads it too"},
        Bad{"BlocksThatWriteTheSame", "st.global.b64 [%rd3], 0;",
            "race: another block of this launch writes it too", 1, 2},
        Bad{"ABlockThatWritesWhatAnotherReads",
            "mov.u32 %r2, %ctaid.x; setp.ne.b32 %p1, %r2, 0; @%p1 bra L;"
            "ld.global.b64 %rd4, [%rd3]; ret; L: st.global.b64 [%rd3], 0;",
            "race: another block of this launch reads it too", 1, 2},
        Bad{"AWriteOfConstants", "st.global.b64 [%rd3], 0; ld.global.nc.b64 %rd4, [%rd3];",
            "written in the same launch"},
        Bad{"SharedNeverWritten", PLACES "ld.shared.b64 %rd4, [%r2];", "read, and never written"},
        Bad{"GlobalNeverWritten", "ld.global.b64 %rd4, [%rd1+24];", "read, and never written"},
        Bad{"RegisterNeverWritten", "add.s64 %rd5, %rd4, %rd1;",
            "a register is read, and was never written"},
        Bad{"RegisterOfOneThreadNeverWritten",
            "setp.eq.b32 %p1, %r1, 0; @%p1 bra L; mov.b64 %rd4, 1; L: add.s64 %rd5, %rd4, 1;",
            "thread (0, 0, 0)"},
        Bad{"SharedBeyondTheEnd", PLACES "st.shared.b64 [%r2+56], %rd1;",
            "shared memory, out of bounds: 8 bytes from byte 64 of 64"},
        Bad{"GlobalBeyondTheEnd", "st.global.b64 [%rd3+24], %rd1;",
            "global memory, out of bounds: 8 bytes from byte 32 of 32"},
        Bad{"GlobalBeforeTheStart", "ld.global.b64 %rd4, [%rd1+-8];", "out of bounds"},
        Bad{"Misaligned", "ld.global.b64 %rd4, [%rd1+4];", "misaligned"},
        Bad{"AMisalignedVector", "mov.b32 %r2, 8; ld.shared.v2.b64 {%rd4, %rd5}, [%r2];",
            "misaligned"},
        Bad{"ABarrierThatSomeNeverReach",
            "setp.eq.b32 %p1, %r1, 0; @%p1 bra L; bar.sync 0; L:", "lanes diverge at a barrier"},
        Bad{"AWarpThatHasEnded", "setp.lt.u32 %p1, %r1, 32; @%p1 bra L; bar.sync 0; L:",
            "lanes diverge at a barrier: this one has ended", 64},
        Bad{"WarpsAtTwoBarriers",
            "setp.lt.u32 %p1, %r1, 32; @%p1 bra L; bar.sync 0; bra M; L: bar.sync 0; M:",
            "lanes diverge at a barrier: this one waits at another", 64},
        Bad{"AProductOfHalfAWarp",
            "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd0, %fd1}, {0d0000000000000000}, "
            "{0d0000000000000000}, {0d0000000000000000, 0d0000000000000000};",
            "a warp of 32 lanes", 16}),
    [](const auto &info) { return std::string(info.param.name); });

struct Unread {
  const char *body, *said;
};
TEST(Texts, ThatAreNotUnderstoodAreRefused) {
  for (const auto &[body, said] :
       {Unread{"shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;",
               "line 17: the instruction 'shfl.sync.bfly.b32' is not in instructions.def"},
        Unread{"@%p1 add.s32 %r2, %r1, 1;", "'add.s32' under a predicate is not known"},
        Unread{"add.s32 %r2, %rd1, 1;", "%rd1 is not of 4 bytes"},
        Unread{"mov.u32 %r2, %laneid;", "register '%laneid' is not known"},
        Unread{"bar.sync 1;", "barriers other than 0 are not known"},
        Unread{"bra L;", "small: no label L"}})
    try {
      parse(kernel(body));
      ADD_FAILURE() << body;
    } catch (const TextError &error) {
      EXPECT_NE(std::string(error.what()).find(said), std::string::npos) << error.what();
    }
}

/// What a kernel leaves in the first thread's number: `%fd2` of what it computes.
double valueOf(const std::string &body) {
  Device device(1);
  device.run(body + "st.global.f64 [%rd3], %fd2;", 1);
  return device.download()[0];
}
double ofIntegers(const std::string &body) {
  return valueOf(body +
                 "cvt.s64.s32 %rd4, %r4; shl.b64 %rd4, %rd4, 0; st.shared.b64 [tables], %rd4;"
                 "ld.shared.f64 %fd2, [tables];");
}

TEST(Values, AtTheEdges) {
  const auto bits = [](const std::string &body) {
    return __builtin_bit_cast(std::int64_t, ofIntegers(body));
  };
  EXPECT_EQ(bits("mov.b32 %r2, 40; shl.b32 %r4, %r2, %r2;"), 0);
  EXPECT_EQ(bits("mov.b32 %r2, -5; shr.u32 %r4, %r2, 32;"), 0);
  EXPECT_EQ(bits("mov.b32 %r2, 1000; bfe.u32 %r4, %r2, 3, 4;"), 1000 / 8 % 16);
  EXPECT_EQ(bits("mov.b32 %r2, -5; bfe.u32 %r4, %r2, 28, 32;"), 15);
  EXPECT_EQ(bits("mov.b32 %r2, -5; shr.s32 %r4, %r2, 99;"), -1);
  EXPECT_EQ(bits("mov.b32 %r2, -7; div.s32 %r4, %r2, 2;"), -3);
  EXPECT_EQ(bits("mov.b32 %r2, -7; min.s32 %r4, %r2, 2;"), -7);
  EXPECT_EQ(bits("cvt.rzi.s32.f64 %r4, 0dC00FFFFFFFFFFFFF;"), -3); // -3.9999
  EXPECT_EQ(bits("cvt.rzi.s32.f64 %r4, 0d7FF8000000000000;"), 0);
  EXPECT_EQ(bits("cvt.rzi.s32.f64 %r4, 0d7FF0000000000000;"), 2147483647);
  EXPECT_EQ(valueOf("min.f64 %fd2, 0d7FF8000000000000, 0d4000000000000000;"), 2);
  EXPECT_EQ(valueOf("max.f64 %fd2, 0d4000000000000000, 0d7FF8000000000000;"), 2);
  EXPECT_TRUE(std::signbit(valueOf("min.f64 %fd2, 0d0000000000000000, 0d8000000000000000;")));
  EXPECT_FALSE(std::signbit(valueOf("max.f64 %fd2, 0d8000000000000000, 0d0000000000000000;")));
  EXPECT_EQ(valueOf("fma.rn.f64 %fd2, 0d3FF0000000000001, 0d3FF0000000000001, 0dBFF0000000000000;"),
            0x1p-51 + 0x1p-104); // not rounded before the addition
}

TEST(Values, OfApproximationsErrToBothSides) {
  const std::string sine = "sin.approx.ftz.f32 %r2, 0f3F800000; cvt.f64.f32 %fd2, %r2;",
                    power = "ex2.approx.ftz.f32 %r2, 0f3F000000; cvt.f64.f32 %fd2, %r2;";
  for (const int sign : {-1, 0, 1}) {
    setApproximation(sign);
    EXPECT_NEAR(valueOf(sine), std::sin(1.0) + sign * 0x1p-20 / std::sqrt(2), 0x1p-24);
    EXPECT_NEAR(valueOf(power), std::sqrt(2.0) * (1 + sign * 0x1p-22), 0x1p-24);
  }
  setApproximation(0);
  EXPECT_EQ(valueOf("ex2.approx.ftz.f32 %r2, 0fC2FE0000; cvt.f64.f32 %fd2, %r2;"), 0); // 2^-127
  EXPECT_TRUE(std::isnan(valueOf("cos.approx.ftz.f32 %r2, 0f44000000; cvt.f64.f32 %fd2, %r2;")));
}

TEST(Values, OfPredicatesAreZeroOrOne) {
  EXPECT_EQ(valueOf("mov.pred %p1, -1; not.pred %p2, %p1;"
                    "selp.f64 %fd2, 0d3FF0000000000000, 0d4000000000000000, %p2;"),
            2);
}

// Each lane goes round a loop as often as its number, and all meet at the barrier behind it.
TEST(Lanes, PartAndMeet) {
  Device device(64);
  device.run(
      "mov.b32 %r2, 0; L: setp.lt.s32 %p1, %r2, %r1; @!%p1 bra M; add.s32 %r2, %r2, 1; bra.uni L;"
      "M: bar.sync 0; cvt.u64.u32 %rd4, %r2; st.global.b64 [%rd3], %rd4;",
      64);
  const std::vector<double> counts = device.download();
  for (std::size_t k = 0; k < counts.size(); ++k)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(counts[k]), k);
}

// LLVM writes a loop's few lanes behind what all do then: by the text's order those would wait
// alone.
TEST(Lanes, MeetBeforeABarrierThatIsWrittenBeforeWhatAFewDo) {
  Device device(2);
  EXPECT_EQ(
      device.fault("mov.b32 %r2, 0; bra.uni HEAD;"
                   "ALL: bar.sync 0; ld.shared.b64 %rd4, [tables]; bar.sync 0; add.s32 %r2, %r2, 1;"
                   "setp.eq.b32 %p2, %r2, 3; @%p2 bra END;"
                   "HEAD: setp.eq.b32 %p1, %r1, 0; @%p1 bra FEW; bra.uni ALL;"
                   "FEW: cvt.u64.u32 %rd4, %r2; st.shared.b64 [tables], %rd4; bra.uni ALL;"
                   "END: st.global.b64 [%rd3], %rd4;",
                   2),
      "");
  for (const double value : device.download())
    EXPECT_EQ(std::bit_cast<std::uint64_t>(value), 2U);
}

TEST(Memory, IsOfOneBlockAndTellsWhatWasNeverWritten) {
  Device device(4);
  const char *const turns = "mov.u32 %r2, %ctaid.x; setp.ne.b32 %p1, %r2, 0; @%p1 bra L;"
                            "st.shared.b64 [tables], %rd1; L: ld.shared.b64 %rd4, [tables];";
  EXPECT_NE(device.fault(turns, 1, 2).find("block (1, 0, 0)"), std::string::npos);
  EXPECT_EQ(device.fault("st.global.b64 [%rd3], 0;", 3), "");
  EXPECT_THROW(device.download(), Fault);
  EXPECT_EQ(device.fault("st.global.b64 [%rd3], 0;", 4), ""); // of another launch: no race
  EXPECT_EQ(device.download(), std::vector<double>(4, 0.0));
}

} // namespace
} // namespace facet::ptx
