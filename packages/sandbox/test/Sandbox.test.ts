import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Sandbox from "../src/Sandbox.js"
import { basic, get, page, send } from "./support/wire.js"

const options = { seed: "sandbox", clock: { start: 1_600_000_000, step: 1 } } as const

const within = <A, E>(effect: Effect.Effect<A, E, Sandbox.Sandbox>, started: Sandbox.Options = {}) =>
  Effect.provide(effect, Sandbox.layer(started))

const eoa = "/v2/transfer/account/0x1111111111111111111111111111111111111111"

describe("A sandbox", () => {
  for (
    const host of ["0.0.0.0", "::", "192.168.1.1", "example.com", "", "localhost.example.com", "127.0.0.1.example.com"]
  ) {
    it.live(`does not listen on ${JSON.stringify(host)}, and says why`, () =>
      Effect.gen(function*() {
        const failure = yield* Effect.flip(Effect.scoped(Sandbox.make({ host })))
        assert.strictEqual(failure.reason, "NotLoopback")
        assert.include(failure.message, "listens on this machine only")
      }))
  }

  for (
    const [host, url] of [["127.0.0.1", /^http:\/\/127\.0\.0\.1:\d+$/], [
      "localhost",
      /^http:\/\/127\.0\.0\.1:\d+$/
    ]] as const
  ) {
    it.live(`listens on ${host}`, () =>
      within(
        Effect.gen(function*() {
          assert.match((yield* Sandbox.Sandbox).url, url)
          assert.strictEqual((yield* get(eoa)).status, 200)
        }),
        { host }
      ))
  }

  it.live("fails when its port is taken, or its credential cannot be one", () =>
    Effect.gen(function*() {
      const taken = yield* Effect.acquireRelease(
        Effect.async<number>((resume) => {
          const server = createServer().listen(0, "127.0.0.1", () => {
            const address = server.address()
            resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
          })
        }),
        () => Effect.void
      )
      const port = yield* Effect.flip(Sandbox.make({ port: taken }))
      assert.strictEqual(port.reason, "Listen")
      assert.include(port.message, String(taken))
      const credentials = { accessKeyId: "with:colon", secretAccessKey: Redacted.make("hidden") }
      const credential = yield* Effect.flip(Sandbox.make({ credentials }))
      assert.strictEqual(credential.reason, "Credentials")
      assert.notInclude(String(credential), "hidden")
    }).pipe(Effect.scoped))

  it.live("stops with its scope, even while a request waits", () =>
    Effect.gen(function*() {
      const exit = yield* within(
        Effect.gen(function*() {
          const { control } = yield* Sandbox.Sandbox
          yield* control.addFault({ action: { kind: "delay", milliseconds: 600_000 } })
          const { url } = yield* Sandbox.Sandbox
          const waiting = fetch(`${url}${eoa}`).then(() => "answered", () => "cut")
          yield* Effect.repeat(Effect.zipRight(Effect.yieldNow(), control.faults), {
            until: (faults) => faults.length === 0
          })
          return { url, waiting }
        })
      )
      assert.strictEqual(yield* Effect.promise(() => exit.waiting), "cut")
      const after = yield* Effect.exit(Effect.tryPromise(() => fetch(exit.url)))
      assert.isTrue(Exit.isFailure(after))
    }))

  it.live("has funded accounts on both chains, and an empty history", () =>
    within(
      Effect.gen(function*() {
        const { accounts, control } = yield* Sandbox.Sandbox
        assert.deepStrictEqual(accounts.map(({ name }) => name), ["alice", "bob", "carol", "dave", "erin"])
        for (const chainId of [8217, 1001] as const) {
          for (const { balance } of yield* control.chain(chainId).accounts) assert.strictEqual(balance, 10n ** 24n)
        }
        assert.deepStrictEqual((yield* page(`/v2/transfer/account/${accounts[0]?.address}`)).items, [])
      })
    ))

  it.live("answers byte for byte the same for the same seed and clock, request IDs included", () =>
    Effect.gen(function*() {
      const run = within(
        Effect.gen(function*() {
          const { accessKeyId, control, chains, secretAccessKey } = yield* Sandbox.Sandbox
          yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 7n })
          yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 8n })
          const texts = yield* Effect.forEach(
            [`/v2/transfer/account/${chains.account("bob").address}?size=1`, "/v2/transfer", "/nowhere"],
            (path) => Effect.map(get(path), ({ text }) => text)
          )
          return [accessKeyId, Redacted.value(secretAccessKey), ...texts]
        }),
        options
      )
      assert.deepStrictEqual(yield* run, yield* run)
    }))

  it.live("has keys, credential and request IDs of its own when no seed is given", () =>
    Effect.gen(function*() {
      const run = within(
        Effect.gen(function*() {
          const { accessKeyId, accounts, secretAccessKey } = yield* Sandbox.Sandbox
          assert.match(accessKeyId, /^KAS[A-Z0-9]{17}$/)
          assert.match(Redacted.value(secretAccessKey), /^[A-Za-z0-9]{42}$/)
          return [accessKeyId, Redacted.value(secretAccessKey), accounts[0]?.address, (yield* get("/nowhere")).text]
        })
      )
      const [one, other] = yield* Effect.all([run, run])
      for (const [index, value] of one.entries()) assert.notStrictEqual(value, other[index])
    }))

  it.scopedLive("on a file keeps its blocks, presets, keys, credential and cursors", () =>
    Effect.gen(function*() {
      const directory = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "sandbox-"))),
        (path) => Effect.sync(() => rmSync(path, { recursive: true }))
      )
      const database = join(directory, "chain.db")
      const [first, authorization, search] = yield* within(
        Effect.gen(function*() {
          const { accessKeyId, control, secretAccessKey } = yield* Sandbox.Sandbox
          const chain = control.chain(1001)
          yield* Effect.forEach([1n, 2n, 3n], (amount) => chain.transfer({ from: "alice", to: "bob", amount }))
          const { id } = yield* chain.createPreset({ name: "bob", accounts: ["bob"] })
          const path = `/v2/transfer?presets=${id}`
          return [
            yield* page(`${path}&size=1`),
            basic(accessKeyId, Redacted.value(secretAccessKey)),
            path
          ] as const
        }),
        { database }
      )
      const [second, status] = yield* within(
        Effect.gen(function*() {
          return [
            yield* page(`${search}&cursor=${first.cursor}`),
            (yield* send(search, { headers: { authorization, "x-chain-id": "1001" } })).status
          ] as const
        }),
        { database }
      )
      assert.strictEqual(status, 200)
      assert.deepStrictEqual([...first.items, ...second.items].map(({ value }) => value), ["0x3", "0x2", "0x1"])
    }))

  it.live("answers fifty mixed requests at once, each with its own answer", () =>
    within(
      Effect.gen(function*() {
        const { control, chains } = yield* Sandbox.Sandbox
        const bob = chains.account("bob").address
        const ask = (index: number) => {
          switch (index % 5) {
            case 0:
              return Effect.as(control.chain(1001).transfer({ from: "alice", to: "bob", amount: 1n }), "sent")
            case 1:
              return Effect.map(get(`/v2/transfer/account/${bob}`), ({ status }) => `page ${status}`)
            case 2:
              return Effect.map(get(`/v2/transfer/account/${bob}`, { "x-chain-id": "8217" }), ({ text }) => text)
            case 3:
              return Effect.map(get("/v2/transfer?presets=1"), ({ status }) => `preset ${status}`)
            default:
              return Effect.map(send(eoa), ({ status }) => `none ${status}`)
          }
        }
        const answers = yield* Effect.forEach(Array.from({ length: 50 }, (_, index) => index), ask, {
          concurrency: "unbounded"
        })
        const expected = ["sent", "page 200", "{\"items\":[],\"cursor\":\"\"}", "preset 404", "none 401"]
        assert.deepStrictEqual(answers, Array.from({ length: 50 }, (_, index) => expected[index % 5] ?? ""))
        assert.strictEqual((yield* page(`/v2/transfer/account/${bob}`)).items.length, 10)
        const requests = yield* control.requests()
        assert.strictEqual(requests.length, 41)
        assert.strictEqual(new Set(requests.map(({ id }) => id)).size, 41)
      })
    ))

  it.live("runs beside another one", () =>
    Effect.gen(function*() {
      const [one, other] = yield* Effect.all([Sandbox.make(options), Sandbox.make(options)])
      assert.notStrictEqual(one.url, other.url)
      yield* one.control.chain(1001).mine()
      assert.strictEqual((yield* other.control.chain(1001).state).height, 0)
    }).pipe(Effect.scoped))

  it.effect("goes by the clock of its program, also when that stands still", () =>
    within(
      Effect.gen(function*() {
        const { control, chains } = yield* Sandbox.Sandbox
        const sent = yield* control.chain(1001).transfer({ from: "alice", to: "bob", amount: 1n })
        assert.strictEqual(sent.timestamp, 0)
        assert.strictEqual((yield* page(`/v2/transfer/account/${chains.account("bob").address}`)).items.length, 1)
      })
    ))
})
