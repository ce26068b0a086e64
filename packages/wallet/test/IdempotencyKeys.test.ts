import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Client from "../../core/test/support/client.js"
import * as FeeDelegation from "../src/FeeDelegation.js"
import * as SendOutcome from "../src/SendOutcome.js"
import * as Chain from "./support/chain.js"
import * as Records from "./support/records.js"
import * as Service from "./support/service.js"

const { alice, bob } = Records

const send = { from: alice, to: bob, value: 1_000_000_000_000_000_000n, payer: FeeDelegation.service }

/** A send whose first answer is lost: how it ends, and the keys of its calls. */
const run = (idempotencyKeys: boolean | undefined) =>
  Effect.gen(function*() {
    const wire = Chain.make({ blocks: [[]] }, Testing.text(502, ""), Testing.json(200, Records.result))
    const wallet = yield* Service.wallet(wire, { ...Service.withNode, idempotencyKeys })
    const settled = SendOutcome.settle(wallet.sendValue(send))
    const end = yield* settled.pipe(Client.longestWaits, Client.within("2 minutes"))
    return { end, keys: Chain.toWallet(wire).map(({ headers }) => headers["idempotency-key"]) }
  })

describe("a send to a service that knows Idempotency-Key", () => {
  it.effect("is repeated under the same key after a lost answer", () =>
    Effect.gen(function*() {
      const { end, keys } = yield* run(true)
      assert.strictEqual(end._tag, "Sent")
      assert.strictEqual(keys.length, 2)
      assert.match(keys[0] ?? "", /^[0-9a-f-]{36}$/)
      assert.strictEqual(keys[1], keys[0])
      assert.notStrictEqual((yield* run(true)).keys[0], keys[0])
    }))

  it.effect("has no key and is not repeated without the option", () =>
    Effect.gen(function*() {
      const { end, keys } = yield* run(undefined)
      assert.strictEqual(end._tag, "SendUnknown")
      assert.deepStrictEqual(keys, [undefined])
    }))
})
