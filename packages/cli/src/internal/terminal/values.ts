/** Reads the values of options and arguments. */
import * as Address from "@effect-klaytn/core/Address"
import * as Amount from "@effect-klaytn/core/Amount"
import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import * as Failure from "./Failure.js"
import * as Screen from "./Screen.js"

/** Reads a value, if it is given. */
export const ifGiven = <A, E, R>(
  text: string | undefined,
  read: (text: string) => Effect.Effect<A, E, R>
): Effect.Effect<A | undefined, E, R> => text === undefined ? Effect.succeed(undefined) : read(text)

/** Values with commas between them. */
export const list = (text: string): ReadonlyArray<string> => text.split(",").map((one) => one.trim())

export const address = (name: string) => (text: string): Effect.Effect<Address.Address, Failure.Failure> =>
  Effect.mapError(
    Address.make(text),
    () => Failure.usage(`${name} ${Screen.clean(text)} is not an address: 0x and 40 hex digits`)
  )

/** An amount of KLAY, in peb. */
export const klay = (name: string) => (text: string): Effect.Effect<bigint, Failure.Failure> =>
  Effect.mapError(Amount.fromDecimal(text, 18), (problem) => Failure.usage(`${name} ${text}: ${problem}`))

/** The text of a file. */
export const file = (name: string) => (path: string): Effect.Effect<string, Failure.Failure, FileSystem.FileSystem> =>
  Effect.flatMap(
    FileSystem.FileSystem,
    (files) => Effect.mapError(files.readFileString(path), () => Failure.usage(`${name}: cannot read ${path}`))
  )
