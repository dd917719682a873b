// session.cpp - runs of Clang in this process: a kernel file to its kernels, and C++ text to an
// object file. Set up without a driver: no search for tool chains, no system headers, so that
// parsing a small kernel takes milliseconds and gives the same on every machine.
#include "codegen/frontend/frontend.h"
#include "codegen/frontend/kernel.h"
#include <clang/AST/ASTConsumer.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <memory>
#include <mutex>
#include <set>

namespace facet::frontend {

/// The built-in headers dsl/facet/*, name and text; the table is written by embed.cmake.
extern const std::pair<std::string_view, std::string_view> embeddedFiles[];
extern const std::size_t embeddedFileCount;

namespace {

/// Where the built-in headers appear to be; nothing is there on disk.
constexpr llvm::StringLiteral headerFolder = "/facet/include";

/// A file that exists in memory only.
struct MemoryFile {
  std::string path, text;
};

/// Whether files on disk can be included, or nothing can but the built-in headers.
enum class Disk { Read, Hidden };

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesOf(const MemoryFile &file, Disk disk) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (std::size_t k = 0; k < embeddedFileCount; ++k) {
    const auto &[name, text] = embeddedFiles[k];
    memory->addFile((headerFolder + "/facet/" + llvm::StringRef(name)).str(), 0,
                    llvm::MemoryBuffer::getMemBuffer(text, name));
  }
  memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBuffer(file.text, file.path));
  if (disk == Disk::Hidden)
    return memory;
  auto both =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  both->pushOverlay(memory);
  return both;
}

/// A compiler instance for `file` and the arguments of `clang -cc1` given, with the built-in
/// headers as system headers, and no others. Null if the arguments are wrong (the consumer gets
/// why).
std::unique_ptr<clang::CompilerInstance> makeSession(const std::vector<std::string> &arguments,
                                                     clang::DiagnosticConsumer &consumer,
                                                     const MemoryFile &file, Disk disk) {
  std::vector<const char *> all = {"-triple",
                                   "x86_64-unknown-linux-gnu",
                                   "-x",
                                   "c++",
                                   "-std=c++20",
                                   "-nostdsysteminc",
                                   "-nobuiltininc",
                                   "-internal-isystem",
                                   headerFolder.data(),
                                   "-D",
                                   "FACET_COMPILER",
                                   "-fgnuc-version=4.2.1"};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  all.push_back(file.path.c_str());
  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, all, instance->getDiagnostics()))
    return nullptr;
  instance->setInvocation(std::move(invocation));
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  instance->createFileManager(filesOf(file, disk));
  return instance;
}

/// The struct's name from outside; unnamed namespaces are looked through.
std::string typeName(const clang::CXXRecordDecl &decl) {
  clang::PrintingPolicy policy(decl.getASTContext().getPrintingPolicy());
  policy.SuppressUnwrittenScope = true;
  std::string name;
  llvm::raw_string_ostream stream(name);
  decl.printQualifiedName(stream, policy);
  return stream.str();
}

/// Reads the kernels once Clang has read the file.
class Action : public clang::ASTFrontendAction {
public:
  Action(Parsed &parsed, Replacer &replacer) : parsed(parsed), replacer(replacer) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::ASTConsumer>();
  }
  void ExecuteAction() override {
    clang::CompilerInstance &instance = getCompilerInstance();
    Reporter reporter(instance.getDiagnostics());
    if (!checkTokens(instance.getSourceManager(), instance.getLangOpts(), reporter))
      return;
    clang::ASTFrontendAction::ExecuteAction();
    read(instance.getASTContext(), reporter);
  }

private:
  Parsed &parsed;
  Replacer &replacer;

  void read(clang::ASTContext &context, Reporter &reporter) {
    replacer.flush(reporter);
    if (replacer.badSyntax())
      return;
    const Source file{context, reporter};
    const auto found = checkDeclarations(file);
    checkNumbers(file);
    std::set<std::string> names;
    for (const clang::CXXRecordDecl *decl : found) {
      if (!names.insert(decl->getName().str()).second)
        file.report(Diag::DuplicateKernel, *decl);
      if (auto kernel = readKernel(context, reporter, *decl)) {
        parsed.kernels.push_back(std::move(*kernel));
        parsed.types.push_back(typeName(*decl));
      }
    }
    if (found.empty() && !reporter.failed()) {
      const clang::SourceManager &files = context.getSourceManager();
      const auto main = files.getMainFileID();
      file.report(Diag::NoKernel, files.getLocForStartOfFile(main),
                  {files.getFileEntryRefForID(main)->getName().str()});
    }
    replacer.flushHeaders(reporter,
                          found.empty() ? clang::SourceLocation() : found.front()->getLocation());
    if (!reporter.failed())
      checkExpressions(file);
    if (reporter.failed())
      parsed.kernels.clear(), parsed.types.clear();
  }
};

} // namespace

Parsed parse(const std::string &path) {
  Parsed parsed;
  const auto text = llvm::MemoryBuffer::getFile(path);
  if (!text) {
    llvm::errs() << path << ": error: " << text.getError().message() << '\n';
    parsed.errors = 1;
    return parsed;
  }
  const MemoryFile file{path, (*text)->getBuffer().str()};
  parsed.hash = ir::hashOf(file.text);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowColors = llvm::sys::Process::StandardErrHasColors();
  clang::TextDiagnosticPrinter printer(llvm::errs(), options.get());
  Replacer replacer(printer);
  // Exceptions are on so that throw is refused in facet's words; unused values, missing returns
  // and what integers lose are facet's to report.
  const auto instance =
      makeSession({"-fsyntax-only", "-fcxx-exceptions", "-fexceptions", "-fparse-all-comments",
                   "-Wno-unused-value", "-Wno-return-type", "-Wno-unused-comparison",
                   "-Wno-integer-overflow", "-Wno-literal-conversion"},
                  replacer, file, Disk::Hidden);
  if (instance) {
    Action action(parsed, replacer);
    instance->ExecuteAction(action);
  }
  parsed.errors = static_cast<int>(replacer.getNumErrors());
  parsed.warnings = static_cast<int>(replacer.getNumWarnings());
  if (!instance && parsed.errors == 0)
    parsed.errors = 1;
  return parsed;
}

std::string compileObject(const std::string &text, const std::string &name,
                          const std::string &objectPath) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::TextDiagnosticPrinter printer(stream, options.get());

  const MemoryFile file{"/facet/generated/" + name + ".cpp", text};
  // As the driver would for `-O2 -fPIC -fno-math-errno -w`; contraction only within an expression.
  const auto instance =
      makeSession({"-O2", "-vectorize-loops", "-vectorize-slp", "-mrelocation-model", "pic",
                   "-pic-level", "2", "-mframe-pointer=none", "-ffp-contract=on", "-fno-rtti", "-w",
                   "-emit-obj", "-o", objectPath},
                  printer, file, Disk::Read);
  if (!instance)
    return messages.empty() ? "the compiler could not be set up" : messages;
  instance->setVerboseOutputStream(llvm::nulls()); // no "1 error generated"
  clang::EmitObjAction action;
  const bool done = instance->ExecuteAction(action);
  stream.flush();
  if (done)
    return {};
  return messages.empty() ? "compiling " + name + " failed" : messages;
}

} // namespace facet::frontend
