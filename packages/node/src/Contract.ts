/**
 * Calls contracts and reads their events by ABI.
 *
 * **Details**
 *
 * The ABI is the JSON that compilers emit, given `as const`, or a list of signatures such as
 * `"function symbol() view returns (string)"`; names, arguments and results are typed from it. Encoding
 * and decoding are done by `ox`, the library underneath `viem`. Decoded addresses are in lower case, integers are
 * `bigint` (`number` up to 48 bits). Overloaded functions are resolved by their arguments.
 *
 * **Example** (a token balance)
 *
 * ```ts
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import * as Effect from "effect/Effect"
 *
 * const abi = [{
 *   type: "function",
 *   name: "balanceOf",
 *   stateMutability: "view",
 *   inputs: [{ name: "owner", type: "address" }],
 *   outputs: [{ name: "", type: "uint256" }]
 * }] as const
 *
 * export const balance = (owner: `0x${string}`) =>
 *   Effect.gen(function*() {
 *     const token = yield* Contract.make({ address: "0x3333333333333333333333333333333333333333", abi })
 *     return yield* token.read("balanceOf", [owner]) // bigint
 *   })
 * ```
 */
import type * as Address from "@effect-klaytn/core/Address"
import type { HexData } from "@effect-klaytn/core/HexEncoding"
import type { InvalidInput, ReadError } from "@effect-klaytn/core/ServiceError"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type * as Stream from "effect/Stream"
import type * as AbiConstructor from "ox/AbiConstructor"
import type * as AbiError from "ox/AbiError"
import type * as AbiEvent from "ox/AbiEvent"
import type * as AbiFunction from "ox/AbiFunction"
import type * as AbiItem from "ox/AbiItem"
import type { Abi, Parsed, Source } from "./Abi.js"
import type { BlockSelector } from "./BlockSelector.js"
import type { CallRequest } from "./CallRequest.js"
import type { AbiMismatch, CallFailure, ContractReverted } from "./ContractError.js"
import * as internal from "./internal/contracts/contracts.js"
import type { KlaytnNode, ListOptions } from "./KlaytnNode.js"
import type { Log } from "./Log.js"
import type { RangeFilter } from "./LogRange.js"
import type { ExecutionReverted, RpcError } from "./RpcError.js"
import type * as Signer from "./Signer.js"

type FunctionOf<A extends Abi, Name extends AbiFunction.Name<A>> = AbiItem.fromAbi.ReturnType<
  A,
  Name,
  undefined,
  AbiFunction.AbiFunction
>

type First<A> = A extends readonly [infer Tuple] ? Tuple : never

/**
 * The arguments of a function of an ABI, as a tuple.
 *
 * @category models
 */
export type Args<A extends Abi, Name extends AbiFunction.Name<A>> =
  [First<AbiFunction.encodeData.Args<FunctionOf<A, Name>>>] extends [never] ? readonly []
    : First<AbiFunction.encodeData.Args<FunctionOf<A, Name>>>

/**
 * The result of a function of an ABI: the value if it returns one, a tuple if it returns several.
 *
 * @category models
 */
export type Result<A extends Abi, Name extends AbiFunction.Name<A>> = AbiFunction.decodeResult.ReturnType<
  FunctionOf<A, Name>
>

type EventItem<A extends Abi, Name extends AbiEvent.Name<A>> = AbiItem.fromAbi.ReturnType<
  A,
  Name,
  undefined,
  AbiEvent.AbiEvent
>

/**
 * A decoded event of some names, with its arguments and the log it was read from.
 *
 * @category models
 */
export type EventOf<A extends Abi, Names extends AbiEvent.Name<A>> = {
  readonly [Name in Names]: {
    readonly name: Name
    readonly args: AbiEvent.decode.ReturnType<EventItem<A, Name>>
    readonly log: Log
  }
}[Names]

/**
 * A decoded event, with its arguments and the log it was read from.
 *
 * @category models
 */
export type Event<A extends Abi> = EventOf<A, AbiEvent.Name<A>>

/**
 * The values of an event's indexed arguments to search for. An argument that is left out, or null, matches any value; a
 * list matches each of its values.
 *
 * @category models
 */
export type Indexed<A extends Abi, Name extends AbiEvent.Name<A>> =
  [First<Required<AbiEvent.encode.Args<EventItem<A, Name>>>>] extends [never] ? {}
    : First<Required<AbiEvent.encode.Args<EventItem<A, Name>>>>

type ErrorArgs<Item extends AbiError.AbiError> = Item["inputs"] extends readonly [] ? readonly []
  : Item["inputs"] extends readonly [unknown] ? readonly [AbiError.decode.ReturnType<Item>]
  : AbiError.decode.ReturnType<Item>

/** The errors among the items of an ABI. */
type Declared<Item> = Item extends AbiError.AbiError
  ? { readonly _tag: "Declared"; readonly name: Item["name"]; readonly args: ErrorArgs<Item> }
  : never

/**
 * Why an execution was reverted, by an ABI: with one of its errors, with a panic of Solidity and what it means, or with
 * a text.
 *
 * @category models
 */
export type DecodedError<A extends Abi> =
  | Declared<A[number]>
  | { readonly _tag: "Panic"; readonly code: bigint; readonly meaning: string | undefined }
  | { readonly _tag: "Reason"; readonly reason: string }

/**
 * Options of a read: the block (defaults to the latest), the caller and the value sent along.
 *
 * @category models
 */
export interface ReadOptions {
  readonly block?: BlockSelector | undefined
  readonly from?: string | undefined
  /** In peb. */
  readonly value?: bigint | undefined
}

export { AbiMismatch, type CallFailure, ContractReverted } from "./ContractError.js"

/**
 * How a transaction is sent: who signs it, the value that goes with it, and what is not to be filled in.
 *
 * @category models
 */
export interface WriteOptions extends Omit<Signer.Request, "to" | "input">, Signer.Options {
  readonly signer: Signer.Signer
}

/** The functions that a transaction may call: those that an ABI does not declare as `view` or `pure`. */
type WritableItem<A extends Abi> = Extract<
  A[number],
  { readonly type: "function"; readonly stateMutability: "nonpayable" | "payable" }
>

/**
 * The names of the functions that a transaction may call; any name if the ABI is not known to the compiler.
 *
 * @category models
 */
export type Writable<A extends Abi> = Abi extends A ? AbiFunction.Name<A>
  : Extract<AbiFunction.Name<A>, WritableItem<A>["name"]>

/** Options with a value only if it may go with the call: `Items` are the functions or constructors that take coin. */
type OptionsOf<A extends Abi, Items> = Abi extends A ? WriteOptions
  : [Items] extends [never] ? Omit<WriteOptions, "value">
  : WriteOptions

type PayableItem<A extends Abi, Name> = Extract<
  A[number],
  { readonly type: "function"; readonly name: Name; readonly stateMutability: "payable" }
>

/**
 * A transaction that was executed, with the contract's events in it.
 *
 * @category models
 */
export interface Written<A extends Abi> extends Signer.Sent {
  readonly events: ReadonlyArray<Event<A>>
}

/**
 * A contract that was created.
 *
 * @category models
 */
export interface Deployed<A extends Abi> extends Signer.Sent {
  readonly contract: Contract<A>
}

type ConstructorOf<A extends Abi> = Extract<A[number], AbiConstructor.AbiConstructor>

/**
 * The arguments of an ABI's constructor, as a tuple.
 *
 * @category models
 */
export type ConstructorArgs<A extends Abi> = [ConstructorOf<A>] extends [never] ? readonly []
  : NonNullable<AbiConstructor.encode.Options<ConstructorOf<A>>["args"]>

/**
 * The failures of a transaction. With `AbiMismatch` and `ContractReverted` nothing was sent: the arguments do not fit, or
 * the estimate of its gas was reverted.
 *
 * @category errors
 */
export type WriteFailure = AbiMismatch | ContractReverted | Signer.SendError

/**
 * What a transaction would do: what the function returns, the gas that it needs, and the call with that gas.
 *
 * @category models
 */
export interface Simulation<out R> {
  readonly result: R
  readonly gas: bigint
  readonly request: CallRequest
}

/**
 * A call of a function with its arguments, for {@link readAll}.
 *
 * @category models
 */
export interface Call<out R> {
  readonly address: Address.Address
  /** The function's name. */
  readonly name: string
  /** What is sent. */
  readonly request: Either.Either<CallRequest, AbiMismatch>
  /** Decodes what it returns. */
  readonly decode: (data: HexData) => Either.Either<R, AbiMismatch>
  /** The error of the contract in a revert, if its ABI declares it. */
  readonly toError: (reverted: ExecutionReverted) => ContractReverted | ExecutionReverted
}

/**
 * What several calls returned at one block, each in its place.
 *
 * @category models
 */
export interface Read<Calls extends ReadonlyArray<Call<unknown>>> {
  readonly blockNumber: bigint
  readonly results: {
    readonly [At in keyof Calls]: Either.Either<Calls[At] extends Call<infer R> ? R : never, CallFailure>
  }
}

/**
 * Which events to search for, and in which blocks; see `LogRange`.
 *
 * @category models
 */
export interface EventSearch<Filter> extends Omit<RangeFilter, "address" | "topics"> {
  readonly where?: Filter | undefined
}

/**
 * The events in some blocks. `next` is the block to continue from: store it together with what the events mean, and give
 * it as `fromBlock` after a restart.
 *
 * @category models
 */
export interface EventPage<out E> {
  readonly events: ReadonlyArray<E>
  readonly fromBlock: bigint
  readonly toBlock: bigint
  readonly next: bigint
}

/**
 * A contract at an address.
 *
 * @category models
 */
export interface Contract<A extends Abi> {
  readonly address: Address.Address
  readonly abi: A
  /** Calls a function without sending a transaction, and decodes what it returns. */
  readonly read: <const Name extends AbiFunction.Name<A>>(
    name: Name,
    args: Args<A, Name>,
    options?: ReadOptions
  ) => Effect.Effect<Result<A, Name>, AbiMismatch | ContractReverted | RpcError | ReadError, KlaytnNode>
  /** Finds out what a transaction would return and how much gas it needs, without sending it. */
  readonly simulate: <const Name extends AbiFunction.Name<A>>(
    name: Name,
    args: Args<A, Name>,
    options?: ReadOptions
  ) => Effect.Effect<Simulation<Result<A, Name>>, CallFailure, KlaytnNode>
  /** The gas that a transaction needs now; older nodes accept no block. */
  readonly estimateGas: <const Name extends AbiFunction.Name<A>>(
    name: Name,
    args: Args<A, Name>,
    options?: ReadOptions
  ) => Effect.Effect<bigint, CallFailure, KlaytnNode>
  /**
   * Calls a function in a transaction: the signer fills in, signs and sends it, and follows it to its receipt. Only a payable
   * function takes a value.
   */
  readonly write: <const Name extends Writable<A>>(
    name: Name,
    args: Args<A, Name>,
    options: OptionsOf<A, PayableItem<A, Name>>
  ) => Effect.Effect<Written<A>, WriteFailure, KlaytnNode>
  /** A call for {@link readAll}. */
  readonly call: <const Name extends AbiFunction.Name<A>>(
    name: Name,
    args: Args<A, Name>,
    options?: Omit<ReadOptions, "block">
  ) => Call<Result<A, Name>>
  /** The call data of a function: the `input` of a transaction. */
  readonly encode: <const Name extends AbiFunction.Name<A>>(
    name: Name,
    args: Args<A, Name>
  ) => Either.Either<HexData, AbiMismatch>
  /** The event in a log; none if the log is from another contract or the ABI does not have the event. */
  readonly decodeLog: (log: Log) => Option.Option<Event<A>>
  /** The events in some logs, in order; logs that `decodeLog` has none for are left out. */
  readonly decodeLogs: (logs: ReadonlyArray<Log>) => ReadonlyArray<Event<A>>
  /** The first topic of an event, for log filters. */
  readonly topic: (event: AbiEvent.Name<A>) => Either.Either<string, AbiMismatch>
  /** The events of one name in a range of blocks, each once, in chain order. */
  readonly events: <const Name extends AbiEvent.Name<A>>(
    name: Name,
    search: EventSearch<Indexed<A, Name>>
  ) => Stream.Stream<EventOf<A, Name>, AbiMismatch | RpcError | ReadError, KlaytnNode>
  /**
   * All events from a block on, without end and without gaps, as pages. Store `next` of a page when its events are
   * handled, and start from it again after a failure or a restart: no event is left out, and those of the last page come
   * again unless `next` was stored with them.
   */
  readonly follow: (
    search: Omit<EventSearch<never>, "toBlock" | "where">
  ) => Stream.Stream<EventPage<Event<A>>, RpcError | ReadError, KlaytnNode>
  /** Why an execution was reverted, from its error or from the data of the revert; none if that does not say. */
  readonly decodeError: (reverted: ExecutionReverted | string) => Option.Option<DecodedError<A>>
}

/**
 * Makes a contract. The address is in one case or has a correct checksum. The ABI is JSON or a list of signatures.
 *
 * **Example** (the transfers of an account, from signatures)
 *
 * ```ts
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import * as Effect from "effect/Effect"
 * import * as Stream from "effect/Stream"
 *
 * export const received = (to: `0x${string}`) =>
 *   Effect.gen(function*() {
 *     const token = yield* Contract.make({
 *       address: "0x3333333333333333333333333333333333333333",
 *       abi: ["event Transfer(address indexed from, address indexed to, uint256 value)"]
 *     })
 *     return yield* token.events("Transfer", { fromBlock: 100_000_000n, where: { to } }).pipe(
 *       Stream.runFold(0n, (sum, { args }) => sum + args.value)
 *     )
 *   })
 * ```
 *
 * @category constructors
 */
export const make = <const S extends Source>(options: {
  readonly address: string
  readonly abi: S
}): Effect.Effect<Contract<Parsed<S>>, InvalidInput> =>
  // The library computes the same from the ABI at run time as from its type.
  internal.make(options) as Effect.Effect<never, InvalidInput>

/**
 * Creates a contract: its code with the arguments of its constructor, in a transaction of the signer.
 *
 * **Example** (a token)
 *
 * ```ts
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import type * as Signer from "@effect-klaytn/node/Signer"
 * import * as Effect from "effect/Effect"
 *
 * const abi = ["constructor(uint256 supply)", "function transfer(address to, uint256 value) returns (bool)"] as const
 *
 * export const launch = (signer: Signer.Signer, bytecode: string, to: `0x${string}`) =>
 *   Effect.gen(function*() {
 *     const { contract } = yield* Contract.deploy({ abi, bytecode, args: [1_000n], signer })
 *     const { receipt } = yield* contract.write("transfer", [to, 5n], { signer })
 *     return [contract.address, receipt.blockNumber]
 *   })
 * ```
 *
 * @category constructors
 */
export const deploy = <const S extends Source>(
  options: OptionsOf<Parsed<S>, Extract<ConstructorOf<Parsed<S>>, { readonly stateMutability: "payable" }>> & {
    readonly abi: S
    /** The code that creates the contract, `0x` and its bytes, without arguments. */
    readonly bytecode: string
    readonly args: ConstructorArgs<Parsed<S>>
  }
): Effect.Effect<Deployed<Parsed<S>>, WriteFailure | InvalidInput, KlaytnNode> =>
  // As for `make`.
  internal.deploy(options) as Effect.Effect<never, WriteFailure | InvalidInput, KlaytnNode>

/**
 * Reads several functions of any contracts at one block, in few requests: the latest block, or the one that is given.
 * Each call fails in its place. If the node's answers come from several machines, one that lags behind fails with
 * `BlockNotFound`.
 *
 * **Example** (two tokens)
 *
 * ```ts
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import * as Effect from "effect/Effect"
 *
 * const abi = ["function balanceOf(address owner) view returns (uint256)"] as const
 *
 * export const both = (owner: `0x${string}`) =>
 *   Effect.gen(function*() {
 *     const one = yield* Contract.make({ address: "0x3333333333333333333333333333333333333333", abi })
 *     const other = yield* Contract.make({ address: "0x4444444444444444444444444444444444444444", abi })
 *     const { results: [left, right] } = yield* Contract.readAll([
 *       one.call("balanceOf", [owner]),
 *       other.call("balanceOf", [owner])
 *     ])
 *     return (yield* left) + (yield* right)
 *   })
 * ```
 *
 * @category constructors
 */
export const readAll = <const Calls extends ReadonlyArray<Call<unknown>>>(
  calls: Calls,
  options?: ListOptions & { readonly block?: bigint | undefined }
): Effect.Effect<Read<Calls>, RpcError | ReadError, KlaytnNode> =>
  // Each result is decoded by its own call.
  internal.readAll(calls, options) as Effect.Effect<never, RpcError | ReadError, KlaytnNode>

/**
 * Why an execution was reverted, by an ABI: from its error or from the data of the revert. None if the ABI does not
 * declare the error and the data is neither a panic nor a text.
 *
 * **Example** (a custom error)
 *
 * ```ts
 * import * as Abi from "@effect-klaytn/node/Abi"
 * import * as Contract from "@effect-klaytn/node/Contract"
 * import * as Either from "effect/Either"
 *
 * const abi = Either.getOrThrow(Abi.parse(["error TooMuch(uint256 most)"]))
 *
 * export const why = (data: string) => Contract.decodeError(abi, data)
 * // some({ _tag: "Declared", name: "TooMuch", args: [5n] })
 * ```
 *
 * @category errors
 */
export const decodeError = <const A extends Abi>(
  abi: A,
  reverted: ExecutionReverted | string
): Option.Option<DecodedError<A>> =>
  // As for `make`.
  internal.decodeError(abi, reverted) as Option.Option<never>
