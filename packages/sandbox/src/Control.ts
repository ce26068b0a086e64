/**
 * The sandbox's own controls: everything that a test or a newcomer does to the world behind the service. The same
 * controls are an Effect service here and an HTTP interface under `/_sandbox/`, see `ControlApi`.
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
 *
 * @since 0.1.0
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
 * Why a transaction was not made.
 *
 * @since 0.1.0
 * @category errors
 */
export type SendError = InvalidControl | NotFound | TransactionFailed | ControlFault

/**
 * Controls of one chain. Accounts are named, or given by address; whoever signs has to be one whose key the sandbox
 * holds. Transactions are signed for real and in a block when the effect succeeds.
 *
 * @since 0.1.0
 * @category models
 */
export interface ChainControl {
  readonly state: Effect.Effect<View.ChainState, ControlFault>
  /** The accounts whose keys the sandbox holds. */
  readonly accounts: Effect.Effect<ReadonlyArray<View.NamedAccount>, ControlFault>
  /** The account of a name, on both chains, and some coin for it on this one. A name that is known keeps its account. */
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
  /** Builds blocks of what waits, empty ones too. Default: one. At most 10,000 at once. */
  readonly mine: (
    input?: { readonly blocks?: number | undefined }
  ) => Effect.Effect<ReadonlyArray<View.MinedBlock>, InvalidControl | ControlFault>
  /** Moves the chain's clock forward. */
  readonly advanceTime: (
    input: { readonly seconds: number }
  ) => Effect.Effect<View.ChainState, InvalidControl | ControlFault>
  /** The last 1,000 transactions that were taken in and left the pool without a block, the newest last. */
  readonly dropped: Effect.Effect<ReadonlyArray<View.Dropped>>
  /** Remembers the chain; the number is for `revert`. */
  readonly snapshot: Effect.Effect<number>
  /** Takes back everything since a snapshot, which is used up with all later ones. */
  readonly revert: (snapshot: number) => Effect.Effect<View.ChainState, NotFound | ControlFault>
  /** Takes back everything since the genesis block. Presets stay. */
  readonly reset: Effect.Effect<View.ChainState, ControlFault>
  readonly presets: Effect.Effect<ReadonlyArray<typeof View.Preset.Type>, ControlFault>
  readonly createPreset: (
    input: typeof Input.CreatePreset.Type
  ) => Effect.Effect<typeof View.Preset.Type, InvalidControl | NotFound | ControlFault>
  /** All token contracts that the chain has seen, the newest first. Each has a label from the start, `completed`. */
  readonly labels: Effect.Effect<ReadonlyArray<View.Label>, ControlFault>
  /** Gives a token contract a label, or another status. Labels stay when blocks are taken back. */
  readonly setLabel: (
    contract: string,
    input: typeof Input.SetLabel.Type
  ) => Effect.Effect<View.Label, InvalidControl | NotFound | ControlFault>
  /** Takes the label away: the service does not find the contract any more. */
  readonly deleteLabel: (contract: string) => Effect.Effect<void, InvalidControl | NotFound | ControlFault>
  readonly deletePreset: (id: number) => Effect.Effect<void, NotFound | ControlFault>
  /** Pools of the wallet, by name, the newest first. `default` is always there. Pools stay when blocks are taken back. */
  readonly pools: Effect.Effect<ReadonlyArray<View.Pool>, ControlFault>
  /** Makes the pools of a name, for accounts, fee payers and keys. A name that is known keeps its pools. */
  readonly createPool: (input: typeof Input.CreatePool.Type) => Effect.Effect<View.Pool, InvalidControl | ControlFault>
  /** The service's own fee payer, and what it has paid. */
  readonly globalFeePayer: Effect.Effect<View.GlobalFeePayer, ControlFault>
}

/**
 * All controls.
 *
 * @since 0.1.0
 * @category models
 */
export interface Service {
  readonly chain: (chainId: ChainId) => ChainControl
  /** IDs of the credentials that open the service. */
  readonly credentials: Effect.Effect<ReadonlyArray<string>>
  /** A further credential; there may be two. It ends with the process. */
  readonly createCredential: Effect.Effect<View.NewCredential, TooManyCredentials>
  readonly deleteCredential: (accessKeyId: string) => Effect.Effect<void, NotFound>
  /** The latest requests to the service, oldest first: 10,000 at most, and 8 MiB of them. */
  readonly requests: (filter?: RequestFilter) => Effect.Effect<ReadonlyArray<RequestRecord>>
  readonly clearRequests: Effect.Effect<void>
  readonly faults: Effect.Effect<ReadonlyArray<ActiveFault>>
  /** Fails for an operation that is not served. */
  readonly addFault: (fault: Fault) => Effect.Effect<ActiveFault, InvalidControl>
  readonly deleteFault: (id: number) => Effect.Effect<void, NotFound>
  readonly clearFaults: Effect.Effect<void>
}

/**
 * The controls as a service of their own; `Sandbox` has them too.
 *
 * @since 0.1.0
 * @category services
 */
export class Control extends Context.Tag("@effect-klaytn/sandbox/Control")<Control, Service>() {}
