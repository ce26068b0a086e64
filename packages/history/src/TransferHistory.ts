/**
 * The transfer history of the service, as Effects and Streams.
 *
 * **Example** (how much of one token an account received, over all pages)
 *
 * ```ts
 * import * as BalanceChange from "@effect-klaytn/history/BalanceChange"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const received = (account: string, token: string) =>
 *   Effect.gen(function*() {
 *     const history = yield* TransferHistory.TransferHistory
 *     return yield* history.getTransfersByEoa.items({ address: account, contract: token, only: "to" }).pipe(
 *       Stream.mapConcat((transfer) => BalanceChange.of(transfer, account)),
 *       // The coin transfer of the same transaction may come along.
 *       Stream.filter((moved) => moved.asset === "ft"),
 *       Stream.runFold(0n, (sum, moved) => sum + moved.amount)
 *     )
 *   })
 * ```
 */
import * as Address from "@effect-klaytn/core/Address"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as Operations from "@effect-klaytn/core/Operations"
import * as Paged from "@effect-klaytn/core/Paged"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import type * as UnixTime from "@effect-klaytn/core/UnixTime"
import * as Array from "effect/Array"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as HistoryApi from "./HistoryApi.js"
import * as internal from "./internal/searchRange.js"
import * as Kind from "./Kind.js"
import * as PresetId from "./PresetId.js"
import * as Range from "./Range.js"
import type { Transfer } from "./Transfer.js"

const search = {
  /**
   * Kinds to search; all if absent, at least one if given. A page may still contain records of other kinds: the
   * document says that the coin transfer behind a token transfer is included. Filter by `_tag` if you don't want them.
   */
  kinds: Schema.optional(
    Input.atLeastOne(
      Input.oneOf(Kind.Kind, "a kind is one of coin, ft, nft and mt"),
      "give at least one kind, or leave kinds out to search all of them"
    )
  ),
  /** The range of time or blocks, at most six months; the service's default if absent. */
  range: Schema.optional(
    Schema.typeSchema(Range.Range).pipe(Schema.filter((range) => Range.problem(range)))
  ),
  ...Paged.fields,
  /** Leaves out coin transfers whose value is 0. Seen in public clients, not in the API document. */
  excludeZeroCoin: Schema.optional(Schema.Boolean)
}

/**
 * Filters and paging that both searches share. Fields that are left out are not sent.
 *
 * @category models
 */
export interface SearchInput extends Input.Of<typeof search> {}

const ofPresets = {
  /** IDs of presets, at least one; each must already exist in the management console. */
  presets: Input.atLeastOne(PresetId.FromInput, "give the ID of at least one preset"),
  ...search
}

/**
 * Input of `getTransfers`.
 *
 * @category models
 */
export interface TransfersInput extends Input.Of<typeof ofPresets> {}

const ofEoa = {
  /** The account: only transfers from or to it are returned. In a single letter case, or with a correct checksum. */
  address: Address.FromInput,
  /** Only token transfers of this contract. */
  contract: Schema.optional(Address.FromInput),
  /** Only transfers sent (`from`) or received (`to`). Seen in public clients, not in the API document. */
  only: Schema.optional(
    Input.oneOf(Schema.Literal("from", "to"), "only is from (what was sent) or to (what was received)")
  ),
  ...search
}

/**
 * Input of `getTransfersByEoa`.
 *
 * @category models
 */
export interface TransfersByEoaInput extends Input.Of<typeof ofEoa> {}

const ofTransaction = {
  /** 32 bytes in hex with `0x`. */
  transactionHash: Hash.FromWire
}

/**
 * Input of `getTransfersByTxHash`.
 *
 * @category models
 */
export interface TransfersByTxHashInput extends Input.Of<typeof ofTransaction> {}

/**
 * The operations of transfer history.
 *
 * **Details**
 *
 * Input is checked before anything is sent and fails as `InvalidInput`. An unknown preset fails as `NotFound` (code
 * 1040400), and a range that the service refuses as `Rejected` (code 1040011). An unknown transaction is not an error:
 * it has no transfers.
 *
 * @category models
 */
export interface Service {
  /** The transfers of presets, newest first. */
  readonly getTransfers: Paged.List<TransfersInput, Transfer, ReadError>
  /** The transfers from or to an account, newest first. */
  readonly getTransfersByEoa: Paged.List<TransfersByEoaInput, Transfer, ReadError>
  /** The transfers of one transaction; empty if it is unknown. */
  readonly getTransfersByTxHash: (input: TransfersByTxHashInput) => Effect.Effect<ReadonlyArray<Transfer>, ReadError>
}

/**
 * Transfer history as a service.
 *
 * @category services
 */
export class TransferHistory extends Context.Tag("@effect-klaytn/history/TransferHistory")<
  TransferHistory,
  Service
>() {}

type Filters = Schema.Struct.Type<typeof search>

/** Gives an open time range an end, so that it does not grow beyond what a search covers while its list is read. */
const fix = <Params extends Filters>(
  params: Params,
  end: UnixTime.UnixTime | undefined
): Paged.Fixed<Params> | undefined => {
  const range = internal.fixed(params.range, end)
  return range === undefined ? undefined : { params: { ...params, range }, end: range.to }
}

/**
 * Makes a client. Fails as `InvalidInput` if the configuration has no base address for `history`.
 *
 * **Example** (two networks in one program: a client is a value)
 *
 * ```ts
 * import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
 * import type * as Credentials from "@effect-klaytn/core/Credentials"
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 *
 * declare const credentials: Credentials.Provider
 *
 * export const program = Effect.gen(function*() {
 *   const mainnet = yield* TransferHistory.make().pipe(
 *     ClientConfig.provide({ chain: 8217, credentials, endpoints: { history: "https://mainnet.example" } })
 *   )
 *   const testnet = yield* TransferHistory.make().pipe(
 *     ClientConfig.provide({ chain: 1001, credentials, endpoints: { history: "https://testnet.example" } })
 *   )
 *   return { mainnet, testnet }
 * })
 * ```
 *
 * @category constructors
 */
export const make = (): ServiceClient.Make<Service> =>
  Effect.map(Operations.make("history"), ({ list, one, settings }) => {
    const filters = {
      kinds: (kinds: Array.NonEmptyReadonlyArray<Kind.Kind>) => ({
        kind: Array.map(kinds, (kind) => Kind.toWord(kind, settings.dialect))
      }),
      excludeZeroCoin: "exclude-zero-klay"
    } as const
    return {
      getTransfers: list(HistoryApi.getTransfers, ofPresets, filters, { fix }),
      getTransfersByEoa: list(HistoryApi.getTransfersByEoa, ofEoa, {
        ...filters,
        contract: "ca-filter",
        only: (only) => ({
          "from-only": only === "from" ? true : undefined,
          "to-only": only === "to" ? true : undefined
        })
      }, { fix }),
      getTransfersByTxHash: one(HistoryApi.getTransfersByTxHash, ofTransaction, { transactionHash: "hash" }, {
        run: Effect.map(({ items }) => items)
      })
    }
  })

/**
 * Makes a client as a layer. Each call returns a layer with a separate client.
 *
 * @category layers
 */
export const layer = ServiceClient.layer(TransferHistory, make)

/**
 * Makes a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call returns a layer with a separate client.
 *
 * @category layers
 */
export const layerConfig = ServiceClient.layerConfig(TransferHistory, "history", make)
