import type { ChainWallet } from "@effect-klaytn/custody/ChainWallet"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Struct from "effect/Struct"
import type { ChainControl } from "../../Control.js"
import * as Input from "../../ControlInput.js"
import type { Pool } from "../../ControlView.js"
import { checkInput, mapStoreFailure } from "./failures.js"

const longestLedger = 10_000

/** Controls of one chain's wallet. */
export const walletControl = (
  wallet: ChainWallet
): Pick<ChainControl, "pools" | "createPool" | "globalFeePayer"> => {
  const viewOf = (name: string): Pool => ({
    name,
    accounts: wallet.krn({ type: "account-pool", name }),
    feePayers: wallet.krn({ type: "feepayer-pool", name }),
    keys: wallet.krn({ type: "key-pool", name })
  })

  return {
    pools: mapStoreFailure(
      Effect.map(wallet.store.pools, (pools) => [...new Set(pools.map(({ name }) => name))].map(viewOf))
    ),
    createPool: (input) =>
      Effect.flatMap(
        checkInput(Input.CreatePool, input),
        ({ name }) => Effect.as(mapStoreFailure(wallet.createPools(name)), viewOf(name))
      ),
    globalFeePayer: Effect.gen(function*() {
      const { address } = wallet.globalFeePayer
      const { balance } = yield* mapStoreFailure(
        Effect.map(wallet.chain.account(address), Option.getOrElse(() => ({ balance: 0n })))
      )
      const fees = yield* mapStoreFailure(wallet.fees.list({ limit: longestLedger }))
      return {
        address,
        balance,
        fees: fees.map(({ charged, record }) => ({
          ...Struct.pick(record, "blockNumber", "timestamp", "from", "typeInt"),
          transactionHash: record.hash,
          paid: charged,
          ...(record.feeRatio !== undefined && { feeRatio: record.feeRatio })
        }))
      }
    })
  }
}
