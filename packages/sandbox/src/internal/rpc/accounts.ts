import type { AccountState } from "@effect-klaytn/local-chain/AccountState"
import * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { includes } from "@effect-klaytn/transaction/Hardfork"
import { bytesOf, fromBytes, type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import { keccak_256 } from "@noble/hashes/sha3.js"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain } from "../../Chain.js"
import { decodeKey, keyForm } from "./accountKeyForm.js"
import { blockNumberOrHash, type Selector, stateHeight } from "./BlockSelector.js"
import { failure, method, type Methods, type Run } from "./Method.js"
import { address, data, type Decoded, isRecord, make, text, wrongType } from "./ParamDecoder.js"

/** Reads an account at the end of a block. */
const read = (
  chain: Chain,
  owner: Hex,
  selector: Selector,
  form: (account: AccountState | undefined, chain: Chain) => unknown
): Run =>
  Effect.flatMap(
    stateHeight(chain, selector),
    (height) => Effect.map(chain.account(owner, height), (account) => form(Option.getOrUndefined(account), chain))
  )

const ofAccount = (form: (account: AccountState | undefined, chain: Chain) => unknown) =>
  method([address, blockNumberOrHash], (chain, owner, selector) => read(chain, owner, selector, form))

/** The hash of no code. */
const noCode = fromBytes(keccak_256(new Uint8Array(0)))

/** An account with its storage. */
const shown = (chain: Chain, owner: Hex, selector: Selector): Run =>
  Effect.gen(function*() {
    const height = yield* stateHeight(chain, selector)
    const account = Option.getOrUndefined(yield* chain.account(owner, height))
    if (account === undefined) return null
    return accountForm(account, chain, yield* chain.storageRoot(owner, height))
  })

/** The fields of an account. Since KIP-228, in Prague's rules, those about code are in accounts without code too. */
const accountForm = (
  { balance, codeHash, isContract, key, nonce }: AccountState,
  { hardfork }: Pick<Chain, "hardfork">,
  storageRoot: Hex
) => {
  const common = { nonce: Number(nonce), balance: quantity(balance), humanReadable: false, key: keyForm(key) }
  const code = {
    storageRoot,
    codeHash: Buffer.from(bytesOf(codeHash)).toString("base64"),
    codeFormat: 0,
    vmVersion: isContract || codeHash !== noCode ? 1 : 0
  }
  if (isContract) return { accType: 2, account: { ...common, ...code } }
  return { accType: 1, account: includes(hardfork, "prague") ? { ...common, ...code } : common }
}

/** Reads a slot as a node does: the last 32 bytes of any digits, and zero for what is not hex. */
const slotOf = (key: string): bigint => {
  const digits = /^(?:0x)?([0-9a-f]*)$/i.exec(key)?.[1] ?? ""
  return digits === "" ? 0n : BigInt.asUintN(256, BigInt(`0x${digits}`))
}

/** What `eth` has of accounts. */
export const ethAccounts: Methods = {
  getBalance: ofAccount((account) => quantity(account?.balance ?? 0n)),
  getTransactionCount: method([address, blockNumberOrHash], (chain, owner, selector) =>
    selector === "pending"
      ? Effect.map(chain.pendingNonce(owner), quantity)
      : read(chain, owner, selector, (account) => quantity(account?.nonce ?? 0n))),
  getCode: method(
    [address, blockNumberOrHash],
    (chain, owner, selector) => Effect.flatMap(stateHeight(chain, selector), (height) => chain.code(owner, height))
  ),
  getStorageAt: method(
    [address, text, blockNumberOrHash],
    (chain, owner, slot, selector) =>
      Effect.flatMap(stateHeight(chain, selector), (height) => chain.storageAt(owner, slotOf(slot), height))
  )
}

const accountKey = make((value): Decoded<unknown> =>
  isRecord(value) || value === null ? Either.right(value) : wrongType(value, "accountkey.AccountKeyJSON")
)

/** Accounts and their keys. */
export const klayAccounts: Methods = {
  ...ethAccounts,
  accountCreated: ofAccount((account) => account !== undefined),
  // A node asks for code: an account with a key of its own may have some, and a contract may have none.
  isContractAccount: ofAccount((account) => account !== undefined && account.codeHash !== noCode),
  getAccount: method([address, blockNumberOrHash], shown),
  getAccountKey: ofAccount((account) => account === undefined ? null : keyForm(account.key)),
  encodeAccountKey: method([accountKey], (_, form) => {
    const key = decodeKey(form)
    if (Either.isLeft(key)) return failure(key.left)
    const encoded = AccountKey.encode(key.right)
    return encoded.ok ? Effect.succeed(encoded.value) : failure(encoded.error.message)
  }),
  decodeAccountKey: method([data], (_, encoded) => {
    if (encoded === "0x" || /^0x0[1-5]$/.test(encoded)) return failure("EOF")
    if (encoded.startsWith("0x00")) {
      return failure("rlp: non-canonical integer (leading zero bytes) for accountkey.AccountKeyType")
    }
    if (Number.parseInt(encoded.slice(2, 4), 16) > 0x80) {
      return failure("rlp: value size exceeds available input length")
    }
    const key = AccountKey.decode(encoded)
    if (key.ok) return Effect.succeed(keyForm(key.value))
    return failure(key.error.reason === "UnknownType" ? "undefined account key type" : key.error.message)
  })
}
