import * as KeyId from "@effect-klaytn/core/KeyId"
import * as Krn from "@effect-klaytn/core/Krn"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Schema from "effect/Schema"

const pool = "krn:1001:wallet:local:account-pool:default"
const hash = `0x${"ab".repeat(32)}`

describe("KeyId", () => {
  it("is split at its last colon into a pool and a hash, and written back", () => {
    const keyId = Either.getOrThrow(KeyId.make(`${pool}:${hash}`))
    assert.strictEqual(Krn.format(keyId.pool), pool)
    assert.strictEqual(keyId.hash, hash)
    assert.strictEqual(KeyId.format(keyId), `${pool}:${hash}`)
    assert.isTrue(KeyId.is(keyId))
  })

  it("keeps its hash in lower case", () => {
    assert.strictEqual(Either.getOrThrow(KeyId.make(`${pool}:0x${"AB".repeat(32)}`)).hash, hash)
  })

  it("refuses a pool alone, a hash alone, and either one when it is wrong", () => {
    for (
      const text of [
        "",
        pool,
        hash,
        `${pool}:`,
        `:${hash}`,
        `${pool}${hash}`,
        `${pool}:${hash}0`,
        `${pool}:extra:${hash}`,
        `${pool}:${hash}\r\n`
      ]
    ) {
      assert.isTrue(Either.isLeft(KeyId.make(text)), JSON.stringify(text))
    }
  })

  it.prop("comes back from text unchanged", [KeyId.KeyId], ([keyId]) => {
    const text = Schema.encodeSync(KeyId.FromString)(keyId)
    return text === KeyId.format(keyId) && text.split(":").length === 7 &&
      Equal.equals(Schema.decodeSync(KeyId.FromString)(text), keyId)
  })
})
