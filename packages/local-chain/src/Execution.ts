/**
 * What executing transactions takes, for what stands in front of a chain: limits, codes of failures, and values that a node
 * derives.
 */
export { intrinsicGasOf, yieldToOthers } from "./internal/calls.js"
export { blockGasLimit } from "./internal/Evm.js"
export { executionGasLimit } from "./internal/Executor.js"
export { bloomOf, sealHeader } from "./internal/Header.js"
export { randaoOf, txError } from "./internal/Message.js"
export { sign } from "./internal/SignedTransaction.js"
export { refuse } from "./internal/validation.js"
