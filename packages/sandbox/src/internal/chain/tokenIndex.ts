import * as Effect from "effect/Effect"
import type { ExecutedBlock, ExecutedTransaction } from "../store/ExecutedBlock.js"
import type { TokenStore } from "../store/TokenStore.js"
import { ContractInspector } from "./ContractInspector.js"
import { Questions } from "./Questions.js"
import { Reconciler } from "./Reconciler.js"
import { UriReader } from "./UriReader.js"
import type { Viewer } from "./Viewer.js"

/** What a block means for tokens: contracts that are new, and what all that it touched say at its end. */
export type TokenChanges = Pick<ExecutedBlock, "contracts" | "answers" | "uris">

/** Reads what a block means for tokens from its transactions and from the state at its end. */
export const readTokens = <E>(
  tokens: TokenStore,
  transactions: ReadonlyArray<ExecutedTransaction>,
  viewer: Viewer<E>
): Effect.Effect<TokenChanges, E> =>
  Effect.gen(function*() {
    const gasUsed = transactions.at(-1)?.cumulativeGasUsed ?? 0n
    const questions = () => new Questions(viewer, gasUsed)
    const contracts = yield* new ContractInspector(tokens).inspect(transactions, questions())
    const answers = yield* new Reconciler(tokens).read(transactions, contracts, questions())
    const uris = yield* new UriReader(tokens).read(transactions, { answers, contracts }, questions())
    return { contracts, answers, uris }
  })
