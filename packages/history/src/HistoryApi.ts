/**
 * The contract of transfer history: every path, parameter, record and error. The client is derived from it, the sandbox
 * implements it, and the OpenAPI document is generated from it.
 *
 * **Details**
 *
 * `GET /v2/transfer` is in the API document; the paths of the other two operations and the parameters
 * `exclude-zero-klay`, `from-only` and `to-only` were seen in public clients of the service. All three are reads and
 * need the credential and chain of `Access`.
 */
import * as Address from "@effect-klaytn/core/Address"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Input from "@effect-klaytn/core/Input"
import * as Operation from "@effect-klaytn/core/Operation"
import * as Paged from "@effect-klaytn/core/Paged"
import * as Schema from "effect/Schema"
import * as Kind from "./Kind.js"
import * as PresetId from "./PresetId.js"
import * as Range from "./Range.js"
import { Transfer } from "./Transfer.js"

const { get } = Operation.of("history", [ErrorBody.BadRequest, ErrorBody.InternalError])

/** A boolean, written as `true` or `false`. */
const flag = Schema.transformLiterals(["true", true], ["false", false])

/**
 * A page of transfers of mixed kinds, newest first.
 *
 * @category schemas
 */
export const PageableTransfers = Paged.schema(Transfer).annotations({ identifier: "PageableTransfers" })

/**
 * The transfers of one transaction; none if the transaction is unknown.
 *
 * @category schemas
 */
export const Transfers = Schema.Struct({
  /** The records; absent if there are none. */
  items: Paged.items(Transfer)
}).annotations({ identifier: "Transfers" })

const search = {
  /** The kinds to search for; all by default. The native coin is `coin` (the API document) or `klay` (seen). */
  kind: Schema.optional(Input.CommaSeparated(Kind.Word)),
  /** The time or the blocks to search. */
  range: Schema.optional(Range.FromString),
  ...Paged.query,
  /** Leaves out transfers of coin with the value 0, which most calls of contracts are (seen). */
  "exclude-zero-klay": Schema.optional(flag)
}

/**
 * Transfers of the accounts and contracts of presets.
 *
 * @category endpoints
 */
export const getTransfers = get("getTransfers", "/v2/transfer", {
  urlParams: {
    /** IDs of presets, which are made in the service's console: sets of accounts and contracts. */
    presets: Input.CommaSeparated(PresetId.PresetId),
    ...search
  },
  success: PageableTransfers,
  errors: [ErrorBody.NotFound]
})

/**
 * Transfers from or to one account.
 *
 * @category endpoints
 */
export const getTransfersByEoa = get("getTransfersByEoa", "/v2/transfer/account/:address", {
  path: {
    /** The address of the account. */
    address: Address.FromWire
  },
  urlParams: {
    ...search,
    /** Only token transfers of this contract. */
    "ca-filter": Schema.optional(Address.FromWire),
    /** Only transfers from the account (seen). */
    "from-only": Schema.optional(flag),
    /** Only transfers to the account (seen). */
    "to-only": Schema.optional(flag)
  },
  success: PageableTransfers
})

/**
 * Transfers of one transaction.
 *
 * @category endpoints
 */
export const getTransfersByTxHash = get("getTransfersByTxHash", "/v2/transfer/tx/:hash", {
  path: {
    /** The hash of the transaction. */
    hash: Hash.FromWire
  },
  success: Transfers
})
