import * as RetryPolicy from "@effect-klaytn/core/RetryPolicy"
import type { ReadError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../../core/test/support/client.js"
import type * as TokenData from "../src/TokenData.js"
import type * as TokenDirectory from "../src/TokenDirectory.js"
import { alice, nft, token } from "./support/records.js"
import * as Service from "./support/service.js"

type Call = (tokens: TokenData.Service) => Effect.Effect<unknown, ReadError>

const contract = token
const owner = alice
const tokenId = 1n

const calls: Readonly<Record<string, Call>> = {
  getNftsByContractAddress: (_) => _.getNftsByContractAddress({ contract }),
  getNftsByOwnerAddress: (_) => _.getNftsByOwnerAddress({ contract, owner }),
  getNftById: (_) => _.getNftById({ contract, tokenId }),
  getMtTokensByContractAddressAndOwnerAddress: (_) =>
    _.getMtTokensByContractAddressAndOwnerAddress({ contract, owner }),
  getMtTokensByContractAddressAndOwnerAddressAndTokenId: (_) =>
    _.getMtTokensByContractAddressAndOwnerAddressAndTokenId({ contract, owner, tokenId }),
  getMtTokensByContractAddressAndTokenId: (_) => _.getMtTokensByContractAddressAndTokenId({ contract, tokenId }),
  getMtsByContractAddress: (_) => _.getMtsByContractAddress({ contract })
}

const uri = "[InvalidUriValue]"
const missing = "[ResourceNotFound]"
const query = "[InvalidQueryParameterValue]"

/** Operation, then the messages of its refusals as the service words them. */
const rows: ReadonlyArray<
  readonly [operation: string, refusals: ReadonlyArray<string>, unknown: ReadonlyArray<string>]
> = [
  ["getNftsByContractAddress", [`${uri}invalid nft address`, `${query}invalid query value`], [
    `${missing}not found nft`
  ]],
  [
    "getNftsByOwnerAddress",
    [`${uri}invalid nft address`, `${uri}invalid owner address`, `${query}invalid query value`],
    [`${missing}not found nft`]
  ],
  ["getNftById", [`${uri}invalid nft address`, `${uri}invalid token id`], [`${missing}not found nft token`]],
  [
    "getMtTokensByContractAddressAndOwnerAddress",
    [`${uri}invalid mt address`, `${uri}invalid owner address`],
    [`${missing}not found mt`]
  ],
  [
    "getMtTokensByContractAddressAndOwnerAddressAndTokenId",
    [`${uri}invalid mt address`, `${uri}invalid owner address`, `${uri}invalid token id`],
    [`${missing}not found mt`, `${missing}not found mt token`]
  ],
  [
    "getMtTokensByContractAddressAndTokenId",
    [`${uri}invalid mt address`, `${uri}invalid token id`],
    [`${missing}not found mt`]
  ],
  ["getMtsByContractAddress", [`${uri}invalid mt address`, `${query}invalid query value`], [`${missing}not found mt`]]
]

const codeOf = (message: string) =>
  message.startsWith(uri) ? 1_040_020 : message.startsWith(query) ? 1_040_010 : 1_040_400

/** The failure of an operation that the service refuses. */
const refused = <const Tag extends ReadError["_tag"]>(tag: Tag, operation: string, status: number, message: string) =>
  Effect.gen(function*() {
    const wire = Testing.wire(Service.failure(status, codeOf(message), message))
    const tokens = yield* Service.make(wire)
    const call = calls[operation] ?? (() => Effect.dieMessage("no such operation"))
    const error = yield* Client.failsAs(tag)(call(tokens))
    assert.strictEqual(wire.sent.length, 1, "a refusal is not asked for again")
    return error
  })

describe("a refusal of the service", () => {
  for (const [operation, refusals, unknown] of rows) {
    for (const message of refusals) {
      it.effect(`${message} of ${operation} is Rejected, with its code`, () =>
        Effect.gen(function*() {
          const error = yield* refused("Rejected", operation, 400, message)
          assert.deepStrictEqual(
            [error.operation, error.status, error.code, error.serviceMessage, error.requestId, error.retrySafe],
            [`tokens.${operation}`, 400, codeOf(message), message, "7f2ae1c3-1c8a-4d0a-9d8c-0f0c7a5b3e11", true]
          )
        }))
    }
    for (const message of unknown) {
      it.effect(`${message} of ${operation} is NotFound`, () =>
        Effect.gen(function*() {
          const error = yield* refused("NotFound", operation, 404, message)
          assert.deepStrictEqual([error.operation, error.code, error.serviceMessage], [
            `tokens.${operation}`,
            1_040_400,
            message
          ])
        }))
    }
  }

  it.effect("with a code that nobody knows stays what its status says, and keeps the code", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.failure(400, 1_049_999, "[Novelty]something new"))
      const tokens = yield* Service.make(wire)
      const error = yield* Client.failsAs("Rejected")(tokens.getNftById({ contract, tokenId }))
      assert.strictEqual(error.code, 1_049_999)
    }))

  it.effect("of the credential is Unauthorized", () =>
    Effect.gen(function*() {
      const message = "The credential you provided is not valid."
      const tokens = yield* Service.make(Testing.wire(Service.failure(401, 1_010_009, message)))
      const error = yield* Client.failsAs("Unauthorized")(tokens.getNftById({ contract, tokenId }))
      assert.deepStrictEqual([error.status, error.code], [401, 1_010_009])
    }))

  it.effect("by a fault of the service is Unavailable", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.failure(500, 1_041_000, "[InternalServerError]internal server error"))
      const tokens = yield* Service.make(wire, { retry: RetryPolicy.none })
      const error = yield* Client.failsAs("Unavailable")(tokens.getMtsByContractAddress({ contract }))
      assert.strictEqual(error.code, 1_041_000)
    }))

  it.effect("in the middle of a stream stands behind what was delivered", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(
        Service.page([nft, nft], "next"),
        Service.failure(404, 1_040_400, "[ResourceNotFound]not found nft")
      )
      const tokens = yield* Service.make(wire)
      let delivered = 0
      yield* tokens.getNftsByContractAddress.items({ contract }).pipe(
        Stream.tap(() => Effect.sync(() => delivered++)),
        Stream.runDrain,
        Client.failsAs("NotFound")
      )
      assert.strictEqual(delivered, 2)
    }))
})

describe("a refusal of the directory", () => {
  const rows: ReadonlyArray<
    readonly [string, (directory: TokenDirectory.Service) => Effect.Effect<unknown, ReadError>, number, number, string]
  > = [
    ["NotFound", (_) => _.getFtContractDetail({ contract }), 404, 1_040_400, `${missing}not found ft`],
    ["NotFound", (_) => _.getNftContractDetail({ contract }), 404, 1_040_400, `${missing}not found nft`],
    ["NotFound", (_) => _.getMtContractDetail({ contract }), 404, 1_040_400, `${missing}not found mt`],
    [
      "NotFound",
      (_) => _.getNftOwnershipChanges({ contract, tokenId }),
      404,
      1_040_400,
      `${missing}not found nft token`
    ],
    ["Rejected", (_) => _.getMtTokenHolder({ contract }), 400, 1_040_020, `${uri}invalid mt address`],
    ["Rejected", (_) => _.getFtContracts({ size: 1 }), 400, 1_040_010, `${query}invalid query value`],
    ["Rejected", (_) => _.getContractsByOwnerAddress({ owner }), 400, 1_040_020, `${uri}invalid account address`],
    [
      "Rejected",
      (_) => _.getTokensByOwnerAddress({ owner, contracts: [token] }),
      400,
      1_040_010,
      `${query}too many ca-filters query value`
    ]
  ]
  for (const [tag, call, status, code, message] of rows) {
    it.effect(`${message} is ${tag}`, () =>
      Effect.gen(function*() {
        const directory = yield* Service.makeDirectory(Testing.wire(Service.failure(status, code, message)))
        const error = yield* Effect.flip(call(directory))
        assert.deepStrictEqual(
          [error._tag, "code" in error ? error.code : 0, "serviceMessage" in error ? error.serviceMessage : ""],
          [tag, code, message]
        )
      }))
  }
})
