import type { BadRequest, InternalError } from "@effect-klaytn/core/ErrorBody"
import type { ServiceRefusals } from "@effect-klaytn/service/ServiceRefusals"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { DataChain } from "../../DataChain.js"
import type { StoreFailure } from "../../IndexError.js"
import type { TransferQuery } from "../../TransferRecord.js"

type Covered = Effect.Effect<void, BadRequest | InternalError>

/**
 * Refuses questions that an index can't answer completely, because its scope leaves out what the answer may need. A
 * question that it can answer as an index of the whole chain would is not refused.
 */
export const coverage = (
  chain: DataChain,
  refusals: ServiceRefusals,
  stored: <A>(read: Effect.Effect<A, StoreFailure>) => Effect.Effect<A, InternalError>
) => {
  const { scope } = chain
  const require = (isCovered: boolean, missing: string): Covered =>
    isCovered ? Effect.void : Effect.fail(refusals.notIndexed(missing))

  /** All transfers of accounts or of contracts. */
  const allOf = (kind: "account" | "contract", kept: ReadonlySet<Hex> | undefined) => (wanted: ReadonlyArray<Hex>) => {
    const missing = wanted.find((address) => !(kept?.has(address) ?? true))
    return require(missing === undefined, `${kind} ${missing}`)
  }

  const accounts = allOf("account", scope.accounts)

  const contracts = allOf("contract", scope.contracts)

  /** Everything that ever happened to a contract's tokens. */
  const contractFromCreation = (address: Hex): Covered =>
    Effect.gen(function*() {
      yield* contracts([address])
      const { declaredCreation, firstBlock } = scope
      if (firstBlock === 0) return
      const declared = declaredCreation(address)
      const isCovered = declared === undefined ? yield* stored(chain.hasCreation(address)) : declared >= firstBlock
      yield* require(isCovered, `contract ${address} from its creation on`)
    })

  const wholeChain = (wanted: string): Covered => require(scope.isWhole, wanted)

  /** The blocks or the time of a search. */
  const range = ({ blocks, seconds }: Pick<TransferQuery, "blocks" | "seconds">): Covered =>
    Effect.gen(function*() {
      const { firstBlock, firstSecond } = scope
      if (firstBlock === 0) return
      yield* require(blocks === undefined || blocks.from >= firstBlock, `blocks before ${firstBlock}`)
      if (seconds === undefined) return
      // Where the second was not looked up, the block before the first may be of the same one.
      const second = firstSecond ?? Option.match(yield* stored(chain.block(firstBlock)), {
        onNone: () => Number.MAX_SAFE_INTEGER,
        onSome: ({ timestamp }) => timestamp + 1
      })
      yield* require(seconds.from >= second, `times before ${second}: search a range that begins there, or later`)
    })

  /** A transaction without transfers in the index. */
  const withoutTransfers = (hash: Hex): Covered =>
    scope.isWhole
      ? Effect.void
      : Effect.flatMap(stored(chain.transaction(hash)), (found) =>
        require(Option.isSome(found), `transaction ${hash}, which the chain may have`))

  return { accounts, contractFromCreation, contracts, range, wholeChain, withoutTransfers }
}
