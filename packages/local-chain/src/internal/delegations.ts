import * as Authorization from "@effect-klaytn/transaction/Authorization"
import { type Hex, zeroAddress } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import type { SignedAuthorization } from "@effect-klaytn/transaction/TransactionBody"
import { concatBytes, equalsBytes, hexToBytes, KECCAK256_NULL } from "@ethereumjs/util"
import { hasCode, legacyKey } from "../AccountRecord.js"
import type { AccessList } from "../Call.js"
import type { JournalState } from "./JournalState.js"

/** The code of an account that runs another contract's: this and the contract's address. */
const prefix = hexToBytes("0xef0100")

/** The gas that is given back for an account that exists already: the list is charged as if none did. */
const refundOfExisting = 12_500n

const isDelegation = (code: Uint8Array): boolean => code.length === 23 && equalsBytes(code.subarray(0, 3), prefix)

/** The result of setting the code of accounts: gas to give back, and accounts that are warm from then on. */
export interface Delegated {
  readonly refund: bigint
  readonly warm: AccessList
}

/**
 * Sets the code of the accounts that have signed, each unless its authorization does not hold: it is for another chain or
 * nonce, no key can have signed it, or the account is a contract or has another key.
 */
export const delegate = (
  list: ReadonlyArray<SignedAuthorization>,
  { chainId, curve, state }: { readonly chainId: number; readonly curve: Secp256k1; readonly state: JournalState }
): Delegated => {
  let refund = 0n
  const warm: Array<Hex> = []
  for (const authorization of list) {
    const { address, nonce } = authorization
    if (authorization.chainId !== 0n && authorization.chainId !== BigInt(chainId)) continue
    if (nonce >= 2n ** 64n - 1n) continue
    const signer = Authorization.recover(authorization, { curve })
    if (!signer.ok) continue
    const authority = signer.value.address
    warm.push(authority)
    const account = state.accountOrEmpty(authority)
    if (hasCode(account) && !isDelegation(state.code(account.codeHash))) continue
    if (account.nonce !== nonce || account.key !== legacyKey) continue
    if (state.account(authority) !== undefined) refund += refundOfExisting
    const codeHash = address === zeroAddress
      ? KECCAK256_NULL
      : state.addCode(concatBytes(prefix, hexToBytes(address)))
    state.update(authority, { nonce: nonce + 1n, codeHash })
  }
  return { refund, warm: warm.map((address) => ({ address, storageKeys: [] })) }
}
