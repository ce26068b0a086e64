import * as BalanceChange from "@effect-klaytn/history/BalanceChange"
import * as TransferHistory from "@effect-klaytn/history/TransferHistory"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Demo from "../src/Demo.js"

it.live("has what its docs say that alice and bob sent each other", () =>
  Effect.gen(function*() {
    const history = yield* TransferHistory.make()
    const { items } = yield* history.getTransfersByEoa({ address: Demo.bob })
    const moved = items.flatMap((transfer) => BalanceChange.of(transfer, Demo.bob))
    const amounts = (asset: string) => moved.filter((one) => one.asset === asset).map(({ amount }) => amount)
    assert.deepStrictEqual(amounts("ft"), [700n, -50n, 350n])
    // The faucet gave him 10 KLAY before.
    assert.deepStrictEqual(amounts("coin"), [15n * 10n ** 17n, 10n * 10n ** 18n])
    const sent = yield* history.getTransfersByEoa({ address: Demo.alice, only: "from", kinds: ["ft"] })
    assert.strictEqual(sent.items.filter(({ _tag }) => _tag === "FtTransfer").length, 2)
  }).pipe(Effect.provide(Demo.layer)))
