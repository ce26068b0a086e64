/**
 * JSON-RPC methods that read accounts.
 */
import * as Schema from "effect/Schema"
import { Account, AccountKey, Proof } from "./Account.js"
import type { BlockSelector } from "./BlockSelector.js"
import * as schemas from "./internal/records/schemas.js"
import * as Method from "./Method.js"
import * as Param from "./Param.js"

const read = Method.makeIn("klay", "safe")

const ofAccount = (address: string, block: BlockSelector = "latest") => [
  Param.address("address", address),
  Param.block("block", block)
]

/**
 * Accounts: existence, key, balance, code, storage and nonce. The block defaults to `latest`. An unknown block fails
 * with `BlockNotFound`; an unknown account has no balance, no code and nonce 0.
 *
 * @category methods
 */
export const accountMethods = {
  /**
   * [`klay_accountCreated`](https://docs.kaia.io/references/json-rpc/klay/account-created/): whether the account
   * exists.
   */
  accountCreated: read("accountCreated", ofAccount, Schema.Boolean),
  /**
   * [`klay_getAccount`](https://docs.kaia.io/references/json-rpc/klay/get-account/): the account with its key; none if
   * it does not exist.
   */
  getAccount: read("getAccount", ofAccount, schemas.orNone(Account)),
  /**
   * [`klay_getAccountKey`](https://docs.kaia.io/references/json-rpc/klay/get-account-key/): the account's key; none if
   * the account does not exist.
   */
  getAccountKey: read("getAccountKey", ofAccount, schemas.orNone(AccountKey)),
  /** [`klay_getBalance`](https://docs.kaia.io/references/json-rpc/klay/get-balance/): the balance in peb. */
  getBalance: read("getBalance", ofAccount, schemas.Peb),
  /**
   * [`klay_getCode`](https://docs.kaia.io/references/json-rpc/klay/get-code/): the code at an address; `0x` if there is
   * none.
   */
  getCode: read("getCode", ofAccount, schemas.Bytes),
  /**
   * [`klay_getStorageAt`](https://docs.kaia.io/references/json-rpc/klay/get-storage-at/): the 32 bytes in a storage
   * slot; zeros if it is empty.
   */
  getStorageAt: read(
    "getStorageAt",
    (address: string, slot: Param.Slot, block: BlockSelector = "latest") => [
      Param.address("address", address),
      Param.slot("slot", slot),
      Param.block("block", block)
    ],
    schemas.Hash
  ),
  /**
   * [`klay_getTransactionCount`](https://docs.kaia.io/references/json-rpc/klay/get-transaction-count/): the account's
   * nonce; with `pending` it includes pooled transactions, which gives the next nonce to use.
   */
  getTransactionCount: read("getTransactionCount", ofAccount, schemas.Quantity),
  /**
   * [`klay_isContractAccount`](https://docs.kaia.io/references/json-rpc/klay/is-contract-account/): whether the address
   * has code; since v2.0 an externally owned account can have code too.
   */
  isContractAccount: read("isContractAccount", ofAccount, Schema.Boolean),
  /**
   * [`klay_encodeAccountKey`](https://docs.kaia.io/references/json-rpc/klay/encode-account-key/): the encoded bytes of
   * an account key.
   */
  encodeAccountKey: read("encodeAccountKey", (key: AccountKey) => [Param.accountKey("key", key)], schemas.Bytes),
  /**
   * [`klay_decodeAccountKey`](https://docs.kaia.io/references/json-rpc/klay/decode-account-key/): the account key
   * decoded from bytes.
   */
  decodeAccountKey: read("decodeAccountKey", (encoded: string) => [Param.data("encoded", encoded)], AccountKey),
  /**
   * [`klay_getProof`](https://docs.kaia.io/references/json-rpc/klay/get-proof/): a Merkle proof of an account and some
   * of its storage slots. Newer nodes only.
   */
  getProof: read(
    "getProof",
    (address: string, slots: ReadonlyArray<Param.Slot>, block: BlockSelector = "latest") => [
      Param.address("address", address),
      Param.slots("slots", slots),
      Param.block("block", block)
    ],
    Proof
  )
}
