import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { klaytn, secret } from "../support/terminal.js"

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "klaytn-gateway-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

const sandbox = Sandbox.make({ seed: "klaytn gateway" })

const network = Effect.provide(HttpClient.HttpClient, FetchHttpClient.layer)

/** Waits until a text is written. */
const written = (texts: ReadonlyArray<string>, what: RegExp): Effect.Effect<string> =>
  Effect.suspend(() => {
    const [found] = what.exec(texts.join("")) ?? []
    return found === undefined
      ? Effect.zipRight(Effect.sleep("20 millis"), written(texts, what))
      : Effect.succeed(found)
  })

/** Runs a gateway, and ends it by a signal once it has written a text. */
const until = (
  what: RegExp,
  words: ReadonlyArray<string>,
  world: { readonly isTerminal?: boolean; readonly environment?: Readonly<Record<string, string>> } = {}
) =>
  Effect.gen(function*() {
    const [out, errors, stopped] = [[] as Array<string>, [] as Array<string>, yield* Deferred.make<void>()]
    const running = yield* Effect.fork(klaytn(["gateway", ...words], { ...world, out, errors, stopped }))
    yield* Effect.race(
      Effect.race(written(out, what), written(errors, what)),
      Effect.flatMap(Fiber.join(running), ({ error }) => Effect.dieMessage(`it ended: ${error}`))
    )
    yield* Deferred.succeed(stopped, undefined)
    return yield* Fiber.join(running)
  })

describe("klaytn gateway", () => {
  it.scopedLive(
    "writes a line of JSON when it listens and when it is ready, and ends well on a signal",
    () =>
      Effect.gen(function*() {
        const { url } = yield* sandbox
        const db = join(yield* folder, "index.db")
        const words = ["--node", `${url}/rpc/1001`, "--db", db, "--port", "0", "--no-credential", "--json"]
        const { code, error, out } = yield* until(/"event":"ready".*\n/, words)
        assert.strictEqual(code, 0)
        const events = out.trim().split("\n").map((line) => JSON.parse(line))
        assert.deepStrictEqual(events.filter(({ event }) => event !== "behind").map(({ event }) => event), [
          "listening",
          "ready"
        ])
        assert.match(events[0].url, /^http:\/\/127\.0\.0\.1:\d+$/)
        assert.strictEqual(events.at(-1).status.chain, 1001)
        assert.strictEqual(error, "")
        // The file is free again.
        assert.strictEqual((yield* until(/"event":"ready".*\n/, words)).code, 0)
      }),
    60_000
  )

  it.scopedLive(
    "takes the node from the environment, and shows neither its path nor its credential",
    () =>
      Effect.gen(function*() {
        const { accessKeyId, url } = yield* sandbox
        assert.notStrictEqual(accessKeyId, "")
        const db = join(yield* folder, "index.db")
        const environment = {
          KLAYTN_OWN_NODE_URL: `${url}/rpc/1001?key=${secret}`,
          KLAYTN_OWN_NODE_AUTHORIZATION: `Bearer ${secret}-2`
        }
        for (const isTerminal of [true, false]) {
          const { code, error, out } = yield* until(/ready {2}block/, ["--db", db, "--port", "0"], {
            environment,
            isTerminal
          })
          assert.strictEqual(code, 0)
          assert.match(out, /^The gateway listens on http/)
          assert.include(out, "callers need a credential: klaytn gateway callers add NAME --db")
          assert.notInclude(out + error, secret)
          assert.notInclude(out + error, "/rpc/1001")
          assert.strictEqual(error.includes("\r"), isTerminal)
        }
      }),
    60_000
  )

  it.scopedLive(
    "keeps what concerns the accounts of a file, and refuses a line that is none",
    () =>
      Effect.gen(function*() {
        const { accounts, url } = yield* sandbox
        const place = yield* folder
        const file = join(place, "accounts.txt")
        const words = ["--node", `${url}/rpc/1001`, "--db", join(place, "index.db"), "--port", "0", "--accounts", file]
        writeFileSync(file, `# ours\n${accounts[0]?.address}\n`)
        const { code, out } = yield* until(/ready {2}block/, words)
        assert.strictEqual(code, 0)
        assert.include(out, "not indexed: accounts but 1")
        writeFileSync(file, `# ours\n${accounts[0]?.address}\n0x12\n`)
        const refused = yield* klaytn(["gateway", ...words])
        assert.strictEqual(refused.code, 2)
        assert.match(refused.error, /^klaytn: the file of accounts: line 3: /)
        assert.strictEqual((yield* klaytn(["gateway", ...words, "--contracts", join(place, "none")])).code, 2)
      }),
    60_000
  )

  it.scopedLive("refuses what it is called with before it makes a file", () =>
    Effect.gen(function*() {
      const db = join(yield* folder, "index.db")
      const client = yield* network
      const refused = (...words: ReadonlyArray<string>) =>
        Effect.map(
          klaytn(["gateway", "--db", db, ...words], { client, environment: {} }),
          ({ code, error, out }) => {
            assert.strictEqual(out, "")
            return [code, error.split("\n")[0]]
          }
        )
      const node = ["--node", "http://127.0.0.1:1"]
      assert.deepStrictEqual(yield* refused(), [2, "klaytn: there is no node"])
      assert.deepStrictEqual(yield* refused(...node, "--since", "yesterday"), [
        2,
        "klaytn: --since yesterday is not a time"
      ])
      const open = yield* refused(...node, "--no-credential", "--host", "0.0.0.0")
      assert.strictEqual(open[0], 2)
      assert.match(`${open[1]}`, /no credential listens on this machine only/)
      const address = yield* refused("--node", "http://me:password@node.example")
      assert.strictEqual(address[0], 2)
      assert.notInclude(`${address[1]}`, "password")
      assert.match(
        `${(yield* refused("--node", "node.example"))[1]}`,
        /^klaytn: invalid url of the node: .* does not begin with https?:\/\/ or https?:\/\//
      )
      assert.isFalse(existsSync(db))
      // The node may answer later.
      assert.strictEqual((yield* refused(...node))[0], 5)
    }), 60_000)

  it.scopedLive(
    "says of the address of a sandbox where its nodes are, as the doctor does",
    () =>
      Effect.gen(function*() {
        const { url } = yield* sandbox
        const world = { client: yield* network, environment: {} }
        const doctor = yield* klaytn(["doctor", "--node", url], world)
        const words = ["gateway", "--db", join(yield* folder, "index.db"), "--port", "0", "--node"]
        const gateway = yield* klaytn([...words, url], world)
        assert.deepStrictEqual([gateway.code, doctor.code], [2, 2], gateway.error)
        assert.match(
          gateway.error,
          /^klaytn: 127\.0\.0\.1:\d+ is a sandbox, and this is not the address of a node in it/
        )
        assert.include(gateway.error, `-> its nodes are ${url}/rpc/1001 and ${url}/rpc/8217\n`)
        assert.isTrue(doctor.error.endsWith(gateway.error), doctor.error)
      }),
    60_000
  )
})

describe("klaytn gateway callers", () => {
  it.scopedLive("creates a credential that is shown once, lists it without its secret, and revokes it", () =>
    Effect.gen(function*() {
      const db = join(yield* folder, "index.db")
      const callers = (...words: ReadonlyArray<string>) => klaytn(["gateway", "callers", ...words, "--db", db])
      assert.strictEqual((yield* callers("list")).code, 2)
      const added = yield* callers("add", "accounting")
      assert.match(
        added.out,
        /^export KLAYTN_ACCESS_KEY_ID=KASK\w{16}\nexport KLAYTN_SECRET_ACCESS_KEY=\w{43}\n$/
      )
      const [id = ""] = /KASK\w+/.exec(added.out) ?? []
      const listed = yield* callers("list")
      assert.match(listed.out, new RegExp(`^accounting {2}${id} {2}read {2}all pools {2}20\\d\\d-`))
      assert.deepInclude(JSON.parse((yield* callers("list", "--json")).out), { name: "accounting", accessKeyId: id })
      assert.strictEqual((yield* callers("add", "accounting")).code, 2)
      assert.strictEqual((yield* callers("revoke", "accounting")).out, "accounting is revoked\n")
      assert.strictEqual((yield* callers("list")).out, "")
      assert.strictEqual((yield* callers("revoke", "accounting")).code, 2)
      assert.strictEqual((yield* callers("revoke")).code, 2)
      const json: { readonly name: string; readonly secretAccessKey: string } = JSON.parse(
        (yield* callers("add", "website", "--json")).out
      )
      assert.strictEqual(json.name, "website")
      assert.match(json.secretAccessKey, /^\w{43}$/)
    }))

  it.scopedLive("writes a credential into a new file that only its owner may read, or makes no caller", () =>
    Effect.gen(function*() {
      const path = yield* folder
      const [db, out] = [join(path, "index.db"), join(path, "shop.env")]
      const callers = (...words: ReadonlyArray<string>) => klaytn(["gateway", "callers", ...words, "--db", db])
      const added = yield* callers("add", "shop", "--out", out)
      assert.strictEqual(added.out, `the credential of shop is in ${out}\n`, added.error)
      assert.strictEqual(statSync(out).mode & 0o777, 0o600)
      assert.match(
        readFileSync(out, "utf8"),
        /^export KLAYTN_ACCESS_KEY_ID=KASK\w{16}\nexport KLAYTN_SECRET_ACCESS_KEY=\w{43}\n$/
      )
      const second = yield* callers("add", "till", "--out", out)
      assert.deepStrictEqual([second.code, second.out], [2, ""])
      assert.notInclude((yield* callers("list")).out, "till")
      const refused = yield* callers("add", "shop", "--out", join(path, "other.env"))
      assert.deepStrictEqual([refused.code, existsSync(join(path, "other.env"))], [2, false])
    }))
})
