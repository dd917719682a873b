// groups.cpp - limits of control groups, as Slurm, systemd, Docker and Kubernetes set them.
#include "runtime/engine/system/machine.h"
#include "tests/support/folder.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <vector>

namespace facet::test {
namespace {

using namespace facet::runtime;

struct Case {
  const char *name, *group, *mount; // proc/self/cgroup, proc/self/mountinfo
  std::vector<std::pair<const char *, const char *>> files;
  double memory, cpus; // allowed; HUGE_VAL: no limit
};

constexpr const char *unified =
    "23 1 0:22 / / rw - ext4 /dev/vda rw\n30 23 0:26 / /cg rw shared:4 - cgroup2 cgroup2 rw\n";
constexpr const char *split = "32 31 0:29 / /cg/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                              "35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n"
                              "41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n";
constexpr const char *noLimit1 = "9223372036854771712\n";

const std::vector<Case> cases{
    {"None", "", "", {}, HUGE_VAL, HUGE_VAL},
    {"ThatSayMax",
     "0::/a\n",
     unified,
     {{"cg/a/memory.max", "max\n"}, {"cg/a/cpu.max", "max 100000\n"}},
     HUGE_VAL,
     HUGE_VAL},
    {"OfThisGroup",
     "0::/a\n",
     unified,
     {{"cg/a/memory.max", "400000000\n"}, {"cg/a/cpu.max", "50000 100000\n"}},
     4e8,
     0.5},
    // systemd: a service in a slice, both limited.
    {"OfAParent",
     "0::/user.slice/run.scope\n",
     unified,
     {{"cg/user.slice/run.scope/memory.max", "max\n"},
      {"cg/user.slice/memory.max", "300000000\n"},
      {"cg/user.slice/cpu.max", "250000 100000\n"},
      {"cg/user.slice/run.scope/cpu.max", "300000 100000\n"}},
     3e8,
     2.5},
    {"OfThisGroupBelowAWiderParent",
     "0::/a/b\n",
     unified,
     {{"cg/a/b/memory.max", "200000000\n"}, {"cg/a/memory.max", "300000000\n"}},
     2e8,
     HUGE_VAL},
    {"ThatSlowDown",
     "0::/a\n",
     unified,
     {{"cg/a/memory.max", "max\n"}, {"cg/a/memory.high", "250000000\n"}},
     2.5e8,
     HUGE_VAL},
    // What siblings use counts in the parent; files that are cached do not.
    {"LessWhatIsUsed",
     "0::/a/b\n",
     unified,
     {{"cg/a/b/memory.max", "400000000\n"},
      {"cg/a/b/memory.current", "10000000\n"},
      {"cg/a/memory.max", "400000000\n"},
      {"cg/a/memory.current", "350000000\n"},
      {"cg/a/memory.stat", "anon 100000000\nfile 260000000\ninactive_file 150000000\nactive_file "
                           "80000000\nslab_reclaimable 20000000\n"}},
     3e8,
     HUGE_VAL},
    {"ThatAreUsedUp",
     "0::/a\n",
     unified,
     {{"cg/a/memory.max", "100\n"}, {"cg/a/memory.current", "500\n"}},
     0,
     HUGE_VAL},
    // Slurm with version 1: uid, job and step.
    {"OfVersion1",
     "4:memory:/slurm/uid_0/job_7/step_0\n1:cpu,cpuacct:/slurm/uid_0/job_7\n0::/\n",
     split,
     {{"cg/memory/slurm/uid_0/job_7/step_0/memory.limit_in_bytes", noLimit1},
      {"cg/memory/slurm/uid_0/job_7/memory.limit_in_bytes", "500000000\n"},
      {"cg/memory/slurm/uid_0/job_7/memory.usage_in_bytes", "150000000\n"},
      {"cg/memory/slurm/uid_0/job_7/memory.stat",
       "cache 7\nactive_file 1\ntotal_inactive_file 40000000\ntotal_active_file 10000000\n"},
      {"cg/cpu,cpuacct/slurm/uid_0/job_7/cpu.cfs_quota_us", "-1\n"},
      {"cg/cpu,cpuacct/slurm/uid_0/cpu.cfs_quota_us", "200000\n"},
      {"cg/cpu,cpuacct/slurm/uid_0/cpu.cfs_period_us", "100000\n"}},
     4e8,
     2},
    {"OfVersion1WithoutQuota",
     "4:memory:/\n1:cpu,cpuacct:/\n",
     split,
     {{"cg/memory/memory.limit_in_bytes", noLimit1},
      {"cg/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"},
      {"cg/cpu,cpuacct/cpu.cfs_period_us", "100000\n"}},
     9223372036854771712.,
     HUGE_VAL},
    // Docker with version 1: the host's name of the group, which is what is mounted. Only
    // memory.stat knows of the parents' limit.
    {"OfAContainer",
     "4:memory:/docker/abc\n1:cpu,cpuacct:/docker/abc\n",
     "35 31 0:32 /docker/abc /cg/memory ro - cgroup cgroup rw,memory\n"
     "36 31 0:33 /docker/abc /cg/cpu ro - cgroup cgroup rw,cpu,cpuacct\n",
     {{"cg/memory/memory.limit_in_bytes", noLimit1},
      {"cg/memory/memory.stat", "hierarchical_memory_limit 350000000\ntotal_active_file 5\n"},
      {"cg/cpu/cpu.cfs_quota_us", "10000\n"},
      {"cg/cpu/cpu.cfs_period_us", "100000\n"}},
     3.5e8,
     0.1},
    // Kubernetes: the host's mount in a container with a name space of its own, and the reverse.
    {"BelowTheMountedGroup",
     "0::/kubepods/pod1/abc\n",
     "30 23 0:26 /kubepods/pod1 /cg rw - cgroup2 cgroup2 rw\n",
     {{"cg/abc/memory.max", "max\n"},
      {"cg/memory.max", "123000000\n"},
      {"cg/cpu.max", "150000 100000\n"}},
     1.23e8,
     1.5},
    {"ThatCannotBeSeen",
     "0::/kubepods/pod1/abc\n",
     unified,
     {{"cg/memory.max", "123000000\n"}},
     1.23e8,
     HUGE_VAL},
    {"OutsideOfTheNameSpace",
     "0::/../other\n",
     "30 23 0:26 /.. /cg rw - cgroup2 cgroup2 rw\n",
     {{"cg/memory.max", "77000000\n"}, {"other/memory.max", "1\n"}},
     7.7e7,
     HUGE_VAL},
    {"WhoseMountHasABlank",
     "0::/my group\n",
     "30 23 0:26 / /c\\040g rw - cgroup2 cgroup2 rw\n",
     {{"c g/my group/memory.max", "55000000\n"}},
     5.5e7,
     HUGE_VAL},
    {"ThatCannotBeRead",
     "nonsense\n::\n0::/a\n",
     "nonsense\n30 23 0:26 / - \n30 23 0:26 / /cg rw - cgroup2 cgroup2 rw\n",
     {{"cg/a/memory.max", "many\n"}, {"cg/a/cpu.max", "1 0\n"}},
     HUGE_VAL,
     HUGE_VAL},
};

class Groups : public testing::TestWithParam<Case> {};

void write(const std::filesystem::path &path, const std::string &text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST_P(Groups, LimitMemoryAndCpus) {
  const Case &c = GetParam();
  const Folder folder;
  write(folder.path / "proc/self/cgroup", c.group);
  write(folder.path / "proc/self/mountinfo", c.mount);
  write(folder.path / "proc/meminfo", "MemTotal: 9000000 kB\nMemAvailable: 5000000 kB\n");
  for (const auto &[path, text] : c.files)
    write(folder.path / path, text);
  const std::string root = folder.path.string();
  const GroupLimits limits = groupLimits(root);
  EXPECT_EQ(limits.memory, c.memory);
  EXPECT_EQ(limits.cpus, c.cpus);
  EXPECT_LE(freeMemory(root), 0.8 * std::min(c.memory, 5000000 * 1024.) * (1 + 1e-12));
  EXPECT_LE(usableThreads(root), std::ceil(c.cpus));
  EXPECT_GE(usableThreads(root), 1);
}

INSTANTIATE_TEST_SUITE_P(Of, Groups, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace facet::test
