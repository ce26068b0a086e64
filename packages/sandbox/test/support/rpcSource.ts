/** The blocks of a sandbox's chain as any node would give them: over `/v1/klaytn`, and nothing else. */
import type { BlockSource, MinedTransaction } from "@effect-klaytn/indexer/BlockSource"
import type { Answer, Viewer } from "@effect-klaytn/indexer/Viewer"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { gasOf } from "../../../local-chain/src/internal/calls.js"
import * as Sandbox from "../../src/Sandbox.js"
import { basic } from "./wire.js"

/** The node could not be asked, or refused. */
export class RpcError extends Data.TaggedError("RpcError")<{ readonly code: number; readonly message: string }> {}

type Call = readonly [method: string, ...params: ReadonlyArray<unknown>]
interface Reply {
  readonly id: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

interface RpcBlock extends Readonly<Record<"hash" | "parentHash" | "logsBloom" | "stateRoot", Hex>> {
  readonly transactionsRoot: Hex
  readonly receiptsRoot: Hex
  readonly number: string
  readonly timestamp: string
  readonly gasUsed: string
  readonly size: string
  readonly transactions: ReadonlyArray<Hex>
}

interface RpcReceipt {
  readonly from: Hex
  readonly status: string
  readonly txError?: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly contractAddress: Hex | null
  readonly logs: ReadonlyArray<{ readonly address: Hex; readonly topics: ReadonlyArray<Hex>; readonly data: Hex }>
}

const bytes = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), "hex")
const hex = (data: Uint8Array): Hex => `0x${Buffer.from(data).toString("hex")}`
const quantity = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** A node tells a contract that reverts by a code or by words, and a broken instruction by words for all machine errors. */
const isRefusal = ({ code, message }: RpcError): boolean =>
  code === 3 || message === "evm: execution reverted" || message === "VM error occurs while running smart contract"

/** The chain 1001 of the sandbox as a source. */
export const make: Effect.Effect<BlockSource<RpcError>, never, Sandbox.Sandbox> = Effect.map(
  Sandbox.Sandbox,
  ({ accessKeyId, secretAccessKey, url }) => {
    const headers = {
      authorization: basic(accessKeyId, Redacted.value(secretAccessKey)),
      "x-chain-id": "1001",
      "content-type": "application/json"
    }

    const post = (body: unknown): Effect.Effect<ReadonlyArray<Reply>, RpcError> =>
      Effect.tryPromise({
        try: async () => {
          const response = await fetch(`${url}/v1/klaytn`, { method: "POST", body: JSON.stringify(body), headers })
          return await response.json() as ReadonlyArray<Reply>
        },
        catch: (cause) => new RpcError({ code: 0, message: String(cause) })
      })

    const resultOf = ({ error, result }: Reply): Effect.Effect<unknown, RpcError> =>
      error === undefined ? Effect.succeed(result) : Effect.fail(new RpcError(error))

    const batch = (calls: ReadonlyArray<Call>): Effect.Effect<ReadonlyArray<unknown>, RpcError> =>
      calls.length === 0
        ? Effect.succeed([])
        : Effect.flatMap(
          post(calls.map(([method, ...params], id) => ({ jsonrpc: "2.0", id, method, params }))),
          Effect.forEach(resultOf)
        )

    // The shapes are the node's; what is wrong with one shows as a page that differs.
    const call = <A>(...one: Call): Effect.Effect<A, RpcError> => Effect.map(batch([one]), ([result]) => result as A)

    const missing = (error: RpcError) =>
      error.message.includes("does not exist") ? Effect.succeed(undefined) : Effect.fail(error)

    const viewer = (block: Hex): Viewer<RpcError> => ({
      call: ({ data, gas, to }) => {
        const input = hex(data)
        const message = {
          to,
          data: input,
          gas: quantity(gas + gasOf({ to, data: input }, "osaka").intrinsic),
          gasPrice: "0x0"
        }
        return call<Hex>("klay_call", message, block).pipe(
          Effect.map((result): Answer => ({ kind: "returned", data: bytes(result), gasUsed: 0n })),
          Effect.catchIf(
            (error) => error.code !== 0,
            (error): Effect.Effect<Answer> =>
              Effect.succeed(
                isRefusal(error)
                  ? { kind: "refused", data: bytes("0x"), gasUsed: 0n }
                  : { kind: "failed", data: bytes("0x"), gasUsed: gas }
              )
          )
        )
      },
      code: (address) => Effect.map(call<Hex>("klay_getCode", address, block), bytes)
    })

    return {
      headerHash: (height) =>
        call<RpcBlock>("klay_getHeaderByNumber", quantity(height)).pipe(
          Effect.map(({ hash }) => hash),
          Effect.catchAll(missing)
        ),
      block: (height) =>
        Effect.gen(function*() {
          const found = yield* Effect.catchAll(
            call<RpcBlock>("klay_getBlockByNumber", quantity(height), false),
            missing
          )
          if (found === undefined) return undefined
          const { gasUsed, number, size, timestamp, transactions: hashes, ...header } = found
          const [receipts, ...raws] = yield* batch([
            ["klay_getBlockReceipts", header.hash],
            ...hashes.map((hash): Call => ["klay_getRawTransactionByHash", hash])
          ])
          return {
            header: {
              ...header,
              number: Number(number),
              timestamp: Number(timestamp),
              gasUsed: BigInt(gasUsed),
              size: Number(size)
            },
            transactions: (receipts as ReadonlyArray<RpcReceipt>).map((receipt, index): MinedTransaction => ({
              raw: raws[index] as Hex,
              from: receipt.from,
              receipt: {
                status: receipt.status === "0x1" ? 1 : 0,
                txError: receipt.txError === undefined ? undefined : Number(receipt.txError),
                gasUsed: BigInt(receipt.gasUsed),
                gasPrice: BigInt(receipt.effectiveGasPrice),
                contractAddress: receipt.contractAddress ?? undefined,
                logs: receipt.logs.map(({ address, data, topics }) => ({ address, topics, data: bytes(data) })),
                writes: undefined
              }
            })),
            viewer: viewer(header.hash)
          }
        })
    }
  }
)
