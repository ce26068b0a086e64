import * as Sandbox from "@effect-klaytn/sandbox/Sandbox"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readdirSync } from "node:fs"
import { dirname } from "node:path"
import * as stores from "../scripts/stores.js"
import * as world from "./support/world.js"

const versions = readdirSync(new URL("stores/", import.meta.url))

describe("an index of an older version", () => {
  it.scopedLive.each(versions)(
    "%s is upgraded, goes on, and has the pages of a new one",
    (version) =>
      Effect.gen(function*() {
        const files = stores.unpack(version, dirname(yield* world.file("index.sqlite")))
        const node = yield* Sandbox.make(stores.sandboxOptions(files.node))
        const url = `${node.url}/rpc/${world.chain}`
        const old = yield* world.open(url, { database: files.index })
        const before = (yield* old.status).index.head?.number ?? 0
        yield* world.ready(old)
        const fresh = yield* world.open(url)
        yield* world.ready(fresh)
        const { index } = yield* old.status
        assert.isAbove(before, 0, "the older index is used")
        assert.isAbove(index.head?.number ?? 0, before, "and goes on")
        assert.deepStrictEqual(index.head, (yield* fresh.status).index.head)
        const chain = node.chains.chain(world.chain)
        const addresses = new Set<string>()
        for (let block = 1; block <= (index.head?.number ?? 0); block++) {
          for (const { hash } of yield* chain.transactionsOf(block)) {
            for (const { from, to } of yield* chain.transfersOf(hash)) [from, to].forEach((one) => addresses.add(one))
          }
        }
        let compared = 0
        for (const address of addresses) {
          for (const path of [`/v2/transfer/account/${address}?size=1000`, `/v2/account/${address}/token?kind=ft`]) {
            const [one, other] = yield* Effect.all([world.send(old.url + path), world.send(fresh.url + path)])
            assert.strictEqual(
              one.text.replace(/"cursor":"[^"]*"/, ""),
              other.text.replace(/"cursor":"[^"]*"/, ""),
              path
            )
            if (one.status === 200) compared++
          }
        }
        assert.isAbove(compared, 6)
      })
  )
})
