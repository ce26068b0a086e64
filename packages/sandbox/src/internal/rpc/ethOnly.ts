import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { blockNumber, findOrNull, type Selector } from "./BlockSelector.js"
import { method, type Methods } from "./Method.js"
import type { NodeChain } from "./NodeChain.js"
import { type Decoded, fail, hash, index, make, uint64 } from "./ParamDecoder.js"
import { failure } from "./RpcFailure.js"

const uncles = (chain: NodeChain, selector: Selector) =>
  Effect.map(findOrNull(chain, selector), (block) => block === null ? null : "0x0")

const blockNonce = make((value): Decoded<string> =>
  typeof value === "string" && /^0x[0-9a-f]{16}$/i.test(value)
    ? Either.right(value)
    : fail(typeof value === "string" ? value : "non-string", "api.BlockNonce")
)

/** What only Ethereum asks for. Nothing is mined here, so it has always the same answer. */
export const ethOnly: Methods = {
  getUncleByBlockNumberAndIndex: method([blockNumber, index], (_chain, _block, _index) => Effect.succeed(null)),
  getUncleByBlockHashAndIndex: method([hash, index], (_chain, _block, _index) => Effect.succeed(null)),
  getUncleCountByBlockNumber: method([blockNumber], uncles),
  getUncleCountByBlockHash: method([hash], (chain, wanted) => uncles(chain, { hash: wanted })),
  mining: method([], () => Effect.succeed(false)),
  hashrate: method([], () => Effect.succeed("0x0")),
  getHashrate: method([], () => Effect.succeed(0)),
  getWork: method([], () => failure("no mining work available yet")),
  submitWork: method([blockNonce, hash, hash], (_chain, _nonce, _work, _digest) => Effect.succeed(false)),
  submitHashrate: method([uint64, hash], (_chain, _rate, _miner) => Effect.succeed(false))
}
