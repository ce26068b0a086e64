/** The look-ups over what the service offers. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Hex from "@effect-klaytn/core/Hex"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type FoundTransaction, LookupFailed } from "../FoundTransaction.js"
import type { Receipt } from "../Receipt.js"
import * as WalletAdditionsApi from "../WalletAdditionsApi.js"
import { codes } from "../WalletCode.js"
import * as Nodes from "./node.js"
import { maybe, noneAsEmpty } from "./wire.js"

const Transaction = Schema.Struct({
  hash: Hash.FromWire,
  from: Address.FromWire,
  nonce: Hex.BigIntFromQuantity,
  typeInt: Schema.optionalWith(Schema.Int, { default: () => 0 }),
  to: noneAsEmpty,
  value: maybe(Amount.FromQuantity),
  input: maybe(Schema.String),
  key: maybe(Schema.String),
  feePayer: noneAsEmpty
})

const Block = Schema.NullOr(Schema.Struct({ transactions: Schema.Array(Schema.Unknown) }))

const TransactionReceipt = Schema.NullOr(Schema.Struct({ status: maybe(Schema.String) }))

const Sender = Schema.Struct({ from: Address.FromWire, nonce: Hex.BigIntFromQuantity })

const quantity = (value: number): string => `0x${value.toString(16)}`

const found = (
  transaction: typeof Transaction.Type,
  state: FoundTransaction["state"]
): FoundTransaction => ({
  transactionHash: transaction.hash,
  from: transaction.from,
  nonce: Number(transaction.nonce),
  typeInt: transaction.typeInt,
  to: transaction.to,
  value: transaction.value ?? 0n,
  input: (transaction.input ?? "0x").toLowerCase(),
  key: transaction.key?.toLowerCase(),
  feePayer: transaction.feePayer,
  state
})

const states: Readonly<Record<string, FoundTransaction["state"]>> = {
  Committed: "succeeded",
  CommitError: "failed",
  Submitted: "waiting",
  Pending: "waiting"
}

const stateOf = (receipt: Receipt): FoundTransaction["state"] =>
  states[receipt.status] ?? ((receipt.blockNumber ?? 0n) === 0n ? "waiting" : "executed")

/** The first block after which the account's count is above the nonce, searched from `head` backwards. */
const firstAbove = (
  head: number,
  isAbove: (block: number) => Effect.Effect<boolean, LookupFailed>
): Effect.Effect<number, LookupFailed> =>
  Effect.gen(function*() {
    let above = head
    let below = head - 1
    for (let step = 1; below >= 0; step *= 2) {
      if (!(yield* isAbove(below))) break
      above = below
      below = Math.max(-1, below - step)
    }
    while (above - below > 1) {
      const middle = below + Math.floor((above - below) / 2)
      if (yield* isAbove(middle)) above = middle
      else below = middle
    }
    return above
  })

const withNode = (node: Nodes.Node) => {
  const count = (address: string, at: string) =>
    Effect.map(node.call("klay_getTransactionCount", [address, at], Hex.BigIntFromQuantity), Number)

  const stateIn = (hash: string): Effect.Effect<FoundTransaction["state"], LookupFailed> =>
    Effect.map(
      node.call("klay_getTransactionReceipt", [hash], TransactionReceipt),
      (receipt) => receipt?.status === undefined ? "executed" : Number(receipt.status) === 1 ? "succeeded" : "failed"
    )

  const byNonce = (address: Address.Address, nonce: number) =>
    Effect.gen(function*() {
      const head = Number(yield* node.call("klay_blockNumber", [], Hex.BigIntFromQuantity))
      const isAbove = (block: number) => Effect.map(count(address, quantity(block)), (next) => next > nonce)
      if (!(yield* isAbove(head))) return Option.none<FoundTransaction>()
      const number = yield* firstAbove(head, isAbove)
      const block = yield* node.call("klay_getBlockByNumber", [quantity(number), true], Block)
      const mine = (block?.transactions ?? []).find((transaction) =>
        Option.exists(
          Schema.decodeUnknownOption(Sender)(transaction),
          (sender) => sender.from === address && Number(sender.nonce) === nonce
        )
      )
      const transaction = Schema.decodeUnknownOption(Transaction)(mine)
      if (Option.isNone(transaction)) {
        return yield* new LookupFailed({
          problem: `nonce ${nonce} of ${Address.checksum(address)} was taken in block ${number}, ` +
            "but the node shows no such transaction there"
        })
      }
      return Option.some(found(transaction.value, yield* stateIn(transaction.value.hash)))
    })

  return { nextNonce: (address: Address.Address, at?: "latest" | "pending") => count(address, at ?? "latest"), byNonce }
}

const withoutNode = {
  nextNonce: () =>
    new LookupFailed({
      problem: "the nonce of an account is asked of the node: set endpoints.node, or KLAYTN_NODE_URL for a " +
        "configuration from the environment, or provide a TransactionLookup"
    }),
  byNonce: () =>
    new LookupFailed({
      problem: "the transaction of a nonce is searched at the node: set endpoints.node, or KLAYTN_NODE_URL for a " +
        "configuration from the environment, or provide a TransactionLookup"
    })
}

export const make = (wallet: ServiceClient.ServiceClient) =>
  Effect.gen(function*() {
    const node = wallet.settings.endpoints.node === undefined
      ? withoutNode
      : withNode(Nodes.make(yield* ServiceClient.make("node")))
    const byHash = (hash: Hash.Hash): Effect.Effect<Option.Option<FoundTransaction>, LookupFailed> =>
      wallet.call(WalletAdditionsApi.getTransaction, { path: { hash } }).pipe(
        Effect.map((receipt) => Option.some(found(receipt, stateOf(receipt)))),
        Effect.catchAll((error) =>
          "code" in error && error.code === codes.unknownTransaction
            ? Effect.succeedNone
            : new LookupFailed({ problem: "the transaction could not be looked up", cause: error })
        )
      )
    return { ...node, byHash }
  })
