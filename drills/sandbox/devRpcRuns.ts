/**
 * The drill of secrets over `/rpc`, which asks for no credential: no answer of any method contains a secret of the sandbox, no
 * request of another site is admitted, and floods of filters, subscriptions and connections are bounded.
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { request } from "node:http"
import { WebSocket } from "ws"
import * as DevAccount from "../../packages/local-chain/src/DevAccount.js"
import { DevRpcState } from "../../packages/sandbox/src/internal/devRpc/DevRpcState.js"
import { filterLimits } from "../../packages/sandbox/src/internal/devRpc/Filters.js"
import { ownMethods } from "../../packages/sandbox/src/internal/devRpc/methods.js"
import { methods as served } from "../../packages/sandbox/src/internal/rpc/methods.js"
import { socketLimits } from "../../packages/sandbox/src/internal/rpc/socket.js"
import { mostSubscriptions } from "../../packages/sandbox/src/internal/rpc/subscriptions.js"
import * as Sandbox from "../../packages/sandbox/src/Sandbox.js"
import { Finder, type Secret } from "./secretForms.js"
import type { Leak } from "./secretRuns.js"

interface Answered {
  readonly status: number
  readonly text: string
}

type Headers = Readonly<Record<string, string>>

/** Sends a body with any headers, as no `fetch` does; `text` has the headers of the answer too. */
const post = (url: string, body: string, headers: Headers = {}, method = "POST"): Effect.Effect<Answered> =>
  Effect.async((resume) => {
    const sent = request(url, { method, headers: { "content-type": "application/json", ...headers }, agent: false })
    sent.on("response", (response) => {
      let text = JSON.stringify(response.headers)
      response.on("data", (chunk: Buffer) => {
        text += chunk.toString()
      })
      response.on("end", () => resume(Effect.succeed({ status: response.statusCode ?? 0, text })))
    })
    sent.on("error", (error) => resume(Effect.succeed({ status: 0, text: error.message })))
    sent.end(body)
  })

/** Connects; the status of the answer if that is refused. */
const connect = (url: string, headers: Headers = {}): Effect.Effect<WebSocket | number, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<WebSocket | number>((resume) => {
      const socket = new WebSocket(url.replace("http", "ws"), { headers })
      socket.on("open", () => resume(Effect.succeed(socket)))
      socket.on("error", () => resume(Effect.succeed(0)))
      socket.on("unexpected-response", (_, response) => {
        response.resume()
        resume(Effect.succeed(response.statusCode ?? 0))
      })
    }),
    (opened) => Effect.sync(() => typeof opened === "number" ? undefined : opened.terminate())
  )

const call = (method: string, params: ReadonlyArray<unknown>, id = 1) => ({ jsonrpc: "2.0", id, method, params })

const state = new DevRpcState(() => [])

const names = [
  ...new Set([
    ...served.keys(),
    ...Object.keys(ownMethods(state, Effect.never))
  ])
]

const credential = { accessKeyId: "KASKDEVRPCACCESSKEYID", secretAccessKey: "dev-rpc-secret-access-key-42" }
const walletKey = "a text that the wallet's key is derived from"
const seed = "the seed of all keys of the drill"
const token = Encoding.encodeBase64(`${credential.accessKeyId}:${credential.secretAccessKey}`)

const secretsOf = (
  { accounts, chains }: Effect.Effect.Success<ReturnType<typeof Sandbox.make>>
): ReadonlyArray<Secret> => [
  { name: "the secret access key", text: credential.secretAccessKey },
  { name: "the token", text: token },
  { name: "the key of the wallet", text: walletKey },
  { name: "the seed", text: seed },
  ...[...accounts.map(({ name }) => name), "faucet", "global fee payer"].map((name) => ({
    name: `the private key of ${name}`,
    text: DevAccount.revealPrivateKey(chains.account(name)).slice(2)
  }))
]

/** Parameters that fit some methods, and those that fit none. */
const parametersOf = (address: string): ReadonlyArray<ReadonlyArray<unknown>> => [
  [],
  [address],
  [address, "latest"],
  [{ from: address, to: address, value: "0x1" }, "latest"],
  ["0x68656c6c6f", address],
  [1],
  [[]],
  [{}],
  ["0x", {}, null],
  [`0x${"00".repeat(32)}`]
]

/** Headers of requests that pages of other sites can cause, also through a name that resolves to this machine. */
const foreign: ReadonlyArray<Headers> = [
  { origin: "https://evil.example" },
  { origin: "null" },
  { origin: "file://" },
  { origin: "http://localhost.evil.example" },
  { origin: "http://127.0.0.1.evil.example" },
  { origin: "http://evil.example#localhost" },
  { origin: "chrome-extension://abcdefghijklmnop" },
  { host: "evil.example" },
  { host: "evil.example", origin: "http://evil.example" },
  { host: "localhost.evil.example" },
  { "sec-fetch-site": "cross-site" },
  { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }
]

const writesOf = (from: string) => [
  call("eth_sendTransaction", [{ from, to: from, value: "0x1" }]),
  call("evm_mine", []),
  call("anvil_setBalance", [from, "0x1"]),
  call("anvil_reset", []),
  [call("evm_mine", []), call("evm_mine", [], 2)]
]

/** Every method with every list of parameters; the credential goes along, as from a page that changed its URL alone. */
const searchAnswers = (url: string, finder: Finder, address: string) =>
  Effect.gen(function*() {
    const leaks: Array<Leak> = []
    let answers = 0
    for (const name of names) {
      for (const params of parametersOf(address)) {
        const { text } = yield* post(url, JSON.stringify(call(name, params)), { authorization: `Basic ${token}` })
        answers++
        for (const [secret, form] of finder.in(text)) {
          leaks.push({ secret, operation: name, answer: JSON.stringify(params), by: ["the answer"], forms: [form] })
        }
      }
    }
    return { leaks, answers }
  })

/** What another site could cause: the admitted requests, and whether the chain changed. */
const attack = (url: string, address: string) =>
  Effect.scoped(Effect.gen(function*() {
    const look = Effect.map(
      Effect.all([
        post(url, JSON.stringify(call("eth_getBlockByNumber", ["latest", false]))),
        post(url, JSON.stringify(call("eth_getBalance", [address, "latest"])))
      ]),
      (answers) => answers.map(({ text }) => text.slice(text.indexOf("{\"jsonrpc"))).join()
    )
    const before = yield* look
    let tried = 0
    let admitted = 0
    for (const headers of foreign) {
      for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
        for (const body of writesOf(address)) {
          const { status } = yield* post(url, JSON.stringify(body), { ...headers, "content-type": type })
          tried++
          if (status !== 403) admitted++
        }
      }
      const asked = yield* post(url, "", { ...headers, "access-control-request-method": "POST" }, "OPTIONS")
      const opened = yield* connect(url, headers)
      tried += 2
      if (asked.status !== 403 || asked.text.includes("access-control-allow-origin")) admitted++
      if (opened !== 403) admitted++
    }
    return { tried, admitted, isChanged: before !== (yield* look) }
  }))

const flood = (url: string) =>
  Effect.scoped(Effect.gen(function*() {
    let filters = 0
    const kinds = ["eth_newFilter", "eth_newBlockFilter", "eth_newPendingTransactionFilter"]
    for (let batch = 0; batch < 3 * filterLimits.filters / 100; batch++) {
      const kind = kinds[batch % kinds.length] ?? ""
      const body = Array.from({ length: 100 }, (_, id) => call(kind, kind === "eth_newFilter" ? [{}] : [], id))
      const { text } = yield* post(url, JSON.stringify(body))
      filters += text.split("\"result\"").length - 1
    }
    const opened = yield* Effect.all(
      Array.from({ length: 2 * socketLimits.connections }, () => connect(url)),
      { concurrency: 20 }
    )
    const sockets = opened.filter((one) => typeof one !== "number")
    const [first] = sockets
    const subscriptions = first === undefined ? 0 : yield* Effect.async<number>((resume) => {
      let answers = 0
      let accepted = 0
      first.on("message", (data) => {
        const text = data.toString()
        if (text.includes("eth_subscription")) return
        answers++
        if (text.includes("\"result\"")) accepted++
        if (answers === 3 * mostSubscriptions) resume(Effect.succeed(accepted))
      })
      for (let id = 0; id < 3 * mostSubscriptions; id++) {
        first.send(JSON.stringify(call("eth_subscribe", ["newHeads"], id)))
      }
    })
    const { status } = yield* post(url, JSON.stringify(call("eth_blockNumber", [])))
    return { filters, connections: sockets.length, subscriptions, isServing: status === 200 }
  }))

/** Runs the drill. Secrets that are put into a text on purpose have to be found in it. */
export const devRpcRuns = Effect.scoped(Effect.gen(function*() {
  const sandbox = yield* Sandbox.make({
    seed,
    walletKey: Redacted.make(walletKey),
    credentials: { ...credential, secretAccessKey: Redacted.make(credential.secretAccessKey) }
  })
  const url = sandbox.rpcUrl(1001) ?? ""
  const address = sandbox.accounts[0]?.address ?? ""
  const secrets = secretsOf(sandbox)
  const finder = new Finder(secrets)
  const found = new Set(finder.in(JSON.stringify(secrets)).map(([name]) => name))
  const foreignSites = yield* attack(url, address)
  const floods = yield* flood(url)
  const { answers, leaks } = yield* searchAnswers(url, finder, address)
  const isBounded = floods.filters === filterLimits.filters && floods.connections === socketLimits.connections &&
    floods.subscriptions === mostSubscriptions && floods.isServing
  return {
    counts: {
      methods: names.length,
      answers,
      hits: leaks.length,
      canaries: { let: secrets.length, found: found.size },
      foreignSites,
      floods
    },
    leaks,
    isKept: leaks.length === 0 && found.size === secrets.length && foreignSites.admitted === 0 &&
      !foreignSites.isChanged && isBounded
  }
}))
