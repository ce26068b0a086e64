/**
 * JSON-RPC methods that submit transactions.
 *
 * @since 0.1.0
 */
import * as Hash from "@effect-klaytn/core/Hash"
import * as Schema from "effect/Schema"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

/**
 * Submits signed transactions. A returned hash means that one node has the transaction in its pool, not that it is
 * mined.
 *
 * **Details**
 *
 * `sendRawTransaction` accepts every type of the chain, and Ethereum types with the prefix `0x78`; the one of `eth`
 * accepts Ethereum types without it. It may be repeated, because the same bytes have the same hash and nonce. If the
 * answer to a repetition says that the transaction is known or the nonce was used, the client looks up the hash.
 *
 * `sendRawTransactions` stops at the first failure and loses the hashes of those before it, so it is never repeated.
 * According to the node's code it does not accept the chain's own types.
 *
 * @since 0.1.0
 * @category methods
 */
export const submitMethods = {
  /**
   * [`klay_sendRawTransaction`](https://docs.kaia.io/references/json-rpc/klay/send-raw-transaction/): submits a signed
   * transaction; returns its hash.
   */
  sendRawTransaction: Method.make({
    namespace: "klay",
    safety: "keyed",
    name: "sendRawTransaction",
    params: (raw: string) => [Param.data("raw", raw)],
    result: Hash.FromWire
  }),
  /**
   * `klay_sendRawTransactions`: submits signed transactions until one fails; returns their hashes. Newer nodes only.
   */
  sendRawTransactions: Method.make({
    namespace: "klay",
    safety: "once",
    name: "sendRawTransactions",
    params: (raws: ReadonlyArray<string>) => [Param.dataList("raws", raws)],
    result: Schema.Array(Hash.FromWire)
  })
}
