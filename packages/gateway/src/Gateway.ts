/**
 * The service's transfer history, token data and node access in front of a node of your own.
 *
 * **Details**
 *
 * A gateway follows a node into an index in an SQLite file, or in a Postgres that many gateways share, and serves over HTTP:
 *
 * | Path | What it answers | Credential |
 * | --- | --- | --- |
 * | the operations of `history` and `tokens` | pages of the index, by `DataApp` of `@effect-klaytn/indexer` | yes |
 * | `POST /v1/klaytn` | JSON-RPC of the node, see `NodeAccess` | yes |
 * | `/health` | 200 as long as the process serves | no |
 * | `/ready` | 200 if the process can do the work of its role, 503 if not: `serve` needs a fresh index, `backfill` a node that answers, the others both | no |
 * | `/status` | `GatewayStatus` as JSON | yes |
 * | `/metrics` | the text format of Prometheus | yes |
 *
 * With the option `wallet`, the operations of the wallet are served too, with keys in a file beside the index, see `GatewayWallet`.
 * Everything else is refused with 400 and the code 1010007. A request may name the chain
 * in `x-chain-id`, as for the hosted service, or leave it out; another chain is refused.
 *
 * As long as the index has never reached the newest block of the node, requests for data are answered with 503: their
 * pages would be incomplete. Later, an index that is behind lacks only the newest blocks, and is served.
 *
 * Failures of the node are logged, counted and tried again, and never end a gateway. The only address that it sends anything
 * to is the node's, and redirects are not followed. URIs of tokens are read from contracts and never fetched.
 *
 * **Example** (a gateway in front of a node on this machine)
 *
 * ```ts
 * import * as Gateway from "@effect-klaytn/gateway/Gateway"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * export const main = Layer.launch(
 *   Gateway.layer({ node: { url: "http://127.0.0.1:8551" }, database: "index.db", port: 8218 })
 * ).pipe(Effect.provide(FetchHttpClient.layer))
 * ```
 */
import * as Amount from "@effect-klaytn/core/Amount"
import type { Chain } from "@effect-klaytn/core/Chain"
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as Input from "@effect-klaytn/core/Input"
import type { ServiceClient } from "@effect-klaytn/core/ServiceClient"
import * as UnixTime from "@effect-klaytn/core/UnixTime"
import { unlimited } from "@effect-klaytn/custody/WalletCaller"
import { Cursors } from "@effect-klaytn/indexer/Cursors"
import * as IndexScope from "@effect-klaytn/indexer/IndexScope"
import type { IndexScopeInput, ScopeFilter } from "@effect-klaytn/indexer/IndexScope"
import type * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import type { Callers } from "@effect-klaytn/service/ServiceAccess"
import { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import type * as HttpClient from "@effect/platform/HttpClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import type { GatewayError } from "./GatewayError.js"
import type * as status from "./GatewayStatus.js"
import type { WalletOptions } from "./GatewayWallet.js"
import * as app from "./internal/app.js"
import { whyNoPools } from "./internal/callerRights.js"
import * as connect from "./internal/connect.js"
import { follow } from "./internal/follow.js"
import { FollowProgress, whyDoubted } from "./internal/FollowProgress.js"
import { GatewayMetrics } from "./internal/GatewayMetrics.js"
import * as IndexFile from "./internal/IndexFile.js"
import type { IndexHome, KnownCallers } from "./internal/IndexHome.js"
import * as indexId from "./internal/indexId.js"
import * as IndexServer from "./internal/IndexServer.js"
import { hostOf, listen } from "./internal/listen.js"
import { nodeProblem } from "./internal/nodeProblem.js"
import { Pace } from "./internal/Pace.js"
import * as postgres from "./internal/postgres.js"
import * as presetReader from "./internal/presetReader.js"
import * as PresetTable from "./internal/PresetTable.js"
import * as refusals from "./internal/startRefusals.js"
import { type Observed, statusOf } from "./internal/statusOf.js"
import * as unavailable from "./internal/unavailable.js"
import * as walletFile from "./internal/walletFile.js"
import * as walletOf from "./internal/walletOf.js"
import * as walletRoute from "./internal/walletRoute.js"
import * as PresetFile from "./PresetFile.js"
import type { Presets } from "./Presets.js"

/**
 * The node: its address, and the `Authorization` header that it asks for, if any. Both are secrets, see `OwnNode` of
 * `@effect-klaytn/core`.
 *
 * @category models
 */
export interface NodeOptions extends connect.NodeOptions {}

/**
 * What a process of a gateway does.
 *
 * @category models
 */
export type Role = status.Role

/**
 * Where an index begins: a height, or the first block at or after a Unix second.
 *
 * @category models
 */
export type Since = { readonly block: number } | { readonly second: number }

/**
 * The options of a gateway.
 *
 * @category models
 */
export interface Options {
  readonly node: NodeOptions
  /**
   * The file of the index, which is made if it is missing and locked while the gateway runs; `:memory:` for an index that
   * ends with the gateway. Or the address of a Postgres, `postgres://user:password@host:5432/name`, which any number of
   * gateways may share; that needs the package `@effect/sql-pg`.
   */
  readonly database: string
  /** The schema of the index in Postgres, which is made if it is missing. Default: `klaytn_index`. */
  readonly schema?: string | undefined
  /** How many connections to Postgres answer callers, from 4 to 1,000; 8 more follow the node. Default: 10. */
  readonly maxConnections?: number | undefined
  /**
   * What this process does of an index in Postgres. `serve`: it answers requests for data. `follow`: it follows the node if
   * no other process does, or as soon as that one has ended or hangs. `backfill`: it loads blocks of a new index, beside
   * others that do. `all`: each of these. All roles answer `/health`, `/ready`, `/status`, `/metrics`, and requests to the
   * node. A file has no other role than `all`. Default: `all`.
   */
  readonly role?: Role | undefined
  /** The chain of the node: 8217 or 1001. Default: that of the index, or what the node says if the index is new. */
  readonly chain?: Chain | undefined
  /**
   * The first block of a new index. An index has the scope that it was created with: another one is refused. Without this
   * option, `accounts` and `contracts`, the scope is that of the file. Default of a new index: block 0.
   */
  readonly since?: Since | undefined
  /** The accounts whose transactions are kept, see `IndexScope` of `@effect-klaytn/indexer`. Default: all. */
  readonly accounts?: IndexScopeInput["accounts"]
  /** The contracts whose transactions, tokens and holdings are kept. Default: all. */
  readonly contracts?: IndexScopeInput["contracts"]
  /**
   * Whether the transfer history lists the coin that contracts move, which the node is asked to trace: see `NodeSource` of
   * `@effect-klaytn/indexer`. An index keeps this option: another value is refused. Default of a new index: false, as no
   * answer of the hosted service was seen to list it.
   */
  readonly trace?: boolean | undefined
  /** The IP address to listen on, or `localhost`. Default: 127.0.0.1. */
  readonly host?: string | undefined
  /** The port to listen on. Default: 0, any that is free. */
  readonly port?: number | undefined
  /**
   * Who may send requests. `callers`: those in the file of callers beside the database, see `CallerFile`. `anyone`: every
   * program of this machine, which is refused for another `host`; requests with a foreign `Host` or `Origin` are refused.
   * Default: `callers`.
   */
  readonly access?: "callers" | "anyone" | undefined
  /**
   * How long requests that are under way may take to end when the gateway stops; meanwhile `/ready` answers 503. Default: 10
   * seconds.
   */
  readonly stopWithin?: Duration.DurationInput | undefined
  /**
   * By how many blocks the index may be behind the node and still be ready. The node may stand as many below the index, and 10 in any
   * case: further below, requests for data are refused, too. Default: 10.
   */
  readonly maxLag?: number | undefined
  /**
   * Serves the wallet, with keys in `FILE.wallet`, or in the schema of the index with `_wallet` behind its name in Postgres, which any
   * number of gateways share; refused with `access: "anyone"`. Whoever reads them and the master key has the accounts. Default: no
   * wallet.
   */
  readonly wallet?: WalletOptions | undefined
}

/**
 * A running gateway.
 *
 * @category models
 */
export interface Service {
  /** Its address, such as `http://127.0.0.1:8218`, without a trailing slash. */
  readonly url: string
  readonly chain: Chain
  /** What `/status` answers. */
  readonly status: Effect.Effect<status.GatewayStatus>
  /** The presets that searches can name; kept in `FILE.presets`, or beside the index in Postgres. */
  readonly presets: Presets
  /** Its wallet, if it has one: the customer's ID in the names of resources, and the global fee payer, which you fund. */
  readonly wallet: { readonly accountId: string; readonly globalFeePayer: string } | undefined
}

/**
 * A running gateway.
 *
 * @category services
 */
export class Gateway extends Context.Tag("@effect-klaytn/gateway/Gateway")<Gateway, Service>() {}

const readNumbers = Input.decode(
  "gateway",
  Schema.Struct({
    maxLag: Schema.optional(Input.wholeNumber("expected a whole number of blocks, 0 or more")),
    maxConnections: Schema.optional(Input.wholeNumber("expected a number of connections, from 4 to 1000", 4, 1000)),
    stopWithin: Schema.optional(Input.duration("expected a duration, 0 or more")),
    patience: Schema.optional(Input.duration("expected a duration, 0 or more")),
    cancelAfter: Schema.optional(Input.duration("expected a duration, 0 or more")),
    maxGasPrice: Schema.optional(Amount.Peb),
    gasPriceFactor: Schema.optional(
      Schema.Number.pipe(Schema.between(1, 10, { message: () => "expected a factor from 1 to 10" }))
    ),
    heldGasPriceFactor: Schema.optional(
      Schema.Number.pipe(Schema.between(1, 30, { message: () => "expected a factor from 1 to 30" }))
    ),
    keepDeleted: Schema.optional(Input.duration("expected a duration, 0 or more")),
    lowBalance: Schema.optional(Amount.Peb),
    port: Schema.optional(Input.wholeNumber("expected a port, from 0 to 65535", 0, 65_535)),
    block: Schema.optional(Input.wholeNumber("expected a block number, 0 or more")),
    second: Schema.optional(Input.wholeNumber("expected a Unix second, 0 or more"))
  })
)

const isOpen = ({ access = "callers" }: Options): boolean => access === "anyone"

/** Refuses numbers outside their range before the file is opened. */
const checkNumbers = (
  { maxConnections, maxLag, port, since, stopWithin, wallet }: Options
): Effect.Effect<void, GatewayError> =>
  Effect.mapError(
    readNumbers({
      maxConnections,
      maxLag,
      port,
      stopWithin,
      patience: wallet?.patience,
      cancelAfter: wallet?.cancelAfter,
      maxGasPrice: wallet?.maxGasPrice,
      gasPriceFactor: wallet?.gasPriceFactor,
      heldGasPriceFactor: wallet?.heldGasPriceFactor,
      keepDeleted: wallet?.keepDeleted,
      lowBalance: wallet?.lowBalance,
      ...since
    }),
    ({ path, problem }) => refusals.start(`${path.join(".")}: ${problem}`)
  )

/** The chain of a gateway: of the options, of the file, or of the node. */
const chainOf = (
  { chain }: Options,
  file: IndexHome,
  anyChain: ServiceClient
): Effect.Effect<Chain, GatewayError> => {
  if (chain !== undefined && file.chain !== undefined && chain !== file.chain) {
    return refusals.chain(`the index has chain ${file.chain}, and the options say ${chain}`)
  }
  const known = chain ?? file.chain
  return known === undefined
    ? Effect.mapError(connect.chainOf(anyChain), connect.refuse)
    : Effect.succeed(known)
}

/** The node at the start; nothing if it does not answer, and may later. */
const firstContact = (
  client: ServiceClient,
  options: NodeSource.Options
): Effect.Effect<NodeSource.NodeSource | undefined, GatewayError, Scope.Scope> =>
  Effect.catchAll(connect.source(client, options), (failure) =>
    connect.mayPass(failure)
      ? Effect.as(Effect.logWarning(`the node does not answer yet: ${nodeProblem(failure)}`), undefined)
      : Effect.fail(connect.refuse(failure)))

/** The first block of a beginning. */
const firstBlock = (
  since: Since,
  held: ScopeFilter | undefined,
  node: NodeSource.NodeSource | undefined
): Effect.Effect<Pick<IndexScopeInput, "firstBlock" | "firstSecond">, GatewayError> =>
  Effect.gen(function*() {
    if ("block" in since) return { firstBlock: since.block }
    if (held !== undefined && held.firstSecond === since.second) {
      return { firstBlock: held.firstBlock, firstSecond: since.second }
    }
    if (node === undefined) {
      return yield* refusals.start("the first block at a date is asked of the node, which does not answer")
    }
    const found = yield* Effect.mapError(node.heightAt(since.second), connect.refuse)
    if (found === undefined) return yield* refusals.start("the chain has no block at that date yet")
    return { firstBlock: found, firstSecond: since.second }
  })

/** The scope that the options name, if any. */
const scopeOf = (
  { accounts, contracts, since = { block: 0 } }: Options,
  held: ScopeFilter | undefined,
  node: NodeSource.NodeSource | undefined
): Effect.Effect<IndexScope.IndexScope, GatewayError> =>
  Effect.gen(function*() {
    const beginning = yield* firstBlock(since, held, node)
    return yield* Effect.mapError(
      IndexScope.make({ ...beginning, accounts, contracts }),
      ({ message }) => refusals.start(message)
    )
  })

/** The callers that are let in. */
const callersOf = (
  options: Options,
  home: IndexHome,
  chain: Chain
): Effect.Effect<Callers & KnownCallers, GatewayError, Scope.Scope> => {
  const anyone = unlimited("anyone")
  return isOpen(options)
    ? Effect.succeed({
      check: () => "ok",
      callerOf: () => anyone,
      callerNamed: () => Effect.succeed({ caller: anyone }),
      chain
    })
    : Effect.map(home.callers, (known) => ({ ...known, chain }))
}

/** Opens the database that the options name. */
const openHome = (
  { database, maxConnections = 10, role, schema }: Options,
  { onLease, onRefused }: Pick<IndexServer.Place, "onLease" | "onRefused">
): Effect.Effect<IndexHome, GatewayError, Scope.Scope> =>
  Effect.gen(function*() {
    if (postgres.isAddress(database)) {
      const name = yield* postgres.schemaOf(schema)
      const place = {
        schema: name,
        walletSchema: yield* walletFile.walletSchemaOf(database, name),
        onLease,
        onRefused,
        watching: yield* postgres.client(database, postgres.watching),
        writing: yield* postgres.client(database, postgres.writing)
      }
      return yield* Effect.provideServiceEffect(
        IndexServer.open(place),
        SqlClient,
        postgres.client(database, postgres.answering(maxConnections))
      )
    }
    if (role !== undefined && role !== "all") {
      return yield* refusals.start(
        "a file is opened by one process, which has all roles: name the address of a Postgres"
      )
    }
    if (schema !== undefined) return yield* refusals.start("a file has no schemas: name the address of a Postgres")
    return yield* Effect.tap(IndexFile.open(database), () => onLease(true))
  })

/**
 * Starts a gateway for the lifetime of a scope. It serves and follows the node as soon as this returns, also if the node
 * does not answer yet and the index is not new.
 *
 * @category constructors
 */
export const make = (
  options: Options
): Effect.Effect<Service, GatewayError, Scope.Scope | HttpClient.HttpClient> =>
  Effect.gen(function*() {
    yield* checkNumbers(options)
    const bad = whyNoPools(options.wallet?.pools ?? [])
    if (bad !== undefined) return yield* refusals.wallet(`pools: ${bad}`)
    if (options.wallet !== undefined && isOpen(options)) {
      return yield* refusals.wallet("a gateway with a wallet asks for credentials: create callers")
    }
    const host = yield* hostOf(options.host ?? "127.0.0.1", isOpen(options))
    const metrics = new GatewayMetrics()
    // Asks for the chain ID, whichever chain it is configured with.
    const anyChain = yield* connect.client(options.node, 8217, "index", metrics)
    const progress = new FollowProgress()
    const pace = new Pace()
    const role = options.role ?? "all"
    const file = yield* openHome(options, {
      onLease: (isHeld) =>
        Effect.sync(() => {
          progress.isLeader = isHeld
          metrics.leads(isHeld)
        }),
      onRefused: (why) =>
        Effect.sync(() => {
          progress.unable = why
          if (why !== undefined) metrics.followFailed("StoreFailure")
        })
    })
    const chain = yield* chainOf(options, file, anyChain)
    const client = yield* connect.client(options.node, chain, "index", metrics)
    const caller = yield* connect.client(options.node, chain, "caller", metrics)
    const reading = { trace: options.trace ?? file.isTraced ?? false }
    const source = yield* firstContact(client, reading)
    const hasScope = [options.since, options.accounts, options.contracts].some((option) => option !== undefined)
    const kept = hasScope ? yield* scopeOf(options, file.scope, source) : undefined
    const index = yield* file.open(chain, kept, reading.trace)
    const callers = yield* callersOf(options, file, chain)
    const isServer = postgres.isAddress(options.database)
    const presets = isServer
      ? PresetTable.make(index.store)
      : yield* PresetFile.open(PresetFile.beside(options.database))
    yield* presets.limitTo(index.store.reader.scope)
    const scope = yield* Effect.scope
    const endpoint = client.settings.endpoints.node
    const ids = new RequestIds()
    const wallet = options.wallet === undefined ? undefined : yield* walletOf.open(
      { ...options, chain, callers, callerOf: callers.callerOf, callerNamed: callers.callerNamed, ids, reader: index },
      options.wallet
    )
    const maxLag = options.maxLag ?? 10
    const observed: Observed = {
      chain,
      index,
      role,
      hasWallet: options.wallet !== undefined,
      wallet: Effect.catchAll(
        wallet?.health ?? Effect.succeed(undefined),
        ({ message }) => Effect.as(Effect.logWarning(message), undefined)
      ),
      progress,
      pace,
      host: endpoint === undefined ? "" : Endpoints.host(endpoint),
      maxLag
    }
    const status = statusOf(observed)
    const { drained, url } = yield* listen(
      yield* app.make({
        chain: () => ({
          ...index.store.reader,
          ...(isServer ? {} : presetReader.make(presets)),
          chainId: chain,
          now: UnixTime.now
        }),
        cursors: new Cursors(index.cursorKey),
        indexId: indexId.of(index.store.reader, index.cursorKey),
        coin: "klay",
        refusals: new ServiceRefusals(ids),
        unavailable: unavailable.make(ids),
        client: caller,
        isComplete: role === "all" || role === "serve" ? index.isComplete : Effect.succeed(false),
        whyDoubted: () => whyDoubted(progress, maxLag),
        // Of the connections that answer callers, some are left to the others.
        pagesOfCaller: Math.max(2, Math.floor((options.maxConnections ?? 10) * 0.6)),
        isOpen: isOpen(options),
        callers,
        callerOf: callers.callerOf,
        areCallersKnown: callers.areFresh ?? (() => true),
        metrics,
        status,
        wallet: wallet?.app,
        whyClosed: wallet === undefined ? Effect.succeed(undefined) : walletRoute.whyClosed(wallet.guard)
      }),
      { host, port: options.port ?? 0 },
      metrics
    )
    yield* follow({
      chain,
      connect: source === undefined
        ? Effect.provideService(connect.source(client, reading), Scope.Scope, scope)
        : Effect.succeed(source),
      another: connect.source(client, reading),
      index,
      role,
      progress,
      pace,
      metrics
    })
    // Runs first of all when the scope closes.
    yield* Effect.addFinalizer(() => {
      progress.isStopping = true
      return Effect.timeoutOption(Effect.interruptible(drained), options.stopWithin ?? "10 seconds")
    })
    const own = wallet && { accountId: wallet.accountId, globalFeePayer: wallet.wallet.globalFeePayer.address }
    return { url, chain, status, presets, wallet: own }
  })

/**
 * A gateway as a layer, which stops with its scope.
 *
 * @category layers
 */
export const layer = (options: Options): Layer.Layer<Gateway, GatewayError, HttpClient.HttpClient> =>
  Layer.scoped(Gateway, make(options))
