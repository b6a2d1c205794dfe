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

typedef struct PagodaRebuildOptions {
  size_t structSize;
  /* A .pgd file. */
  const char *artifact;
  /* "x86-64-v3" or "avx512-vnni". */
  const char *target;
  /* NULL: kernels are not kept. */
  const char *kernelCache;
} PagodaRebuildOptions;

/* Where the functions of a kernel start in an image. */
typedef struct PagodaKernelStart {
  uint32_t tiles;
  uint32_t run;
  uint32_t scratchBytes;
} PagodaKernelStart;

/* Kernels of an artifact, compiled again from the sources in it. */
typedef struct PagodaRebuiltKernels {
  size_t structSize;
  void *image;
  size_t imageBytes;
  /* One a kernel, in the artifact's order. */
  PagodaKernelStart *starts;
  size_t startCount;
  /* Templates of the artifact that this library has in other words or not at
   * all, one path a line; NULL: none. */
  char *foreignTemplates;
} PagodaRebuiltKernels;

/* Returns as pagodaCompile. The caller sets result->structSize, and frees the
 * contents by pagodaFreeRebuiltKernels after success. */
PAGODA_EXPORT int pagodaRebuildKernels(const PagodaRebuildOptions *options,
                                       PagodaRebuiltKernels *result,
                                       char **error);

PAGODA_EXPORT void pagodaFreeRebuiltKernels(PagodaRebuiltKernels *result);

/* What the library found on this machine, as a JSON object with "version",
 * "llvm" and "tools": [{"name", "path", "version", "error"}]. The caller frees
 * it by pagodaFree. */
PAGODA_EXPORT char *pagodaCompilerReport(void);

#ifdef __cplusplus
}
#endif

#endif // PAGODA_C_COMPILER_H
