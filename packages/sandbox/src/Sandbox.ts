/**
 * The service on loopback: two chains with real keys and a real EVM, the service's HTTP interface, and controls for
 * tests.
 *
 * **Details**
 *
 * A request is checked in this order: credential (401), `x-chain-id` (400), path and method (400), parameters in the
 * path, then those in the query (400), then whether the presets exist (404). Every error body has a `requestId`.
 *
 * Where the service's API document leaves something open, the sandbox does the following (inferred unless marked):
 *
 * - A search returns every token transfer together with the coin transfer that triggered it (the API document), even if
 *   `kind` names only tokens. A search by account includes the coin transfer only if the account is its `from` or `to`,
 *   or with `from-only` or `to-only`, is on that side. `exclude-zero-klay` leaves it out if its value is 0, `ca-filter`
 *   always does.
 * - Without a range a search covers the latest 184 days. A range includes both ends; its span and order are checked
 *   against the chain's current time.
 * - A cursor is valid for its chain, operation and filters, with any `size`. For another chain, operation or filter it
 *   is refused with 1040010. Cursors stay valid after a restart on the same database, and after new blocks.
 * - A missing or unknown chain is refused with 1040010, its message ending in `; x-chain-id`. An empty `cursor` counts
 *   as absent.
 * - Paths are compared exactly: a different letter case or a slash at the end makes a different path.
 *
 * The wallet does the following (inferred unless marked):
 *
 * - The body is checked first, then the pools in `x-krn`, then the account. A parameter without a value counts as
 *   absent. A key ID of the wrong form is answered like an unknown key.
 * - The wallet's cursor is empty at the end of a list (the API document), and contains no filter except the pool.
 * - Created keys are in the pool `key-pool` (seen). A registered account is in the account pool of the same name, under
 *   the same hash, and both IDs name its key.
 * - If the update of a registration was executed before, it is not sent again. An account that the wallet has with
 *   another key is refused. An account the wallet can't sign for (a foreign key, roles, an address that never was on
 *   the chain) is still registered, as on the service, with status `corrupted`.
 * - Without a `seed`, signatures are random, as on the service: if the same transaction is signed again, its hash
 *   differs.
 * - Without a fee payer in `POST /v2/tx/value` the service's global fee payer pays (the API document), unless
 *   `feePayerStyle` says otherwise.
 * - A fee payer signs a raw transaction again, even if it already has a signature (seen), unless `feePayerSignsAnew` is
 *   false.
 * - Raw transactions may be the bytes that their sender signs (`SigRLP`).
 * - `status=corrupted`, and whether an account can sign, are read from the chain each time.
 * - The counts of accounts and of keys both return the number of keys; each account has one.
 * - A missing chain is refused with 1061608, an unknown one with 1061615, an unknown pool with 1061010 and its name. A
 *   request that names pools, but none of the type that its operation needs, is refused in the same way: no account is
 *   created for the name of a fee-payer pool.
 *
 * All times (of blocks, delays and the log of requests) come from the `Clock` of the program that builds the layer: a
 * test clock has to be adjusted for time to pass.
 *
 * **Example** (the SDK against a sandbox of its own)
 *
 * ```ts
 * import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
 * import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
 * import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
 * import * as Effect from "effect/Effect"
 * import * as Layer from "effect/Layer"
 *
 * const program = Effect.gen(function*() {
 *   const { control, chains } = yield* Sandbox.Sandbox
 *   yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 10n ** 18n })
 *   const history = yield* TransferHistory.TransferHistory
 *   return yield* history.getTransfersByEoa({ address: chains.account("alice").address })
 * })
 *
 * export const runnable = program.pipe(
 *   Effect.provide(TransferHistory.layer()),
 *   Effect.provide(Layer.merge(Sandbox.clientConfig(1001), FetchHttpClient.layer)),
 *   Effect.provide(Sandbox.layer())
 * )
 * ```
 */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import type { FeePayerStyle } from "@effect-klaytn/core/FeePayerStyle"
import { encodeMethod } from "@effect-klaytn/indexer/Abi"
import { Cursors } from "@effect-klaytn/indexer/Cursors"
import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import * as Deviation from "@effect-klaytn/local-chain/Deviation"
import { Bodies } from "@effect-klaytn/service/Bodies"
import { deriveKey } from "@effect-klaytn/service/Derive"
import { RequestIds } from "@effect-klaytn/service/RequestIds"
import { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import type * as HttpApp from "@effect/platform/HttpApp"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import type { ChainId } from "./Chain.js"
import type * as Chains from "./Chains.js"
import * as Control from "./Control.js"
import { PoolName } from "./ControlInput.js"
import * as control from "./internal/control/controlService.js"
import * as unanswered from "./internal/control/unanswered.js"
import { DevRpcState } from "./internal/devRpc/DevRpcState.js"
import { withChainTime } from "./internal/http/chainTime.js"
import { CredentialStore } from "./internal/http/CredentialStore.js"
import * as dataService from "./internal/http/dataService.js"
import { buildLater, isControl, isDevRpc, isExplorer, isNode, isOpenApi, route } from "./internal/http/dispatch.js"
import { Faults } from "./internal/http/Faults.js"
import * as guard from "./internal/http/guard.js"
import { hostOf, listen } from "./internal/http/listen.js"
import * as pipeline from "./internal/http/pipeline.js"
import { RequestLog } from "./internal/http/RequestLog.js"
import * as serviceUpgrades from "./internal/http/serviceUpgrades.js"
import type { Upgrades } from "./internal/http/upgrades.js"
import { settingsOf } from "./internal/NodeSettings.js"
import * as openedChains from "./internal/openedChains.js"
import { openVault } from "./internal/wallet/openVault.js"
import { globalFeePayer, openWallet, payerBalance } from "./internal/wallet/openWallet.js"
import { SandboxError } from "./SandboxError.js"

/**
 * The options of a sandbox. All have defaults.
 *
 * @category models
 */
export interface Options extends Omit<Chains.ChainsOptions, "accounts"> {
  /** Port to listen on. Default: 0, any that is free. */
  readonly port?: number
  /**
   * Address to listen on: `127.0.0.1` (default), another of 127.0.0.0/8, `::1` or `localhost`; with `expose`, any IP address of
   * this machine, such as `0.0.0.0` in a container. All others are refused.
   */
  readonly host?: string
  /**
   * Whether other machines may reach it, which needs `credentials` of yours. The controls, the explorer and the OpenAPI
   * document then ask for the credential too, and the JSON-RPC for development, which asks for none, is off unless `devRpc` is
   * `true`. Default: no.
   *
   * Whoever has the credential can use every key of the sandbox, change its chains and stop payments. There is no encryption:
   * the credential is readable on the network. Use it in a container's network or on a test machine, never on the internet.
   */
  readonly expose?: boolean
  /** The first credential. Default: one of the seed. */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: Redacted.Redacted<string>
  }
  /**
   * Names of accounts that have coin from the genesis block on, a million KLAY on each chain. Default: alice, bob,
   * carol, dave and erin.
   */
  readonly accounts?: ReadonlyArray<string>
  /**
   * The key that encrypts the secrets of the wallet in the database (AES-256-GCM): 64 hexadecimal digits are the key
   * itself; a key is derived from any other text. Default: random in memory; beside a database file, the key in the
   * file of the same name with `.key` behind it, which is made with mode 0600 if neither it nor the wallet is there.
   */
  readonly walletKey?: Redacted.Redacted<string>
  /** Names of pools beside `default`, for accounts, fee payers and keys, on each chain. Default: none. */
  readonly pools?: ReadonlyArray<string>
  /**
   * ID of the customer in the names of its resources. Default: a UUID of the seed. A database keeps the one it was made
   * with.
   */
  readonly accountId?: string
  /**
   * What the block `pending` means for a node's methods: the latest block (`latest`, default), or no block (`refused`),
   * as for nodes without a pending block. The nonce at `pending` includes the pool either way.
   */
  readonly pendingBlock?: "latest" | "refused"
  /**
   * Whether the node answers for the state of old blocks: of all (`kept`, default), as a node for archives, or as a full node
   * of the newest 128 blocks and of every 128th (`pruned`); for any other it says `missing trie node`.
   */
  readonly oldState?: "kept" | "pruned"
  /**
   * Whether the node is one of release 2.2.1 that was started without options: it refuses to anchor data (unless `anchoring`), knows no
   * transaction by its sender's hash (unless `senderTxHashIndex`), and lacks what older nodes and the service have: `gasPriceAt`,
   * `eth_estimateComputationCost`, and the overrides of calls that only some methods take there. Default: no.
   */
  readonly nodeDefaults?: boolean
  /**
   * Whether the node finds transactions by their hash without the fee payer, as one does that was started with
   * `--sendertxhashindexing`. Default: yes, and no with `nodeDefaults`.
   */
  readonly senderTxHashIndex?: boolean
  /** Whether the explorer is served at `/`. Default: yes. */
  readonly explorer?: boolean
  /**
   * Whether each chain is served as JSON-RPC without a credential at `/rpc/1001` and `/rpc/8217`, for tools that take
   * only a URL. Default: yes, and no with `expose`.
   */
  readonly devRpc?: boolean
  /**
   * Origins of web pages that may use the JSON-RPC for development, such as `https://dapp.example`, beside pages of
   * this machine. They can send from all development accounts. Default: none.
   */
  readonly devRpcOrigins?: ReadonlyArray<string>
  /**
   * Who pays for `POST /v2/tx/value`: by the service's API document (`document`, default) its global fee payer where no
   * fee payer is named, as public clients read it (`paths`) the sender. {@link clientConfig} gives clients the reading that it
   * is.
   */
  readonly feePayerStyle?: FeePayerStyle
  /**
   * Whether a fee payer signs a raw transaction again that already has its signature, as the published answers of the
   * service show. The hash then differs from that of the bytes in the request. Default: yes. If not, such bytes are
   * sent as they are.
   */
  readonly feePayerSignsAnew?: boolean
  /** The word for the native coin in answers: `klay` (default), the only one seen, or `coin`, the API document's. */
  readonly coinWord?: "klay" | "coin"
}

/**
 * A running sandbox.
 *
 * @category services
 */
export class Sandbox extends Context.Tag("@effect-klaytn/sandbox/Sandbox")<Sandbox, {
  /** The base address of all services, such as `http://127.0.0.1:40001`, without a trailing slash. */
  readonly url: string
  /** The address of a chain's JSON-RPC for development; undefined if that is turned off. */
  readonly rpcUrl: (chain: ChainId) => string | undefined
  readonly accessKeyId: string
  readonly secretAccessKey: Redacted.Redacted<string>
  /** The accounts of the options, with their keys. `chains.account` gives them by name. */
  readonly accounts: ReadonlyArray<DevAccount & { readonly name: string }>
  /** ID of the customer, a part of all names of resources. */
  readonly accountId: string
  /** How it reads the fee payer of a value transfer. */
  readonly feePayerStyle: FeePayerStyle
  /** The file that the key of the wallet was read from; undefined if the key is an option, or random. */
  readonly walletKeyFile: string | undefined
  readonly control: Control.Service
  readonly chains: Context.Tag.Service<Chains.Chains>
}>() {}

const names: ReadonlyArray<string> = ["alice", "bob", "carol", "dave", "erin"]

/** A million KLAY. */
const balance = 10n ** 24n

const refused = (reason: SandboxError["reason"], message: string): SandboxError => new SandboxError({ reason, message })

const isPoolName = Schema.is(PoolName)

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && new URL(text).origin === text && text !== "null" && !text.includes("*")

/** Checks credentials, names in resource names, and that origins are written as browsers send them. */
const check = (
  { accountId, credentials, devRpcOrigins = [], expose = false, pools = [] }: Options
): Effect.Effect<void, SandboxError> =>
  Effect.gen(function*() {
    if (credentials !== undefined) {
      yield* Either.mapLeft(Credentials.fromPair(credentials), ({ message }) => refused("Credentials", message))
    } else if (expose) {
      return yield* refused(
        "Credentials",
        "an exposed sandbox needs a credential of yours: those of a seed can be guessed"
      )
    }
    const pool = pools.find((name) => !isPoolName(name))
    if (pool !== undefined) return yield* refused("Pool", `${JSON.stringify(pool)} cannot name a pool`)
    if (accountId !== undefined && !isPoolName(accountId)) {
      return yield* refused("Pool", `${JSON.stringify(accountId)} cannot be the ID of a customer`)
    }
    const origin = devRpcOrigins.find((text) => !isOrigin(text))
    if (origin !== undefined) {
      return yield* refused(
        "Origin",
        `${JSON.stringify(origin)} is no origin; write it like https://dapp.example, without a path`
      )
    }
  })

/** Loaded with the first control request. */
const web = Effect.promise(() => import("./internal/control/web.js"))

/** Loaded with the first request for the OpenAPI document or its page. */
const openApi = Effect.promise(() => import("./internal/openapi/app.js"))

/** Loaded with the first page of the explorer. */
const explorer = Effect.promise(() => import("./internal/explorer/app.js"))

/** Loaded with the first call of a node's method. */
const nodeApp = Effect.promise(() => import("./internal/rpc/app.js"))

/** Loaded with the first request for a chain's JSON-RPC for development. */
const devRpcApp = Effect.promise(() => import("./internal/devRpc/app.js"))

/** Loaded with the first fault for the JSON-RPC for development. */
const devRpcMethods = Effect.promise(() => import("./internal/devRpc/methods.js"))

/** Loaded with the first WebSocket connection. */
const devRpcSocket = Effect.promise(() => import("./internal/devRpc/socket.js"))

/** Loaded with the first request for the wallet. */
const walletApp = Effect.promise(() => import("@effect-klaytn/custody/WalletApp"))

/** The chains with their database, and the wallet in it. */
const openChains = (options: Options, accounts: ReadonlyArray<string>, faults: Faults) =>
  Effect.gen(function*() {
    const { curve, namedAccounts, service: chains, store } = yield* openedChains.open({
      ...options,
      anchoring: anchors(options),
      accounts: [
        ...accounts.map((name) => ({ name, balance })),
        { name: globalFeePayer, balance: payerBalance }
      ],
      submitFault: (chainId) => faults.takeSend(chainId)
    })
    const database = options.database === ":memory:" ? undefined : options.database
    const { keyFile, vault } = yield* openVault({ store, database, walletKey: options.walletKey })
    const keysOf = database === undefined ? options.seed : undefined
    const wallet = yield* openWallet({ chains, store, curve, vault, customer: options.accountId, keysOf })
    yield* wallet.createPools(options.pools ?? [])
    return { chains, wallet, keyFile, namedAccounts, reader: (chainId: ChainId) => store.chain(chainId).index.rows }
  }).pipe(Effect.catchTag("StoreFailure", ({ message }) => refused("Store", message)))

const anchors = ({ anchoring, nodeDefaults }: Options): boolean => anchoring ?? nodeDefaults !== true

/** Where a sandbox with these options differs from a node. */
const deviationsOf = (options: Options): ReadonlyArray<Deviation.Deviation> => {
  const { hasMore, senderTxHashIndex } = settingsOf(options)
  const holds = { anchoring: anchors(options), senderTxHashIndex, nodeDefaults: hasMore }
  return Deviation.all.filter(({ unless }) => unless === undefined || holds[unless])
}

/** What the parts of a sandbox work with. */
const openParts = (options: Options, accounts: ReadonlyArray<string>) => {
  const faults = new Faults()
  return Effect.map(openChains(options, accounts, faults), (opened) => {
    const ids = new RequestIds(options.seed)
    return {
      ...opened,
      credentials: new CredentialStore(opened.chains.seed, options.credentials),
      ids,
      refusals: new ServiceRefusals(ids),
      requestLog: new RequestLog(),
      bodies: new Bodies(),
      faults
    }
  })
}

type Parts = Effect.Effect.Success<ReturnType<typeof openParts>>

const styleOf = ({ feePayerStyle = ClientConfig.defaults.feePayerStyle }: Options): FeePayerStyle => feePayerStyle

/** What a KLAY costs here: the service has the rates of the day. */
const rates = { krwPerMille: 350_000n, usdPerMille: 250n }

/** History, tokens, the wallet and the node, as one. Each is loaded with its first request. */
const serviceOf = (options: Options, parts: Parts) =>
  Effect.gen(function*() {
    const { chains: { chain, seed }, credentials, ids, refusals, wallet } = parts
    const { coinWord = "klay", feePayerSignsAnew: signsAnew = true } = options
    const settings = { style: styleOf(options), signsAnew, keepsCoin: false, rates, encodeMethod }
    const data = yield* dataService.make({
      chain,
      callers: credentials,
      wallet: yield* buildLater(
        Effect.flatMap(walletApp, (module) => module.make({ wallet, callers: credentials, ids, settings }))
      ),
      cursors: new Cursors(deriveKey(seed, "cursors")),
      refusals,
      coin: coinWord
    })
    const node = yield* buildLater(
      Effect.map(nodeApp, (module) => module.make({ chain, credentials, refusals, settings: settingsOf(options) }))
    )
    return route([{ owns: isNode, app: node }], data)
  })

/** The chains' JSON-RPC for development, over HTTP and over WebSocket; undefined if it is turned off. */
const devRpcOf = (
  options: Options,
  { bodies, chains, faults, ids, namedAccounts }: Parts,
  controls: Control.Service,
  guards: guard.Guards
) =>
  Effect.gen(function*() {
    if (!(options.devRpc ?? options.expose !== true)) return undefined
    const accounts = () => namedAccounts.list().map(([, account]) => account)
    const states = new Map(chains.all.map(({ chainId }) => [chainId, new DevRpcState(accounts)] as const))
    const parts = {
      chains,
      bodies,
      settings: settingsOf(options),
      states,
      controls: Effect.succeed(controls),
      faults,
      ids
    }
    const upgrades: Upgrades = {
      owns: (path) => isDevRpc("GET", path),
      whyNot: guards.whyNotDevRpc,
      make: Effect.flatMap(devRpcSocket, (module) => module.make(parts))
    }
    const app = yield* buildLater(Effect.map(devRpcApp, (module) => module.make(parts)))
    return { app: guards.devRpc(app), upgrades }
  })

/** All that a sandbox answers: the service, the controls, the OpenAPI document and the explorer. */
const appOf = (
  options: Options,
  parts: Parts,
  controls: Control.Service,
  devRpc: HttpApp.Default | undefined,
  guards: guard.Guards
) =>
  Effect.gen(function*() {
    const { bodies, chains, credentials, faults, namedAccounts, reader, requestLog, wallet } = parts
    const service = yield* serviceOf(options, parts)
    const accounts = () => namedAccounts.list()
    const pages = yield* buildLater(
      Effect.map(explorer, (module) =>
        module.make({ chain: chains.chain, wallet: wallet.chain, reader, accounts, requestLog, faults }))
    )
    const control = yield* buildLater(
      Effect.flatMap(web, (module) =>
        module.make(controls, bodies, unanswered.make(service, credentials)))
    )
    const document = yield* buildLater(Effect.map(openApi, (module) => module.make(credentials.first)))
    return route(
      [
        { owns: isControl, app: guards.control(control) },
        { owns: isOpenApi, app: guards.page(document) },
        ...(devRpc === undefined ? [] : [{ owns: isDevRpc, app: devRpc }]),
        ...(options.explorer === false ? [] : [{ owns: isExplorer, app: guards.page(pages) }])
      ],
      guards.service(
        withChainTime(pipeline.make(service, parts), options.clock, (chainId) => chains.chain(chainId).now)
      )
    )
  })

/**
 * Starts a sandbox for the lifetime of a scope.
 *
 * @category constructors
 */
export const make = (
  options: Options = {}
): Effect.Effect<Context.Tag.Service<Sandbox>, SandboxError, Scope.Scope> =>
  Effect.gen(function*() {
    const host = yield* hostOf(options.host ?? "127.0.0.1", options.expose === true)
    yield* check(options)
    const accounts = options.accounts ?? names
    const parts = yield* openParts(options, accounts)
    const { chains, credentials, keyFile, namedAccounts, wallet } = parts
    for (const name of accounts) namedAccounts.add(name)
    const hasRpcMethod = (name: string) => Effect.map(devRpcMethods, ({ isServed }) => isServed(name))
    const controls = control.make({
      ...parts,
      chain: chains.chain,
      hasRpcMethod,
      deviations: deviationsOf(options)
    })
    const guards = guard.make(
      options.expose === true ? (header) => credentials.check(header) === "ok" : undefined,
      new Set(options.devRpcOrigins)
    )
    const devRpc = yield* devRpcOf(options, parts, controls, guards)
    const app = yield* appOf(options, parts, controls, devRpc?.app, guards)
    const service = serviceUpgrades.make({
      ...parts,
      chain: chains.chain,
      guards,
      settings: settingsOf(options)
    })
    const upgrades = devRpc === undefined ? [service] : [service, devRpc.upgrades]
    const url = yield* listen(app, { host, port: options.port ?? 0 }, upgrades)
    return {
      url,
      rpcUrl: (chain: ChainId) => devRpc && `${url}/rpc/${chain}`,
      ...credentials.first,
      accounts: accounts.map((name) => ({ name, ...chains.account(name) })),
      accountId: wallet.customer,
      feePayerStyle: styleOf(options),
      walletKeyFile: keyFile,
      control: controls,
      chains
    }
  })

/**
 * A sandbox as a layer, stopped and forgotten with its scope unless it has a database.
 *
 * @category layers
 */
export const layer = (options?: Options): Layer.Layer<Sandbox | Control.Control, SandboxError> =>
  Layer.scopedContext(
    Effect.map(make(options), (sandbox) =>
      Context.make(Sandbox, sandbox).pipe(Context.add(Control.Control, sandbox.control)))
  )

/**
 * The configuration for SDK clients of the sandbox: all services at its address, with its first credential and its fee
 * payer style.
 *
 * @category layers
 */
export const clientConfig = (
  chain: ChainId,
  behaviour: ClientConfig.Behaviour = {}
): Layer.Layer<ClientConfig.ClientConfig, never, Sandbox> =>
  Layer.effect(
    ClientConfig.ClientConfig,
    Effect.flatMap(Sandbox, ({ accessKeyId, feePayerStyle, secretAccessKey, url }) =>
      ClientConfig.make({
        ...behaviour,
        chain,
        credentials: Effect.suspend(() => Credentials.fromPair({ accessKeyId, secretAccessKey })),
        endpoints: { history: url, tokens: url, wallet: url, node: url, resource: url },
        feePayerStyle
      })).pipe(
        // A loopback address is never refused.
        Effect.orDie
      )
  )
