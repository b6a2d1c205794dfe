//===- ByteAlphabet.h - Bytes spelt as printable characters -----*- C++ -*-===//
//
// Byte-level vocabularies write each byte as one printable character, so that
// a token can stand in a JSON file: bytes that print as Latin-1 stand for
// themselves, the others for U+0100 and up, in order (a space is U+0120, "Ġ").
//
//===----------------------------------------------------------------------===//

#ifndef PAGODA_LIB_RUNTIME_TOKENIZER_BYTEALPHABET_H
#define PAGODA_LIB_RUNTIME_TOKENIZER_BYTEALPHABET_H

#include <optional>
#include <string>
#include <string_view>

namespace pagoda::rt {

/// The bytes that `text` spells, if all of its characters are in the alphabet.
/// `text` is valid UTF-8.
std::optional<std::string> bytesFromAlphabet(std::string_view text);

} // namespace pagoda::rt

#endif // PAGODA_LIB_RUNTIME_TOKENIZER_BYTEALPHABET_H
