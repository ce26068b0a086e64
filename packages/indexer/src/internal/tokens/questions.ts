/**
 * Questions for contracts, as rows: a block whose state is gone leaves them, and the index asks them when it has caught up.
 */
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { allTokens, noOwner, type Question } from "../IndexedBlock.js"
import { type Touched, touchHolding, touchToken, untouched } from "./Reconciler.js"

/** The question about a contract's own description. */
export const questionAbout = (contract: Hex, transfer: number): Question => ({
  contract,
  owner: noOwner,
  token: allTokens,
  transfer,
  hasNewUri: false
})

/** The questions about everything that was touched. `first` is the first transfer of the block. */
export const questionsOf = (all: ReadonlyMap<Hex, Touched>, first: number): ReadonlyArray<Question> => {
  const questions: Array<Question> = []
  for (const [contract, { holdings, ids, uris }] of all) {
    questions.push(questionAbout(contract, first))
    const add = (owner: Hex, token: string, transfer: number, hasNewUri = false): void =>
      void questions.push({ contract, owner, token, transfer, hasNewUri })
    for (const [tokenId, transfer] of ids) add(noOwner, quantity(tokenId), transfer)
    for (const { owner, tokenId, transfer } of holdings.values()) {
      add(owner, tokenId === undefined ? "" : quantity(tokenId), transfer)
    }
    for (const tokenId of uris) add(noOwner, quantity(tokenId), first, true)
  }
  return questions
}

/** The tokens and holders that questions are about, by contract. */
export const readQuestions = (
  questions: ReadonlyArray<Question>,
  kindOf: (contract: Hex) => Touched["kind"] | undefined
): ReadonlyMap<Hex, Touched> => {
  const all = new Map<Hex, Touched>()
  for (const { contract, hasNewUri, owner, token, transfer } of questions) {
    const kind = all.get(contract)?.kind ?? kindOf(contract)
    if (kind === undefined) continue
    const touched = all.get(contract) ?? untouched(kind)
    all.set(contract, touched)
    if (token === "" && kind === "ft") touchHolding(touched, owner, undefined, transfer)
    if (token === "" || token === allTokens || kind === "ft") continue
    const tokenId = BigInt(token)
    // The supply of a token is asked with each balance of it: a balance that is corrected changes the sum.
    touchToken(touched, tokenId, transfer)
    if (owner !== noOwner && kind === "mt") touchHolding(touched, owner, tokenId, transfer)
    if (hasNewUri) touched.uris.add(tokenId)
  }
  return all
}
