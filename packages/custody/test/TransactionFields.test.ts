/** What two transactions have in common that pay the same: one is taken for the other, and nothing is paid again. */
import { doesSame } from "@effect-klaytn/custody/TransactionFields"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import type { Transaction } from "@effect-klaytn/transaction/Transaction"
import { assert, describe, it } from "@effect/vitest"

const [from, to, other] = [`0x${"01".repeat(20)}`, `0x${"ab".repeat(20)}`, `0x${"cd".repeat(20)}`] as const
const common = { nonce: 3n, gas: 21_000n, gasPrice: 25n, from, signatures: [] }
const call: Transaction = { ...common, type: "SmartContractExecution", to, value: 5n, input: "0x01" }
const update: Transaction = { ...common, type: "AccountUpdate", key: AccountKey.legacy }
const authorization = { chainId: 1001n, address: to, nonce: 0n, yParity: 0, r: 1n, s: 1n } as const
const authorizing: Transaction = {
  type: "EthereumSetCode",
  chainId: 1001,
  nonce: 3n,
  gas: 21_000n,
  maxFeePerGas: 25n,
  maxPriorityFeePerGas: 25n,
  to,
  value: 5n,
  input: "0x01",
  accessList: [],
  authorizationList: [],
  signatures: []
}

describe("what a transaction does", () => {
  it("is the same at another nonce, gas and price, and in another form", () => {
    assert.isTrue(doesSame(call, { ...call, nonce: 4n, gas: 90_000n, gasPrice: 50n }))
    assert.isTrue(doesSame(call, authorizing))
  })

  it.each<readonly [string, Transaction, Transaction]>([
    ["receiver", call, { ...call, to: other }],
    ["value", call, { ...call, value: 6n }],
    ["input", call, { ...call, input: "0x02" }],
    ["key of the account", update, { ...update, key: { type: "AccountKeyFail" } }],
    ["authorization", authorizing, { ...authorizing, authorizationList: [authorization] }],
    ["kind", { ...common, type: "Cancel" }, { ...common, type: "ChainDataAnchoring", input: "0x" }]
  ])("is something else with another %s", (_, one, changed) => assert.isFalse(doesSame(one, changed)))
})
