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
 */
import * as Address from "@effect-klaytn/core/Address"
import { HexData } from "@effect-klaytn/core/HexEncoding"
import * as Input from "@effect-klaytn/core/Input"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import type { InvalidInput, ReadError } from "@effect-klaytn/core/ServiceError"
import * as Array from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Abi from "ox/Abi"
import * as AbiError from "ox/AbiError"
import * as AbiEvent from "ox/AbiEvent"
import * as AbiFunction from "ox/AbiFunction"
import type * as AbiItem from "ox/AbiItem"
import type { BlockSelector } from "./BlockSelector.js"
import * as schemas from "./internal/schemas.js"
import { KlaytnNode } from "./KlaytnNode.js"
import type { Log } from "./Log.js"
import { ExecutionReverted, type RpcError } from "./RpcError.js"

type FunctionOf<A extends Abi.Abi, Name extends AbiFunction.Name<A>> = AbiItem.fromAbi.ReturnType<
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
export type Args<A extends Abi.Abi, Name extends AbiFunction.Name<A>> =
  [First<AbiFunction.encodeData.Args<FunctionOf<A, Name>>>] extends [never] ? readonly []
    : First<AbiFunction.encodeData.Args<FunctionOf<A, Name>>>

/**
 * The result of a function of an ABI: the value if it returns one, a tuple if it returns several.
 *
 * @category models
 */
export type Result<A extends Abi.Abi, Name extends AbiFunction.Name<A>> = AbiFunction.decodeResult.ReturnType<
  FunctionOf<A, Name>
>

/**
 * A decoded event, with its arguments and the log it was read from.
 *
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
 * @category models
 */
export interface ReadOptions {
  readonly block?: BlockSelector | undefined
  readonly from?: string | undefined
  /** In peb. */
  readonly value?: bigint | undefined
}

/**
 * The arguments or the answer do not fit the ABI. If it is the answer, the address holds a different contract, or none
 * at all (`problem` says so if nothing came back).
 *
 * @category errors
 */
export class AbiMismatch extends Schema.TaggedError<AbiMismatch>("@effect-klaytn/node/AbiMismatch")("AbiMismatch", {
  address: Address.Address,
  name: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `${this.name} of contract ${this.address}: ${this.problem}`
  }
}

/**
 * The call was reverted with a custom error that the ABI declares.
 *
 * @category errors
 */
export class ContractReverted
  extends Schema.TaggedError<ContractReverted>("@effect-klaytn/node/ContractReverted")("ContractReverted", {
    address: Address.Address,
    /** The function that was called. */
    name: Schema.String,
    /** The error's name in the ABI. */
    errorName: Schema.String,
    args: Schema.Array(schemas.Data),
    reverted: ExecutionReverted
  })
{
  override get message(): string {
    const args = this.args.slice(0, 10).map(Sanitize.describe)
    return `${this.name} of contract ${this.address} was reverted: ${this.errorName}(${args.join(", ")})`
  }

  override toJSON(): unknown {
    return schemas.errorToJson(this)
  }
}

/**
 * A contract at an address.
 *
 * @category models
 */
export interface Contract<A extends Abi.Abi> {
  readonly address: Address.Address
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

type Hex = `0x${string}`

/** Our bytes in the library's type. */
const toHex = (text: string): Hex => `0x${text.slice(2)}`

const clean = Sanitize.text((text) => text)

/** The library's messages repeat their input: anything as long as a key is cut out. */
const describe = (cause: unknown): string =>
  cause instanceof Error
    ? clean(cause.message.slice(0, 1000).split("\n")[0] ?? "").replace(/(0x)?[0-9a-f]{41,}/gi, "...")
    : Sanitize.describe(cause)

const lowerCase = { checksumAddress: false } as const

/** The custom error in a revert, if the ABI declares it. */
const declaredError = (abi: Abi.Abi, reverted: ExecutionReverted) =>
  Option.flatMap(
    Option.fromNullable(reverted.revertData),
    Option.liftThrowable((data) => {
      const item = AbiError.fromAbi(abi, toHex(data.slice(0, 10)))
      const args: unknown = AbiError.decode(item, data, lowerCase)
      return { errorName: item.name, args: args === undefined ? [] : Array.isArray(args) ? args : [args] }
    })
  )

const decodeLog = (address: Address.Address, abi: Abi.Abi) => (log: Log) => {
  if (log.address !== address) return Option.none()
  const topics = log.topics.map(toHex)
  const fits = (item: Abi.Abi[number]): item is AbiEvent.AbiEvent =>
    item.type === "event" &&
    AbiEvent.getSelector(item) === topics[0] &&
    item.inputs.filter((input) => "indexed" in input && input.indexed === true).length === topics.length - 1
  const [first, ...rest] = topics
  if (first === undefined) return Option.none()
  return Option.firstSomeOf(
    abi.filter(fits).map(Option.liftThrowable((item: AbiEvent.AbiEvent) => ({
      name: item.name,
      args: AbiEvent.decode(item, { topics: [first, ...rest], data: log.data }, lowerCase),
      log
    })))
  )
}

/**
 * Makes a contract. The address is in one case or has a correct checksum.
 *
 * @category constructors
 */
export const make = <const A extends Abi.Abi>(options: {
  readonly address: string
  readonly abi: A
}): Effect.Effect<Contract<A>, InvalidInput> =>
  Effect.map(
    Input.decode("node.contract", Schema.Struct({ address: Address.FromInput }))({ address: options.address }),
    ({ address }) => {
      const { abi } = options
      const mismatch = (name: string) => (cause: unknown) =>
        new AbiMismatch({ address, name, problem: describe(cause) })
      // The public signature types names and arguments by the ABI; here they are of any of its functions.
      const functionOf = (name: string, args: unknown) =>
        AbiFunction.fromAbi(abi as Abi.Abi, name, { args: args as ReadonlyArray<unknown> })
      const encode = (name: string, args: unknown): Either.Either<HexData, AbiMismatch> =>
        Either.try({
          try: () => {
            const item = functionOf(name, args)
            const data = Array.isArray(args) && args.length > 0
              ? AbiFunction.encodeData(item, args)
              : AbiFunction.encodeData(item)
            return Schema.decodeUnknownSync(HexData)(data)
          },
          catch: mismatch(name)
        })
      const decodeResult = (name: string, args: unknown, data: string) =>
        Either.flatMap(
          Either.try({ try: () => functionOf(name, args), catch: mismatch(name) }),
          (item) =>
            data === "0x" && item.outputs.length > 0
              ? Either.left(
                mismatch(name)(
                  new Error("nothing came back: there is no contract at this address, or it has no such function")
                )
              )
              : Either.try({
                try: (): unknown => AbiFunction.decodeResult(item, toHex(data), lowerCase),
                catch: mismatch(name)
              })
        )
      const read = (name: string, args: unknown, options: ReadOptions = {}) =>
        Effect.gen(function*() {
          const node = yield* KlaytnNode
          const input = yield* encode(name, args)
          const { block, ...call } = options
          const data = yield* node.klay.call({ ...call, to: address, input }, block).pipe(
            Effect.catchTag(
              "ExecutionReverted",
              (reverted): Effect.Effect<never, ExecutionReverted | ContractReverted> =>
                Option.match(declaredError(abi, reverted), {
                  onNone: () => Effect.fail(reverted),
                  onSome: (declared) => Effect.fail(new ContractReverted({ address, name, reverted, ...declared }))
                })
            )
          )
          return yield* decodeResult(name, args, data)
        })
      const decode = decodeLog(address, abi)
      const contract = {
        address,
        abi,
        read,
        encode,
        decodeLog: decode,
        decodeLogs: (logs: ReadonlyArray<Log>) => logs.flatMap((log) => Option.toArray(decode(log))),
        // As above: of any of its events.
        topic: (event: string) => AbiEvent.getSelector(AbiEvent.fromAbi(abi as Abi.Abi, event))
      }
      // The library computes the same from the ABI at run time as from its type.
      return contract as unknown as Contract<A>
    }
  )
