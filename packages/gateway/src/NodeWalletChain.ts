/**
 * The chain of a wallet, as a node shows it over JSON-RPC.
 *
 * **Details**
 *
 * Each member is one call of the node, or a few of one request. A copy of the node that lags behind gives older answers: nothing is
 * concluded from the absence of a transaction alone, see {@link make}.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import { NodeFailure, TransactionRejected } from "@effect-klaytn/custody/CustodyError"
import type { ContractCall, MinedTransaction, RemoteChain, Verdict } from "@effect-klaytn/custody/WalletChain"
import { accountMethods } from "@effect-klaytn/node/AccountMethods"
import type { Service as Node } from "@effect-klaytn/node/KlaytnNode"
import * as Method from "@effect-klaytn/node/Method"
import type { Receipt } from "@effect-klaytn/node/Receipt"
import { isRpcError } from "@effect-klaytn/node/RpcError"
import { transactionMethods } from "@effect-klaytn/node/TransactionMethods"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { accountKeyOf } from "./internal/accountKeyOf.js"

type Failing = { readonly _tag: string; readonly message: string }

const failed = (operation: string) => (error: Failing): NodeFailure =>
  new NodeFailure({ operation, message: `the node did not answer ${operation}: ${error.message}` })

const quantity = (value: bigint | number): number => Number(value)

/** The errors of a node that mean that an earlier copy of the same bytes may have been accepted. */
const doubtful: ReadonlySet<string> = new Set(["KnownTransaction", "NonceTooLow", "MethodNotFound"])

const submitRaw = (node: Node, raw: Hex): Effect.Effect<Hex, TransactionRejected | NodeFailure> =>
  Effect.mapError(node.klay.sendRawTransaction(raw), (error) =>
    isRpcError(error) && !doubtful.has(error._tag)
      ? new TransactionRejected({ reason: error._tag, message: error.serviceMessage })
      : failed("send")(error))

/** The fields of a transaction of a block that a receipt has. */
const minedOf = (receipt: Receipt, raw: Hex, timestamp: number): MinedTransaction => {
  const gasPrice = receipt.effectiveGasPrice ?? receipt.gasPrice ?? 0n
  return {
    hash: receipt.transactionHash,
    senderTxHash: receipt.senderTxHash ?? receipt.transactionHash,
    typeInt: receipt.typeInt,
    from: receipt.from,
    to: "to" in receipt ? receipt.to : undefined,
    raw,
    blockHash: receipt.blockHash ?? "0x",
    blockNumber: quantity(receipt.blockNumber ?? 0n),
    transactionIndex: quantity(receipt.transactionIndex ?? 0n),
    timestamp,
    gasPrice,
    gasUsed: receipt.gasUsed,
    status: receipt.status === 1 ? 1 : 0,
    fee: receipt.gasUsed * gasPrice,
    feePayer: "feePayer" in receipt ? receipt.feePayer : undefined,
    feeRatio: "feeRatio" in receipt ? receipt.feeRatio : undefined,
    contractAddress: receipt.contractAddress
  }
}

/** The bytes of a transaction, without the prefix of Ethereum types; none if the node does not have it. */
const rawOf = (node: Node, hash: Hex): Effect.Effect<Option.Option<Hex>, NodeFailure> =>
  Effect.mapBoth(node.klay.getRawTransactionByHash(hash), {
    onFailure: failed("rawTransaction"),
    onSuccess: Option.map((raw): Hex => /^0x780[1-7f]/i.test(raw) ? `0x${raw.slice(4)}` : raw)
  })

const transaction = (node: Node, hash: Hex): Effect.Effect<Option.Option<MinedTransaction>, NodeFailure> =>
  Effect.gen(function*() {
    const receipt = Option.getOrUndefined(
      yield* Effect.mapError(node.klay.getTransactionReceipt(hash), failed("receipt"))
    )
    if (receipt?.blockNumber === undefined) return Option.none()
    const raw = Option.getOrUndefined(yield* rawOf(node, hash))
    if (raw === undefined) return yield* failed("rawTransaction")({ _tag: "", message: "it lags behind its receipts" })
    const { timestamp } = yield* Effect.mapError(node.klay.getBlockByNumber(receipt.blockNumber), failed("block"))
    return Option.some(minedOf(receipt, raw, quantity(timestamp)))
  })

const logsOf = (node: Node, hash: Hex) =>
  Effect.map(
    Effect.mapError(node.klay.getTransactionReceipt(hash), failed("receipt")),
    Option.match({
      onNone: () => ({ logs: [], logsBloom: noBloom }),
      onSome: (receipt) => ({
        logs: receipt.logs.map((log) => ({
          address: log.address,
          topics: log.topics,
          data: log.data,
          blockNumber: quantity(log.blockNumber ?? receipt.blockNumber ?? 0n),
          blockHash: log.blockHash ?? receipt.blockHash ?? noHash,
          transactionHash: hash,
          transactionIndex: quantity(log.transactionIndex ?? receipt.transactionIndex ?? 0n),
          logIndex: quantity(log.logIndex ?? 0n)
        })),
        logsBloom: receipt.logsBloom ?? noBloom
      })
    })
  )

const noHash: Hex = `0x${"00".repeat(32)}`
const noBloom: Hex = `0x${"00".repeat(256)}`

const call = (node: Node, { data, from, gas, to, value }: ContractCall) =>
  node.klay.call({ from, to, gas, value, input: data }).pipe(
    Effect.map((returned) => ({ data: returned })),
    Effect.catchTags({
      ExecutionReverted: () => Effect.succeed({ data: undefined }),
      RpcFailed: () => Effect.succeed({ data: undefined })
    }),
    Effect.mapError(failed("call"))
  )

/**
 * What the blocks say of a send. That a transaction is in a block is evidence by itself. That it can never be is shown by one answer
 * of one copy of the node: it has the state of a block where the nonce is used, and no receipt of the transaction.
 */
const verdict = (node: Node, account: Hex, nonce: bigint, hash: Hex): Effect.Effect<Verdict, NodeFailure> =>
  Effect.gen(function*() {
    const found = yield* Effect.mapError(node.klay.getTransactionReceipt(hash), failed("receipt"))
    if (Option.isSome(found)) return "mined"
    const head = yield* Effect.mapError(node.klay.blockNumber(), failed("blockNumber"))
    const [count, receipt] = yield* Effect.mapError(
      node.runAll([
        Method.call(accountMethods.getTransactionCount, account, head),
        Method.call(transactionMethods.getTransactionReceipt, hash)
      ]),
      failed("nonce")
    )
    if (Either.isLeft(count) || Either.isLeft(receipt)) return "open"
    if (Option.isSome(receipt.right)) return "mined"
    return count.right > nonce ? "replaced" : "open"
  })

/**
 * The chain of a node.
 *
 * @category constructors
 */
export const make = (node: Node, chainId: Chain): Effect.Effect<RemoteChain> =>
  Effect.gen(function*() {
    const genesisTime = yield* Effect.cachedWithTTL(
      Effect.mapBoth(node.klay.getBlockByNumber(0n), {
        onFailure: failed("block"),
        onSuccess: ({ timestamp }) => quantity(timestamp)
      }),
      "1 day"
    )
    const account = (address: Hex): ReturnType<RemoteChain["account"]> =>
      Effect.gen(function*() {
        const found = yield* Effect.mapError(node.klay.getAccount(address), failed("account"))
        if (Option.isNone(found)) return Option.none()
        const { balance, key, nonce } = found.value.account
        const read = accountKeyOf(key)
        return read === undefined
          ? yield* failed("account")({ _tag: "", message: `the key of ${address} is of a kind that is not known` })
          : Option.some({ nonce: BigInt(nonce), balance, key: read })
      })
    return {
      chainId,
      unitPrice: Effect.mapError(node.klay.gasPrice(), failed("gasPrice")),
      now: Effect.map(Clock.currentTimeMillis, (millis) => Math.floor(millis / 1000)),
      genesisTime,
      account,
      pendingNonce: (address) => Effect.mapError(node.klay.getTransactionCount(address, "pending"), failed("nonce")),
      transaction: (hash) => transaction(node, hash),
      pendingTransaction: (hash) =>
        Effect.gen(function*() {
          const found = yield* Effect.mapError(node.klay.getTransactionByHash(hash), failed("transaction"))
          const raw = yield* rawOf(node, hash)
          return Option.zipWith(found, raw, ({ from, senderTxHash, typeInt }, bytes) => ({
            hash,
            senderTxHash: senderTxHash ?? hash,
            typeInt,
            from,
            raw: bytes
          }))
        }),
      logsOf: (hash) => logsOf(node, hash),
      call: (request) => call(node, request),
      submitRaw: (raw) => submitRaw(node, raw),
      verdict: (address, nonce, hash) => verdict(node, address, nonce, hash)
    }
  })
