/**
 * Where the master key of a wallet comes from: a file, a text such as a variable, or a command.
 *
 * **Details**
 *
 * A master key is 32 random bytes, as 64 hexadecimal digits or as Base64. `openssl rand -hex 32` makes one.
 *
 * **Example** (the key that a command prints)
 *
 * ```ts
 * import * as MasterKey from "@effect-klaytn/custody/MasterKey"
 *
 * export const wrapper = MasterKey.fromCommand("pass show wallet")
 * ```
 */
import * as Input from "@effect-klaytn/core/Input"
import type { InvalidInput } from "@effect-klaytn/core/ServiceError"
import * as NewFile from "@effect-klaytn/store/NewFile"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { keyBytes, type KeyWrapper, ofKey } from "./KeyWrapper.js"
import { MasterKeyError } from "./MasterKeyError.js"

const hexadecimal = /^[0-9a-f]{64}$/i
const base64 = /^[A-Za-z0-9+/]{43}=?$/

/** Others than the owner may do something with a file of this mode. */
const sharedModes = 0o077

/** More than any form of a key takes. */
const longest = 1024

const fail = (reason: MasterKeyError["reason"], message: string): MasterKeyError =>
  new MasterKeyError({ reason, message })

const parse = (text: Buffer, where: string): Effect.Effect<KeyWrapper, MasterKeyError> =>
  Effect.suspend(() => {
    const trimmed = text.toString("latin1").trim()
    const encoding = hexadecimal.test(trimmed) ? "hex" : base64.test(trimmed) ? "base64" : undefined
    text.fill(0)
    const key = encoding === undefined ? Buffer.alloc(0) : Buffer.from(trimmed, encoding)
    if (key.length !== keyBytes) {
      return fail("Form", `${where} is not a key of 32 bytes: 64 hexadecimal digits, or 44 of Base64`)
    }
    const wrapper = ofKey(key)
    key.fill(0)
    return Effect.succeed(wrapper)
  })

/**
 * The master key of a text, such as the value of a variable. `name` names the text in errors. Default: `the master key`.
 *
 * @category constructors
 */
export const fromText = (
  text: Redacted.Redacted,
  name = "the master key"
): Effect.Effect<KeyWrapper, MasterKeyError> =>
  Effect.suspend(() => parse(Buffer.from(Redacted.value(text), "latin1"), name))

const codeOf = (cause: unknown): unknown => cause instanceof Error && "code" in cause ? cause.code : undefined

const whyUnread = (file: string, cause: unknown): MasterKeyError =>
  codeOf(cause) === "ENOENT"
    ? fail("Missing", `there is no file ${file} with the master key`)
    : fail("Missing", `the master key in ${file} can't be read`)

/** Reads a file that only its owner may read. The file that is read is the file that was looked at. */
const readOwn = (file: string): Buffer => {
  const opened = openSync(file, constants.O_RDONLY)
  try {
    const { mode, size } = fstatSync(opened)
    if ((mode & sharedModes) !== 0) {
      throw fail(
        "Mode",
        `others can read the master key in ${file}: chmod 600 ${file}, and change the key if they have`
      )
    }
    if (size > longest) throw fail("Form", `${file} is too large for a master key`)
    return readFileSync(opened)
  } finally {
    closeSync(opened)
  }
}

/**
 * The master key in a file that only its owner may read (mode 0600 or less); other files are refused.
 *
 * @category constructors
 */
export const fromFile = (file: string): Effect.Effect<KeyWrapper, MasterKeyError> =>
  Effect.flatMap(
    Effect.try({
      try: () => readOwn(file),
      catch: (cause) => cause instanceof MasterKeyError ? cause : whyUnread(file, cause)
    }),
    (text) => parse(text, `the text in ${file}`)
  )

/**
 * Makes a new master key in a new file with mode 0600. Fails with the reason `Missing` if there is a file of this name.
 *
 * @category constructors
 */
export const make = (file: string): Effect.Effect<KeyWrapper, MasterKeyError> =>
  Effect.zipRight(
    // On the disk before it seals anything: a wallet without it is lost.
    Effect.suspend(() =>
      NewFile.write(file, `${randomBytes(keyBytes).toString("hex")}\n`, {
        failed: () => fail("Missing", `can't make a new file ${file} for the master key`),
        check: () => Effect.void
      })
    ),
    fromFile(file)
  )

const run = (command: string): Effect.Effect<Buffer, MasterKeyError> =>
  Effect.async((resume) => {
    // The command may ask on the terminal, and says there what is wrong: nothing that it prints stands in an error.
    const child = spawn(command, { shell: true, stdio: ["inherit", "pipe", "inherit"] })
    const parts: Array<Buffer> = []
    let bytes = 0
    child.stdout.on("data", (part: Buffer) => {
      bytes += part.length
      if (bytes <= longest) parts.push(part)
      else child.kill()
    })
    child.on("error", () => resume(fail("Command", "the command that prints the master key can't be started")))
    child.on("close", (code) => {
      const text = Buffer.concat(parts)
      for (const part of parts) part.fill(0)
      resume(
        code === 0 && bytes > 0
          ? Effect.succeed(text)
          : fail(
            "Command",
            bytes === 0 && code === 0
              ? "the command that prints the master key printed nothing"
              : `the command that prints the master key failed${code === null ? "" : ` with exit code ${code}`}`
          )
      )
    })
    return Effect.sync(() => child.kill())
  })

const readTimeout = Input.decode(
  "MasterKey.fromCommand",
  Schema.Struct({ timeout: Input.duration("expected a duration, 0 or more") })
)

/**
 * The master key that a command prints: how every key management service with a command line is used. The command runs in a shell,
 * once. `timeout` is how long the command may take. Default: 30 seconds. Fails with `InvalidInput` for no duration.
 *
 * @category constructors
 */
export const fromCommand = (
  command: string,
  timeout: Duration.DurationInput = "30 seconds"
): Effect.Effect<KeyWrapper, MasterKeyError | InvalidInput> =>
  Effect.flatMap(readTimeout({ timeout }), ({ timeout: limit }) =>
    run(command).pipe(
      Effect.timeoutFail({
        duration: limit,
        onTimeout: () =>
          fail("Command", `the command that prints the master key took longer than ${Duration.format(limit)}`)
      }),
      Effect.flatMap((text) => parse(text, "the output of the command"))
    ))
