import type { Hex } from "@effect-klaytn/transaction/Hex"
import { bigIntToUnpaddedBytes, hexToBytes, KECCAK256_NULL } from "@ethereumjs/util"
import * as Effect from "effect/Effect"
import { type AccountRecord, failKey, isContract, legacyKey } from "../AccountRecord.js"
import { InvalidRequest } from "../ChainError.js"
import type { AccountEdit } from "../LocalChain.js"
import type { ChainState } from "./ChainState.js"
import { wordOf } from "./hexForms.js"

const isWord = (value: bigint): boolean => value >= 0n && value < 2n ** 256n

const isBytes = (hex: string): boolean => /^0x(?:[0-9a-f]{2})*$/i.test(hex)

/** Why an account can't be edited like this, as text to read. */
const problemOf = (account: AccountRecord, { balance, code, nonce, storage }: AccountEdit): string | undefined => {
  if (balance !== undefined && !isWord(balance)) return "a balance has 256 bits"
  if (nonce !== undefined && (nonce < account.nonce || nonce > BigInt(Number.MAX_SAFE_INTEGER))) {
    return `a nonce can only rise, and the account's is ${account.nonce}`
  }
  if (code !== undefined && !isBytes(code)) return "code is bytes in hexadecimal"
  for (const [slot, value] of storage ?? []) {
    if (!isWord(slot) || !isWord(value)) return "a slot of storage and its value have 256 bits"
  }
  return undefined
}

/** The fields of an account that has this code. A contract has a key that can't sign. */
const withCode = (chain: ChainState, account: AccountRecord, code: Hex): Partial<AccountRecord> =>
  code === "0x"
    ? { codeHash: KECCAK256_NULL, isContractWithoutCode: undefined, ...(isContract(account) && { key: legacyKey }) }
    : { codeHash: chain.state.editCode(hexToBytes(code)), key: failKey }

/** Sets parts of an account and of its storage without a transaction. */
export const edit = (chain: ChainState, address: Hex, fields: AccountEdit): Effect.Effect<void, InvalidRequest> => {
  const account = chain.state.accountOrEmpty(address)
  const problem = problemOf(account, fields)
  if (problem !== undefined) return Effect.fail(new InvalidRequest({ message: problem }))
  const { balance, code, nonce, storage } = fields
  if (balance !== undefined || nonce !== undefined || code !== undefined) {
    const value = {
      ...account,
      ...(balance !== undefined && { balance }),
      ...(nonce !== undefined && { nonce }),
      ...(code !== undefined && withCode(chain, account, code))
    }
    chain.state.edit({ address, slot: "", value })
  }
  for (const [slot, value] of storage ?? []) {
    chain.state.edit({ address, slot: wordOf(slot), value: value === 0n ? undefined : bigIntToUnpaddedBytes(value) })
  }
  return Effect.void
}
