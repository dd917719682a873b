// steady_stack.cpp - a sum finds the stack at one place of a page, wherever its caller's is.
#include <facet/steady_stack.h>
#include <gtest/gtest.h>
#include <set>

namespace facet::test {
namespace {

unsigned long place; // in its page, of the frame of the last call

int noteFrame(const facet_sum_args *) {
  place = reinterpret_cast<unsigned long>(__builtin_frame_address(0)) % steady::page;
  return 7;
}
int callPlainly(facet_sum_fn sum, const facet_sum_args *args) { return sum(args); }

/// Calls with `bytes` more on the stack than before.
__attribute__((noinline)) int callBelow(unsigned long bytes,
                                        int (*given)(facet_sum_fn, const facet_sum_args *)) {
  int (*volatile call)(facet_sum_fn, const facet_sum_args *) = given; // not to be inlined
  void *room = __builtin_alloca(bytes);
  __asm__ volatile("" : : "r"(room) : "memory");
  const int result = call(noteFrame, nullptr);
  __asm__ volatile("" : : "r"(room) : "memory");
  return result;
}

std::set<unsigned long> placesSeen(int (*call)(facet_sum_fn, const facet_sum_args *)) {
  std::set<unsigned long> places;
  for (unsigned long bytes = 16; bytes <= 2 * steady::page; bytes += 48) {
    callBelow(bytes, call);
    places.insert(place);
  }
  return places;
}

TEST(SteadyStack, GivesEveryCallerTheSamePlace) { EXPECT_EQ(placesSeen(steady::call).size(), 1); }

TEST(SteadyStack, IsNeededForPlainCallsFollowTheCaller) {
  EXPECT_GT(placesSeen(callPlainly).size(), 100);
}

TEST(SteadyStack, PassesOnWhatTheSumReturns) { EXPECT_EQ(callBelow(16, steady::call), 7); }

} // namespace
} // namespace facet::test
