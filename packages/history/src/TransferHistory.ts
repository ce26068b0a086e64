/**
 * The transfer history of the service, as Effects and Streams.
 *
 * **Example** (how much of one token an account received, over all pages)
 *
 * ```ts
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const received = (account: string, token: string) =>
 *   Effect.gen(function*() {
 *     const history = yield* TransferHistory.TransferHistory
 *     return yield* history.getTransfersByEoa.items({ address: account, contract: token, only: "to" }).pipe(
 *       Stream.filter((transfer) => transfer._tag === "FtTransfer"),
 *       Stream.runFold(0n, (sum, transfer) => sum + transfer.value)
 *     )
 *   })
 * ```
 *
 * @since 0.1.0
 */
import type { ClientConfig } from "@effect-klaytn/core/ClientConfig"
import * as Configuration from "@effect-klaytn/core/ClientConfig"
import type * as Paged from "@effect-klaytn/core/Paged"
import type { InvalidInput, ReadError } from "@effect-klaytn/core/ServiceError"
import type { HttpClient } from "@effect/platform/HttpClient"
import type { ConfigError } from "effect/ConfigError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as internal from "./internal/transferHistory.js"
import type { Kind } from "./Kind.js"
import type { Range } from "./Range.js"
import type { Transfer } from "./Transfer.js"

/**
 * Filters and paging that both searches share. Fields that are left out are not sent.
 *
 * @since 0.1.0
 * @category models
 */
export interface Search {
  /**
   * Kinds to search; all if absent, at least one if given. A page may still contain records of other kinds: the
   * document says that the coin transfer behind a token transfer is included. Filter by `_tag` if you don't want them.
   */
  readonly kinds?: ReadonlyArray<Kind> | undefined
  /** The range of time or blocks, at most six months; the service's default if absent. */
  readonly range?: Range | undefined
  /** Records per page: 1 to 1000, 100 if absent or 0; the service treats more than 1000 as 1000. */
  readonly size?: number | undefined
  /** The cursor of the previous page, with the same filters and size. Streams start at this page. */
  readonly cursor?: string | undefined
  /** Leaves out coin transfers whose value is 0. Seen in public clients, not in the document. */
  readonly excludeZeroCoin?: boolean | undefined
}

/**
 * Input of `getTransfers`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransfersInput extends Search {
  /** IDs of presets, at least one; each must already exist in the management console. */
  readonly presets: ReadonlyArray<string | number>
}

/**
 * Input of `getTransfersByEoa`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransfersByEoaInput extends Search {
  /** The account: only transfers from or to it are returned. In a single letter case, or with a correct checksum. */
  readonly address: string
  /** Only token transfers of this contract. */
  readonly contract?: string | undefined
  /** Only transfers sent (`from`) or received (`to`). Seen in public clients, not in the document. */
  readonly only?: "from" | "to" | undefined
}

/**
 * Input of `getTransfersByTxHash`.
 *
 * @since 0.1.0
 * @category models
 */
export interface TransfersByTxHashInput {
  /** 32 bytes in hex with `0x`. */
  readonly transactionHash: string
}

/**
 * The operations of transfer history.
 *
 * **Details**
 *
 * Input is checked before anything is sent and fails as `InvalidInput`. An unknown preset fails as `NotFound` (code
 * 1040400), and a range that the service refuses as `Rejected` (code 1040011). An unknown transaction is not an error:
 * it has no transfers.
 *
 * @since 0.1.0
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
 * @since 0.1.0
 * @category services
 */
export class TransferHistory extends Context.Tag("@effect-klaytn/history/TransferHistory")<
  TransferHistory,
  Service
>() {}

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
 * @since 0.1.0
 * @category constructors
 */
export const make = (): Effect.Effect<Service, InvalidInput, ClientConfig | HttpClient> => internal.make

/**
 * Makes a client as a layer. Each call returns a layer with a separate client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (): Layer.Layer<TransferHistory, InvalidInput, ClientConfig | HttpClient> =>
  Layer.effect(TransferHistory, make())

/**
 * Makes a client as a layer, configured from the environment; see `ClientConfig.layerConfig` for the variables. Each
 * call returns a layer with a separate client.
 *
 * @since 0.1.0
 * @category layers
 */
export const layerConfig = (
  options?: Configuration.EnvironmentOptions
): Layer.Layer<TransferHistory, ConfigError | InvalidInput, HttpClient> =>
  Layer.effect(TransferHistory, Effect.provide(make(), Configuration.layerConfig({ ...options, service: "history" })))
