import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { catchUp } from "../src/CatchUp.js"
import * as IndexScope from "../src/IndexScope.js"
import { alice, bob, FakeNode, token, transfer } from "./support/fakeNode.js"
import { stores } from "./support/stores.js"

/** Checksum and lower-case form of the same address. */
const mixed = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
const lower = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"

const carol = "0x00000000000000000000000000000000000ca401"

const message = <A>(result: Either.Either<A, IndexScope.InvalidScope>): string =>
  Either.match(result, { onLeft: (error) => error.message, onRight: () => "accepted" })

const scopeOf = (input: IndexScope.IndexScopeInput): IndexScope.IndexScope => Either.getOrThrow(IndexScope.make(input))

describe("a file of accounts or contracts", () => {
  it("has an address on each line, and comments", () => {
    const file = `\uFEFF# payments\r\n${mixed}\r\n\n  ${bob} # the shop\n#${alice}\n`
    assert.deepStrictEqual(IndexScope.parseAccounts(file).pipe(Either.getOrThrow).map(String), [lower, bob])
  })

  it("may name the block in which a contract was created", () => {
    const file = `${mixed}\n${bob} 123456\n${alice},7`
    const found = Either.getOrThrow(IndexScope.parseContracts(file))
    assert.deepStrictEqual(found.map(({ address, createdAt }) => `${address} ${createdAt}`), [
      `${lower} undefined`,
      `${bob} 123456`,
      `${alice} 7`
    ])
  })

  it("is refused with the line that is wrong", () => {
    const wrongChecksum = mixed.replace("5aA", "5AA")
    const cases: ReadonlyArray<readonly [text: string, accounts: RegExp, contracts: RegExp]> = [
      ["", /^there is no address in it/, /^there is no address in it/],
      [" \n# nothing\n", /^there is no address in it/, /^there is no address in it/],
      [`${bob}\nalice`, /^line 2: expected an address/, /^line 2: expected an address/],
      [`${bob}\n\n${wrongChecksum}`, /^line 3: the checksum of address/, /^line 3: the checksum of address/],
      [
        `${bob} ${alice}`,
        /^line 1: expected one address, and found 0xa?/,
        /^line 1: 0x\w+ is not the height of a block/
      ],
      [`${bob} 1 2`, /^line 1: expected one address, and found 1 2/, /^line 1: .* found 2 after them$/],
      [`${bob} -1`, /^line 1: expected one address/, /^line 1: -1 is not the height/],
      [`${bob} 0x10`, /^line 1: expected one address/, /^line 1: 0x10 is not the height/],
      [`${bob} 99999999999`, /^line 1: expected one address/, /^line 1: 99999999999 is not the height/]
    ]
    for (const [text, accounts, contracts] of cases) {
      assert.match(message(IndexScope.parseAccounts(text)), accounts)
      assert.match(message(IndexScope.parseContracts(text)), contracts)
    }
  })
})

describe.each(stores)("a scope on %s", (_, open) => {
  it("is the same for the same addresses, whatever their order and letter case", () => {
    const one = scopeOf({
      firstBlock: 5,
      accounts: [bob, mixed, lower],
      contracts: [{ address: token }, { address: bob }]
    })
    const other = scopeOf({ firstBlock: 5, contracts: [{ address: bob }, { address: token }], accounts: [lower, bob] })
    assert.deepStrictEqual(one, other)
    assert.isUndefined(IndexScope.difference(one, other))
    assert.deepStrictEqual(IndexScope.fromJson(IndexScope.toJson(one)), one)
  })

  it("is refused in words if a newer program has stored it, also for a field that this one does not know", () => {
    assert.throws(
      () => IndexScope.fromJson(`{"version":2,"firstBlock":5}`),
      /the scope of an index has version 2, and this/
    )
    assert.throws(() => IndexScope.fromJson(`{"version":1,"firstBlock":5,"lastBlock":7}`), /is unexpected/)
    assert.deepStrictEqual(IndexScope.fromJson(`{"firstBlock":5}`), scopeOf({ firstBlock: 5 }))
  })

  it("is refused if it keeps nothing, or contradicts itself", () => {
    assert.match(message(IndexScope.make({ firstBlock: 1, accounts: [] })), /^it keeps nothing/)
    assert.match(message(IndexScope.make({ firstBlock: -1 })), /^firstBlock: /)
    assert.match(message(IndexScope.make({ firstBlock: 0, accounts: ["0x1"] })), /^accounts\.0: expected an address/)
    const twice = [{ address: token, createdAt: 1 }, { address: token, createdAt: 2 }]
    assert.strictEqual(
      message(IndexScope.make({ firstBlock: 0, contracts: twice })),
      `contract ${token} has two heights`
    )
  })

  it.scoped("stays that of the index: another one is refused with the difference", () =>
    Effect.gen(function*() {
      const created = scopeOf({ firstBlock: 2, accounts: [alice], contracts: [{ address: token, createdAt: 1 }] })
      const node = new FakeNode(4)
      const index = yield* open(created)
      yield* catchUp(index, yield* node.source())
      const again = yield* index.open()
      assert.isTrue(again.reader.scope.accounts?.has(alice))
      yield* index.open(scopeOf({ firstBlock: 2, accounts: [alice], contracts: created.contracts ?? [] }))
      const differenceOf = (input: IndexScope.IndexScopeInput) =>
        Effect.map(
          Effect.flip(index.open(scopeOf(input))),
          (error) => error._tag === "ScopeMismatch" ? error.difference : error.message
        )
      const all = "it keeps selected transactions, not every transaction; "
      assert.deepStrictEqual(
        [
          yield* differenceOf({ firstBlock: 3, accounts: [alice, bob], contracts: [{ address: token }] }),
          yield* differenceOf({ firstBlock: 0 })
        ],
        [
          `it begins at block 2, not 3; account ${bob} not in the index; contract ${token} not in the index; ` +
          `contract ${token} created at 1 only in the index`,
          `it begins at block 2, not 0; ${all}account ${alice} only in the index; ` +
          `contract ${token} created at 1 only in the index`
        ]
      )
      assert.strictEqual((yield* again.reader.head).number, 4)
    }))

  it.scoped("leaves no block without its transactions that can't be reverted any more, and follows reverts all the same", () =>
    Effect.gen(function*() {
      const node = new FakeNode(150)
      node.logsOf = (height) => height === 7 || height === 145 ? [transfer(carol)] : []
      const index = yield* open(scopeOf({ firstBlock: 2, accounts: [carol] }))
      const source = yield* node.source({ namespace: "eth" })
      const follow = catchUp(index, source, { depth: 16 })
      const heights = Effect.map(index.cells("number", "blocks", "ORDER BY number"), (rows) => rows.map(([n]) => n))
      const newest = (head: number) => Array.from({ length: 17 }, (_, at) => head - 16 + at)
      assert.deepStrictEqual(yield* follow, { reverted: 0, indexed: 149 })
      assert.deepStrictEqual(yield* heights, [2, 7, ...newest(150)])
      node.height = 152
      node.fork = (height) => height > 148 ? "b" : "a"
      assert.deepStrictEqual(yield* follow, { reverted: 2, indexed: 4 })
      assert.deepStrictEqual(yield* heights, [2, 7, ...newest(152)])
      const found = yield* index.reader.transfers({ accounts: [carol], limit: 10 })
      assert.deepStrictEqual(found.map(({ transaction }) => transaction.blockNumber), [145, 7])
      // As many blocks as can be reverted.
      node.height = 153
      node.fork = (height) => height > 136 ? "c" : height > 148 ? "b" : "a"
      assert.deepStrictEqual(yield* follow, { reverted: 16, indexed: 17 })
    }))
})
