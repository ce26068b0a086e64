/**
 * Methods that submit transactions.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

/**
 * Submitting signed bytes. A hash that comes back means that one node has the transaction in its pool, not that it is
 * mined.
 *
 * **Details**
 *
 * `sendRawTransaction` takes every type of the chain, and Ethereum types with `0x78` in front; the one of `eth` takes
 * Ethereum types without it. It may be repeated, because the same bytes have the same hash and nonce; the client looks
 * the hash up where the answer of a repetition says that the transaction is known or the nonce was used.
 *
 * `sendRawTransactions` stops at the first failure, and the hashes of those before it are lost: it is never repeated.
 * By the node's code it does not take the chain's own types.
 *
 * @since 0.1.0
 * @category methods
 */
export const submitMethods = {
  sendRawTransaction: Method.make({
    namespace: "klay",
    safety: "keyed",
    name: "sendRawTransaction",
    summary: "Submits a signed transaction; its hash",
    params: (raw: string) => [Param.data("raw", raw)],
    result: Hash.FromWire
  }),
  sendRawTransactions: Method.make({
    namespace: "klay",
    safety: "once",
    name: "sendRawTransactions",
    summary: "Submits signed transactions until one fails; their hashes",
    since: "newer nodes",
    params: (raws: ReadonlyArray<string>) => [Param.dataList("raws", raws)],
    result: Schema.Array(Hash.FromWire)
  })
}
