/**
 * The sandbox's controls, which change the chains and the service itself, for tests and for trying things out. They are
 * an Effect service here and an HTTP interface under `/_sandbox/`, see `ControlApi`.
 *
 * **Example** (a token, a transfer, and a search by preset)
 *
 * ```ts
 * import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
 * import * as Effect from "effect/Effect"
 *
 * export const prepare = Effect.gen(function*() {
 *   const { control } = yield* Sandbox.Sandbox
 *   const chain = control.chain(1001)
 *   const apples = yield* chain.deploy({ kind: "ft", from: "alice", name: "Apple", symbol: "APL", decimals: 2 })
 *   yield* chain.mint(apples.address, { kind: "ft", from: "alice", to: "alice", amount: 1000n })
 *   yield* chain.transferToken(apples.address, { kind: "ft", from: "alice", to: "bob", amount: 350n, feePayer: "carol" })
 *   return yield* chain.createPreset({ name: "apples", contracts: [apples.address] })
 * })
 * ```
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { ChainId } from "./Chain.js"
import type { ControlFault, InvalidControl, NotFound, TooManyCredentials, TransactionFailed } from "./ControlError.js"
import type * as Input from "./ControlInput.js"
import type * as View from "./ControlView.js"
import type { ActiveFault, Fault } from "./Fault.js"
import type { RequestFilter, RequestRecord } from "./RequestRecord.js"

/**
 * The failures of a transaction made by the controls.
 *
 * @category errors
 */
export type SendError = InvalidControl | NotFound | TransactionFailed | ControlFault

/**
 * The controls of one chain. An account is a name or an address; a signer must be an account whose key the sandbox
 * holds. Transactions are really signed, and are in a block when the effect succeeds.
 *
 * @category models
 */
export interface ChainControl {
  readonly state: Effect.Effect<View.ChainState, ControlFault>
  /** The accounts whose keys the sandbox holds. */
  readonly accounts: Effect.Effect<ReadonlyArray<View.NamedAccount>, ControlFault>
  /** Creates an account with a name, on both chains, and sends it coin on this one. A known name keeps its account. */
  readonly createAccount: (input: typeof Input.CreateAccount.Type) => Effect.Effect<View.NamedAccount, SendError>
  /** Sends coin from the faucet. */
  readonly fund: (input: typeof Input.Fund.Type) => Effect.Effect<View.Executed, SendError>
  /** Sends coin. */
  readonly transfer: (input: typeof Input.Transfer.Type) => Effect.Effect<View.Executed, SendError>
  readonly deploy: (input: typeof Input.Deploy.Type) => Effect.Effect<typeof View.Token.Type, SendError>
  readonly mint: (contract: string, input: typeof Input.Mint.Type) => Effect.Effect<View.Executed, SendError>
  readonly transferToken: (
    contract: string,
    input: typeof Input.TokenTransfer.Type
  ) => Effect.Effect<View.Executed, SendError>
  /** Builds blocks of the waiting transactions, or empty blocks. Default: one. At most 10,000 at once. */
  readonly mine: (
    input?: { readonly blocks?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<View.MinedBlock>, InvalidControl | ControlFault>
  /** Moves the chain's clock forward. */
  readonly advanceTime: (
    input: { readonly seconds: number }
  ) => Effect.Effect<View.ChainState, InvalidControl | ControlFault>
  /** The last 1,000 transactions that were accepted and left the pool without a block, newest last. */
  readonly dropped: Effect.Effect<ReadonlyArray<View.Dropped>>
  /** Empties the pool: all waiting transactions are gone, as after the end of a node without a journal. */
  readonly emptyPool: Effect.Effect<View.EmptiedPool>
  /**
   * Sets the base fee of the next block, above or below what it would be. Where the base fee moves, later blocks start from it,
   * and it returns step by step; otherwise it holds for this block alone.
   */
  readonly setNextBaseFee: (
    input: typeof Input.NextBaseFee.Type
  ) => Effect.Effect<View.ChainState, InvalidControl | ControlFault>
  /** Takes a snapshot of the chain and returns its number for `revert`. */
  readonly snapshot: Effect.Effect<number>
  /** Undoes everything since a snapshot, which is used up together with all later ones. */
  readonly revert: (snapshot: number) => Effect.Effect<View.ChainState, NotFound | ControlFault>
  /**
   * Takes back the newest blocks and builds as many empty ones in their place. Their transactions wait again (`return`, default),
   * or are gone (`drop`).
   */
  readonly reorg: (input: typeof Input.Reorg.Type) => Effect.Effect<View.ChainState, InvalidControl | ControlFault>
  /** Undoes everything since the genesis block. Presets stay. */
  readonly reset: Effect.Effect<View.ChainState, ControlFault>
  readonly presets: Effect.Effect<ReadonlyArray<typeof View.Preset.Type>, ControlFault>
  readonly createPreset: (
    input: typeof Input.CreatePreset.Type
  ) => Effect.Effect<typeof View.Preset.Type, InvalidControl | NotFound | ControlFault>
  /** All token contracts that the chain has seen, the newest first. Each has a label from the start, `completed`. */
  readonly labels: Effect.Effect<ReadonlyArray<View.Label>, ControlFault>
  /** Labels a token contract or changes the status of its label. Labels survive a revert. */
  readonly setLabel: (
    contract: string,
    input: typeof Input.SetLabel.Type
  ) => Effect.Effect<View.Label, InvalidControl | NotFound | ControlFault>
  /** Removes the label: the service no longer finds the contract. */
  readonly deleteLabel: (contract: string) => Effect.Effect<void, InvalidControl | NotFound | ControlFault>
  readonly deletePreset: (id: number) => Effect.Effect<void, NotFound | ControlFault>
  /** The wallet's pools by name, newest first. `default` always exists. Pools survive a revert. */
  readonly pools: Effect.Effect<ReadonlyArray<View.Pool>, ControlFault>
  /** Creates the pools of a name, for accounts, fee payers and keys. A known name keeps its pools. */
  readonly createPool: (input: typeof Input.CreatePool.Type) => Effect.Effect<View.Pool, InvalidControl | ControlFault>
  /** The service's own fee payer, and what it has paid. */
  readonly globalFeePayer: Effect.Effect<View.GlobalFeePayer, ControlFault>
}

/**
 * All controls.
 *
 * @category models
 */
export interface Service {
  readonly chain: (chainId: ChainId) => ChainControl
  /** Where the sandbox, with its options, differs from a node of Kaia. */
  readonly deviations: Effect.Effect<ReadonlyArray<View.Deviation>>
  /** The IDs of the credentials that the service accepts. */
  readonly credentials: Effect.Effect<ReadonlyArray<string>>
  /** Creates another credential; there may be two. It is lost when the process ends. */
  readonly createCredential: Effect.Effect<View.NewCredential, TooManyCredentials>
  readonly deleteCredential: (accessKeyId: string) => Effect.Effect<void, NotFound>
  /** The latest requests to the service, oldest first: at most 10,000, and at most 8 MiB. */
  readonly requests: (filter?: RequestFilter) => Effect.Effect<ReadonlyArray<RequestRecord>>
  readonly clearRequests: Effect.Effect<void>
  readonly faults: Effect.Effect<ReadonlyArray<ActiveFault>>
  /** Fails for an operation that is not served, and for a fault of sends with an operation. */
  readonly addFault: (fault: Fault) => Effect.Effect<ActiveFault, InvalidControl>
  readonly deleteFault: (id: number) => Effect.Effect<void, NotFound>
  readonly clearFaults: Effect.Effect<void>
}

/**
 * The controls as a separate service; `Sandbox` includes them too.
 *
 * @category services
 */
export class Control extends Context.Tag("@effect-klaytn/sandbox/Control")<Control, Service>() {}
