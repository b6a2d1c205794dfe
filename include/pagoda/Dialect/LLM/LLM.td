//===- LLM.td - Everything of the llm dialect --------------*- tablegen -*-===//

#ifndef PAGODA_DIALECT_LLM_LLM_TD
#define PAGODA_DIALECT_LLM_LLM_TD

include "pagoda/Dialect/LLM/LLMAttentionOps.td"
include "pagoda/Dialect/LLM/LLMComputeOps.td"
include "pagoda/Dialect/LLM/LLMStructureOps.td"
include "pagoda/Dialect/LLM/LLMWeightOps.td"

#endif // PAGODA_DIALECT_LLM_LLM_TD
