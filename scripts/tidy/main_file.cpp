// A module of clang-tidy that makes checks look at the main file alone. Everything else a file
// includes is in a precompiled header, which costs nothing unless somebody asks for it; checks
// would: for the parent of one expression they walk all that is declared. Headers are looked at
// once, in files that do nothing but include them.
#include <utility>
#include <vector>

#include <clang-tidy/ClangTidyCheck.h>
#include <clang-tidy/ClangTidyModule.h>
#include <clang/AST/ASTContext.h>
#include <clang/ASTMatchers/ASTMatchFinder.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Serialization/ASTReader.h>

namespace {

class MainFile final : public clang::tidy::ClangTidyCheck {
 public:
  using ClangTidyCheck::ClangTidyCheck;

  void registerPPCallbacks(const clang::SourceManager&, clang::Preprocessor* preprocessor,
                           clang::Preprocessor*) override {
    preprocessor_ = preprocessor;
  }
  void registerMatchers(clang::ast_matchers::MatchFinder* finder) override {
    finder_ = finder;
    finder->addMatcher(clang::ast_matchers::translationUnitDecl(), this);  // or nobody calls us
  }
  void check(const clang::ast_matchers::MatchFinder::MatchResult&) override {}

  // All is parsed, and no check has looked at anything.
  void onStartOfTranslationUnit() override {
    auto* reader = static_cast<clang::ASTReader*>(preprocessor_->getExternalSource());
    clang::ASTContext& context = reader->getContext();
    clang::TranslationUnitDecl& unit = *context.getTranslationUnitDecl();
    std::vector<clang::Decl*> own;
    for (clang::Decl* declared : unit.noload_decls()) {
      if (!declared->isFromASTFile()) own.push_back(declared);
    }
    context.setTraversalScope(std::move(own));
    // Some checks begin with the unit itself, which is not in its own scope.
    finder_->match(unit, context);
  }

 private:
  clang::Preprocessor* preprocessor_ = nullptr;
  clang::ast_matchers::MatchFinder* finder_ = nullptr;
};

class Module final : public clang::tidy::ClangTidyModule {
 public:
  void addCheckFactories(clang::tidy::ClangTidyCheckFactories& factories) override {
    factories.registerCheck<MainFile>("heddle-main-file");
  }
};

const clang::tidy::ClangTidyModuleRegistry::Add<Module> registered("heddle", "Scope of checks.");

}  // namespace
