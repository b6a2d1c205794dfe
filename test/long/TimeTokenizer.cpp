// time-tokenizer TOKENIZER.JSON TEXT ROUNDS
//
// For test/long/tokenizer_speed.py: prints, as one object, the best time to
// open the stored tables, to encode the whole text, and to encode it line by
// line, in microseconds, and the number of ids.

#include "pagoda/Base/MappedFile.h"
#include "pagoda/Runtime/Tokenizer/Tokenizer.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>

using namespace pagoda;
using namespace pagoda::rt;

template <typename Work>
static double best(int rounds, Work work) {
  double least = 1e300;
  for (int i = 0; i < rounds; ++i) {
    auto begin = std::chrono::steady_clock::now();
    work();
    std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count());
  }
  return least;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::cerr << "usage: time-tokenizer TOKENIZER.JSON TEXT ROUNDS\n";
    return 2;
  }
  auto tokenizer = Tokenizer::fromJsonFile(argv[1]);
  auto text = readTextFile(argv[2]);
  int rounds = std::atoi(argv[3]);
  if (!tokenizer.ok() || !text.ok()) {
    std::cerr << (text.ok() ? tokenizer.status() : text.status()).message()
              << "\n";
    return 1;
  }
  double open = best(rounds, [&] {
    if (!Tokenizer::fromBytes(tokenizer->bytes(), nullptr).ok())
      std::abort();
  });
  size_t ids = 0;
  double whole = best(rounds, [&] {
    ids = tokenizer->encode(*text, {.addSpecialTokens = false})->size();
  });
  double lines = best(rounds, [&] {
    std::string_view rest = *text;
    while (!rest.empty()) {
      size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
      if (!tokenizer->encode(rest.substr(0, end)).ok())
        std::abort();
      rest.remove_prefix(end);
    }
  });
  std::cout << "{\"open\": " << open << ", \"whole\": " << whole
            << ", \"lines\": " << lines << ", \"ids\": " << ids
            << ", \"table_bytes\": " << tokenizer->bytes().size() << "}\n";
}
