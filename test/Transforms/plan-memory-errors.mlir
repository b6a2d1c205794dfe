// RUN: pagoda-opt %s --pagoda-plan-memory --split-input-file --verify-diagnostics

// A plan exists for every entry, so the pass refuses nothing. Plans that do not
// fit their entry are refused by the verifier, also those written by hand.

exec.entry @by_hand dims ["tokens"] slots [#exec.size<256 * tokens>] {
  // expected-error @below {{lies in slot 1 of 1}}
  %a = exec.buffer slot 1 : !exec.buffer<[tokens, 64], f32>
  exec.return
}
