/**
 * A sandbox for tests that are not written with Effect: {@link startSandbox} returns a promise of a running one, with
 * controls that return promises.
 *
 * **Details**
 *
 * The sandbox runs in the process that calls it, on a free port of 127.0.0.1, and everything is in memory. Any client in any
 * language reaches it at `url` with `credentials`; `env` has both as environment variables. Calls reject with an `Error`
 * whose message says what was wrong and what to do. Once `stop` is done, nothing keeps the process alive.
 *
 * **Example** (a payment, without Effect)
 *
 * ```ts
 * import { startSandbox } from "@effect-klaytn/sandbox/testing"
 *
 * const sandbox = await startSandbox({ seed: "shop" })
 * try {
 *   const { address } = await sandbox.control.createAccount("shop")
 *   await sandbox.control.fund("shop", 10n ** 18n)
 *   const answer = await fetch(`${sandbox.url}/rpc/1001`, {
 *     method: "POST",
 *     headers: { "content-type": "application/json" },
 *     body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "klay_getBalance", params: [address, "latest"] })
 *   })
 *   console.log(await answer.json()) // { jsonrpc: "2.0", id: 1, result: "0xde0b6b3a7640000" }
 * } finally {
 *   await sandbox.stop()
 * }
 * ```
 */
import * as Endpoints from "@effect-klaytn/core/Endpoints"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type * as ControlView from "./ControlView.js"
import type { ActiveFault, Fault } from "./Fault.js"
import { readAddress } from "./internal/control/failures.js"
import * as internal from "./internal/promiseSandbox.js"
import type { RequestFilter, RequestRecord } from "./RequestRecord.js"
import * as Sandbox from "./Sandbox.js"

/**
 * The options of {@link startSandbox}: those of `Sandbox.make`, and the chain that the controls act on.
 *
 * @category models
 */
export interface Options extends Omit<Sandbox.Options, "credentials" | "walletKey"> {
  /** 1001 (testnet) by default, or 8217 (mainnet). */
  readonly chain?: 1001 | 8217 | undefined
}

/**
 * An account whose key the sandbox holds, as text.
 *
 * @category models
 */
export interface Account {
  /** Such as `alice`. */
  readonly name: string
  readonly address: string
  /** 0x and 64 hex digits. */
  readonly privateKey: string
}

/**
 * What a test does to the sandbox, as promises. An `account` is a name, such as `alice`, or an address; amounts are in peb
 * (10^18 peb are 1 KLAY).
 *
 * @category models
 */
export interface TestControl {
  /** Creates a named account, whose key the sandbox holds. A known name keeps its account. */
  readonly createAccount: (name: string) => Promise<Account>
  /** Sends coin from the faucet, in a transaction. */
  readonly fund: (account: string, amount: bigint) => Promise<ControlView.Executed>
  /** Changes a balance without a transaction. */
  readonly setBalance: (address: string, amount: bigint) => Promise<void>
  /** Builds blocks of the waiting transactions, or empty blocks: one by default, at most 10,000. */
  readonly mine: (blocks?: number) => Promise<ReadonlyArray<ControlView.MinedBlock>>
  /** Moves the clock of the chain forward. */
  readonly advanceTime: (seconds: number) => Promise<ControlView.ChainState>
  /** Takes a snapshot of the chain, and returns its number for `revert`. */
  readonly snapshot: () => Promise<number>
  /** Undoes everything since a snapshot, which is used up together with all later ones. */
  readonly revert: (snapshot: number) => Promise<ControlView.ChainState>
  /** Empties the pool: all waiting transactions are gone. */
  readonly emptyPool: () => Promise<ControlView.EmptiedPool>
  /** Sets the base fee of the next block, peb; later ones start from it where the base fee moves. */
  readonly setNextBaseFee: (baseFee: bigint) => Promise<ControlView.ChainState>
  /**
   * Takes back the newest blocks and builds as many empty ones in their place. Their transactions wait again (`return`, default),
   * or are gone (`drop`).
   */
  readonly reorg: (depth: number, transactions?: "return" | "drop") => Promise<ControlView.ChainState>
  /** Makes one operation, or all of them, fail, wait or break the connection; or a transaction be refused or forgotten. */
  readonly addFault: (fault: Fault) => Promise<ActiveFault>
  readonly clearFaults: () => Promise<void>
  /** The latest requests that the service received, oldest first. */
  readonly requests: (filter?: RequestFilter) => Promise<ReadonlyArray<RequestRecord>>
}

/**
 * A running sandbox.
 *
 * @category models
 */
export interface TestSandbox {
  /** The base address of all services, such as `http://127.0.0.1:40001`. */
  readonly url: string
  /** The JSON-RPC of the chain for tools that take only a URL; undefined if `devRpc` is turned off. */
  readonly rpcUrl: string | undefined
  readonly chain: 1001 | 8217
  readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** The funded accounts. */
  readonly accounts: ReadonlyArray<Account>
  /** The variables that the clients of this SDK read, for another process: `KLAYTN_CHAIN_ID`, `KLAYTN_WALLET_URL` and so on. */
  readonly env: Readonly<Record<string, string>>
  readonly control: TestControl
  /** Stops it and cuts open connections. Calling it again changes nothing. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a sandbox in this process. Rejects with a `SandboxError` if it can't start: its message says why.
 *
 * @category constructors
 */
export const startSandbox = async ({ chain = 1001, ...options }: Options = {}): Promise<TestSandbox> => {
  const { run, sandbox, stop } = await internal.start(Sandbox.make(options))
  const { accessKeyId, url } = sandbox
  const secretAccessKey = Redacted.value(sandbox.secretAccessKey)
  const on = sandbox.control.chain(chain)
  return {
    url,
    rpcUrl: sandbox.rpcUrl(chain),
    chain,
    credentials: { accessKeyId, secretAccessKey },
    accounts: sandbox.accounts.map((account) => internal.accountOf(account.name, account)),
    env: {
      KLAYTN_CHAIN_ID: String(chain),
      KLAYTN_ACCESS_KEY_ID: accessKeyId,
      KLAYTN_SECRET_ACCESS_KEY: secretAccessKey,
      KLAYTN_FEE_PAYER_STYLE: sandbox.feePayerStyle,
      ...Object.fromEntries(Endpoints.services.map((service) => [Endpoints.variable(service), url]))
    },
    control: {
      createAccount: (name) =>
        run(Effect.map(on.createAccount({ name }), () => internal.accountOf(name, sandbox.chains.account(name)))),
      fund: (to, amount) => run(on.fund({ to, amount })),
      setBalance: (address, balance) =>
        run(Effect.flatMap(readAddress(address), (of) => sandbox.chains.chain(chain).edit(of, { balance }))),
      mine: (blocks = 1) => run(on.mine({ blocks })),
      advanceTime: (seconds) => run(on.advanceTime({ seconds })),
      snapshot: () => run(on.snapshot),
      revert: (snapshot) => run(on.revert(snapshot)),
      emptyPool: () => run(on.emptyPool),
      setNextBaseFee: (baseFee) => run(on.setNextBaseFee({ baseFee })),
      reorg: (depth, transactions) => run(on.reorg({ depth, transactions })),
      addFault: (fault) => run(sandbox.control.addFault(fault)),
      clearFaults: () => run(sandbox.control.clearFaults),
      requests: (filter) => run(sandbox.control.requests(filter))
    },
    stop
  }
}
