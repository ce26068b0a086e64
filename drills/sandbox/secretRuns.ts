/** The drill of secrets, for the command and for the test. */
import * as ClientConfig from "@effect-klaytn/core/ClientConfig"
import * as Credentials from "@effect-klaytn/core/Credentials"
import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import * as Testing from "@effect-klaytn/core/Testing"
import { codes } from "@effect-klaytn/wallet/WalletCode"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { Random } from "../../packages/sandbox/src/internal/Random.js"
import * as everyOperation from "./everyOperation.js"
import * as printing from "./printing.js"
import { Finder, spellingsOf, split } from "./secretForms.js"
import * as SkippingClock from "./SkippingClock.js"

/** Options of the drill. */
export interface Options {
  /** Credentials to try, each with its own private key. */
  readonly pairs: number
  readonly seed: string
  /** Time limit in milliseconds. Calls are in an order that the seed decides; those left when the time is over are skipped. */
  readonly within?: number
  readonly onProgress?: (done: number, of: number) => void
}

interface Pair {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

/** A call that revealed a secret, and what showed it. */
export interface Leak {
  readonly secret: string
  readonly operation: string
  readonly answer: string
  readonly by: ReadonlyArray<string>
  readonly forms: ReadonlyArray<string>
}

const alphabets = [
  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
  "abcdefghijklmnopqrstuvwxyz0123456789+/=",
  "ab\\\"'`<>&%${}|^~#?;=+ 01",
  "\u00e9\u00df\u4f60\u597d\ud55c\uad6d\u00f1\u03a9z9",
  "a b%20%2520\\u0041&amp;&#65;",
  "\ud83d\ude00\ud83e\udd80x-y_z.",
  "://@?#[]!$&'()*+,;=%"
]

const pairOf = (random: Random, index: number): Pair => {
  const part = (alphabet: string, length: number): string => {
    const units = [...alphabet]
    const text = Array.from({ length }, () => random.pick(units) ?? "x").join("")
    // Long and odd enough not to occur in ordinary text.
    return `${text.trim()}Q${random.between(10 ** 6, 10 ** 7)}`
  }
  const alphabet = alphabets[index % alphabets.length] ?? ""
  const length = index % 5 === 4 ? 230 : random.between(8, 40)
  return {
    accessKeyId: part(alphabet, length).replaceAll(":", "."),
    secretAccessKey: part(alphabets[(index + (index > 6 ? 3 : 0)) % alphabets.length] ?? alphabet, length)
  }
}

const header = (text: string): string => text.replace(/[^\x21-\x7e]/g, "")

/** Answers of a service, a gateway or a network that repeats the secrets wherever it can. */
const answersOf = (
  { accessKeyId, secretAccessKey }: Pair
): ReadonlyArray<readonly [name: string, step: Testing.Step]> => {
  const pair = `${accessKeyId}:${secretAccessKey}`
  const token = Encoding.encodeBase64(pair)
  const words = [
    `Basic ${token}`,
    pair,
    ...spellingsOf(secretAccessKey),
    ...spellingsOf(accessKeyId),
    ...spellingsOf(pair),
    ...spellingsOf(token),
    split(token),
    split(secretAccessKey),
    `line\r\n${secretAccessKey}\u001b[31m${token}\u0000`
  ]
  // A message that is too long is not shown at all, so the spellings are spread over several.
  const parts = [words.slice(0, 8), words.slice(8, 20), words.slice(20, 34), words.slice(34), [secretAccessKey], [
    token
  ]]
    .map((some) => some.join(" | "))
  const headers = {
    "retry-after": header(secretAccessKey),
    location: `https://${header(accessKeyId).toLowerCase()}.example/${header(token)}`,
    "content-type": `${header(secretAccessKey)}/${header(token)}`,
    "x-request-id": header(token)
  }
  const rpc = (answer: object): Testing.Step => (sent) => {
    const parsed: unknown = sent.body === undefined ? undefined : JSON.parse(sent.body)
    const one = (request: unknown) => ({
      jsonrpc: "2.0",
      id: typeof request === "object" && request !== null && "id" in request ? request.id : null,
      ...answer
    })
    return Testing.json(200, Array.isArray(parsed) ? parsed.map(one) : one(parsed))(sent)
  }
  return parts.flatMap((all, i) => {
    const body = (code: number) => ({ code, message: all, requestId: all, [all]: all, cursor: all, data: all })
    return [
      ...[301, 307, 400, 401, 404, 413, 429, 500, 503].map((status) =>
        [`${status} in JSON, part ${i}`, Testing.json(status, body(1010009), headers)] as const
      ),
      ...Object.values(codes).map((code) => [`400 with ${code}, part ${i}`, Testing.json(400, body(code))] as const),
      ...[200, 400, 502].map((status) =>
        [`${status} in HTML, part ${i}`, Testing.text(status, `<p>${all}</p>`, headers)] as const
      ),
      [
        `a record of it, part ${i}`,
        Testing.json(200, { ...body(1), items: [{ [all]: all }], address: all, status: all })
      ],
      [`the text alone, part ${i}`, Testing.json(200, all)],
      [`a list of it, part ${i}`, Testing.json(200, { items: [all], cursor: all })],
      [`an error of a node, part ${i}`, rpc({ error: { code: -32000, message: all, data: all } })],
      [`an odd error of a node, part ${i}`, rpc({ error: { code: all, message: { [all]: all } } })],
      [`a refusal of a node, part ${i}`, rpc({ error: { code: -32000, message: `nonce too low ${all}` } })],
      [`a revert, part ${i}`, rpc({ error: { code: 3, message: `execution reverted: ${all}`, data: "0x" } })],
      [`a result, part ${i}`, rpc({ result: all })],
      [`a record of a node, part ${i}`, rpc({ result: { [all]: all, number: all, hash: all, transactions: [all] } })],
      [
        `a broken connection, part ${i}`,
        Testing.broken(Object.assign(new Error(all), { code: all, syscall: all, cause: { code: all, message: all } }))
      ]
    ] as const
  })
}

const quiet: ReadonlyArray<readonly [name: string, step: Testing.Step]> = [
  ["silence", Testing.silence],
  ["cut off", Testing.cutOff(200)],
  ["nothing", Testing.text(200, "")],
  ["not found", Testing.json(400, { code: codes.noData, message: "data don't exist" })]
]

const configurationOf = ({ accessKeyId, secretAccessKey }: Pair) =>
  ClientConfig.layer({
    chain: 1001,
    credentials: Effect.suspend(() =>
      Credentials.fromPair({ accessKeyId, secretAccessKey: Redacted.make(secretAccessKey) })
    ),
    endpoints: {
      history: "http://127.0.0.1:8080/history",
      tokens: "http://127.0.0.1:8080/tokens",
      wallet: "http://127.0.0.1:8080/wallet",
      node: "http://127.0.0.1:8080/node",
      resource: "http://127.0.0.1:8080/resource"
    },
    retry: RetryPolicy.make({ attempts: 2, baseDelay: 0 })
  })

const shuffled = <A>(random: Random, list: ReadonlyArray<A>): ReadonlyArray<A> =>
  list.map((one) => ({ one, at: random.fraction() })).sort((a, b) => a.at - b.at).map(({ one }) => one)

const leaksIn = (
  finder: Finder,
  printed: ReadonlyArray<printing.Printed>,
  place: Pick<Leak, "operation" | "answer">
): ReadonlyArray<Leak> => {
  const found = new Map<string, { readonly by: Set<string>; readonly forms: Set<string> }>()
  for (const { by, text } of printed) {
    for (const [secret, form] of finder.in(text)) {
      const one = found.get(secret) ?? { by: new Set(), forms: new Set() }
      found.set(secret, one)
      one.by.add(by)
      one.forms.add(form)
    }
  }
  return Array.from(found, ([secret, { by, forms }]) => ({ ...place, secret, by: [...by], forms: [...forms] }))
}

const drill = (
  { onProgress, pairs, seed, within = Number.POSITIVE_INFINITY }: Options,
  recorder: printing.Recorder
) =>
  Effect.gen(function*() {
    const random = new Random(seed)
    const began = performance.now()
    const leaks: Array<Leak> = []
    const kinds = new Set<string>()
    const counts = { pairs: 0, operations: 0, answers: 0, calls: 0, failures: 0, defects: 0, texts: 0 }
    const canaries = { let: 0, found: 0 }

    /** Runs one call and searches everything that is shown of it. */
    const watch = (finder: Finder, call: Effect.Effect<unknown, unknown>, place: Pick<Leak, "operation" | "answer">) =>
      Effect.gen(function*() {
        const exit = yield* recorder.record(call)
        counts.calls++
        if (Exit.isFailure(exit)) {
          counts.failures++
          if (exit.cause._tag === "Die") counts.defects++
        }
        const printed = [...printing.ofExit(exit), ...recorder.take()]
        counts.texts += printed.length
        for (const { by } of printed) kinds.add(by)
        return leaksIn(finder, printed, place)
      }).pipe(Effect.withClock(SkippingClock.make()))

    for (let index = 0; index < pairs; index++) {
      const until = began + within * (index + 1) / pairs
      const pair = pairOf(random, index)
      const token = Encoding.encodeBase64(`${pair.accessKeyId}:${pair.secretAccessKey}`)
      const privateKey = Array.from({ length: 64 }, () => random.between(0, 15).toString(16)).join("")
      const finder = new Finder([
        { name: "the access key ID", text: pair.accessKeyId },
        { name: "the secret access key", text: pair.secretAccessKey },
        { name: "the pair", text: `${pair.accessKeyId}:${pair.secretAccessKey}` },
        { name: "the token", text: token },
        { name: "the private key", text: privateKey },
        { name: "the private key", text: privateKey.toUpperCase() }
      ])
      counts.pairs++

      /** Deliberate leaks must be found, in every spelling, by every logger and exporter. */
      for (const form of [...spellingsOf(pair.secretAccessKey), ...spellingsOf(token), split(token), privateKey]) {
        const call = Effect.fail(new Cause.UnknownException(form, form)).pipe(
          Effect.withSpan("canary", { attributes: { form } })
        )
        const found = yield* watch(finder, call, { operation: "canary", answer: "" })
        canaries.let++
        const wanted = [
          "message",
          "the string logger",
          "the pretty logger",
          "the exporter of spans",
          "the exporter of logs"
        ]
        if (wanted.every((by) => found.some((leak) => leak.by.includes(by)))) canaries.found++
      }

      let answering: Testing.Step = Testing.silence
      const operations = yield* everyOperation.make(Redacted.make(`0x${privateKey}`)).pipe(
        Effect.provide(configurationOf(pair)),
        Effect.provideService(HttpClient.HttpClient, Testing.wire((sent) => answering(sent)).client)
      )
      const answers = [...answersOf(pair), ...quiet]
      counts.operations = operations.length
      counts.answers = answers.length
      const called = answers.flatMap(([answer, step]) =>
        operations.map(({ call, name }) => ({ call, step, place: { operation: name, answer } }))
      )
      // A key in the wrong place is either refused, or sent but not shown.
      const refused = Testing.json(400, { code: 1, message: "no" })
      const keys = [`0x${privateKey}`, privateKey, `0x${privateKey.toUpperCase()}`, pair.secretAccessKey]
      const misplaced = operations.flatMap(({ misplaced, name }) =>
        keys.flatMap(misplaced).map((call) => ({
          call,
          step: refused,
          place: { operation: name, answer: "refused, with a key in the place of another text" }
        }))
      )
      // Every place is tried once, then as many as there is time for.
      const all = index === 0
        ? [...shuffled(random, misplaced), ...shuffled(random, called)]
        : shuffled(random, [...called, ...misplaced])
      for (const [done, { call, place, step }] of all.entries()) {
        if (performance.now() > until) break
        answering = step
        leaks.push(...yield* watch(finder, call, place))
        if (done % 200 === 0) onProgress?.(index + done / all.length, pairs)
      }
      leaks.push(...leaksIn(finder, [yield* printing.metrics], { operation: "all", answer: "all" }))
    }
    return { counts: { ...counts, kinds: kinds.size, canaries, hits: leaks.length }, leaks }
  })

/** Runs the drill. */
export const secretRuns = (options: Options) =>
  Effect.flatMap(printing.recorder, ({ layer, recorder }) => Effect.provide(drill(options, recorder), layer))
