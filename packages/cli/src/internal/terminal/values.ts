/** Reads the values of options and arguments. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Failure from "./Failure.js"
import { fileProblem } from "./fileProblem.js"
import * as Screen from "./Screen.js"

/** Reads a value, if it is given. */
export const ifGiven = <T, A, E, R>(
  given: T | undefined,
  read: (given: T) => Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E, R> => given === undefined ? Effect.succeed(undefined) : read(given)

/** Values with commas between them, if they are given. */
export const list = (text: string | undefined): ReadonlyArray<string> | undefined =>
  text?.split(",").map((one) => one.trim())

export const address = (name: string) => (text: string): Effect.Effect<Address.Address, Failure.Failure> =>
  Effect.mapError(
    Address.make(text),
    () => Failure.usage(`${name} ${Screen.clean(text)} is not an address: 0x and 40 hex digits`)
  )

const decimal = (decimals: number) => (name: string) => (text: string): Effect.Effect<bigint, Failure.Failure> =>
  Effect.mapError(
    Amount.fromDecimal(text, decimals),
    (problem) => Failure.usage(`${name} ${text}: ${problem}`, "write 1000 or 1.5, without commas and units")
  )

/** An amount of KLAY, in peb. */
export const klay = decimal(18)

/** A price of a unit of gas in gkei, in peb. */
export const gkei = decimal(9)

/** A decimal number. The gateway says which are in its range. */
export const factor = (name: string) => (text: string): Effect.Effect<number, Failure.Failure> =>
  /^[0-9]+(\.[0-9]{1,6})?$/.test(text)
    ? Effect.succeed(Number(text))
    : Failure.usage(`${name} ${text}: expected a number with 6 decimals at most`)

/** The text of a file. */
export const file = (name: string) => (path: string): Effect.Effect<string, Failure.Failure, FileSystem.FileSystem> =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (files) =>
      Effect.mapError(
        files.readFileString(path),
        (error) => Failure.usage(`${name}: ${Screen.clean(fileProblem(path, error))}`)
      )
  )

/** The node of one's own, from `--node` or the environment: its address and `Authorization` header, both of them secret. */
export const ownNode = Effect.fnUntraced(function*(node: string | undefined) {
  const url = node ?? Option.getOrUndefined(yield* Config.option(Config.nonEmptyString("KLAYTN_OWN_NODE_URL")))
  if (url === undefined) {
    return yield* Failure.usage("there is no node", "give its address with --node, or set KLAYTN_OWN_NODE_URL")
  }
  const authorization = yield* Config.option(Config.string("KLAYTN_OWN_NODE_AUTHORIZATION"))
  return { url, authorization: Option.getOrUndefined(authorization) }
})
