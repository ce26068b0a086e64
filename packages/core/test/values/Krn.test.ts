import * as Chain from "@effect-klaytn/core/Chain"
import * as Krn from "@effect-klaytn/core/Krn"
import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Schema from "effect/Schema"

describe("Krn", () => {
  it("is read into its parts and written back", () => {
    const text = "krn:1001:wallet:8e76d003-d6dd-4278-8d05-5172d8f010ca:feepayer-pool:default"
    const krn = Either.getOrThrow(Krn.make(text))
    assert.strictEqual(krn.chain, Chain.testnet)
    assert.strictEqual(krn.service, "wallet")
    assert.strictEqual(krn.account, "8e76d003-d6dd-4278-8d05-5172d8f010ca")
    assert.strictEqual(krn.resourceType, "feepayer-pool")
    assert.strictEqual(krn.resource, "default")
    assert.strictEqual(Krn.format(krn), text)
  })

  it("accepts any service and any resource type, and an account that is no UUID", () => {
    for (
      const text of [
        "krn:8217:node:local:node:default",
        "krn:8217:th:test:preset:65",
        "krn:1001:anchor:local:operator-pool:op1",
        "krn:1001:kip7:local:account-pool:this-is-test",
        "krn:1001:metadata:local:metadata-storage:ap1",
        "krn:1001:wallet:local:key-pool:풀",
        "krn:1001:x:y:z:A.b_c/d?e#f%20"
      ]
    ) {
      assert.strictEqual(Krn.format(Either.getOrThrow(Krn.make(text))), text)
    }
  })

  it("refuses another number of parts, another literal, another chain and a part that could not stand in a header", () => {
    for (
      const text of [
        "",
        "krn",
        "krn:1001:wallet:local:account-pool",
        "krn:1001:wallet:local:account-pool:default:",
        "krn:1001:wallet:local:account-pool:default:more",
        "KRN:1001:wallet:local:account-pool:default",
        "rn:1001:wallet:local:account-pool:default",
        " krn:1001:wallet:local:account-pool:default",
        "krn:1:wallet:local:account-pool:default",
        "krn:01001:wallet:local:account-pool:default",
        "krn::wallet:local:account-pool:default",
        "krn:1001::local:account-pool:default",
        "krn:1001:wallet::account-pool:default",
        "krn:1001:wallet:local::default",
        "krn:1001:wallet:local:account-pool:",
        "krn:1001:wallet:local:account-pool:two words",
        "krn:1001:wallet:local:account-pool:default\n",
        "krn:1001:wallet:local:account-pool:a\r\nx-chain-id: 8217",
        "krn:1001:wallet:local:account-pool:a\u0000",
        "krn:1001:wallet:local:account-pool:a\u007f",
        "krn:1001:wallet:local:account-pool:a\u0085",
        "krn:1001:wallet:local:account-pool:a\u2028",
        "krn:1001:wallet:local:account-pool:a\ud800"
      ]
    ) {
      assert.isTrue(Either.isLeft(Krn.make(text)), JSON.stringify(text))
    }
  })

  it("is made from parts by the same rules", () => {
    const parts = { chain: Chain.mainnet, service: "wallet", account: "a", resourceType: "account-pool", resource: "p" }
    assert.strictEqual(Krn.format(Either.getOrThrow(Krn.fromParts(parts))), "krn:8217:wallet:a:account-pool:p")
    for (const resource of ["", "a:b", "a b", "a\r\nb"]) {
      assert.isTrue(Either.isLeft(Krn.fromParts({ ...parts, resource })), JSON.stringify(resource))
    }
  })

  it("equals a name with the same parts and no other", () => {
    const text = "krn:1001:wallet:local:account-pool:default"
    assert.isTrue(Equal.equals(Either.getOrThrow(Krn.make(text)), Either.getOrThrow(Krn.make(text))))
    assert.isFalse(Equal.equals(
      Either.getOrThrow(Krn.make(text)),
      Either.getOrThrow(Krn.make("krn:8217:wallet:local:account-pool:default"))
    ))
  })

  it.prop("comes back from text unchanged", [Krn.Krn], ([krn]) => {
    const text = Schema.encodeSync(Krn.FromString)(krn)
    return Krn.is(krn) && text === Krn.format(krn) && text.split(":").length === 6 &&
      Equal.equals(Schema.decodeSync(Krn.FromString)(text), krn)
  })
})
