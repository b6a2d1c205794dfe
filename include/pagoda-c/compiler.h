/* compiler.h - The compiler as a library with a C interface.
 *
 * For programs that compile models without linking LLVM: they open
 * libpagoda-compiler.so when they need it. Structs carry their own size, so
 * that older callers keep working with newer libraries: fields are only ever
 * added at the end, and zero means the default.
 *
 *   PagodaCompileOptions options = {.structSize = sizeof options};
 *   options.model = "model.gguf";
 *   options.output = "model.pgd";
 *   char *error = NULL;
 *   if (pagodaCompile(&options, &error)) { puts(error); pagodaFree(error); }
 */

#ifndef PAGODA_C_COMPILER_H
#define PAGODA_C_COMPILER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PAGODA_EXPORT __attribute__((visibility("default")))

/* Raised when a meaning below changes; a library refuses other versions. */
#define PAGODA_COMPILER_API_VERSION 1

typedef struct PagodaCompileOptions {
  size_t structSize;
  /* A Hugging Face folder, a .gguf or an .mlir file. */
  const char *model;
  /* Where the artifact goes; NULL: passes run, nothing is written. */
  const char *output;
  /* "fast" or "exact"; NULL: fast. */
  const char *precision;
  /* "f32" or "f16"; NULL: by the precision. */
  const char *kvDtype;
  /* 0: the model's own. */
  int64_t contextLength;
  /* Lists end with NULL; a NULL list is empty. */
  const char *const *targets;
  const char *const *passPlugins;
  const char *const *insertAfter;
  const char *dumpFolder;
  const char *kernelCache;
  const char *keepKernels;
  int verifyPasses;
  int remarks;
  /* Called on the thread that compiles; `user` is passed through. */
  void (*progress)(void *user, const char *phase, double fraction);
  void (*log)(void *user, const char *line);
  void *user;
} PagodaCompileOptions;

/* PAGODA_COMPILER_API_VERSION of the library. */
PAGODA_EXPORT int pagodaCompilerApiVersion(void);

/* Returns 0, or a code of pagoda::StatusCode with *error set to a text that
 * the caller frees by pagodaFree. */
PAGODA_EXPORT int pagodaCompile(const PagodaCompileOptions *options,
                                char **error);

PAGODA_EXPORT void pagodaFree(char *text);

#ifdef __cplusplus
}
#endif

#endif /* PAGODA_C_COMPILER_H */
