/**
 * What contracts have still to be asked, as rows: a block whose state is gone leaves them, and the index asks when it has
 * caught up.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import { quantity } from "../../Column.js"
import { allTokens, noOwner, type Question } from "../IndexedBlock.js"
import { nameHolding, type Touched, touchLater, untouched } from "./Reconciler.js"
import type { WantedUris } from "./UriReader.js"

/** What a contract says of itself, as a question. */
export const questionAbout = (contract: Hex, transfer: number): Question => ({
  contract,
  owner: noOwner,
  token: allTokens,
  transfer,
  hasNewUri: false
})

/** What was touched, and the tokens whose URI has to be asked, as questions. `first` is the first transfer of the block. */
export const questionsOf = (
  touched: ReadonlyMap<Hex, Touched>,
  uris: WantedUris,
  first: number
): ReadonlyArray<Question> => {
  const questions: Array<Question> = []
  const add = (contract: Hex, owner: Hex, token: string, transfer: number, hasNewUri = false): void =>
    void questions.push({ contract, owner, token, transfer, hasNewUri })
  for (const [contract, { holdings, ids, owners }] of touched) {
    questions.push(questionAbout(contract, first))
    for (const [owner, transfer] of owners) add(contract, owner, "", transfer)
    for (const [tokenId, transfer] of ids) add(contract, noOwner, quantity(tokenId), transfer)
    for (const [owner, tokens] of holdings) {
      for (const [tokenId, transfer] of tokens) add(contract, owner, quantity(tokenId), transfer)
    }
  }
  for (const [contract, { tokens }] of uris) {
    for (const tokenId of tokens) add(contract, noOwner, quantity(tokenId), first, true)
  }
  return questions
}

/** What the questions are about: what was touched, by contract, and the tokens whose URI has to be asked. */
export const readQuestions = (
  questions: ReadonlyArray<Question>,
  kindOf: (contract: Hex) => Touched["kind"] | undefined
): { readonly touched: ReadonlyMap<Hex, Touched>; readonly uris: WantedUris } => {
  const all = new Map<Hex, Touched>()
  const uris = new Map<Hex, { readonly kind: Touched["kind"]; readonly tokens: Set<bigint> }>()
  for (const { contract, hasNewUri, owner, token, transfer } of questions) {
    const kind = all.get(contract)?.kind ?? kindOf(contract)
    if (kind === undefined) continue
    const touched = all.get(contract) ?? untouched(kind)
    all.set(contract, touched)
    if (token === "" && kind === "ft") touchLater(touched.owners, owner, transfer)
    if (token === "" || token === allTokens || kind === "ft") continue
    const tokenId = BigInt(token)
    // The supply of a token is asked with each balance of it: a balance that is corrected changes the sum.
    touchLater(touched.ids, tokenId, transfer)
    if (owner !== noOwner && kind === "mt") nameHolding(touched, owner, tokenId, transfer)
    if (!hasNewUri) continue
    const wanted = uris.get(contract) ?? { kind, tokens: new Set() }
    wanted.tokens.add(tokenId)
    uris.set(contract, wanted)
  }
  return { touched: all, uris }
}
