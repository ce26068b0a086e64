import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { klay, open } from "./support/walletWorld.js"
import * as world from "./support/world.js"

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A node of which some answers about accounts are those of a copy that has the state of the first block only. */
const lagging = Effect.gen(function*() {
  const sandbox = yield* world.sandbox
  const proxy = yield* world.proxyOf(`${sandbox.url}/rpc/${world.chain}`)
  const old = { isAsked: () => false, height: 0 }
  const rewrite = ({ id, method, params }: Call): Call =>
    method.endsWith("_getAccount") && old.isAsked() ?
      { id, method, params: [params[0], `0x${old.height.toString(16)}`] } :
      { id, method, params }
  proxy.answer = ({ body }, response) => {
    const asked: Call | ReadonlyArray<Call> = JSON.parse(body)
    const sent = [asked].flat().map((call) => rewrite(call))
    proxy.passOn(JSON.stringify(Array.isArray(asked) ? sent : sent[0]), response)
  }
  return { chain: sandbox.chains.chain(world.chain), proxy, old }
})

describe("the chain of a node with copies that lag", () => {
  it.scopedLive("shows a key that the wallet has changed, though some copies have the key before", () =>
    Effect.gen(function*() {
      const { chain, old, proxy } = yield* lagging
      const { ask } = yield* open(yield* world.file("index.db"), proxy.url)
      const { body: { address } } = yield* ask("POST", "/v2/account", {})
      const { body: { publicKey } } = yield* ask("POST", "/v2/account", {})
      yield* chain.fund(address, klay)
      old.height = (yield* chain.head).number
      const update = { from: address, accountKey: { keyType: 2, key: publicKey }, submit: true }
      const updated = yield* ask("PUT", "/v2/tx/account", update)
      assert.strictEqual(updated.status, 200, updated.text)
      let answers = 0
      old.isAsked = () => answers++ < 3
      const shown = yield* ask("GET", `/v2/account/${address}`)
      assert.deepStrictEqual([shown.status, shown.body.code], [400, 1065102])
      assert.isAbove(answers, 3)
    }))
})
