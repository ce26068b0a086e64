import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Client from "../../core/test/support/client.js"
import type * as TokenData from "../src/TokenData.js"
import type * as TokenDirectory from "../src/TokenDirectory.js"
import { alice, token } from "./support/records.js"
import * as Service from "./support/service.js"

/** An input as a program without types could give it. */
const untyped = <Input>(input: unknown): Input => input as Input

interface Row<Of> {
  readonly name: string
  readonly call: (service: Of) => Effect.Effect<unknown, StreamError>
  readonly operation: string
  readonly path: ReadonlyArray<string | number>
  readonly problem: string
}

const address = "expected an address as 0x and 40 hexadecimal digits"
const size = "the size of a page is a whole number from 1 to 1000; 0 or none means 100"
const range = "a token ID is a bigint from 0 to 2^256 - 1"
const bigint = "a token ID is a bigint, such as 1n: a number would be rounded above 2^53"
const mistyped = "0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const contract = token
const owner = alice

const rows: ReadonlyArray<Row<TokenData.Service>> = [
  {
    name: "a contract that is no address",
    call: (_) => _.getNftsByContractAddress({ contract: "pears" }),
    operation: "getNftsByContractAddress",
    path: ["contract"],
    problem: address
  },
  {
    name: "no contract",
    call: (_) => _.getMtsByContractAddress(untyped({})),
    operation: "getMtsByContractAddress",
    path: ["contract"],
    problem: "is missing"
  },
  {
    name: "a mistyped owner",
    call: (_) => _.getNftsByOwnerAddress({ contract, owner: mistyped }),
    operation: "getNftsByOwnerAddress",
    path: ["owner"],
    problem:
      `the checksum of address ${mistyped} is wrong: check its digits, or write it in lower case to skip the check`
  },
  {
    name: "an owner that leads out of the path",
    call: (_) => _.getMtTokensByContractAddressAndOwnerAddress({ contract, owner: "../../token" }),
    operation: "getMtTokensByContractAddressAndOwnerAddress",
    path: ["owner"],
    problem: address
  },
  {
    name: "a negative token ID",
    call: (_) => _.getNftById({ contract, tokenId: -1n }),
    operation: "getNftById",
    path: ["tokenId"],
    problem: range
  },
  {
    name: "a token ID above 2^256 - 1",
    call: (_) => _.getMtTokensByContractAddressAndTokenId({ contract, tokenId: 2n ** 256n }),
    operation: "getMtTokensByContractAddressAndTokenId",
    path: ["tokenId"],
    problem: range
  },
  {
    name: "a token ID as a number",
    call: (_) => _.getNftById(untyped({ contract, tokenId: 450 })),
    operation: "getNftById",
    path: ["tokenId"],
    problem: bigint
  },
  {
    name: "a token ID as a text",
    call: (_) => _.getMtTokensByContractAddressAndOwnerAddressAndTokenId(untyped({ contract, owner, tokenId: "0x1" })),
    operation: "getMtTokensByContractAddressAndOwnerAddressAndTokenId",
    path: ["tokenId"],
    problem: bigint
  },
  {
    name: "a negative size",
    call: (_) => _.getNftsByContractAddress({ contract, size: -1 }),
    operation: "getNftsByContractAddress",
    path: ["size"],
    problem: size
  },
  {
    name: "half a size",
    call: (_) => _.getMtTokensByContractAddressAndOwnerAddress({ contract, owner, size: 1.5 }),
    operation: "getMtTokensByContractAddressAndOwnerAddress",
    path: ["size"],
    problem: size
  },
  {
    name: "a cursor with half a character",
    call: (_) => _.getMtsByContractAddress({ contract, cursor: "a\ud800" }),
    operation: "getMtsByContractAddress",
    path: ["cursor"],
    problem: "a lone surrogate can't be sent"
  },
  {
    name: "a stream with a negative size",
    call: (_) => Stream.runDrain(_.getNftsByOwnerAddress.items({ contract, owner, size: -5 })),
    operation: "getNftsByOwnerAddress",
    path: ["size"],
    problem: size
  }
]

const directoryRows: ReadonlyArray<Row<TokenDirectory.Service>> = [
  {
    name: "the coin as a kind",
    call: (_) => _.getContractsByOwnerAddress(untyped({ owner, kinds: ["ft", "coin"] })),
    operation: "getContractsByOwnerAddress",
    path: ["kinds", 1],
    problem: "a kind is one of ft, nft and mt"
  },
  {
    name: "kind for kinds",
    call: (_) => _.getTokensByOwnerAddress(untyped({ owner, kind: ["ft"] })),
    operation: "getTokensByOwnerAddress",
    path: ["kind"],
    problem: "there is no such field; did you mean kinds?"
  },
  {
    name: "kinds without a kind",
    call: (_) => _.getTokensByOwnerAddress({ owner, kinds: [] }),
    operation: "getTokensByOwnerAddress",
    path: ["kinds"],
    problem: "give at least one kind, or leave kinds out to search all of them"
  },
  {
    name: "contracts without a contract",
    call: (_) => _.getTokensByOwnerAddress({ owner, contracts: [] }),
    operation: "getTokensByOwnerAddress",
    path: ["contracts"],
    problem: "give at least one contract, or leave contracts out to search all of them"
  },
  {
    name: "a contract that would be two",
    call: (_) => _.getTokensByOwnerAddress({ owner, contracts: [token, `${token},${token}`] }),
    operation: "getTokensByOwnerAddress",
    path: ["contracts", 1],
    problem: address
  },
  {
    name: "a status that does not exist",
    call: (_) => _.getNftContracts(untyped({ status: "done" })),
    operation: "getNftContracts",
    path: ["status"],
    problem: "a status is one of completed, processing, failed and cancelled"
  },
  {
    name: "a standard of another kind",
    call: (_) => _.getFtContracts(untyped({ standard: "KIP-17" })),
    operation: "getFtContracts",
    path: ["standard"],
    problem: "a standard is one of KIP-7 and ERC-20"
  },
  {
    name: "a token ID as a number",
    call: (_) => _.getNftOwnershipChanges(untyped({ contract, tokenId: 1 })),
    operation: "getNftOwnershipChanges",
    path: ["tokenId"],
    problem: bigint
  }
]

const refused = <Of>(row: Row<Of>, make: (wire: Testing.Wire) => Effect.Effect<Of, unknown>) =>
  Effect.gen(function*() {
    const wire = Testing.wire(Service.page([]))
    const error = yield* Client.failsAs("InvalidInput")(row.call(yield* Effect.orDie(make(wire))))
    assert.deepStrictEqual([error.operation, error.path, error.problem], [
      `tokens.${row.operation}`,
      row.path,
      row.problem
    ])
    assert.isTrue(error.retrySafe)
    assert.deepStrictEqual(wire.sent, [], "nothing was sent")
  })

describe("an input that can't be right is refused before anything is sent:", () => {
  for (const row of rows) it.effect(`${row.name} (${row.operation})`, () => refused(row, Service.make))
  for (const row of directoryRows) {
    it.effect(`${row.name} (${row.operation})`, () => refused(row, Service.makeDirectory))
  }
})

describe("a client without a base address for tokens", () => {
  it.effect("is not made, and says which setting is missing", () =>
    Effect.gen(function*() {
      const wire = Testing.wire()
      const none = { endpoints: {} }
      for (const made of [Effect.asVoid(Service.make(wire, none)), Effect.asVoid(Service.makeDirectory(wire, none))]) {
        const error = yield* Effect.flip(made)
        assert.strictEqual(error._tag, "InvalidInput")
        assert.include(error.message, "KLAYTN_TOKENS_URL")
      }
    }))
})
