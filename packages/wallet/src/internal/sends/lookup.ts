/** The look-ups, built on the service and its node. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import type { Settings } from "@effect-klaytn/core/ClientConfig"
import * as Hash from "@effect-klaytn/core/Hash"
import * as HexEncoding from "@effect-klaytn/core/HexEncoding"
import * as JsonRpc from "@effect-klaytn/core/JsonRpc"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { quantity } from "@effect-klaytn/transaction/Hex"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type FoundTransaction, LookupFailed, type Receipt, type Told } from "../../TransactionResult.js"
import { getTransaction } from "../../TransactionsApi.js"
import { codes } from "../../WalletCode.js"
import { maybe, noneAsEmpty } from "../contract/fields.js"

/** Calls to the service's node; their failures become `LookupFailed`. */
interface Node {
  readonly call: <A, I>(
    method: string,
    params: ReadonlyArray<unknown>,
    result: Schema.Schema<A, I>
  ) => Effect.Effect<A, LookupFailed>
}

/** Calls to the node of the configuration; without its address, every call fails. */
export const makeNode = ({ endpoints }: Settings) =>
  endpoints.node === undefined
    ? Effect.succeed<Node>({
      call: (method) =>
        new LookupFailed({
          problem: `${method} needs the node: set endpoints.node, or KLAYTN_NODE_URL for a configuration from the ` +
            "environment, or provide a TransactionLookup"
        })
    })
    : Effect.map(ServiceClient.make("node"), (client): Node => ({
      call: (method, params, result) =>
        Effect.mapError(JsonRpc.call(client, { method, params, result }), (error) =>
          error._tag === "NodeRefused"
            ? new LookupFailed({ problem: `the node refused ${method}: ${error.code} ${error.serviceMessage}` })
            : new LookupFailed({ problem: `${method} failed`, cause: error }))
    }))

/** A nonce or a height. Both grow by one, so neither comes near the largest safe integer. */
const Counted = HexEncoding.BigIntFromQuantity.pipe(
  Schema.filter((count) => count <= BigInt(Number.MAX_SAFE_INTEGER), { message: () => "expected a nonce or a height" })
)

const Transaction = Schema.Struct({
  hash: Hash.FromWire,
  from: Address.FromWire,
  nonce: Counted,
  typeInt: Schema.optionalWith(Schema.Int, { default: () => 0 }),
  to: noneAsEmpty,
  value: maybe(Amount.FromQuantity),
  input: maybe(Schema.String),
  key: maybe(Schema.String),
  feePayer: noneAsEmpty,
  senderTxHash: maybe(Hash.FromWire)
})

const Block = Schema.NullOr(Schema.Struct({ number: maybe(Counted), transactions: Schema.Array(Schema.Unknown) }))

const TransactionReceipt = Schema.NullOr(
  Schema.Struct({ transactionHash: maybe(Hash.FromWire), status: maybe(Schema.String) })
)

/** An answer about something else than was asked for: a copy of the node that is wrong gave it. */
const aboutAnother = (asked: string) =>
  new LookupFailed({ problem: `${asked} was asked for, and the node answered about another one` })

const Sender = Schema.Struct({ from: Address.FromWire, nonce: Counted })

const toFound = (
  transaction: typeof Transaction.Type,
  state: FoundTransaction["state"],
  block: number | undefined
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
  state,
  ...(transaction.senderTxHash === undefined ? {} : { senderTxHash: transaction.senderTxHash }),
  ...(block === undefined ? {} : { block })
})

const states: ReadonlyMap<string, FoundTransaction["state"]> = new Map([
  ["Committed", "succeeded"],
  ["CommitError", "failed"],
  ["Submitted", "waiting"],
  ["Pending", "waiting"]
])

const stateOf = (receipt: Receipt): FoundTransaction["state"] =>
  states.get(receipt.status) ?? ((receipt.blockNumber ?? 0n) === 0n ? "waiting" : "executed")

/** Whether no block can have it any more: the transaction that a block has at its nonce is found by the nonce. */
const isDead = ({ outcome }: Receipt): boolean => outcome?.stage === "cancelled" || outcome?.stage === "replaced"

/** A send that was signed again at a higher price has the hash that a block has. */
const standing = (receipt: Receipt): Receipt => ({ ...receipt, hash: receipt.transactionHash ?? receipt.hash })

/** What the wallet tells of a send that waits. */
const toldOf = ({ outcome }: Receipt): { readonly told?: Told } =>
  outcome === undefined ? {} : { told: { stage: outcome.stage, reason: outcome.reason } }

/** A waiting transaction has block 0. */
const blockOf = ({ blockNumber = 0n }: Receipt): number | undefined =>
  blockNumber > 0n && blockNumber <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(blockNumber) : undefined

/** The most requests of one look-up, not counting retries. */
const maxRequests = 50

/** A node for one look-up that bounds the number of its calls. */
const limitRequests = (node: Node): Node => {
  let made = 0
  return {
    call: (method, params, result) =>
      Effect.suspend(() =>
        made++ < maxRequests
          ? node.call(method, params, result)
          : new LookupFailed({
            problem: `the search would take more than ${maxRequests} requests, so nothing is known: look up fewer ` +
              "nonces at once with byNonce or byNonces, or provide a TransactionLookup with an index of your own"
          })
      )
  }
}

const countOf = (node: Node, address: string, at: string) =>
  Effect.map(node.call("klay_getTransactionCount", [address, at], Counted), Number)

/**
 * Finds the transactions of an account by its transaction count at blocks, from the latest backwards. The search for a
 * nonce reuses the counts and blocks that earlier ones have read.
 */
class Search {
  /** The account's transaction counts after blocks. */
  readonly #counts = new Map<number, number>([[-1, 0]])
  readonly #blocks = new Map<number, ReadonlyArray<unknown>>()

  constructor(
    private readonly node: Node,
    private readonly address: Address.Address,
    private readonly head: number
  ) {}

  #isAbove(block: number, nonce: number): Effect.Effect<boolean, LookupFailed> {
    return Effect.gen(this, function*() {
      const next = this.#counts.get(block) ?? (yield* countOf(this.node, this.address, quantity(block)))
      this.#counts.set(block, next)
      return next > nonce
    })
  }

  /** The first block after which the account's count exceeds the nonce; none if there is no such block. */
  #firstAbove(nonce: number): Effect.Effect<number | undefined, LookupFailed> {
    return Effect.gen(this, function*() {
      if (!(yield* this.#isAbove(this.head, nonce))) return undefined
      let above = Math.min(...[...this.#counts].flatMap(([block, next]) => next > nonce ? [block] : []))
      let below = Math.max(...[...this.#counts].flatMap(([block, next]) => next <= nonce ? [block] : []))
      // Nodes may have pruned old states, so recent blocks are asked first.
      for (let step = 1; below === -1 && above > 0; step *= 4) {
        const block = Math.max(0, above - step)
        if (yield* this.#isAbove(block, nonce)) above = block
        else below = block
      }
      while (above - below > 1) {
        const middle = below + Math.floor((above - below) / 2)
        if (yield* this.#isAbove(middle, nonce)) above = middle
        else below = middle
      }
      return above
    })
  }

  #transactionsOf(number: number): Effect.Effect<ReadonlyArray<unknown>, LookupFailed> {
    return Effect.gen(this, function*() {
      const known = this.#blocks.get(number)
      if (known !== undefined) return known
      const block = yield* this.node.call("klay_getBlockByNumber", [quantity(number), true], Block)
      if (block?.number !== undefined && Number(block.number) !== number) return yield* aboutAnother(`block ${number}`)
      const { transactions = [] } = block ?? {}
      this.#blocks.set(number, transactions)
      return transactions
    })
  }

  #stateOf(hash: string): Effect.Effect<FoundTransaction["state"], LookupFailed> {
    return Effect.flatMap(
      this.node.call("klay_getTransactionReceipt", [hash], TransactionReceipt),
      (receipt): Effect.Effect<FoundTransaction["state"], LookupFailed> => {
        const { status, transactionHash = hash } = receipt ?? {}
        if (transactionHash !== hash) return aboutAnother(`the receipt of ${hash}`)
        return Effect.succeed(status === undefined ? "executed" : Number(status) === 1 ? "succeeded" : "failed")
      }
    )
  }

  /** The transaction with a nonce, if a block holds one. With `withState`, its state is requested too. */
  find(nonce: number, withState: boolean): Effect.Effect<ReadonlyArray<FoundTransaction>, LookupFailed> {
    return Effect.gen(this, function*() {
      const number = yield* this.#firstAbove(nonce)
      if (number === undefined) return []
      const mine = (yield* this.#transactionsOf(number)).find((transaction) =>
        Option.exists(
          Schema.decodeUnknownOption(Sender)(transaction),
          (sender) => sender.from === this.address && Number(sender.nonce) === nonce
        )
      )
      const transaction = Schema.decodeUnknownOption(Transaction)(mine)
      if (Option.isNone(transaction)) {
        return yield* new LookupFailed({
          problem: `nonce ${nonce} of ${Address.checksum(this.address)} was taken in block ${number}, ` +
            "but the node shows no such transaction there"
        })
      }
      const state = withState ? yield* this.#stateOf(transaction.value.hash) : "executed"
      return [toFound(transaction.value, state, number)]
    })
  }
}

const search = Effect.fnUntraced(
  function*(node: Node, address: Address.Address, nonces: ReadonlyArray<number>, withState: boolean) {
    const limited = limitRequests(node)
    const head = Number(yield* limited.call("klay_blockNumber", [], Counted))
    const one = new Search(limited, address, head)
    return (yield* Effect.forEach(nonces, (nonce) => one.find(nonce, withState))).flat()
  }
)

/** What a look-up can be asked. */
export interface Lookup {
  /**
   * The nonce of the account's next transaction: as of the latest block, or with `pending`, after everything that waits
   * at the node.
   */
  readonly nextNonce: (address: Address.Address, at?: "latest" | "pending") => Effect.Effect<number, LookupFailed>
  /** A transaction by its hash, mined or waiting. */
  readonly byHash: (hash: Hash.Hash) => Effect.Effect<Option.Option<FoundTransaction>, LookupFailed>
  /** The mined transaction that took a nonce of an account; none while the nonce is free. */
  readonly byNonce: (
    address: Address.Address,
    nonce: number
  ) => Effect.Effect<Option.Option<FoundTransaction>, LookupFailed>
  /**
   * The mined transactions for several nonces. Those that no block shows yet are left out, in which case a send that is
   * searched for among them can't be identified. Their `state` may be no more than `executed`.
   */
  readonly byNonces: (
    address: Address.Address,
    nonces: ReadonlyArray<number>
  ) => Effect.Effect<ReadonlyArray<FoundTransaction>, LookupFailed>
  /** The number of the newest block. An index of your own may leave it out. */
  readonly head?: Effect.Effect<number, LookupFailed> | undefined
  /**
   * What the wallet of a gateway of your own tells of a send by its hash, also if no block can have it any more; none from a service
   * that tells nothing. An index of your own leaves it out.
   */
  readonly told?: ((hash: Hash.Hash) => Effect.Effect<Option.Option<Told>, LookupFailed>) | undefined
}

/** What the service answers about a hash; none if it knows none. */
const receiptOf = (
  wallet: ServiceClient.ServiceClient,
  hash: Hash.Hash
): Effect.Effect<Option.Option<Receipt>, LookupFailed> =>
  Effect.matchEffect(wallet.call(getTransaction, { path: { hash } }), {
    onFailure: (error) =>
      "code" in error && error.code === codes.unknownTransaction
        ? Effect.succeedNone
        : new LookupFailed({ problem: "the transaction could not be looked up", cause: error }),
    onSuccess: (receipt) => Effect.succeedSome(receipt)
  })

export const make = (wallet: ServiceClient.ServiceClient) =>
  Effect.map(makeNode(wallet.settings), (node): Lookup => ({
    head: Effect.map(node.call("klay_blockNumber", [], Counted), Number),
    nextNonce: (address, at = "latest") => countOf(node, address, at),
    byNonce: (address, nonce) => Effect.map(search(node, address, [nonce], true), Arr.head),
    byNonces: (address, nonces) => search(node, address, nonces, false),
    told: (hash) => Effect.map(receiptOf(wallet, hash), Option.flatMapNullable((receipt) => toldOf(receipt).told)),
    byHash: (hash) =>
      Effect.flatMap(receiptOf(wallet, hash), (found) => {
        if (Option.isNone(found)) return Effect.succeedNone
        const { value: receipt } = found
        return isDead(receipt)
          ? Effect.succeedNone
          : receipt.hash === hash || receipt.senderTxHash === hash
          ? Effect.succeedSome({
            ...toFound(standing(receipt), stateOf(receipt), blockOf(receipt)),
            ...toldOf(receipt)
          })
          : new LookupFailed({ problem: `${hash} was looked up, and the answer is about ${receipt.hash}` })
      })
  }))
