import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as records from "../../../node/test/golden/records.js"
import { environment, klaytn, secret } from "../support/terminal.js"

interface Report {
  readonly isWell: boolean
  readonly checks: ReadonlyArray<
    { readonly name: string; readonly status: string; readonly detail: string; readonly hint?: string }
  >
}

interface Call {
  readonly id: number
  readonly method: string
}

interface Chain {
  readonly blockTime?: number
  readonly syncing?: unknown
}

const date = (seconds: number) => ({ date: new Date(seconds * 1000).toUTCString() })

/** All services at one address, each with its own way to answer that nothing is there; the time of the newest block, and what syncs. */
const service = (chainId: string, seconds: number, chain: Chain = {}): Testing.Step => (sent) => {
  if (sent.method === "POST") {
    const asked: Call | ReadonlyArray<Call> = JSON.parse(sent.body ?? "")
    const answers = [asked].flat().map(({ id, method }) => {
      const { blockTime = seconds, syncing = false } = chain
      const result = method === "klay_chainID"
        ? chainId
        : method === "klay_syncing"
        ? syncing
        : {
          ...records.header,
          timestamp: `0x${blockTime.toString(16)}`,
          transactions: [],
          size: "0x1",
          totalBlockScore: "0x1"
        }
      return { jsonrpc: "2.0", id, result }
    })
    return Testing.json(200, Array.isArray(asked) ? answers : answers[0], date(seconds))(sent)
  }
  return sent.url.includes("/contract/")
    ? Testing.json(404, { code: 1040400, message: "no such contract", requestId: "r" }, date(seconds))(sent)
    : Testing.json(200, { items: [], cursor: "" }, date(seconds))(sent)
}

const report = (
  step: Testing.Step,
  variables: Readonly<Record<string, string>> = environment,
  ...more: Array<string>
) => {
  const wire = Testing.wire(step)
  return Effect.map(klaytn(["doctor", "--json", ...more], { wire, environment: variables }), ({ code, error, out }) => {
    assert.strictEqual(error, "")
    const found: Report = JSON.parse(out)
    assert.strictEqual(code, found.isWell ? 0 : 3)
    return { wire, out, ...found, of: (name: string) => found.checks.find((one) => one.name === name) }
  })
}

describe("klaytn doctor", () => {
  it.effect("says that all is well, on lines for people and as JSON, and changes nothing", () =>
    Effect.gen(function*() {
      const { checks, isWell, wire } = yield* report(service("0x3e9", 0))
      assert.isTrue(isWell)
      assert.deepStrictEqual(
        checks.map(({ name, status }) => [name, status]),
        ["Node.js", "chain", "credential", "history", "tokens", "wallet", "node", "resource"].map((
          name
        ) => [name, "ok"])
      )
      assert.deepStrictEqual(
        wire.sent.filter(({ method }) => method !== "GET")
          .flatMap(({ body }) => JSON.parse(body ?? "")).map(({ method }: Call) => method),
        ["klay_chainID", "klay_getBlockByNumber", "klay_syncing", "klay_clientVersion"]
      )
      const lines = yield* klaytn(["doctor"], { wire: Testing.wire(service("0x3e9", 0)) })
      assert.strictEqual(lines.code, 0)
      assert.match(lines.out, /^ok +history +127\.0\.0\.1:8080 answered in 0 ms, credential accepted, clocks agree$/m)
      assert.match(lines.out, /\nAll is well\.\n$/)
      const terminal = yield* klaytn(["doctor"], { wire: Testing.wire(service("0x3e9", 0)), isTerminal: true })
      assert.include(terminal.out, "\x1b[32m✓\x1b[0m history")
    }))

  it.effect("says whose the credential is at a gateway, what it may do, and which services it can't use", () =>
    Effect.gen(function*() {
      const at = (caller: object): Testing.Step => (sent) =>
        sent.url.endsWith("/caller")
          ? Testing.json(200, caller, date(0))(sent)
          : service("0x3e9", 0)(sent)
      const limits = { largestValue: "100000000000000000000", contractCalls: false }
      const shop = yield* report(at({ name: "shop", rights: ["read", "wallet"], pools: ["shop"], limits }))
      assert.deepStrictEqual(
        shop.checks.filter(({ name }) => name === "caller").map(({ detail, status }) => [status, detail]),
        [["ok", "shop of a gateway: rights read,wallet, pools shop, --max-value 100 --no-contract-calls"]]
      )
      assert.lengthOf(shop.wire.sent.filter(({ url }) => url.endsWith("/caller")), 1)
      const reader = yield* report(at({ name: "reader", rights: ["read"], limits: {} }))
      assert.isTrue(reader.isWell)
      assert.deepInclude(reader.of("caller"), {
        status: "warning",
        detail: "reader of a gateway: rights read; not for wallet,resource"
      })
      assert.include(reader.of("caller")?.hint ?? "", "callers add NAME --rights read,wallet")
      assert.notInclude(reader.out, secret)
      // A service that is no gateway has no such page.
      assert.isUndefined((yield* report(at({ message: "no such path" }))).of("caller"))
    }))

  it.effect("proposes for a service that has no address the host of the others, and a foreign one for hosted services alone", () =>
    Effect.gen(function*() {
      const hintWith = (urls: Readonly<Record<string, string>>) => {
        const own = Object.entries(environment).filter(([name]) => !name.endsWith("_URL"))
        return Effect.map(
          report(service("0x3e9", 0), { ...Object.fromEntries(own), ...urls }),
          ({ of }) => of("tokens")?.hint
        )
      }
      const own = "http://127.0.0.1:8218"
      assert.strictEqual(
        yield* hintWith({ KLAYTN_WALLET_URL: `${own}/` }),
        `to use it: export KLAYTN_TOKENS_URL=${own}`
      )
      const hosted = "to use it: export KLAYTN_TOKENS_URL=https://th-api.klaytnapi.com"
      assert.strictEqual(yield* hintWith({ KLAYTN_WALLET_URL: "https://wallet-api.klaytnapi.com" }), hosted)
      assert.strictEqual(yield* hintWith({}), hosted)
      const several = { KLAYTN_WALLET_URL: own, KLAYTN_HISTORY_URL: "https://history.example" }
      assert.strictEqual(yield* hintWith(several), "to use it: export KLAYTN_TOKENS_URL=...")
    }))

  it.effect("shows where each setting is from, and the fingerprint in place of the credential", () =>
    Effect.gen(function*() {
      const { of, out } = yield* report(service("0x2019", 0), environment, "--chain", "8217")
      assert.strictEqual(of("chain")?.detail, "mainnet (8217) from --chain")
      assert.match(
        of("credential")?.detail ?? "",
        /^from KLAYTN_ACCESS_KEY_ID and KLAYTN_SECRET_ACCESS_KEY, fingerprint [0-9a-f]{12}$/
      )
      assert.notInclude(out, secret)
      assert.notInclude(out, "KASK0EXAMPLE")
    }))

  it.effect("names what is missing and how to set it, and asks no service then", () =>
    Effect.gen(function*() {
      const { isWell, of, wire } = yield* report(service("0x3e9", 0), { KLAYTN_NODE_URL: Testing.baseUrl })
      assert.isFalse(isWell)
      assert.include(of("chain")?.hint ?? "", "export KLAYTN_CHAIN_ID=8217")
      assert.strictEqual(
        of("credential")?.hint,
        "export KLAYTN_ACCESS_KEY_ID=...; export KLAYTN_SECRET_ACCESS_KEY=..."
      )
      assert.include(of("history")?.hint ?? "", `export KLAYTN_HISTORY_URL=${Testing.baseUrl}`)
      assert.deepStrictEqual(of("node"), { name: "node", status: "not set", detail: "not asked: see above" })
      assert.strictEqual(wire.sent.length, 0)
    }))

  it.effect("is not well without the address of any service", () =>
    Effect.gen(function*() {
      const { isWell } = yield* report(service("0x3e9", 0), {
        KLAYTN_CHAIN_ID: "1001",
        KLAYTN_ACCESS_KEY_ID: "KASK0EXAMPLE",
        KLAYTN_SECRET_ACCESS_KEY: secret
      })
      assert.isFalse(isWell)
    }))

  it.effect("tells a wrong setting of one service without its value, and asks the others", () =>
    Effect.gen(function*() {
      const { checks, of, out } = yield* report(service("0x3e9", 0), {
        ...environment,
        KLAYTN_WALLET_URL: `https://user:${secret}@wallet.example`,
        KLAYTN_POOL: "not a name"
      })
      assert.deepStrictEqual(checks.filter(({ status }) => status === "wrong").map(({ name }) => name), [
        "pool",
        "wallet"
      ])
      assert.include(of("wallet")?.detail ?? "", "KLAYTN_WALLET_URL")
      assert.strictEqual(of("history")?.status, "ok")
      assert.notInclude(out, secret)
    }))

  it.effect("tells a refused credential, a service that is not reached and a page that is no answer", () =>
    Effect.gen(function*() {
      const { isWell, of, out } = yield* report((sent) =>
        sent.url.includes("/v2/transfer")
          ? Testing.json(401, { code: 1010009, message: `unknown key ${secret}` })(sent)
          : sent.url.includes("/contract/")
          ? Testing.broken(Testing.networkError("ENOTFOUND"))(sent)
          : sent.method === "POST"
          ? Testing.text(200, "<html>welcome</html>", { "content-type": "text/html" })(sent)
          : service("0x3e9", 0)(sent)
      )
      assert.isFalse(isWell)
      assert.strictEqual(of("history")?.status, "wrong")
      assert.include(of("history")?.detail ?? "", "did not accept the credential")
      assert.include(of("tokens")?.detail ?? "", "ENOTFOUND")
      assert.include(of("tokens")?.hint ?? "", "KLAYTN_TOKENS_URL")
      assert.strictEqual(of("node")?.status, "wrong")
      assert.strictEqual(of("wallet")?.status, "ok")
      assert.notInclude(out, secret)
      assert.notInclude(out, "welcome")
    }))

  it.effect("tells a service that refuses the read without a code of its own, as a sandbox that gave up on it does", () =>
    Effect.gen(function*() {
      for (const status of [499, 404, 431]) {
        const { isWell, of } = yield* report((sent) =>
          sent.url.includes("/v2/account") ? Testing.text(status, "")(sent) : service("0x3e9", 0)(sent)
        )
        assert.isFalse(isWell)
        assert.strictEqual(of("wallet")?.status, "wrong")
        assert.include(of("wallet")?.detail ?? "", `HTTP ${status}`)
        assert.strictEqual(of("history")?.status, "ok")
      }
    }))

  it.effect("tells a node of another chain", () =>
    Effect.gen(function*() {
      const { of } = yield* report(service("0x2019", 0))
      assert.strictEqual(of("node")?.status, "wrong")
      assert.include(of("node")?.detail ?? "", "it is a node of chain 8217, and 1001 is configured")
    }))

  it.effect("compares the time of the node's chain with its clock, and warns of a node that syncs", () =>
    Effect.gen(function*() {
      yield* TestClock.adjust("1000 seconds")
      const nodeLine = (chain: Chain) => Effect.map(report(service("0x3e9", 1000, chain)), ({ of }) => of("node"))
      assert.strictEqual((yield* nodeLine({ blockTime: 950 }))?.status, "ok")
      const old = yield* nodeLine({ blockTime: 900 })
      assert.strictEqual(old?.status, "warning")
      assert.match(
        old?.detail ?? "",
        /its newest block is 10\d s old: it is behind, or its chain makes blocks on demand$/
      )
      const ahead = yield* nodeLine({ blockTime: 1200 })
      assert.match(ahead?.detail ?? "", /its newest block is (199|200) s ahead of its clock$/)
      const syncing = { startingBlock: "0x0", currentBlock: "0x1", highestBlock: "0x2" }
      const behind = yield* nodeLine({ syncing })
      assert.strictEqual(behind?.status, "warning")
      assert.match(behind?.detail ?? "", /it is still syncing$/)
    }))

  it.effect("tells clocks that differ, and warns from a minute on", () =>
    Effect.gen(function*() {
      const little = yield* report(service("0x3e9", 10))
      assert.strictEqual(little.of("history")?.status, "ok")
      assert.include(little.of("history")?.detail ?? "", "this clock is 11 s behind")
      const much = yield* report(service("0x3e9", 3600))
      assert.isTrue(much.isWell)
      assert.strictEqual(much.of("history")?.status, "warning")
      assert.strictEqual(much.of("history")?.hint, "set the clock of this machine")
    }))

  it.effect("gives up on a service that does not answer", () =>
    Effect.gen(function*() {
      const { of } = yield* Effect.raceFirst(report(Testing.silence), Effect.forever(TestClock.adjust("1 second")))
      assert.strictEqual(of("history")?.status, "wrong")
      assert.include(of("history")?.detail ?? "", "limit of 10000 ms passed")
    }))
})
