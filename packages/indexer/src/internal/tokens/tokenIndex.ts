import type { BlockHeader, ExecutedTransaction } from "@effect-klaytn/transaction/ExecutedTransaction"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { LazyArg } from "effect/Function"
import { keyOf } from "../../BlockKey.js"
import type { ScopeFilter } from "../../IndexScope.js"
import type { FactKeys, TokenFacts } from "../../TokenFacts.js"
import type { Viewer } from "../../Viewer.js"
import type {
  DescribedContract,
  IndexedBlock,
  IndexedTransaction,
  Question,
  TokenAnswers,
  TokenChanges
} from "../IndexedBlock.js"
import { ContractCalls } from "./ContractCalls.js"
import { incomplete, inspect, inspectAgain, touchedBy, unknownIn } from "./ContractInspector.js"
import { factKeysOf, factKeysOfQuestions } from "./factKeys.js"
import { keptOf } from "./keptTransactions.js"
import { questionAbout, questionsOf, readQuestions } from "./questions.js"
import { reconcile, touchedIn } from "./Reconciler.js"
import { deferUris, readUris, touchUris } from "./UriReader.js"

/** Looks up what the index knows. */
type LookUp<F> = (keys: LazyArg<FactKeys>) => Effect.Effect<TokenFacts, F>

const noAnswers: TokenAnswers = { balances: [], owners: [], supplies: [], tokenSupplies: [] }

/** Finds what a block means for tokens, from its transactions and from the state at its end. */
export const prepareBlock = <E, F>(
  lookUp: LookUp<F>,
  filter: ScopeFilter,
  header: BlockHeader,
  executed: ReadonlyArray<ExecutedTransaction>,
  viewer: Viewer<E>
): Effect.Effect<IndexedBlock, E | F> =>
  Effect.suspend(() => prepareKept(lookUp, filter, keptBlock(filter, header, executed), viewer))

/** A block as far as tokens and their owners depend on it, before contracts are asked. */
export interface TokenBlock extends Pick<TokenChanges, "header" | "transactions"> {
  /** The gas of all transactions, also of those that are not kept. */
  readonly gasUsed: bigint
  /** The contracts that any transaction may have changed, also one that is not kept. */
  readonly touched: ReadonlyArray<Hex>
}

/** A block with the transactions that the index keeps, and their transfers. */
export interface KeptBlock extends TokenBlock {
  readonly header: BlockHeader
  readonly transactions: ReadonlyArray<IndexedTransaction>
}

/** Such a block with what contracts answered, and what they have still to be asked. */
export type PreparedOf<B extends TokenBlock> =
  & Omit<TokenChanges, "header" | "transactions">
  & Pick<B, "header" | "transactions">

/** Finds the transfers of a block, and the transactions that a scope keeps. */
export const keptBlock = (
  filter: ScopeFilter,
  header: BlockHeader,
  executed: ReadonlyArray<ExecutedTransaction>
): KeptBlock => ({
  header,
  gasUsed: executed.at(-1)?.cumulativeGasUsed ?? 0n,
  touched: [...new Set(executed.flatMap((one) => [...touchedBy(one)]))],
  transactions: keptOf(filter, executed)
})

/** A block whose new contracts are described, what it touched, and other contracts whose description it may have changed. */
const touchedBlock = <B extends TokenBlock>(
  tokens: TokenFacts,
  filter: ScopeFilter,
  { header, touched: allTouched, transactions }: B,
  fresh: ReadonlyArray<DescribedContract>
) => {
  const block = { header, transactions, tokenContracts: filter.contracts, contracts: fresh, asked: [] }
  const touched = touchedIn(tokens, block)
  touchUris(tokens, block, touched)
  const isKnown = (contract: Hex) => !fresh.some(({ address }) => address === contract)
  // A transaction that is not kept may change the description of a contract whose tokens are not kept.
  const others = filter.contracts === undefined ? [] : allTouched.filter((one) => !touched.has(one) && isKnown(one))
  return { block, touched, others, isKnown }
}

/** A block whose new contracts are described, with all else left as questions. */
export const leftToAsk = <B extends TokenBlock>(
  tokens: TokenFacts,
  filter: ScopeFilter,
  one: B,
  fresh: ReadonlyArray<DescribedContract>
): PreparedOf<B> => {
  const { block, others, touched } = touchedBlock(tokens, filter, one, fresh)
  const first = keyOf(one.header.number, 0)
  const descriptions = incomplete(tokens, others).map(({ address }) => questionAbout(address, first))
  return { ...block, answers: noAnswers, uris: [], questions: [...questionsOf(touched, first), ...descriptions] }
}

/** Finds what a block means whose transfers were found. */
const prepareKept = <B extends TokenBlock, E, F>(
  lookUp: LookUp<F>,
  filter: ScopeFilter,
  one: B,
  viewer: Viewer<E>
): Effect.Effect<PreparedOf<B>, E | F> =>
  Effect.gen(function*() {
    const { gasUsed, header, touched: allTouched, transactions } = one
    const tokens = yield* lookUp(() => factKeysOf(allTouched, transactions))
    const contractCalls = () => new ContractCalls(viewer, gasUsed)
    const inspection = contractCalls()
    const fresh = yield* inspect(unknownIn(tokens, transactions), inspection)
    if (viewer.isLater === true) return leftToAsk(tokens, filter, one, fresh)
    const { block, isKnown, others, touched } = touchedBlock(tokens, filter, one, fresh)
    const questions = deferUris(touched, keyOf(header.number, 0))
    const known = [...touched.keys()].filter(isKnown).concat(others)
    const contracts = [...fresh, ...yield* inspectAgain(tokens, known, inspection)]
    const answers = yield* reconcile(tokens, touched, contractCalls())
    const uris = yield* readUris(tokens, touched, answers, contractCalls())
    return { ...block, contracts, answers, uris, questions }
  })

/** Asks the contracts, on the state at the end of the newest block, what earlier blocks have left to ask. */
export const prepareAnswers = <E, F>(
  lookUp: LookUp<F>,
  header: BlockHeader,
  questions: ReadonlyArray<Question>,
  viewer: Viewer<E>
): Effect.Effect<IndexedBlock, E | F> =>
  Effect.gen(function*() {
    const tokens = yield* lookUp(() => factKeysOfQuestions(questions))
    const contractCalls = () => new ContractCalls(viewer, header.gasUsed)
    const touched = readQuestions(questions, (address) => tokens.kindOf(address))
    const contracts = yield* inspectAgain(tokens, touched.keys(), contractCalls())
    const answers = yield* reconcile(tokens, touched, contractCalls())
    const uris = yield* readUris(tokens, touched, answers, contractCalls())
    return { header, transactions: [], contracts, answers, uris, questions: [], asked: questions }
  })
