// What Clang may call without being asked: copying and filling memory. One
// unit of every image; built so that it does not call itself.

extern "C" void *memcpy(void *to, const void *from, unsigned long count) {
  char *out = static_cast<char *>(to);
  const char *in = static_cast<const char *>(from);
  for (unsigned long i = 0; i < count; ++i)
    out[i] = in[i];
  return to;
}

extern "C" void *memmove(void *to, const void *from, unsigned long count) {
  char *out = static_cast<char *>(to);
  const char *in = static_cast<const char *>(from);
  if (out < in)
    return memcpy(to, from, count);
  for (unsigned long i = count; i > 0; --i)
    out[i - 1] = in[i - 1];
  return to;
}

extern "C" void *memset(void *to, int value, unsigned long count) {
  char *out = static_cast<char *>(to);
  for (unsigned long i = 0; i < count; ++i)
    out[i] = static_cast<char>(value);
  return to;
}
