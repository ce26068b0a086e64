import * as Effect from "effect/Effect"
import { memory } from "../../src/ChainStorage.js"
import * as LocalChain from "../../src/LocalChain.js"

/** A chain in memory, and what it stores. */
export const openChain = (options: Omit<LocalChain.LocalChainOptions, "chainId"> = {}) =>
  Effect.suspend(() => {
    const storage = memory()
    return Effect.map(LocalChain.makeWith(storage, { chainId: 1001, ...options }), (chain) => ({ chain, storage }))
  })
