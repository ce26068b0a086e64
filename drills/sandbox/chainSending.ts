/** The ways in which the drill of the chain sends transactions: to the chain itself, and over its JSON-RPC. */
import { Bodies } from "@effect-klaytn/service/Bodies"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StoreFailure, TransactionRejected } from "../../packages/local-chain/src/ChainError.js"
import type * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import type { Chains } from "../../packages/sandbox/src/Chains.js"
import * as devRpc from "../../packages/sandbox/src/internal/devRpc/app.js"
import { DevRpcState } from "../../packages/sandbox/src/internal/devRpc/DevRpcState.js"
import { Faults } from "../../packages/sandbox/src/internal/http/Faults.js"
import { listen } from "../../packages/sandbox/src/internal/http/listen.js"
import { settingsOf } from "../../packages/sandbox/src/internal/NodeSettings.js"
import { tally } from "./chainCounts.js"

/** A transaction that was refused, and why. */
export interface Refused {
  readonly _tag: "Refused"
  readonly reason: string
}

const refused = (reason: string): Refused => ({ _tag: "Refused", reason })

/** Sends transactions; the results are their hashes. */
export interface Sending {
  readonly submit: (transaction: Transaction.Transaction, sender: Hex) => Effect.Effect<Hex, Refused | StoreFailure>
  readonly submitRaw: (raw: Hex) => Effect.Effect<Hex, Refused | StoreFailure>
}

const named = (
  sent: Effect.Effect<Hex, TransactionRejected | StoreFailure>
): Effect.Effect<Hex, Refused | StoreFailure> =>
  Effect.catchTag(sent, "TransactionRejected", ({ reason }) => Effect.fail(refused(reason)))

/** Sends to the chain itself. */
export const direct = (chain: Chain): Sending => ({
  submit: (transaction) => named(chain.submit(transaction)),
  submitRaw: (raw) => named(chain.submitRaw(raw))
})

/** Whether a transaction of a block is the one that was sent. */
type IsIt = (one: { readonly from: Hex; readonly nonce: bigint; readonly raw: Hex }) => boolean

interface Reply {
  readonly result?: Hex
  readonly error?: { readonly code: number; readonly message: string }
}

/** A refusal, and parameters that can't be read. Any other code is a fault of the sandbox. */
const refusals: ReadonlyArray<number> = [-32000, -32602]

const quantity = (value: bigint): Hex => `0x${value.toString(16)}`

/** The parameters of `eth_sendTransaction`, for the types that it makes. */
const argumentsOf = (transaction: Transaction.Transaction, from: Hex) => {
  if (transaction.type !== "LegacyTransaction" && transaction.type !== "EthereumDynamicFee") return undefined
  const { gas, input, nonce, to, value } = transaction
  const prices = transaction.type === "LegacyTransaction"
    ? { gasPrice: quantity(transaction.gasPrice) }
    : {
      maxFeePerGas: quantity(transaction.maxFeePerGas),
      maxPriorityFeePerGas: quantity(transaction.maxPriorityFeePerGas),
      accessList: transaction.accessList
    }
  return { from, to, data: input, nonce: quantity(nonce), gas: quantity(gas), value: quantity(value), ...prices }
}

/**
 * Serves a chain at `/rpc`, and sends over HTTP: transactions of Klaytn's types as their bytes, those of Ethereum's by turns
 * as their bytes and as fields that the sandbox signs for its unlocked accounts. `sent` counts the requests by method.
 */
export const overRpc = (
  chains: Context.Tag.Service<Chains>,
  chain: Chain,
  accounts: ReadonlyArray<DevAccount.DevAccount>,
  sent: Record<string, number>
) =>
  Effect.gen(function*() {
    const app = devRpc.make({
      chains,
      bodies: new Bodies(),
      states: new Map([[chain.chainId, new DevRpcState(() => accounts)]]),
      settings: settingsOf({}),
      faults: new Faults(),
      ids: new RequestIds("rpc"),
      controls: Effect.dieMessage("this drill has no controls")
    })
    const url = yield* listen(app, { host: "127.0.0.1", port: 0 })
    /** The transaction of a later block than `before`; a request that had no answer in time may have made one. */
    const madeAfter = (before: number, isIt: IsIt): Effect.Effect<Hex, Refused | StoreFailure> =>
      Effect.gen(function*() {
        // Waits until the chain runs nothing more.
        yield* Effect.orDie(chain.account(chain.validator))
        const head = yield* chain.head
        for (let number = head.number; number > before; number--) {
          const found = (yield* chain.transactionsOf(number)).find(isIt)
          if (found !== undefined) return found.hash
        }
        return yield* Effect.fail(refused("no answer in time"))
      })
    const ask = (method: string, parameter: unknown, isIt: IsIt): Effect.Effect<Hex, Refused | StoreFailure> =>
      Effect.gen(function*() {
        const before = (yield* chain.head).number
        const { status, text } = yield* Effect.promise(async () => {
          const response = await fetch(`${url}/rpc/${chain.chainId}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [parameter] })
          })
          return { status: response.status, text: await response.text() }
        })
        tally(sent, method)
        // The sandbox gives a request 30 seconds.
        if (status === 503) return yield* madeAfter(before, isIt)
        const { error, result }: Reply = JSON.parse(text)
        if (result !== undefined) return result
        return error !== undefined && refusals.includes(error.code)
          // Addresses, hashes and amounts differ from one refusal to the next.
          ? yield* Effect.fail(refused(error.message.replace(/0x[0-9a-f]+|\d+/g, "N")))
          : yield* Effect.dieMessage(`${method} answers ${JSON.stringify(error)}`)
      })
    let turns = 0
    const sending: Sending = {
      submit: (transaction, sender) => {
        const fields = argumentsOf(transaction, sender)
        const isIt: IsIt = ({ from, nonce }) => from === sender && nonce === transaction.nonce
        if (fields !== undefined && ++turns % 2 === 0) return ask("eth_sendTransaction", fields, isIt)
        const raw = Transaction.encode(transaction, { form: fields === undefined ? "klay" : "eth" })
        return raw.ok
          ? ask(fields === undefined ? "klay_sendRawTransaction" : "eth_sendRawTransaction", raw.value, isIt)
          : Effect.fail(refused(raw.error.message))
      },
      submitRaw: (raw) => ask("klay_sendRawTransaction", raw, (one) => one.raw === raw)
    }
    return sending
  })
