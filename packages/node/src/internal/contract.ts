/** Reads contracts by ABI. */
import * as Address from "@effect-klaytn/core/Address"
import * as Foreign from "@effect-klaytn/core/Foreign"
import { HexData } from "@effect-klaytn/core/Hex"
import * as Input from "@effect-klaytn/core/Input"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Abi from "ox/Abi"
import * as AbiError from "ox/AbiError"
import * as AbiEvent from "ox/AbiEvent"
import * as AbiFunction from "ox/AbiFunction"
import type * as Contract from "../Contract.js"
import { AbiMismatch, ContractReverted } from "../ContractError.js"
import { KlaytnNode } from "../KlaytnNode.js"
import type { Log } from "../Log.js"
import type { ExecutionReverted } from "../RpcError.js"

type Hex = `0x${string}`

/** Our bytes in the library's type. */
const hex = (text: string): Hex => `0x${text.slice(2)}`

const plain = Foreign.words((text) => text)

/** The library's messages repeat their input: anything as long as a key is cut out. */
const words = (cause: unknown): string =>
  cause instanceof Error
    ? plain(cause.message.slice(0, 1000).split("\n")[0] ?? "").replace(/(0x)?[0-9a-f]{41,}/gi, "...")
    : Foreign.describe(cause)

const lowerCase = { checksumAddress: false } as const

const isList = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

/** The custom error in a revert, if the ABI declares it. */
const ownError = (abi: Abi.Abi, reverted: ExecutionReverted) =>
  Option.flatMap(
    Option.fromNullable(reverted.revertData),
    Option.liftThrowable((data) => {
      const item = AbiError.fromAbi(abi, hex(data.slice(0, 10)))
      const args: unknown = AbiError.decode(item, data, lowerCase)
      return { errorName: item.name, args: args === undefined ? [] : isList(args) ? args : [args] }
    })
  )

const decodeLog = (address: Address.Address, abi: Abi.Abi) => (log: Log) => {
  if (log.address !== address) return Option.none()
  const topics = log.topics.map(hex)
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

export const make = <const A extends Abi.Abi>(
  options: { readonly address: string; readonly abi: A }
): ReturnType<typeof Contract.make<A>> =>
  Effect.map(
    Input.decode("node.contract", Schema.Struct({ address: Address.FromInput }))({ address: options.address }),
    ({ address }) => {
      const { abi } = options
      const mismatch = (name: string) => (cause: unknown) => new AbiMismatch({ address, name, problem: words(cause) })
      const functionOf = (name: string, args: unknown) =>
        // Names and arguments were typed by the ABI in the public signature; here they are of any of its functions.
        AbiFunction.fromAbi(abi as Abi.Abi, name, { args: args as ReadonlyArray<unknown> })
      const encode = (name: string, args: unknown): Either.Either<HexData, AbiMismatch> =>
        Either.try({
          try: () => {
            const item = functionOf(name, args)
            const data = isList(args) && args.length > 0
              ? AbiFunction.encodeData(item, args)
              : AbiFunction.encodeData(item)
            return Schema.decodeUnknownSync(HexData)(data)
          },
          catch: mismatch(name)
        })
      const decodeResult = (name: string, args: unknown, data: string) =>
        Either.try({
          try: (): unknown => {
            if (data === "0x" && functionOf(name, args).outputs.length > 0) {
              throw new Error("nothing came back: there is no contract at this address, or it has no such function")
            }
            return AbiFunction.decodeResult(functionOf(name, args), hex(data), lowerCase)
          },
          catch: mismatch(name)
        })
      const read = (name: string, args: unknown, given: Contract.ReadOptions = {}) =>
        Effect.gen(function*() {
          const node = yield* KlaytnNode
          const input = yield* encode(name, args)
          const { block, ...call } = given
          const data = yield* node.klay.call({ ...call, to: address, input }, block).pipe(
            Effect.catchTag(
              "ExecutionReverted",
              (reverted): Effect.Effect<never, ExecutionReverted | ContractReverted> =>
                Option.match(ownError(abi, reverted), {
                  onNone: () => Effect.fail(reverted),
                  onSome: (own) => Effect.fail(new ContractReverted({ address, name, reverted, ...own }))
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
        // As above: any name in the ABI.
        topic: (event: string) => AbiEvent.getSelector(AbiEvent.fromAbi(abi as Abi.Abi, event))
      }
      // The library computes the same from the ABI at run time as from its type.
      return contract as unknown as Contract.Contract<A>
    }
  )
