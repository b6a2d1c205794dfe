// What Clang may call without being asked: copying and filling memory. One
// unit of every image; built so that it does not call itself. Kernels clear
// small arrays in their inner loops, so whole vectors at a time.

namespace {

typedef char Vector __attribute__((vector_size(64)));
typedef Vector Unaligned __attribute__((aligned(1), may_alias));

constexpr unsigned long kStep = sizeof(Vector);

} // namespace

extern "C" void *memcpy(void *to, const void *from, unsigned long count) {
  char *out = static_cast<char *>(to);
  const char *in = static_cast<const char *>(from);
  unsigned long i = 0;
  for (; i + kStep <= count; i += kStep)
    *reinterpret_cast<Unaligned *>(out + i) =
        *reinterpret_cast<const Unaligned *>(in + i);
  for (; i < count; ++i)
    out[i] = in[i];
  return to;
}

extern "C" void *memmove(void *to, const void *from, unsigned long count) {
  char *out = static_cast<char *>(to);
  const char *in = static_cast<const char *>(from);
  // A step is read before it is written, so forwards is right also where the
  // ranges overlap.
  if (out < in)
    return memcpy(to, from, count);
  for (unsigned long i = count; i > 0; --i)
    out[i - 1] = in[i - 1];
  return to;
}

extern "C" void *memset(void *to, int value, unsigned long count) {
  char *out = static_cast<char *>(to);
  const Vector values = static_cast<char>(value) - Vector{};
  unsigned long i = 0;
  for (; i + kStep <= count; i += kStep)
    *reinterpret_cast<Unaligned *>(out + i) = values;
  for (; i < count; ++i)
    out[i] = static_cast<char>(value);
  return to;
}
