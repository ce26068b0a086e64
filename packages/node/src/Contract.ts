/**
 * Reads contracts and their events by ABI.
 *
 * **Details**
 *
 * The ABI is the JSON that compilers emit; given `as const`, names, arguments and results are typed from it. Encoding
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
 *
 * @since 0.1.0
 */
import type { Address } from "@effect-klaytn/core/Address"
import type { HexData } from "@effect-klaytn/core/Hex"
import type { InvalidInput, ReadError } from "@effect-klaytn/core/ServiceError"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type * as Abi from "ox/Abi"
import type * as AbiEvent from "ox/AbiEvent"
import type * as AbiFunction from "ox/AbiFunction"
import type * as AbiItem from "ox/AbiItem"
import type { BlockSelector } from "./BlockSelector.js"
import type { AbiMismatch, ContractReverted } from "./ContractError.js"
import * as internal from "./internal/contract.js"
import type { KlaytnNode } from "./KlaytnNode.js"
import type { Log } from "./Log.js"
import type { RpcError } from "./RpcError.js"

type FunctionOf<A extends Abi.Abi, Name extends AbiFunction.Name<A>> = AbiItem.fromAbi.ReturnType<
  A,
  Name,
  undefined,
  AbiFunction.AbiFunction
>

type Given<A> = A extends readonly [infer Tuple] ? Tuple : never

/**
 * The arguments of a function of an ABI, as a tuple.
 *
 * @since 0.1.0
 * @category models
 */
export type Args<A extends Abi.Abi, Name extends AbiFunction.Name<A>> =
  [Given<AbiFunction.encodeData.Args<FunctionOf<A, Name>>>] extends [never] ? readonly []
    : Given<AbiFunction.encodeData.Args<FunctionOf<A, Name>>>

/**
 * The result of a function of an ABI: the value if it returns one, a tuple if it returns several.
 *
 * @since 0.1.0
 * @category models
 */
export type Result<A extends Abi.Abi, Name extends AbiFunction.Name<A>> = AbiFunction.decodeResult.ReturnType<
  FunctionOf<A, Name>
>

/**
 * A decoded event, with its arguments and the log it was read from.
 *
 * @since 0.1.0
 * @category models
 */
export type Event<A extends Abi.Abi> = {
  readonly [Name in AbiEvent.Name<A>]: {
    readonly name: Name
    readonly args: AbiEvent.decode.ReturnType<AbiItem.fromAbi.ReturnType<A, Name, undefined, AbiEvent.AbiEvent>>
    readonly log: Log
  }
}[AbiEvent.Name<A>]

/**
 * Options of a read: the block (defaults to the latest), the caller and the value sent along.
 *
 * @since 0.1.0
 * @category models
 */
export interface ReadOptions {
  readonly block?: BlockSelector | undefined
  readonly from?: string | undefined
  /** In peb. */
  readonly value?: bigint | undefined
}

/**
 * A contract at an address.
 *
 * @since 0.1.0
 * @category models
 */
export interface Contract<A extends Abi.Abi> {
  readonly address: Address
  readonly abi: A
  /** Calls a function without sending a transaction, and decodes what it returns. */
  readonly read: <const Name extends AbiFunction.Name<A>>(
    name: Name,
    args: Args<A, Name>,
    options?: ReadOptions
  ) => Effect.Effect<Result<A, Name>, AbiMismatch | ContractReverted | RpcError | ReadError, KlaytnNode>
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
  readonly topic: (event: AbiEvent.Name<A>) => string
}

/**
 * Makes a contract. The address is in one case or has a correct checksum.
 *
 * @since 0.1.0
 * @category constructors
 */
export const make: <const A extends Abi.Abi>(options: {
  readonly address: string
  readonly abi: A
}) => Effect.Effect<Contract<A>, InvalidInput> = internal.make
