// module.cpp - links a WebAssembly module, with what it calls of the C library: Debian's wasi-libc
// (musl), an archive that travels in this program. Nothing of it asks a system for anything.
#include "library.h"
#include <fstream>

// The file itself, by the assembler.
asm(".pushsection .rodata\n"
    "facet_wasm_libc: .incbin \"" FACET_WASM_LIBC "\"\n"
    "facet_wasm_libc_end:\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const char facet_wasm_libc[],
    facet_wasm_libc_end[];

namespace facet::lower {

void linkModule(const std::vector<std::string> &objects, const std::string &path) {
  const TemporaryFolder folder;
  const std::string library = folder.path + "/libc.a";
  if (std::ofstream file(library, std::ios::binary);
      !file.write(facet_wasm_libc, facet_wasm_libc_end - facet_wasm_libc).flush())
    throw Unwritable{{"cannot write the C library of WebAssembly to " + library +
                      ": free some space there, or set TMPDIR to another folder"}};
  std::vector<std::string> command = {linker().front(), "wasm-ld", "-o", path};
  command.insert(command.end(), objects.begin(), objects.end());
  // Sums keep up to 64 KiB of tables on the stack. It lies first: beyond it is no memory.
  command.insert(command.end(), {library, "--no-entry", "--stack-first", "-z", "stack-size=1048576",
                                 "--strip-all", "--threads=1"});
  runTool(std::move(command), "linker of WebAssembly");
}

} // namespace facet::lower
