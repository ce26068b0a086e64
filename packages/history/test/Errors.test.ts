import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as ServiceError from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { failsAs } from "../../core/test/support/client.js"
import type * as TransferHistory from "../src/TransferHistory.js"
import { alice, hash } from "./support/records.js"
import * as Service from "./support/service.js"

type Call = (history: TransferHistory.Service) => Effect.Effect<unknown, ReadError>

const byPresets: Call = (history) => history.getTransfers({ presets: [65] })
const byEoa: Call = (history) => history.getTransfersByEoa({ address: alice })
const byHash: Call = (history) => history.getTransfersByTxHash({ transactionHash: hash })

const once = { retry: RetryPolicy.none }

interface Row {
  readonly status: number
  readonly body: string
  readonly call: Call
  readonly operation: string
  readonly tag: "Rejected" | "NotFound" | "Unavailable" | "Unauthorized"
  readonly code: number
  readonly message: string
}

const requestId = "7f2ae1c3-1c8a-4d0a-9d8c-0f0c7a5b3e11"

const rows: ReadonlyArray<Row> = [
  {
    status: 400,
    body: `{"code":1040010,"message":"[InvalidQueryParameterValue]required presets","requestId":"${requestId}"}`,
    call: byPresets,
    operation: "history.getTransfers",
    tag: "Rejected",
    code: 1_040_010,
    message: "[InvalidQueryParameterValue]required presets"
  },
  {
    status: 400,
    body: `{"code":1040010,"message":"[InvalidQueryParameterValue]invalid presets query","requestId":"${requestId}"}`,
    call: byPresets,
    operation: "history.getTransfers",
    tag: "Rejected",
    code: 1_040_010,
    message: "[InvalidQueryParameterValue]invalid presets query"
  },
  {
    status: 400,
    body: `{"code":1040010,"message":"[InvalidQueryParameterValue]invalid query value","requestId":"${requestId}"}`,
    call: byEoa,
    operation: "history.getTransfersByEoa",
    tag: "Rejected",
    code: 1_040_010,
    message: "[InvalidQueryParameterValue]invalid query value"
  },
  {
    status: 400,
    body:
      `{"code":1040010,"message":"[InvalidQueryParameterValue]both from-only and to-only could not be true","requestId":"${requestId}"}`,
    call: byEoa,
    operation: "history.getTransfersByEoa",
    tag: "Rejected",
    code: 1_040_010,
    message: "[InvalidQueryParameterValue]both from-only and to-only could not be true"
  },
  {
    status: 400,
    body:
      `{"code":1040011,"message":"[OutOfRangeQueryParameterValue]invalid timestamp range","requestId":"${requestId}"}`,
    call: byPresets,
    operation: "history.getTransfers",
    tag: "Rejected",
    code: 1_040_011,
    message: "[OutOfRangeQueryParameterValue]invalid timestamp range"
  },
  {
    status: 400,
    body: `{"code":1040020,"message":"[InvalidUriValue]invalid tx hash","requestId":"${requestId}"}`,
    call: byHash,
    operation: "history.getTransfersByTxHash",
    tag: "Rejected",
    code: 1_040_020,
    message: "[InvalidUriValue]invalid tx hash"
  },
  {
    status: 400,
    body: `{"code":1040020,"message":"[InvalidUriValue]invalid account address","requestId":"${requestId}"}`,
    call: byEoa,
    operation: "history.getTransfersByEoa",
    tag: "Rejected",
    code: 1_040_020,
    message: "[InvalidUriValue]invalid account address"
  },
  {
    status: 404,
    body: `{"code":1040400,"message":"[ResourceNotFound]preset not found","requestId":"${requestId}"}`,
    call: byPresets,
    operation: "history.getTransfers",
    tag: "NotFound",
    code: 1_040_400,
    message: "[ResourceNotFound]preset not found"
  },
  {
    status: 500,
    body: `{"code":1041000,"message":"[InternalServerError]","requestId":"${requestId}"}`,
    call: byHash,
    operation: "history.getTransfersByTxHash",
    tag: "Unavailable",
    code: 1_041_000,
    message: "[InternalServerError]"
  },
  {
    status: 401,
    body: `{"code":1010009,"message":"The credential you provided is not valid.","requestId":"${requestId}"}`,
    call: byEoa,
    operation: "history.getTransfersByEoa",
    tag: "Unauthorized",
    code: 1_010_009,
    message: "The credential you provided is not valid."
  },
  {
    status: 401,
    body: `{"code":1010008,"message":"The authorization header you provided is invalid.","requestId":"${requestId}"}`,
    call: byPresets,
    operation: "history.getTransfers",
    tag: "Unauthorized",
    code: 1_010_008,
    message: "The authorization header you provided is invalid."
  },
  {
    status: 400,
    body: `{"code":1010007,"message":"invalid path or method","requestId":"${requestId}"}`,
    call: byHash,
    operation: "history.getTransfersByTxHash",
    tag: "Rejected",
    code: 1_010_007,
    message: "invalid path or method"
  }
]

const table = rows.map((row) => [`${row.code} ${row.message}`, row] as const)

describe("a failure of transfer history", () => {
  it.effect.each(table)("keeps what the service said: %s", ([, row]) =>
    Effect.gen(function*() {
      const wire = Testing.wire(Testing.text(row.status, row.body, { "content-type": "application/json" }))
      const history = yield* Service.make(wire, once)
      const error = yield* failsAs(row.tag)(row.call(history))
      assert.deepStrictEqual(
        {
          operation: error.operation,
          status: error.status,
          code: error.code,
          serviceMessage: error.serviceMessage,
          requestId: error.requestId,
          retrySafe: error.retrySafe
        },
        {
          operation: row.operation,
          status: row.status,
          code: row.code,
          serviceMessage: row.message,
          requestId: "7f2ae1c3-1c8a-4d0a-9d8c-0f0c7a5b3e11",
          retrySafe: true
        }
      )
      assert.strictEqual(wire.sent.length, 1)
    }))

  it.effect("by a code that nobody has seen yet can be caught by that code", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(
        Testing.wire(Testing.text(400, "{\"code\":1040099,\"message\":\"[Brand]new\"}")),
        once
      )
      const told = yield* history.getTransfers({ presets: [65] }).pipe(
        Effect.as("nothing"),
        ServiceError.catchCode(1_040_099, (error) => Effect.succeed(`${error._tag}: ${error.serviceMessage}`))
      )
      assert.strictEqual(told, "Rejected: [Brand]new")
    }))

  it.effect("is the same failure in a stream", () =>
    Effect.gen(function*() {
      const history = yield* Service.make(
        Testing.wire(Testing.text(404, "{\"code\":1040400,\"message\":\"[ResourceNotFound]preset not found\"}")),
        once
      )
      const pulled = Stream.runDrain(history.getTransfers.items({ presets: [65] }))
      const error = yield* failsAs("NotFound")(pulled)
      assert.strictEqual(error.code, 1_040_400)
    }))
})
