// session.cpp - runs of Clang in this process: a kernel file to its kernels, by Clang's tooling,
// and C++ text to an object file. All files are in memory: no tool chain is found, no system
// header, so that parsing a small kernel takes milliseconds and gives the same on every machine.
#include "codegen/frontend/frontend.h"
#include "codegen/frontend/kernel.h"
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DeclCXX.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Sema/Sema.h>
#include <clang/Sema/TemplateInstCallback.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/thread.h>
#include <memory>
#include <mutex>
#include <set>

namespace facet::frontend {

/// The built-in headers dsl/facet/*, name and text; the table is written by embed.cmake.
extern const std::pair<std::string_view, std::string_view> embeddedFiles[];
extern const std::size_t embeddedFilesCount;

namespace {

/// Where the built-in headers appear to be; nothing is there on disk.
constexpr llvm::StringLiteral headerFolder = "/facet/include";

/// A file that exists in memory only.
struct MemoryFile {
  std::string path, text;
};

/// Most instances of templates in a kernel file; 1000 nested in pairs would be 2^500.
constexpr int mostInstances = 1000;
/// Stack of Clang and of the recursions over its tree. tokens.cpp bounds the depth: the deepest
/// file that it lets through takes a sixteenth of this.
constexpr unsigned stackBytes = 64 << 20;

/// The files that Clang can open: nothing of the disk.
llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> filesOf(const std::vector<MemoryFile> &files) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (std::size_t k = 0; k < embeddedFilesCount; ++k) {
    const auto &[name, text] = embeddedFiles[k];
    memory->addFile((headerFolder + "/facet/" + llvm::StringRef(name)).str(), 0,
                    llvm::MemoryBuffer::getMemBuffer(text, name));
  }
  for (const MemoryFile &file : files)
    memory->addFile(file.path, 0, llvm::MemoryBuffer::getMemBufferCopy(file.text, file.path));
  return memory;
}

/// A compiler instance for the first of `files` and the arguments of `clang -cc1` given, with the
/// built-in headers as system headers, and no others. Null if the arguments are wrong (the consumer
/// gets why).
std::unique_ptr<clang::CompilerInstance> makeSession(const std::vector<std::string> &arguments,
                                                     clang::DiagnosticConsumer &consumer,
                                                     const std::vector<MemoryFile> &files) {
  std::vector<const char *> all = {"-x",
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
  all.push_back(files.front().path.c_str());
  auto instance = std::make_unique<clang::CompilerInstance>();
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, all, instance->getDiagnostics()))
    return nullptr;
  instance->setInvocation(std::move(invocation));
  instance->createDiagnostics(&consumer, /*ShouldOwnClient=*/false);
  instance->createFileManager(filesOf(files));
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

/// Has Clang refuse the next template once there are too many instances.
class Instances : public clang::TemplateInstantiationCallback {
public:
  explicit Instances(clang::LangOptions &options) : options(options) {}
  void initialize(const clang::Sema &) override {}
  void finalize(const clang::Sema &) override {}
  void atTemplateBegin(const clang::Sema &,
                       const clang::Sema::CodeSynthesisContext &instance) override {
    if (instance.Kind == clang::Sema::CodeSynthesisContext::TemplateInstantiation &&
        ++count > mostInstances)
      options.InstantiationDepth = 0;
  }
  void atTemplateEnd(const clang::Sema &, const clang::Sema::CodeSynthesisContext &) override {}

private:
  clang::LangOptions &options;
  int count = 0;
};

/// Refuses structs of structs of structs as they are read: a constant of one may not fit any
/// memory.
class Structs : public clang::ASTConsumer {
public:
  explicit Structs(Reporter &reporter) : reporter(reporter) {}
  void HandleTagDeclDefinition(clang::TagDecl *decl) override {
    const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(decl);
    if (!record || decl->isInvalidDecl())
      return;
    std::uint64_t all = 0;
    for (const clang::CXXBaseSpecifier &base : record->bases())
      all += numbersOf(base.getType());
    for (const clang::FieldDecl *field : record->fields())
      all += numbersOf(field->getType());
    numbers[record] = all;
    if (all <= mostNumbers)
      return;
    reporter.report({Diag::Long,
                     decl->getLocation(),
                     {},
                     {std::to_string(mostNumbers), "numbers in a struct"}});
    decl->setInvalidDecl(); // then none is made
  }

private:
  static constexpr std::uint64_t mostNumbers = 1000;
  Reporter &reporter;
  std::map<const clang::RecordDecl *, std::uint64_t> numbers;

  std::uint64_t numbersOf(clang::QualType type) const {
    const auto *record = type->getAsCXXRecordDecl();
    const auto found = record ? numbers.find(record->getDefinition()) : numbers.end();
    return found == numbers.end() ? 1 : found->second;
  }
};

/// Reads the kernels once Clang has read the file.
class Action : public clang::ASTFrontendAction {
public:
  Action(FileKernels &parsed, Replacer &replacer) : parsed(parsed), replacer(replacer) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance,
                                                        llvm::StringRef) override {
    reporter = std::make_unique<Reporter>(instance.getDiagnostics());
    return std::make_unique<Structs>(*reporter);
  }
  void ExecuteAction() override {
    clang::CompilerInstance &instance = getCompilerInstance();
    foreign = checkTokens(instance.getSourceManager(), instance.getLangOpts(), *reporter);
    if (reporter->failed())
      return;
    instance.createSema(getTranslationUnitKind(), nullptr);
    instance.getSema().TemplateInstCallbacks.push_back(
        std::make_unique<Instances>(instance.getLangOpts()));
    clang::ASTFrontendAction::ExecuteAction();
    read(instance.getASTContext(), *reporter);
  }

private:
  FileKernels &parsed;
  Replacer &replacer;
  std::unique_ptr<Reporter> reporter;
  Foreign foreign;

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
    if (!reporter.failed() && foreign.at.isValid())
      file.report(Diag::Unsupported, foreign.at, {"'" + foreign.written + "'"});
    if (reporter.failed())
      parsed.kernels.clear(), parsed.types.clear();
  }
};

/// What Clang's tooling runs on a kernel file.
class ReadAction : public clang::tooling::ToolAction {
public:
  ReadAction(FileKernels &parsed, Replacer &replacer, Say say)
      : parsed(parsed), replacer(replacer), say(say) {}
  bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation,
                     clang::FileManager *files,
                     std::shared_ptr<clang::PCHContainerOperations> containers,
                     clang::DiagnosticConsumer *consumer) override {
    clang::CompilerInstance instance(std::move(containers));
    instance.setInvocation(std::move(invocation));
    instance.setFileManager(files);
    instance.createDiagnostics(consumer, /*ShouldOwnClient=*/false);
    instance.createSourceManager(*files);
    if (say == Say::Collect)
      instance.setVerboseOutputStream(llvm::nulls()); // no "1 error generated"
    Action action(parsed, replacer);
    return instance.ExecuteAction(action);
  }

private:
  FileKernels &parsed;
  Replacer &replacer;
  Say say;
};

void readKernels(const MemoryFile &file, FileKernels &parsed, Say say) {
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowColors = llvm::sys::Process::StandardErrHasColors();
  clang::TextDiagnosticPrinter printer(llvm::errs(), options.get());
  Collector collector(parsed.messages);
  Replacer replacer(say == Say::Print ? static_cast<clang::DiagnosticConsumer &>(printer)
                                      : collector);
  ReadAction reading(parsed, replacer, say);
  const auto files =
      llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), filesOf({file}));
  // Unused values, missing returns and what integers lose are facet's to report. A constant of the
  // language takes no loops.
  clang::tooling::ToolInvocation tool({"facetc",
                                       "--target=x86_64-unknown-linux-gnu",
                                       "-xc++",
                                       "-std=c++20",
                                       "-fsyntax-only",
                                       "-nostdinc",
                                       "-isystem" + headerFolder.str(),
                                       "-DFACET_COMPILER",
                                       "-ferror-limit=0",
                                       "-fparse-all-comments",
                                       "-Wno-unused-value",
                                       "-Wno-return-type",
                                       "-Wno-unused-comparison",
                                       "-Wno-integer-overflow",
                                       "-Wno-literal-conversion",
                                       "-ftemplate-depth=64",
                                       "-fconstexpr-depth=64",
                                       "-fconstexpr-steps=1000",
                                       "--",
                                       file.path},
                                      &reading, files.get(),
                                      std::make_shared<clang::PCHContainerOperations>());
  tool.setDiagnosticConsumer(&replacer);
  tool.setDiagnosticOptions(options.get());
  const bool done = tool.run();
  parsed.errors = static_cast<int>(replacer.getNumErrors());
  parsed.warnings = static_cast<int>(replacer.getNumWarnings());
  if (!done && parsed.errors == 0)
    parsed.errors = 1;
}

} // namespace

FileKernels parse(const std::string &path, Say say) {
  FileKernels parsed;
  const auto refuse = [&](const std::string &why) {
    if (say == Say::Print)
      llvm::errs() << path << ": error: " << why << '\n';
    else
      parsed.messages.push_back({.severity = "error", .text = why});
    parsed.errors = 1;
    return parsed;
  };
  const auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return refuse(text.getError().message());
  if (const std::size_t size = (*text)->getBufferSize(); size > mostBytes)
    return refuse("this file has " + std::to_string(size) + " bytes, and a kernel file " +
                  std::to_string(mostBytes) + " at most: leave out what is no kernel");
  const MemoryFile file{path, (*text)->getBuffer().str()};
  parsed.text = file.text;
  parsed.hash = ir::hashOf(file.text);
  llvm::thread(std::optional(stackBytes), [&] { readKernels(file, parsed, say); }).join();
  return parsed;
}

namespace {

/// Compiles for a machine, by further arguments of `clang -cc1`.
std::string compileFor(std::vector<std::string> arguments, const std::string &text,
                       const std::string &name, const std::string &objectPath,
                       const std::map<std::string, std::string> &included) {
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  clang::TextDiagnosticPrinter printer(stream, options.get());

  std::vector<MemoryFile> files = {{"/facet/generated/" + name + ".cpp", text}};
  for (const auto &[path, content] : included)
    files.push_back({path, content});
  // As the driver would for `-O2 -fno-math-errno -w`; contraction only within an expression.
  arguments.insert(arguments.end(),
                   {"-O2", "-vectorize-loops", "-vectorize-slp", "-mframe-pointer=none",
                    "-ffp-contract=on", "-fno-rtti", "-w", "-emit-obj", "-o", objectPath});
  const auto instance = makeSession(arguments, printer, files);
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

} // namespace

std::string compileObject(const std::string &text, const std::string &name,
                          const std::string &objectPath,
                          const std::map<std::string, std::string> &included) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  return compileFor(
      {"-triple", "x86_64-unknown-linux-gnu", "-mrelocation-model", "pic", "-pic-level", "2"}, text,
      name, objectPath, included);
}

std::string compileWasm(const std::string &text, const std::string &name,
                        const std::string &objectPath,
                        const std::map<std::string, std::string> &included) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeWebAssemblyTargetInfo();
    LLVMInitializeWebAssemblyTarget();
    LLVMInitializeWebAssemblyTargetMC();
    LLVMInitializeWebAssemblyAsmPrinter();
  });
  return compileFor({"-triple", "wasm32-unknown-unknown", "-target-feature", "+simd128"}, text,
                    name, objectPath, included);
}

} // namespace facet::frontend
