/**
 * The chain of a wallet, as a node shows it over JSON-RPC.
 *
 * **Details**
 *
 * Each member is one call of the node, or a few of one request. A copy of the node that lags behind gives older answers: nothing is
 * concluded from the absence of a transaction alone, see {@link make}.
 */
import * as Address from "@effect-klaytn/core/Address"
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Deadline from "@effect-klaytn/core/Deadline"
import * as Hash from "@effect-klaytn/core/Hash"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { NodeFailure, TransactionRejected } from "@effect-klaytn/custody/CustodyError"
import {
  type ContractCall,
  defaultMaxPrice,
  type MinedTransaction,
  payable,
  type PriceRules,
  type Prices,
  pricesAt,
  type RemoteChain,
  type Verdict,
  type VerdictQuery
} from "@effect-klaytn/custody/WalletChain"
import * as WalletMetrics from "@effect-klaytn/custody/WalletMetrics"
import { KlaytnNode, type Service as Node } from "@effect-klaytn/node/KlaytnNode"
import type { Receipt } from "@effect-klaytn/node/Receipt"
import { isRpcError } from "@effect-klaytn/node/RpcError"
import * as Signer from "@effect-klaytn/node/Signer"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as LogsBloom from "@effect-klaytn/transaction/LogsBloom"
import * as Transaction from "@effect-klaytn/transaction/Transaction"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { accountKeyOf } from "./internal/accountKeyOf.js"
import { nodeFailure } from "./internal/nodeProblem.js"
import * as SharedLook from "./internal/sharedLook.js"

const toAddress = Schema.decodeSync(Address.FromWire)
const toHash = Schema.decodeSync(Hash.FromWire)

type Failing = { readonly message: string }

/** A block of a higher number would be thousands of years away, and a later time is in the year 10680. */
const largest = 2 ** 38

/** Why an answer of the node is not believed. Nothing is concluded from it. */
const impossible = (operation: string, value: bigint | number): Effect.Effect<never, NodeFailure> =>
  Effect.zipRight(
    Metric.update(WalletMetrics.impossible.pipe(Metric.tagged("operation", operation)), 1),
    new NodeFailure({ operation, message: `the node answered ${operation} with a number that can't be so: ${value}` })
  )

/** The number of a block, a place in it, or a time in seconds; fails for one that can't be. */
const quantity = (operation: string, value: bigint | number): Effect.Effect<number, NodeFailure> =>
  value >= 0 && value <= largest ? Effect.succeed(Number(value)) : impossible(operation, value)

/** Errors that don't refuse the bytes: an earlier copy may have been accepted, or a node that takes no sends answered. */
const doubtful: ReadonlySet<string> = new Set(["KnownTransaction", "NonceTooLow", "MethodNotFound"])

/** What an answer says beside its kind: the status of a door in front of the node, or the node's own text. */
const factsOf = (error: Effect.Effect.Error<ReturnType<Node["klay"]["sendRawTransaction"]>>) => ({
  ...("status" in error && error.status !== undefined && error.status !== 200 && { status: error.status }),
  ...("serviceMessage" in error && error.serviceMessage !== undefined && error.serviceMessage !== "" &&
    { text: error.serviceMessage })
})

/** Once: a repetition by the client would pass by those that look whether the bytes may leave. */
const submitRaw = (node: Node, raw: Hex): Effect.Effect<Hex, TransactionRejected | NodeFailure> =>
  Effect.mapError(
    RetryPolicy.withRetryPolicy(node.klay.sendRawTransaction(raw), RetryPolicy.none),
    (error) =>
      isRpcError(error) && !doubtful.has(error._tag)
        ? new TransactionRejected({ reason: error._tag, message: error.serviceMessage })
        : nodeFailure("send", factsOf(error))(error)
  )

/** The type of transactions with blobs (EIP-4844), in the envelope of Ethereum's types. */
const blobType = 0x7803

/** What was paid for blobs; undefined where a receipt of a transaction with blobs does not say it. */
const blobFeeOf = ({ blobGasPrice, blobGasUsed, typeInt }: Receipt): bigint | undefined => {
  if (typeInt !== blobType && blobGasUsed === undefined) return 0n
  return blobGasPrice === undefined || blobGasUsed === undefined ? undefined : blobGasUsed * blobGasPrice
}

/** The fields of a transaction of a block that a receipt has, or what it does not say. */
const minedOf = (
  receipt: Receipt,
  raw: Hex,
  place: Pick<MinedTransaction, "blockNumber" | "transactionIndex" | "timestamp" | "blockHash">
): Either.Either<MinedTransaction, string> => {
  const [gasPrice, blobFee] = [receipt.effectiveGasPrice ?? receipt.gasPrice, blobFeeOf(receipt)]
  if (gasPrice === undefined) return Either.left("it names no price of gas")
  if (blobFee === undefined) return Either.left("it does not say what its blobs cost")
  return Either.right({
    hash: receipt.transactionHash,
    senderTxHash: receipt.senderTxHash ?? receipt.transactionHash,
    typeInt: receipt.typeInt,
    from: receipt.from,
    to: "to" in receipt ? receipt.to : undefined,
    raw,
    ...place,
    gasPrice,
    gasUsed: receipt.gasUsed,
    status: receipt.status === 1 ? 1 : 0,
    fee: receipt.gasUsed * gasPrice + blobFee,
    feePayer: "feePayer" in receipt ? receipt.feePayer : undefined,
    feeRatio: "feeRatio" in receipt ? receipt.feeRatio : undefined,
    contractAddress: receipt.contractAddress
  })
}

/** The bytes of a transaction, without the prefix of Ethereum types; none if the node does not have it. */
const rawOf = (node: Node, hash: Hex): Effect.Effect<Option.Option<Hex>, NodeFailure> =>
  Effect.mapBoth(node.klay.getRawTransactionByHash(hash), {
    onFailure: nodeFailure("rawTransaction"),
    onSuccess: Option.map((raw): Hex => /^0x780[1-7f]/i.test(raw) ? `0x${raw.slice(4)}` : raw)
  })

/** Another copy of the node may have what this one lacks: how often one more is asked, and after which time. */
const moreCopies = 8
const betweenCopies = "50 millis"
/** As long as the request of this fiber has time. */
const copies = Schedule.intersect(Schedule.spaced(betweenCopies), Schedule.recurs(moreCopies)).pipe(
  Schedule.whileInputEffect(() => Effect.map(Deadline.left, (left) => left > 0))
)

/** A look that requests share lasts so long at most: it has not the deadline of one of them. */
const lookLimit = "3 seconds"

/** The failure of a request whose time is over before a look that it shares has ended. */
const late = (operation: string) => (): NodeFailure =>
  new NodeFailure({
    operation,
    message: `the time of the request is over: the node has not answered ${operation}, or not the requests before it`
  })

/** The receipt of a transaction, from the first of some answers that has it. */
const receiptOf = (node: Node, hash: Hex): Effect.Effect<Receipt | undefined, NodeFailure> =>
  Effect.mapError(node.klay.getTransactionReceipt(hash), nodeFailure("receipt")).pipe(
    Effect.flatMap(Option.match({ onNone: () => Effect.fail("none" as const), onSome: Effect.succeed })),
    Effect.retry({ while: (error) => error === "none", schedule: copies }),
    Effect.catchIf((error) => error === "none", () => Effect.succeed(undefined))
  )

const transaction = (node: Node, hash: Hex): Effect.Effect<Option.Option<MinedTransaction>, NodeFailure> =>
  Effect.gen(function*() {
    const receipt = yield* receiptOf(node, hash)
    if (receipt?.blockNumber === undefined) return Option.none()
    const { blockHash, transactionIndex } = receipt
    if (blockHash === undefined || transactionIndex === undefined) return yield* unsaid("it does not say where it is")
    const raw = yield* rawOf(node, hash).pipe(
      Effect.flatMap(Option.match({
        onNone: () => Effect.fail(nodeFailure("rawTransaction")({ message: "it lags behind its receipts" })),
        onSome: Effect.succeed
      })),
      Effect.retry(copies)
    )
    const block = Effect.mapError(node.klay.getBlockByNumber(receipt.blockNumber), nodeFailure("block"))
    const { timestamp } = yield* Effect.retry(block, copies)
    const place = {
      blockNumber: yield* quantity("receipt", receipt.blockNumber),
      blockHash,
      transactionIndex: yield* quantity("receipt", transactionIndex),
      timestamp: yield* quantity("block", timestamp)
    }
    return Option.some(yield* Either.mapLeft(minedOf(receipt, raw, place), unsaid))
  })

/** A receipt of a block always says this. */
const unsaid = (message: string): NodeFailure => nodeFailure("receipt")({ message })

const logsOf = (node: Node, hash: Hex) =>
  Effect.gen(function*() {
    const receipt = yield* receiptOf(node, hash)
    if (receipt === undefined) return { logs: [], logsBloom: noBloom }
    const logs = yield* Effect.forEach(receipt.logs, (log) =>
      Effect.gen(function*() {
        const { blockHash, blockNumber, transactionIndex } = { ...receipt, ...log }
        const { logIndex } = log
        if (
          blockHash === undefined || blockNumber === undefined || transactionIndex === undefined ||
          logIndex === undefined
        ) return yield* unsaid("a log of it does not say where it is")
        const place = yield* Effect.all({
          blockNumber: quantity("receipt", blockNumber),
          transactionIndex: quantity("receipt", transactionIndex),
          logIndex: quantity("receipt", logIndex)
        })
        const { address, data, topics } = log
        return { address, topics, data, blockHash, transactionHash: hash, ...place }
      }))
    return { logs, logsBloom: receipt.logsBloom ?? fromBytes(LogsBloom.of(receipt.logs)) }
  })

const noBloom: Hex = `0x${"00".repeat(256)}`

/** No copy lags behind another one by more blocks, and no look is so long ago: a higher number is a lie, or the number before was one. */
const farthest = 1_000_000n

/** Reads at the newest block that any answer has shown, so that a copy that lags can't take back what another has shown. */
const newest = (node: Node) => {
  let seen: bigint | undefined
  const look = Effect.flatMap(Effect.mapError(node.klay.blockNumber(), nodeFailure("blockNumber")), (head) => {
    const known = seen ?? 0n
    if (head > largest || known > 0n && head > known + farthest) return impossible("blockNumber", head)
    if (seen === undefined || head > known || head + farthest < known) seen = head
    return Effect.void
  })
  // Two looks: two copies behind one address often answer by turns.
  const looked = SharedLook.make(Effect.zipRight(look, look), {
    goodFor: "50 millis",
    limit: lookLimit,
    late: late("blockNumber")
  })
  return {
    forget: looked.forget,
    read: <A, E extends Failing>(operation: string, read: (block: bigint) => Effect.Effect<A, E>) =>
      Effect.zipRight(
        looked.read,
        Effect.suspend((): Effect.Effect<A, E | Failing> =>
          seen === undefined ? Effect.fail({ message: "its height is looked up again" }) : read(seen)
        )
      ).pipe(
        Effect.mapError(nodeFailure(operation)),
        Effect.retry(copies),
        // A height at which no copy has a state was no height: without this, one wrong answer would stop every account.
        Effect.tapError(() => Effect.zipRight(Effect.sync(() => seen = undefined), looked.forget))
      )
  }
}

/** The key changes that the node took: until a state shows one, a state without it may be that of a copy that lags behind. */
const keyChanges = () => {
  const last = new Map<Hex, bigint>()
  return {
    /** The account updates are the types 0x20, 0x21 and 0x22. */
    note: (raw: Hex) => {
      const decoded = /^0x2[0-2]/.test(raw) ? Transaction.decode(raw) : undefined
      if (decoded?.ok === true && "from" in decoded.value) last.set(decoded.value.from, decoded.value.nonce)
    },
    isMissing: (address: Hex, nonce: bigint): boolean => nonce <= (last.get(address) ?? -1n)
  }
}

/** The state of an account; from another copy of the node, if there is one, as long as a key change is missing. */
const accountOf = (
  node: Node,
  atNewest: AtNewest,
  { isMissing }: Pick<ReturnType<typeof keyChanges>, "isMissing">,
  address: Hex
): ReturnType<RemoteChain["account"]> => {
  const read = Effect.gen(function*() {
    const found = yield* atNewest("account", (block) => node.klay.getAccount(address, block))
    if (Option.isNone(found)) return Option.none()
    const { balance, key, nonce } = found.value.account
    const known = accountKeyOf(key)
    return known === undefined
      ? yield* nodeFailure("account")({ message: `the key of ${address} is of a kind that is not known` })
      : Option.some({ nonce: BigInt(nonce), balance, key: known })
  })
  const again = (left: number): ReturnType<RemoteChain["account"]> =>
    Effect.flatMap(read, (found) => {
      const nonce = Option.match(found, { onNone: () => 0n, onSome: (state) => state.nonce })
      return left > 0 && isMissing(address, nonce)
        ? Effect.zipRight(Effect.sleep(betweenCopies), again(left - 1))
        : Effect.succeed(found)
    })
  return again(moreCopies)
}

type AtNewest = ReturnType<typeof newest>["read"]

const call = (node: Node, atNewest: AtNewest, { data, from, gas, to, value }: ContractCall) =>
  atNewest("call", (block) =>
    node.klay.call({ from, to, gas, value, input: data }, block).pipe(
      Effect.map((returned) => ({ data: returned })),
      Effect.catchTag("ExecutionReverted", () => Effect.succeed({ data: undefined })),
      Effect.catchIf(
        (error) => error._tag === "RpcFailed" && !/header|block/i.test(error.serviceMessage),
        () => Effect.succeed({ data: undefined })
      )
    ))

/**
 * What the blocks say of a send. Only a block is evidence: one that has the transaction, maybe with another signature of a fee payer,
 * or one that has another transaction with its nonce. Counts and missing receipts may come from a copy that lags behind.
 */
const verdict = (node: Node, { account, hash, nonce, senderHash }: VerdictQuery): Effect.Effect<Verdict> =>
  Signer.reconcile(
    new Signer.SendUnknown({
      from: toAddress(account),
      nonce,
      transactionHash: toHash(hash),
      senderTransactionHash: toHash(senderHash),
      reason: "receipt"
    }),
    { within: 0 }
  ).pipe(
    Effect.as<Verdict>({ _tag: "mined" }),
    Effect.catchTags({
      FailedInBlock: () => Effect.succeed<Verdict>({ _tag: "mined" }),
      Superseded: ({ by }) => Effect.succeed<Verdict>({ _tag: "replaced", by }),
      SendUnknown: () => Effect.succeed<Verdict>({ _tag: "open" }),
      InvalidInput: Effect.die
    }),
    Effect.provideService(KlaytnNode, node)
  )

/** What a unit of gas costs by the newest block; before the upgrade Magma, blocks name no base fee and the node has one price. */
const pricesOf = (node: Node, rules: PriceRules): Effect.Effect<Prices, NodeFailure> =>
  node.klay.getHeaderByNumber("latest").pipe(
    Effect.flatMap(({ baseFeePerGas }) =>
      baseFeePerGas === undefined
        ? Effect.map(node.klay.gasPrice(), (price) => pricesAt(price, { ...rules, factor: 1 }))
        : Effect.succeed(pricesAt(baseFeePerGas, rules))
    ),
    Effect.mapError(nodeFailure("baseFee"))
  )

/** Requests of a moment share one look at the chain of the node. */
const chainFor = "1 second"

/** Fails while the node is on another chain: nothing that it says is of the wallet's, and nothing is sent to it. */
const onChain = (node: Node, chainId: Chain): Effect.Effect<void, NodeFailure> =>
  SharedLook.make(
    node.klay.chainId().pipe(
      Effect.mapError(nodeFailure("chainId")),
      Effect.flatMap((found) =>
        found === BigInt(chainId) ? Effect.void : new NodeFailure({
          operation: "chainId",
          message: `the node is on chain ${found}, and the wallet on chain ${chainId}: nothing is sent until it is back`
        })
      )
    ),
    { goodFor: chainFor, limit: lookLimit, late: late("chainId") }
  ).read

/** Sends of a moment share one look at the newest block. */
const pricesFor = "250 millis"

/**
 * The chain of a node.
 *
 * @category constructors
 */
export const make = (node: Node, chainId: Chain, rules: PriceRules = {}): Effect.Effect<RemoteChain> =>
  Effect.sync(() => {
    const isThere = onChain(node, chainId)
    const there = <A, E>(effect: Effect.Effect<A, E>) => Effect.zipRight(isThere, effect)
    const genesisTime = SharedLook.make(
      there(Effect.flatMap(
        Effect.mapError(node.klay.getBlockByNumber(0n), nodeFailure("block")),
        ({ timestamp }) => quantity("block", timestamp)
      )),
      { goodFor: "1 day", limit: lookLimit, late: late("block") }
    ).read
    const { forget, read: atNewest } = newest(node)
    const changes = keyChanges()
    const prices = SharedLook.make(there(pricesOf(node, rules)), {
      goodFor: pricesFor,
      limit: lookLimit,
      late: late("baseFee")
    }).read
    return {
      chainId,
      unitPrice: Effect.flatMap(prices, payable),
      maxPrice: rules.maxPrice ?? defaultMaxPrice,
      prices,
      blockTime: there(
        Effect.flatMap(
          Effect.mapError(node.klay.getHeaderByNumber("latest"), nodeFailure("block")),
          ({ timestamp }) => quantity("block", timestamp)
        )
      ),
      now: UnixTime.now,
      genesisTime,
      account: (address) => there(accountOf(node, atNewest, changes, address)),
      hasCode: (address) =>
        there(
          atNewest(
            "code",
            (block) => Effect.map(node.klay.getCode(address, block), (code) => code.length > "0x".length)
          )
        ),
      pendingNonce: (address) =>
        there(Effect.mapError(node.klay.getTransactionCount(address, "pending"), nodeFailure("nonce"))),
      transaction: (hash) => there(transaction(node, hash)),
      pendingTransaction: (hash) =>
        there(Effect.gen(function*() {
          const found = yield* Effect.mapError(node.klay.getTransactionByHash(hash), nodeFailure("transaction"))
          const raw = yield* rawOf(node, hash)
          return Option.zipWith(found, raw, ({ from, senderTxHash, typeInt }, bytes) => ({
            hash,
            senderTxHash: senderTxHash ?? hash,
            typeInt,
            from,
            raw: bytes
          }))
        })),
      logsOf: (hash) => there(logsOf(node, hash)),
      call: (request) => there(call(node, atNewest, request)),
      submitRaw: (raw, check = Effect.void) =>
        Effect.ensuring(
          Effect.tap(there(Effect.zipRight(check, submitRaw(node, raw))), () => Effect.sync(() => changes.note(raw))),
          forget
        ),
      verdict: (send) => there(verdict(node, send))
    }
  })
