/** The master key of a gateway's wallet: of the options, or of the file beside the wallet. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs"
import type { GatewayError } from "../GatewayError.js"
import * as refusals from "./startRefusals.js"

const size = 32

const parse = (text: string, where: string): Effect.Effect<Uint8Array, GatewayError> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Effect.succeed(Buffer.from(text, "hex"))
    : refusals.wallet(`the wallet key ${where} is not 64 hexadecimal digits`)

/** The key in a file that only its owner may read. */
const fromFile = (file: string): Effect.Effect<Uint8Array, GatewayError> =>
  Effect.gen(function*() {
    const [mode, text] = yield* refusals.attempt(() =>
      [statSync(file).mode, readFileSync(file, "utf8").trim()] as const
    )
    if ((mode & 0o077) !== 0) {
      return yield* refusals.wallet(`${file} can be read by others: chmod 600 ${file}`)
    }
    return yield* parse(text, `in ${file}`)
  })

/** The master key. Without an option and without a file, a new wallet gets a new file. */
export const read = (
  file: string,
  key: Redacted.Redacted<string> | undefined,
  isNew: boolean
): Effect.Effect<Uint8Array, GatewayError> => {
  if (key !== undefined) return parse(Redacted.value(key), "of the options")
  if (existsSync(file)) return fromFile(file)
  if (!isNew) return refusals.wallet(`this wallet has keys, and its wallet key is missing: restore ${file}`)
  return Effect.flatMap(
    refusals.attempt(() => writeFileSync(file, `${randomBytes(size).toString("hex")}\n`, { mode: 0o600, flag: "wx" })),
    () => fromFile(file)
  )
}
