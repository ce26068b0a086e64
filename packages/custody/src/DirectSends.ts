/**
 * Sends of a wallet whose chain is in the same process: no answer can be lost, so nothing is stored.
 */
import * as Effect from "effect/Effect"
import type { Sends } from "./Sends.js"
import type { WalletChain } from "./WalletChain.js"

/**
 * Gives each transaction to the chain at once.
 *
 * @category constructors
 */
export const make = (chain: Pick<WalletChain, "pendingNonce" | "submitRaw">): Sends => ({
  nextNonce: chain.pendingNonce,
  prior: () => Effect.succeed(undefined),
  submit: ({ raw }) => Effect.map(chain.submitRaw(raw), (hash) => ({ hash, raw }))
})
