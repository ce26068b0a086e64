/** Encodes and decodes by an ABI without throwing. Names and arguments are typed by the public modules. */
import { HexData, noData } from "@effect-klaytn/core/HexEncoding"
import * as Sanitize from "@effect-klaytn/core/Sanitize"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as AbiConstructor from "ox/AbiConstructor"
import * as AbiError from "ox/AbiError"
import * as AbiEvent from "ox/AbiEvent"
import * as AbiFunction from "ox/AbiFunction"
import type { Abi } from "../../Abi.js"
import type { Log, LogFilter } from "../../Log.js"

/** Cleans text that holds no credential. */
export const clean = Sanitize.text(identity)

/** What is wrong. The library's messages repeat their input: anything as long as a key is cut out. */
const describe = (cause: unknown): string =>
  cause instanceof Error
    ? clean(cause.message.slice(0, 1000).split("\n")[0] ?? "").replace(/(0x)?[0-9a-f]{41,}/gi, "...")
    : Sanitize.describe(cause)

const attempt = <A>(work: () => A): Either.Either<A, string> => Either.try({ try: work, catch: describe })

const lowerCase = { checksumAddress: false } as const

const listOf = (args: unknown): ReadonlyArray<unknown> => Array.isArray(args) ? args : []

const functionOf = (abi: Abi, name: string, args: unknown): AbiFunction.AbiFunction =>
  AbiFunction.fromAbi(abi, name, { args: listOf(args) })

const toBytes = Schema.decodeUnknownSync(HexData)

/** The call data of a function. */
export const encodeCall = (abi: Abi, name: string, args: unknown): Either.Either<HexData, string> =>
  attempt(() => {
    const item = functionOf(abi, name, args)
    const list = listOf(args)
    return toBytes(list.length > 0 ? AbiFunction.encodeData(item, list) : AbiFunction.encodeData(item))
  })

/** The code of a contract with the arguments of its constructor. */
export const encodeDeployment = (abi: Abi, bytecode: string, args: unknown): Either.Either<HexData, string> =>
  attempt(() => {
    const list = listOf(args)
    const code = toBytes(bytecode.toLowerCase())
    const item = abi.find((one) => one.type === "constructor")
    if (item === undefined) {
      if (list.length > 0) throw new Error("the contract has no constructor, so it takes no arguments")
      return code
    }
    // The library would leave them out.
    if (item.inputs.length !== list.length) throw new Error(`the constructor takes ${item.inputs.length} arguments`)
    return toBytes(AbiConstructor.encode(item, { bytecode: code, args: list }))
  })

/** What a function returned. */
export const decodeResult = (abi: Abi, name: string, args: unknown, data: HexData): Either.Either<unknown, string> =>
  Either.flatMap(attempt(() => functionOf(abi, name, args)), (item) =>
    data === noData && item.outputs.length > 0
      ? Either.left("nothing came back: there is no contract at this address, or it has no such function")
      : attempt((): unknown => AbiFunction.decodeResult(item, data, lowerCase)))

const eventOf = (abi: Abi, name: string): AbiEvent.AbiEvent => AbiEvent.fromAbi(abi, name)

/** The first topic of an event. */
export const topicOf = (abi: Abi, name: string): Either.Either<string, string> =>
  attempt(() => AbiEvent.getSelector(eventOf(abi, name)))

/** The topics of an event with some indexed arguments. */
export const encodeTopics = (
  abi: Abi,
  name: string,
  args: object | undefined
): Either.Either<LogFilter["topics"], string> =>
  attempt(() => {
    const item = eventOf(abi, name)
    if (args === undefined) return [AbiEvent.getSelector(item)]
    const indexed = new Set(
      item.inputs.flatMap((input, i) =>
        "indexed" in input && input.indexed === true ? [input.name ?? "", String(i)] : []
      )
    )
    const other = Object.keys(args).find((name) => !indexed.has(name))
    if (other !== undefined) throw new Error(`the event has no indexed argument ${Sanitize.describe(other)}`)
    // As the public signature types it.
    return AbiEvent.encode(item, args as Record<string, unknown>).topics
  })

/** An event in a log, with its name and arguments. */
export interface DecodedEvent {
  readonly name: string
  readonly args: unknown
  readonly log: Log
}

export const decodeLog = (abi: Abi, log: Log): Option.Option<DecodedEvent> => {
  const [first, ...rest] = log.topics
  if (first === undefined) return Option.none()
  const fits = (item: Abi[number]): item is AbiEvent.AbiEvent =>
    item.type === "event" &&
    AbiEvent.getSelector(item) === first &&
    item.inputs.filter((input) => "indexed" in input && input.indexed === true).length === rest.length
  return Option.firstSomeOf(
    abi.filter(fits).map(Option.liftThrowable((item: AbiEvent.AbiEvent) => ({
      name: item.name,
      args: AbiEvent.decode(item, { topics: [first, ...rest], data: log.data }, lowerCase),
      log
    })))
  )
}

/** A custom error that the ABI declares. */
export interface DeclaredError {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
}

/** The custom error in the data of a revert, if the ABI declares it. */
export const declaredError = (abi: Abi, revertData: HexData | undefined): Option.Option<DeclaredError> =>
  Option.flatMap(
    Option.fromNullable(revertData),
    Option.liftThrowable((data) => {
      const selector = data.slice(0, 10)
      // The library would also find the built-in errors of Solidity.
      const item = abi.find((one) => one.type === "error" && AbiError.getSelector(one) === selector)
      if (item?.type !== "error") throw new Error("not declared")
      if (item.inputs.length === 0) return { name: item.name, args: [] }
      const args: unknown = AbiError.decode(item, data, lowerCase)
      // One argument comes alone, even if it is a list.
      return { name: item.name, args: item.inputs.length === 1 ? [args] : listOf(args) }
    })
  )

/** What a panic of Solidity means. */
export const panicText = (code: bigint): string | undefined =>
  code <= 0xffn ? AbiError.panicReasons[Number(code)] : undefined
