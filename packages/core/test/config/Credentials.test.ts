import * as Credentials from "@effect-klaytn/core/Credentials"
import { assert, describe, it, vi } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as FastCheck from "effect/FastCheck"
import * as Hash from "effect/Hash"
import * as Inspectable from "effect/Inspectable"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { inspect } from "node:util"

const accessKeyId = "KASK0EXAMPLE"
const secretAccessKey = "not-a-secret"
const token = "S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="

const pair = (id: string, secret: string) =>
  Credentials.fromPair({ accessKeyId: id, secretAccessKey: Redacted.make(secret) })

const ready = (text: string) => Credentials.fromAuthorization(Redacted.make(text))

const example = Either.getOrThrow(pair(accessKeyId, secretAccessKey))

const base64 = (text: string) => Buffer.from(text, "utf8").toString("base64")

// Any text that a part may be: printable, any script, with all the characters that are escaped somewhere.
const part = FastCheck.string({ unit: "grapheme", minLength: 8, maxLength: 64 }).filter((text) =>
  !/\p{Cc}|\p{Cs}/u.test(text) && text.length <= 256
)
const tricky = FastCheck.string({
  unit: FastCheck.constantFrom(
    "\\",
    "\"",
    "%",
    "+",
    "/",
    "=",
    "<",
    "&",
    " ",
    "u",
    "0",
    "2",
    "5",
    "a",
    "é",
    "😀",
    "$",
    "["
  ),
  minLength: 8,
  maxLength: 40
})
// With an end that no stack trace or property name has: a text such as "property" is in prints that hide it well.
const secrets = FastCheck.oneof(part, tricky).map((text) => `${text}K7q`)
const ids = secrets.filter((text) => !text.includes(":"))

const everyPrint = (value: object): ReadonlyArray<string> => [
  String(value),
  JSON.stringify(value),
  JSON.stringify({ nested: [value] }),
  JSON.stringify({ ...value }),
  Inspectable.toStringUnknown(value),
  inspect(value),
  inspect(value, { showHidden: true, depth: null }),
  inspect(value, { showHidden: true, depth: null, getters: true, customInspect: false }),
  inspect({ nested: [value] }, { showHidden: true, depth: null }),
  inspect(new Error("wrapped", { cause: value }), { showHidden: true, depth: null }),
  Cause.pretty(Cause.die(value)),
  JSON.stringify(Cause.fail(value))
]

describe("Credentials", () => {
  it("are sent as the Base64 of the ID, a colon and the secret", () => {
    assert.strictEqual(Redacted.value(Credentials.authorization(example)), `Basic ${token}`)
  })

  it("are sent as UTF-8", () => {
    const credentials = Either.getOrThrow(pair("KASKé", "p😀ss:wörd"))
    assert.strictEqual(Redacted.value(Credentials.authorization(credentials)), `Basic ${base64("KASKé:p😀ss:wörd")}`)
  })

  it("are the same from the pair and from the ready header", () => {
    for (const text of [`Basic ${token}`, `basic ${token}`, `BASIC   ${token}`]) {
      const credentials = Either.getOrThrow(ready(text))
      assert.strictEqual(Redacted.value(Credentials.authorization(credentials)), `Basic ${token}`)
      assert.strictEqual(Credentials.fingerprint(credentials), Credentials.fingerprint(example))
      assert.isTrue(Equal.equals(credentials, example))
      assert.strictEqual(Hash.hash(credentials), Hash.hash(example))
    }
  })

  it("differ when either part differs", () => {
    for (const other of [pair(accessKeyId, "not-a-secreT"), pair("KASK0EXAMPLF", secretAccessKey)]) {
      assert.isFalse(Equal.equals(Either.getOrThrow(other), example))
      assert.notStrictEqual(Credentials.fingerprint(Either.getOrThrow(other)), Credentials.fingerprint(example))
    }
  })

  it("have a fingerprint that stays the same from release to release", () => {
    assert.strictEqual(Credentials.fingerprint(example), "1f9aa2df35bd")
  })

  it("are recognised", () => {
    assert.isTrue(Credentials.isCredentials(example))
    for (const other of [null, "Basic x", {}, Redacted.make("x")]) assert.isFalse(Credentials.isCredentials(other))
  })

  it("refuse a malformed pair, naming the part and nothing of its content", () => {
    for (
      const [id, secret, message] of [
        ["", "hunter2", "the access key ID is empty"],
        ["KASK", "", "the secret access key is empty"],
        ["KA:SK", "hunter2", "the access key ID contains a colon"],
        ["KASK\n", "hunter2", "the access key ID contains a line break"],
        ["KASK", "hunter2\n", "the secret access key contains a line break"],
        ["KASK", "hunter2\r\nx-chain-id: 8217", "the secret access key contains a line break"],
        ["KASK", "hunter2\u0000", "the secret access key contains a control character"],
        ["KASK", "hunter2\u007f", "the secret access key contains a control character"],
        ["KASK", "hunter2\u009f", "the secret access key contains a control character"],
        ["KASK", "hunter2\ud800", "the secret access key contains a lone surrogate"],
        ["KASK", "hunter2".repeat(40), "the secret access key is longer than 256 characters"]
      ] as const
    ) {
      const result = pair(id, secret)
      if (Either.isRight(result)) return assert.fail(`accepted: ${message}`)
      assert.strictEqual(result.left._tag, "CredentialsError")
      assert.strictEqual(result.left.reason, "Malformed")
      assert.strictEqual(result.left.message, message)
      for (const text of everyPrint(result.left)) assert.notInclude(text, "hunter2")
    }
  })

  it("refuse a malformed ready header, with nothing of its content", () => {
    for (
      const text of [
        "",
        "Basic",
        "Basic ",
        token,
        `Bearer ${token}`,
        ` Basic ${token}`,
        `Basic ${token} `,
        `Basic ${token}\r\nx-chain-id: 8217`,
        `Basic\t${token}`,
        "Basic !!!!",
        "Basic S0FTSzBFWEFNUExF",
        `Basic ${base64("hunter2")}`,
        `Basic ${base64(":hunter2")}`,
        `Basic ${base64("hunter2:")}`,
        `Basic ${base64("KASK:hunter2\n")}`,
        `Basic ${Buffer.from([0x4b, 0x3a, 0xff, 0xfe]).toString("base64")}`,
        `Basic ${token.slice(0, -1)}`,
        `Basic ${token.slice(0, -2)}`
      ]
    ) {
      const result = ready(text)
      if (Either.isRight(result)) return assert.fail(`accepted: ${JSON.stringify(text)}`)
      assert.strictEqual(result.left.reason, "Malformed")
      for (const printed of everyPrint(result.left)) {
        assert.notInclude(printed, "hunter2")
        assert.notInclude(printed, token.slice(0, 12))
        assert.notInclude(printed, base64("hunter2").slice(0, 8))
      }
    }
  })

  it("show their fingerprint, however they are printed", () => {
    assert.strictEqual(String(example), "Credentials(1f9aa2df35bd)")
    assert.strictEqual(inspect(example, { showHidden: true, depth: null }), "Credentials(1f9aa2df35bd)")
    assert.deepStrictEqual(JSON.parse(JSON.stringify(example)), { _id: "Credentials", fingerprint: "1f9aa2df35bd" })
  })

  it.effect("show nothing else in any logger's line", () =>
    Effect.gen(function*() {
      const lines: Array<string> = []
      const loggers = [Logger.stringLogger, Logger.logfmtLogger, Logger.jsonLogger].map((logger) =>
        Logger.map(logger, (line) => {
          lines.push(line)
        })
      )
      const structured = Logger.map(Logger.structuredLogger, (line) => {
        lines.push(inspect(line, { showHidden: true, depth: null }))
      })
      yield* Effect.logError("failed", example, Cause.fail(example)).pipe(
        Effect.annotateLogs({ credentials: example }),
        Effect.provide(
          Logger.replace(Logger.defaultLogger, Logger.zipRight(loggers.reduce(Logger.zipRight), structured))
        )
      )
      assert.strictEqual(lines.length, 4)
      for (const line of lines) {
        assert.include(line, "1f9aa2df35bd")
        for (const secret of [accessKeyId, secretAccessKey, token]) assert.notInclude(line, secret)
      }
    }))

  it.prop("never print what they hold", [ids, secrets], ([id, secret]) => {
    const credentials = Either.getOrThrow(pair(id, secret))
    for (const text of everyPrint(credentials)) {
      for (const hidden of [id, secret, base64(`${id}:${secret}`)]) assert.notInclude(text, hidden)
    }
  })

  it.prop("keep any well-formed pair unchanged on the way through the header", [ids, secrets], ([id, secret]) => {
    const credentials = Either.getOrThrow(pair(id, secret))
    const header = Redacted.value(Credentials.authorization(credentials))
    assert.strictEqual(Buffer.from(header.slice("Basic ".length), "base64").toString("utf8"), `${id}:${secret}`)
    assert.isTrue(Equal.equals(Either.getOrThrow(ready(header)), credentials))
  })

  it.effect("come from a provider that may fail without a secret in its words", () =>
    Effect.gen(function*() {
      const provider: Credentials.Provider = Effect.fail(Credentials.unavailable("the secret store does not answer"))
      const error = yield* Effect.flip(provider)
      assert.strictEqual(error.reason, "Unavailable")
      assert.strictEqual(error.message, "no credentials: the secret store does not answer")
      const fixed: Credentials.Provider = Effect.succeed(example)
      assert.isTrue(Equal.equals(yield* fixed, example))
      const parsed: Credentials.Provider = pair(accessKeyId, secretAccessKey)
      assert.isTrue(Equal.equals(yield* parsed, example))
    }))
})

describe("Credentials.redact", () => {
  const redact = Credentials.redact(example)

  it("replaces the secret, the ID, the pair, the token and the header", () => {
    for (
      const [text, expected] of [
        ["", ""],
        ["nothing to hide", "nothing to hide"],
        [`wrong secret ${secretAccessKey}.`, "wrong secret <redacted>."],
        [`unknown key ${accessKeyId}!`, "unknown key <redacted>!"],
        [`pair ${accessKeyId}:${secretAccessKey}`, "pair <redacted>"],
        [`token=${token}&x`, "token=<redacted>&x"],
        [`{"authorization":"Basic ${token}"}`, "{\"authorization\":\"<redacted>\"}"],
        [`authorization: basic ${token}`, "authorization: basic <redacted>"],
        [`/a?auth=Basic%20${encodeURIComponent(token)}`, "/a?auth=<redacted>"],
        [`/a?auth=Basic+${encodeURIComponent(token)}&b`, "/a?auth=<redacted>&b"],
        [`${secretAccessKey}${secretAccessKey} and ${secretAccessKey}`, "<redacted><redacted> and <redacted>"]
      ] as const
    ) {
      assert.strictEqual(redact(text), expected)
    }
  })

  it("leaves an ID alone that is short enough to be a word", () => {
    const redactShort = Credentials.redact(Either.getOrThrow(pair("local", "not-a-secret")))
    assert.strictEqual(redactShort("local pool"), "local pool")
    assert.strictEqual(redactShort("local:not-a-secret"), "<redacted>")
  })

  it("finds a secret that overlaps another one", () => {
    const overlapping = Credentials.redact(Either.getOrThrow(pair("xyz12cde", "cdeFGHIJ")))
    assert.strictEqual(overlapping("<xyz12cdeFGHIJ>"), "<<redacted>>")
  })

  it("finds a secret whose blanks at its ends were cut off", () => {
    const { redact } = Either.getOrThrow(pair(" KASK0EXAMPLE ", " not-a-secret  "))
    assert.strictEqual(redact("wrong secret: not-a-secret"), "wrong secret: <redacted>")
    assert.strictEqual(redact("https://not-a-secret/?id=KASK0EXAMPLE"), "https://<redacted>/?id=<redacted>")
    assert.strictEqual(redact("[ not-a-secret  ]"), "[<redacted>]")
    assert.strictEqual(redact("KASK0EXAMPLE : not-a-secret"), "<redacted>")
    const blanks = Either.getOrThrow(pair("KASK0EXAMPLE", "   "))
    assert.strictEqual(blanks.redact("a b   c"), "a b<redacted>c")
  })

  const spellings: ReadonlyArray<(text: string) => string> = [
    (text) => text,
    (text) => JSON.stringify(text).slice(1, -1),
    (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
    (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
    (text) =>
      JSON.stringify(text).slice(1, -1).replace(
        /[<>&+]|[^ -~]/g,
        (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`
      ),
    (text) => encodeURIComponent(text),
    (text) => encodeURIComponent(text).replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase()),
    (text) => encodeURI(text),
    (text) => new URLSearchParams({ text }).toString().slice("text=".length),
    (text) => Array.from(Buffer.from(text, "utf8"), (byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
    (text) => JSON.stringify(encodeURIComponent(text)).slice(1, -1),
    (text) => encodeURIComponent(encodeURIComponent(text)),
    (text) => encodeURIComponent(encodeURIComponent(encodeURIComponent(text))),
    (text) => text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`),
    (text) => Array.from(text, (character) => `&#x${(character.codePointAt(0) ?? 0).toString(16)};`).join(""),
    (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\"", "&quot;"),
    (text) => Array.from(text).join("\u200b"),
    (text) => Array.from(text).join("\u2060\u00ad"),
    (text) => Array.from(text).join("\r\n"),
    (text) => Buffer.from(text).toString("hex").replace(/../g, "\\x$&"),
    (text) => Buffer.from(text).toString("hex").toUpperCase().replace(/../g, "\\\\x$&")
  ]

  // Text around a secret that shares no character with the marks of escaping.
  const around = FastCheck.stringMatching(/^[ghijk .,]{0,12}$/)

  it("compares at most places of a long text with nothing", () => {
    const hide = Credentials.redact(Either.getOrThrow(pair("KASKACCESSKEY0123", "s3cr3tVa+lue==x9QabcdefGHIJ")))
    const text = "lorem ipsum ".repeat(1000)
    const compared = vi.spyOn(String.prototype, "startsWith")
    try {
      assert.strictEqual(hide(text), text)
      assert.isBelow(compared.mock.calls.length, text.length)
    } finally {
      compared.mockRestore()
    }
  })

  it.prop(
    "finds every spelling of every part, wherever it stands",
    [ids, secrets, around, around],
    ([id, secret, before, after]) => {
      const credentials = Either.getOrThrow(pair(id, secret))
      const hide = Credentials.redact(credentials)
      for (
        const hidden of [secret, `${id}:${secret}`, base64(`${id}:${secret}`), `Basic ${base64(`${id}:${secret}`)}`]
      ) {
        for (const spell of spellings) {
          assert.strictEqual(
            hide(before + spell(hidden) + after),
            `${before}<redacted>${after}`,
            JSON.stringify(hidden)
          )
        }
      }
    },
    { fastCheck: { numRuns: 40 } }
  )

  // Base64 goes out in groups of three bytes, so what stands before a secret changes how it begins.
  const coded: ReadonlyArray<(text: string) => string> = [
    (text) => Buffer.from(text).toString("base64"),
    (text) => Buffer.from(text).toString("base64").replace(/=+$/, ""),
    (text) => Buffer.from(text).toString("base64url"),
    (text) => Buffer.from(text).toString("base64").replaceAll("+", "-").replaceAll("/", "_"),
    (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
    (text) => Buffer.from(text).toString("base64").replace(/.{8}/g, "$&\r\n"),
    (text) => Buffer.from(text).toString("hex"),
    (text) => `0x${Buffer.from(text).toString("hex").toUpperCase()}`,
    ...[" ", ":", "-", ", 0x"].map((separator) => (text: string) =>
      Buffer.from(text).toString("hex").replace(/(?<=^(?:..)+)../g, `${separator}$&`)
    ),
    (text) => Buffer.from(text).join(","),
    (text) => Buffer.from(text).join(", ")
  ]

  it("finds the bytes of a secret as they are written in JSON and in dumps", () => {
    for (
      const text of [JSON.stringify({ sent: Buffer.from(secretAccessKey) }), `${inspect(Buffer.from(secretAccessKey))}`]
    ) {
      assert.match(redact(text), /^[^\d]*<redacted>[^\d]*$/, text)
    }
  })

  it.prop(
    "finds the secret and the pair in every form of Base64 and in hexadecimal",
    [ids, secrets],
    ([id, secret]) => {
      FastCheck.pre(Buffer.byteLength(secret) >= 6)
      const hide = Credentials.redact(Either.getOrThrow(pair(id, secret)))
      const both = `${id}:${secret}`
      for (const hidden of [secret, both, Buffer.from(both).toString("base64")]) {
        for (const code of coded) {
          const text = code(hidden)
          assert.match(hide(`<${text}>`), /^<(0x)?<redacted>(=|%3D|\r\n)*>$/, text)
        }
      }
    }
  )

  it("finds the secret inside the Base64 of a longer text, wherever it begins", () => {
    for (const before of ["", "{", "{\"", "{\"s\":\"", "secret="]) {
      const text = Buffer.from(`${before}${secretAccessKey}"} and more`).toString("base64")
      const shown = redact(text)
      assert.include(shown, "<redacted>")
      assert.notInclude(
        Buffer.from(shown.split("<redacted>").join(""), "base64").toString(),
        secretAccessKey.slice(1, -1)
      )
    }
  })

  it.prop(
    "changes no text without a secret in it",
    [FastCheck.string({ unit: "grapheme" })],
    ([text]) => redact(text) === text
  )
})

describe("a program without types", () => {
  it("gets an error that asks for a redacted secret and does not show it", () => {
    const plain: { readonly [name: string]: unknown } = { accessKeyId: "KASK0EXAMPLE", secretAccessKey: "not-a-secret" }
    const given = [plain, { ...plain, secretAccessKey: Redacted.make(7) }, { ...plain, accessKeyId: 7 }]
    for (const pair of given) {
      const error = Either.flip(Credentials.fromPair(pair as Parameters<typeof Credentials.fromPair>[0]))
      assert.isTrue(Either.isRight(error) && error.right.reason === "Malformed")
      assert.notInclude(JSON.stringify(error), "not-a-secret")
    }
    const header: unknown = "Basic S0FTSzBFWEFNUExFOm5vdC1hLXNlY3JldA=="
    const error = Credentials.fromAuthorization(header as Redacted.Redacted<string>)
    assert.isTrue(Either.isLeft(error) && error.left.message.includes("Redacted.make"))
  })
})
