/**
 * The contract of transfer history: every path, parameter, record and failure, written once. The client is derived from
 * it, the sandbox implements it, and the interface document is printed from it.
 *
 * **Details**
 *
 * `GET /v2/transfer` stands in the document; the paths of the other two and the parameters `exclude-zero-klay`,
 * `from-only` and `to-only` were seen in public clients of the service. All three are reads and take the credential and
 * chain of `Access`.
 *
 * @since 0.1.0
 */
import { Access } from "@effect-klaytn/core/Access"
import * as Address from "@effect-klaytn/core/Address"
import * as ErrorBody from "@effect-klaytn/core/ErrorBody"
import * as Hash from "@effect-klaytn/core/Hash"
import * as Paged from "@effect-klaytn/core/Paged"
import * as HttpApi from "@effect/platform/HttpApi"
import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { flag, list } from "./internal/parameters.js"
import * as Kind from "./Kind.js"
import * as PresetId from "./PresetId.js"
import * as Range from "./Range.js"
import { Transfer } from "./Transfer.js"

/**
 * A page of transfers, newest first; kinds stand mixed.
 *
 * @since 0.1.0
 * @category schemas
 */
export const PageableTransfers = Paged.schema(Transfer).annotations({ identifier: "PageableTransfers" })

/**
 * The transfers of one transaction; none if the transaction is unknown.
 *
 * @since 0.1.0
 * @category schemas
 */
export const Transfers = Schema.Struct({
  items: Schema.optionalWith(Schema.Array(Transfer), { default: () => [] })
}).annotations({ identifier: "Transfers" })

const search = {
  kind: Schema.optional(list(Kind.Word)),
  range: Schema.optional(Range.FromString),
  size: Schema.optional(Paged.Size),
  cursor: Schema.optional(Schema.String),
  "exclude-zero-klay": Schema.optional(flag)
}

/**
 * Transfers of the accounts and contracts of presets.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getTransfers = HttpApiEndpoint.get("getTransfers", "/v2/transfer")
  .setUrlParams(Schema.Struct({ presets: list(PresetId.PresetId), ...search }))
  .addSuccess(PageableTransfers)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.NotFound)
  .addError(ErrorBody.InternalError)

/**
 * Transfers from or to one account.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getTransfersByEoa = HttpApiEndpoint.get("getTransfersByEoa", "/v2/transfer/account/:address")
  .setPath(Schema.Struct({ address: Address.FromWire }))
  .setUrlParams(Schema.Struct({
    ...search,
    "ca-filter": Schema.optional(Address.FromWire),
    "from-only": Schema.optional(flag),
    "to-only": Schema.optional(flag)
  }))
  .addSuccess(PageableTransfers)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * Transfers of one transaction.
 *
 * @since 0.1.0
 * @category endpoints
 */
export const getTransfersByTxHash = HttpApiEndpoint.get("getTransfersByTxHash", "/v2/transfer/tx/:hash")
  .setPath(Schema.Struct({ hash: Hash.FromWire }))
  .addSuccess(Transfers)
  .addError(ErrorBody.BadRequest)
  .addError(ErrorBody.InternalError)

/**
 * The three operations as a group.
 *
 * @since 0.1.0
 * @category groups
 */
export class HistoryGroup extends HttpApiGroup.make("history")
  .add(getTransfers)
  .add(getTransfersByEoa)
  .add(getTransfersByTxHash)
  .middleware(Access)
{}

/**
 * The interface of transfer history.
 *
 * @since 0.1.0
 * @category apis
 */
export class HistoryApi extends HttpApi.make("transfer-history").add(HistoryGroup) {}
