/**
 * Which wallet an index belongs to: the address of the wallet's own fee payer, which no two wallets share, is kept beside the index. A file
 * that lost its keys, because it was copied without its `-wal`, is not taken for a new wallet.
 */
import type { Chain } from "@effect-klaytn/core/Chain"
import type { StoreFailure } from "@effect-klaytn/indexer/IndexError"
import type { IndexFacts } from "@effect-klaytn/indexer/PostgresIndex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { existsSync } from "node:fs"
import type { GatewayError } from "../GatewayError.js"
import * as newKeys from "./newKeys.js"
import * as postgres from "./postgres.js"
import * as refusals from "./startRefusals.js"
import * as walletFile from "./walletFile.js"

interface Parts {
  readonly file: string
  readonly chain: { readonly chainId: Chain }
  readonly facts: IndexFacts
}

const fact = "wallet"

const io = <A>(effect: Effect.Effect<A, StoreFailure>): Effect.Effect<A, GatewayError> =>
  Effect.mapError(effect, ({ cause }) => refusals.database(cause))

/** What the owner does about it. */
const remedy = (file: string): string =>
  (postgres.isAddress(file)
    ? "Bring its schema back, or restore"
    : `Put ${file} back, together with ${file}-wal if there was one, or restore`) +
  " a backup by klaytn gateway wallet restore; for another wallet, begin another index"

const isMade = ({ chain, file }: Parts): Effect.Effect<boolean, GatewayError> =>
  !postgres.isAddress(file) && !existsSync(file)
    ? Effect.succeed(false)
    : Effect.scoped(Effect.flatMap(walletFile.openDatabase(file), (sql) => walletFile.isMade(sql, chain.chainId)))

/** Refuses to make a new wallet where there was one. */
export const refuseLost = (parts: Parts): Effect.Effect<void, GatewayError> =>
  Effect.gen(function*() {
    const { facts, file } = parts
    if (file === ":memory:") return
    const noted = Option.getOrUndefined(yield* io(facts.get(fact)))
    const head = newKeys.hasHead(file)
    if ((noted === undefined && !head) || (yield* isMade(parts))) return
    const had = noted === undefined
      ? `${newKeys.headFile(file)} names the last line of a wallet`
      : `the index belongs to the wallet whose own fee payer is ${noted}`
    return yield* refusals.wallet(`${had}, and ${walletFile.shown(file)} has no wallet. ${remedy(file)}`)
  })

/** Keeps which wallet the index belongs to. Another one than that is refused. */
export const keep = ({ facts, file }: Parts, own: string): Effect.Effect<void, GatewayError> =>
  Effect.flatMap(
    file === ":memory:" ? Effect.succeed(own) : io(facts.keep(fact, own)),
    (noted) =>
      noted === own ? Effect.void : refusals.wallet(
        `the index belongs to the wallet whose own fee payer is ${noted}, and ${
          walletFile.shown(file)
        } has another one, ${own}. ` +
          remedy(file)
      )
  )
