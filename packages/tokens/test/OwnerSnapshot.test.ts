import * as Testing from "@effect-klaytn/core/Testing"
import { assert, describe, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import * as Client from "../../core/test/support/client.js"
import * as OwnerChanges from "../src/OwnerChanges.js"
import * as OwnerSnapshot from "../src/OwnerSnapshot.js"
import type { TokenData } from "../src/TokenData.js"
import { alice, bob, mtToken, nft, token } from "./support/records.js"
import * as Service from "./support/service.js"
import * as World from "./support/world.js"

const contract = token
/** The second at which every reading here begins. */
const start = 1000

const run = <A, E>(wire: Testing.Wire, snapshot: Stream.Stream<A, E, TokenData>) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start * 1000)
    return Chunk.toReadonlyArray(
      yield* Stream.runCollect(snapshot).pipe(Effect.provide(Service.layer(wire)), Client.within("1 hour"))
    )
  })

/** The moved tokens of each verdict, and the tokens of each reading. */
const told = (elements: ReadonlyArray<OwnerSnapshot.Element<unknown>>) =>
  elements.map((element) =>
    element._tag === "Owner"
      ? `${element.reading}: ${element.tokenId}`
      : element._tag === "Unchanged"
      ? `${element.reading}: unchanged, ${element.owners} owners`
      : `${element.reading}: changed ${element.tokens.join()}${element.final ? "" : ", again"}`
  )

const quiet: OwnerChanges.OwnerChanges = () => Stream.empty

describe("a snapshot of NFT owners", () => {
  it.effect("of a contract that stands still has every owner, then the verdict that nothing changed", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 5, moves: [] })
      const elements = yield* run(
        world.wire,
        OwnerSnapshot.snapshotNftOwners({
          contract,
          changes: OwnerChanges.fromTransfers(world.history),
          size: 2,
          readings: 3
        })
      )
      assert.deepStrictEqual(told(elements), ["1: 0", "1: 1", "1: 2", "1: 3", "1: 4", "1: unchanged, 5 owners"])
      // Three pages of a second each, and ten seconds on both sides.
      assert.deepStrictEqual(elements.at(-1), {
        _tag: "Unchanged",
        final: true,
        reading: 1,
        from: 990,
        to: 1013,
        owners: 5
      } as unknown as OwnerSnapshot.Verdict)
      assert.deepStrictEqual(
        world.searched,
        [{ kinds: ["nft"], range: { _tag: "TimeRange", from: 990 } }] as unknown as typeof world.searched
      )
      assert.strictEqual(world.wire.sent.length, 3)
    }))

  it.effect("has the owner, one piece and the whole record in each line", () =>
    Effect.gen(function*() {
      const elements = yield* run(
        Testing.wire(Service.page([{ ...nft, later: 1 }])),
        OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet, slack: 0 })
      )
      assert.deepStrictEqual(
        elements.flatMap((line) => line._tag === "Owner" ? [line] : []).map(({ owner, record, ...line }) => [
          line,
          String(owner),
          record.tokenUri,
          record.extra
        ]),
        [[{ _tag: "Owner", reading: 1, tokenId: 450n, balance: 1n }, alice, "https://pears.example/450.json", {
          later: 1
        }]]
      )
    }))

  it.effect("reads pages of 1000 unless told otherwise", () =>
    Effect.gen(function*() {
      const wire = Testing.wire(Service.page([]))
      yield* run(wire, OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet }))
      assert.deepStrictEqual(Service.requests(wire), [`GET /v2/contract/nft/${token}/token?size=1000`])
    }))

  it.effect("names the tokens that moved while it was read, though its own lines did not show it", () =>
    Effect.gen(function*() {
      // Token 4 jumps to the front after the first page was read: nobody sees it, and 1 is seen twice.
      const world = World.nfts({ size: 5, moves: [{ at: 1002, tokenId: 4n, to: 9 }] })
      const elements = yield* run(
        world.wire,
        OwnerSnapshot.snapshotNftOwners({ contract, changes: OwnerChanges.fromTransfers(world.history), size: 2 })
      )
      assert.deepStrictEqual(told(elements), ["1: 0", "1: 1", "1: 1", "1: 2", "1: 3", "1: changed 4"])
    }))

  it.effect("without a source that sees it knows a change by the times in its own lines", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 3, moves: [{ at: 1001, tokenId: 2n, to: 9 }] })
      const elements = yield* run(world.wire, OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet, size: 3 }))
      assert.deepStrictEqual(told(elements), ["1: 2", "1: 0", "1: 1", "1: changed 2"])
    }))

  it.effect("counts a token that moved in the very second at which the window begins", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 3, moves: [{ at: 990, tokenId: 2n, to: 9 }] })
      const elements = yield* run(world.wire, OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet }))
      assert.deepStrictEqual(told(elements), ["1: 2", "1: 0", "1: 1", "1: changed 2"])
      const before = World.nfts({ size: 3, moves: [{ at: 989, tokenId: 2n, to: 9 }] })
      const unchanged = yield* run(before.wire, OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet }))
      assert.strictEqual(told(unchanged).at(-1), "1: unchanged, 3 owners")
    }))

  it.effect("reads again after a change, and stops when a reading is unchanged", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 3, moves: [{ at: 1002, tokenId: 1n, to: 9 }] })
      const snapshot = OwnerSnapshot.snapshotNftOwners({
        contract,
        changes: OwnerChanges.fromTransfers(world.history),
        size: 2,
        readings: 5
      })
      const elements = yield* run(world.wire, snapshot)
      assert.deepStrictEqual(told(elements), [
        "1: 0",
        "1: 1",
        "1: 2",
        "1: changed 1, again",
        "2: 1",
        "2: 0",
        "2: 2",
        "2: unchanged, 3 owners"
      ])
      assert.strictEqual(
        world.wire.sent[2]?.at,
        1_023_000,
        "it waits the slack twice and a second, so that the change is not counted again"
      )
      yield* TestClock.setTime(start * 1000)
      const table = yield* OwnerSnapshot.collect(snapshot).pipe(
        Effect.provide(Service.layer(World.nfts({ size: 3, moves: [{ at: 1002, tokenId: 1n, to: 9 }] }).wire)),
        Client.within("1 hour")
      )
      assert.deepStrictEqual(told(table.owners), ["2: 1", "2: 0", "2: 2"])
      assert.strictEqual(table.verdict?._tag, "Unchanged")
    }))

  /** Three tokens on a page each, the last of which moved while they were read, at a service whose clock is far behind. */
  const behind = (dates: ReadonlyArray<number>) => {
    let asked = 0
    return Testing.wire((sent) => {
      const at = Number(new URL(sent.url).searchParams.get("cursor") ?? "0")
      const item = { ...nft, tokenId: `0x${at}`, updatedAt: at === 2 ? 2001 : 1 }
      const seconds = dates[Math.min(asked++, dates.length - 1)] ?? 0
      const page = { items: [item], cursor: at < 2 ? String(at + 1) : "" }
      return Testing.json(200, page, { date: new Date(seconds * 1000).toUTCString() })(sent)
    })
  }

  it.effect("compares the records with the service's clock, not with this machine's", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_700_000_000_000)
      const snapshot = (dates: ReadonlyArray<number>) =>
        Stream.runCollect(OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet })).pipe(
          Effect.map((elements) => Chunk.toReadonlyArray(elements)),
          Effect.provide(Service.layer(behind(dates))),
          Client.within("1 hour")
        )
      const elements = yield* snapshot([2000])
      assert.deepStrictEqual(told(elements).at(-1), "1: changed 2")
      const verdict = elements.at(-1)
      if (verdict?._tag !== "Changed") return assert.fail("no verdict")
      assert.deepStrictEqual([Number(verdict.from), Number(verdict.to)], [1990, 2010])
      const late = yield* snapshot([9_000, 2000, 9_000])
      assert.deepStrictEqual(told(late).at(-1), "1: unchanged, 3 owners")
      const odd = yield* Effect.flip(snapshot([2000, 90_000, 5_000_000, 70, 4_000_000]))
      assert.deepInclude(
        odd,
        { _tag: "MalformedResponse", operation: "tokens.snapshotNftOwners", path: ["Date"] } as never
      )
    }))

  it.effect("gives up after the number of readings, with the last verdict and the tokens of that reading", () =>
    Effect.gen(function*() {
      const moves = Array.from({ length: 40 }, (_, i) => ({ at: 1000 + i, tokenId: BigInt(i % 3), to: i }))
      const world = World.nfts({ size: 3, moves })
      const elements = yield* run(
        world.wire,
        OwnerSnapshot.snapshotNftOwners({
          contract,
          changes: OwnerChanges.fromTransfers(world.history),
          readings: 2,
          slack: "0 seconds"
        })
      )
      const verdicts = told(elements).filter((line) => line.includes("changed"))
      assert.deepStrictEqual(verdicts, ["1: changed 0,1, again", "2: changed 0,2"])
    }))

  it.effect("counts what happened shortly before or after the reading, and nothing else", () =>
    Effect.gen(function*() {
      const answers = World.nfts({ size: 1, moves: [] })
      const transfers = [
        World.nftTransfer(1n, 989),
        World.nftTransfer(2n, 990),
        World.nftTransfer(3n, 1011),
        World.nftTransfer(4n, 1012),
        World.nftTransfer(5n, undefined)
      ]
      const elements = yield* run(
        answers.wire,
        OwnerSnapshot.snapshotNftOwners({
          contract,
          changes: OwnerChanges.fromTransfers(() => Stream.fromIterable(transfers))
        })
      )
      assert.deepStrictEqual(told(elements), ["1: 0", "1: changed 2,3,5"])
    }))

  it.effect("passes over transfers of other contracts and other kinds", () =>
    Effect.gen(function*() {
      const transfers = [
        World.nftTransfer(1n, 1000, bob),
        { _tag: "CoinTransfer" } as const,
        { _tag: "FtTransfer" } as const,
        World.unknownTransfer({ contract: { address: bob.toUpperCase().replace("X", "x") } })
      ]
      const elements = yield* run(
        Testing.wire(Service.page([])),
        OwnerSnapshot.snapshotNftOwners({
          contract,
          changes: OwnerChanges.fromTransfers(() => Stream.fromIterable(transfers))
        })
      )
      assert.deepStrictEqual(told(elements), ["1: unchanged, 0 owners"])
    }))

  it.effect("is not called unchanged when a transfer of an unknown kind may be of the contract", () =>
    Effect.gen(function*() {
      for (const record of [{ contract: { address: token } }, { contract: "?" }, {}]) {
        const elements = yield* run(
          Testing.wire(Service.page([])),
          OwnerSnapshot.snapshotNftOwners({
            contract,
            changes: OwnerChanges.fromTransfers(() => Stream.succeed(World.unknownTransfer(record)))
          })
        )
        const verdict = elements.at(-1)
        assert.deepStrictEqual(
          verdict?._tag === "Changed" ? [verdict.tokens, verdict.unnamed, verdict.final] : verdict,
          [[], 1, true]
        )
      }
    }))

  it.effect("of an unknown contract fails, and so it does when the source of changes fails", () =>
    Effect.gen(function*() {
      const unknown = Testing.wire(Service.failure(404, 1_040_400, "[ResourceNotFound]not found nft"))
      yield* Client.failsAs("NotFound")(
        run(unknown, OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet }))
      )
      const lines: Array<unknown> = []
      const broken = OwnerSnapshot.snapshotNftOwners({ contract, changes: () => Stream.fail("no history" as const) })
      const failure = yield* Effect.flip(
        run(Testing.wire(Service.page([nft])), Stream.tap(broken, (line) => Effect.sync(() => lines.push(line))))
      )
      assert.strictEqual(failure, "no history")
      assert.strictEqual(lines.length, 1, "the lines came, a verdict did not")
    }))

  it.effect("refuses what can't be right before anything is sent", () =>
    Effect.gen(function*() {
      const rows = [
        [{ contract: "0x1" }, ["contract"]],
        [{ readings: 0 }, ["readings"]],
        [{ readings: 1.5 }, ["readings"]],
        [{ slack: Duration.infinity }, ["slack"]],
        [{ size: -1 }, ["size"]],
        [{ cursor: "c1" }, ["cursor"]]
      ] as const
      for (const [wrong, path] of rows) {
        const wire = Testing.wire()
        const error = yield* Client.failsAs("InvalidInput")(
          run(wire, OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet, ...wrong }))
        )
        assert.deepStrictEqual([error.operation, error.path], ["tokens.snapshotNftOwners", path])
        assert.strictEqual(wire.sent.length, 0)
      }
      for (const concurrency of [0, -7, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const wire = Testing.wire()
        const error = yield* Client.failsAs("InvalidInput")(
          run(wire, OwnerSnapshot.snapshotMtOwners({ contract, changes: quiet, concurrency }))
        )
        assert.deepStrictEqual([error.operation, error.path], ["tokens.snapshotMtOwners", ["concurrency"]])
        assert.strictEqual(wire.sent.length, 0)
      }
    }))

  it.effect("that was cut has a table without a verdict", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 3, moves: [] })
      const table = yield* OwnerSnapshot.snapshotNftOwners({ contract, changes: quiet }).pipe(
        Stream.take(2),
        OwnerSnapshot.collect,
        Effect.provide(Service.layer(world.wire)),
        Client.within("1 minute")
      )
      assert.deepStrictEqual([told(table.owners), table.verdict], [["1: 0", "1: 1"], undefined])
    }))

  it.effect("collected holds nothing of a reading that was followed by an empty one", () =>
    Effect.gen(function*() {
      const moves = [{ at: 1001, tokenId: 0n, to: undefined }]
      const world = World.nfts({ size: 1, moves, seconds: 0 })
      yield* TestClock.setTime(start * 1000)
      const table = yield* OwnerSnapshot.snapshotNftOwners({
        contract,
        changes: ({ since }) => since < 1001 ? Stream.succeed({ tokenId: 0n, timestamp: undefined }) : Stream.empty,
        readings: 2
      }).pipe(OwnerSnapshot.collect, Effect.provide(Service.layer(world.wire)), Client.within("1 hour"))
      assert.deepStrictEqual(table.owners, [])
      assert.strictEqual(table.verdict?._tag, "Unchanged")
    }))
})

describe("a snapshot by update times", () => {
  it.effect("reads the table once more and finds what the first reading missed", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 5, moves: [{ at: 1004, tokenId: 0n, to: 9 }] })
      const elements = yield* run(
        world.wire,
        OwnerSnapshot.snapshotNftOwners({ contract, changes: OwnerChanges.fromUpdateTimes, size: 2 })
      )
      // Token 0 moved after the last page and before the second reading ended.
      assert.deepStrictEqual(told(elements), ["1: 0", "1: 1", "1: 2", "1: 3", "1: 4", "1: changed 0"])
      assert.strictEqual(world.wire.sent.length, 4)
    }))

  it.effect("is not called unchanged when a token that moved while it was read has moved once more since", () =>
    Effect.gen(function*() {
      // Token 4 jumps to the front while the first page is read; its second move is all that its record tells later.
      const moves = [{ at: 1002, tokenId: 4n, to: 9 }, { at: 1014, tokenId: 4n, to: 8 }]
      const elements = yield* run(
        World.nfts({ size: 5, moves }).wire,
        OwnerSnapshot.snapshotNftOwners({ contract, changes: OwnerChanges.fromUpdateTimes, size: 2 })
      )
      assert.deepStrictEqual(told(elements), ["1: 0", "1: 1", "1: 1", "1: 2", "1: 3", "1: changed 4"])
    }))

  it.effect("does not see a burn: the table looks unchanged, as the text of the source says", () =>
    Effect.gen(function*() {
      const world = World.nfts({ size: 4, moves: [{ at: 1002, tokenId: 0n, to: undefined }] })
      const by = (changes: OwnerChanges.OwnerChanges<unknown, TokenData>) =>
        Effect.map(
          run(world.wire, OwnerSnapshot.snapshotNftOwners({ contract, changes, size: 2 })),
          (elements) => told(elements).at(-1)
        )
      assert.strictEqual(yield* by(OwnerChanges.fromUpdateTimes), "1: unchanged, 3 owners")
      assert.strictEqual(yield* by(OwnerChanges.fromTransfers(world.history)), "1: changed 0")
    }))
})

describe("a snapshot of multi-token owners", () => {
  const owners: Readonly<Record<string, ReadonlyArray<readonly [owner: string, balance: string]>>> = {
    "0x1": [[alice, "0x5"], [bob, "0x1"]],
    "0x10": [],
    "0x2": [[bob, "0xffffffffffffffffffffffffffffffffffffffff"]]
  }
  const wire = (updatedAt = 1) =>
    Testing.wire((sent) => {
      const path = new URL(sent.url).pathname
      const id = path.slice(path.lastIndexOf("/") + 1)
      return id === "token"
        ? Service.page(Object.keys(owners).map((tokenId) => ({ tokenId, totalSupply: "0x6", tokenUri: "" })))(sent)
        : Service.page((owners[id] ?? []).map(([owner, balance]) => ({
          ...mtToken,
          tokenId: id,
          owner,
          balance,
          updatedAt
        })))(sent)
    })
  const lines = (elements: ReadonlyArray<OwnerSnapshot.Element<unknown>>) =>
    elements.flatMap((_) => _._tag === "Owner" ? [[_.tokenId, _.owner, _.balance] as const] : [])

  it.effect("has every owner of every token with the pieces held, and tokens that nobody owns cost no line", () =>
    Effect.gen(function*() {
      const service = wire()
      const elements = yield* run(
        service,
        OwnerSnapshot.snapshotMtOwners({ contract, changes: quiet, concurrency: 1 })
      )
      assert.deepStrictEqual(lines(elements).map(([id, owner, balance]) => [id, String(owner), balance]), [
        [1n, alice, 5n],
        [1n, bob, 1n],
        [2n, bob, 2n ** 160n - 1n]
      ])
      assert.strictEqual(told(elements).at(-1), "1: unchanged, 3 owners")
      const path = `GET /v2/contract/mt/${token}/token`
      assert.deepStrictEqual(Service.requests(service), [
        `${path}?size=1000`,
        `${path}/0x1?size=1000`,
        `${path}/0x10?size=1000`,
        `${path}/0x2?size=1000`
      ])
    }))

  it.effect("has the same lines however many tokens are read at a time", () =>
    Effect.gen(function*() {
      for (const concurrency of [undefined, 2, 100]) {
        const elements = yield* run(wire(), OwnerSnapshot.snapshotMtOwners({ contract, changes: quiet, concurrency }))
        assert.sameDeepMembers(lines(elements).map(([id, owner]) => [id, String(owner)]), [
          [1n, alice],
          [1n, bob],
          [2n, bob]
        ])
      }
    }))

  it.effect("names every token of a transfer of many, once and in order", () =>
    Effect.gen(function*() {
      let asked: OwnerChanges.TransferSearch | undefined
      const elements = yield* run(
        wire(),
        OwnerSnapshot.snapshotMtOwners({
          contract,
          changes: OwnerChanges.fromTransfers((search) => {
            asked = search
            return Stream.make(World.mtTransfer([16n, 2n], 1000), World.mtTransfer([2n, 1n], 1000))
          })
        })
      )
      assert.strictEqual(told(elements).at(-1), "1: changed 1,2,16")
      assert.deepStrictEqual(asked?.kinds, ["mt"])
    }))

  it.effect("by update times reads all owners once more", () =>
    Effect.gen(function*() {
      const service = wire(995)
      const elements = yield* run(
        service,
        OwnerSnapshot.snapshotMtOwners({ contract, changes: OwnerChanges.fromUpdateTimes })
      )
      assert.strictEqual(told(elements).at(-1), "1: changed 1,2")
      assert.strictEqual(service.sent.length, 8)
    }))
})

const at = FastCheck.integer({ min: start - 15, max: start + 40 })
const tokenId = FastCheck.bigInt({ min: 0n, max: 14n })
const owner = FastCheck.integer({ min: 1, max: 9 })
const move = FastCheck.record({ at, tokenId, to: FastCheck.option(owner, { nil: undefined }) })
/** A move while a table may be read, and maybe one more of the same token. No burn. */
const handed = FastCheck.record({
  at: FastCheck.integer({ min: start - 2, max: start + 12 }),
  tokenId,
  to: owner,
  again: FastCheck.option(FastCheck.integer({ min: 1, max: 30 }))
}).map(({ again, at, to, tokenId }) => [
  { at, tokenId, to },
  ...(again === null ? [] : [{ at: at + again, tokenId, to: 10 - to }])
])
const size = FastCheck.integer({ min: 1, max: 6 })

/** The table of a snapshot that reads up to four times. */
const taken = <E>(
  world: ReturnType<typeof World.nfts>,
  size: number,
  changes: OwnerChanges.OwnerChanges<E, TokenData>
) =>
  Effect.gen(function*() {
    yield* TestClock.setTime(start * 1000)
    const { owners, verdict } = yield* OwnerSnapshot.snapshotNftOwners({ contract, changes, size, readings: 4 }).pipe(
      OwnerSnapshot.collect,
      Effect.provide(Service.layer(world.wire)),
      Client.within("10 minutes")
    )
    assert.isDefined(verdict)
    return { owners: owners.map(({ owner, tokenId }) => [tokenId, String(owner)] as const), verdict }
  })

const ascending = (tokens: Iterable<bigint>) => [...new Set(tokens)].sort((a, b) => Number(a - b))

describe("any contract, moving in any way while it is read,", () => {
  it.effect.prop(
    "is called unchanged only if the table is the owners of that moment, and every token that moved is named",
    { moves: FastCheck.array(move, { maxLength: 6 }), size },
    ({ moves, size }) =>
      Effect.gen(function*() {
        const world = World.nfts({ size: 12, moves })
        const { owners, verdict } = yield* taken(world, size, OwnerChanges.fromTransfers(world.history))
        const inWindow = moves.filter(({ at }) => at >= verdict.from && at <= verdict.to)
        if (verdict._tag === "Unchanged") {
          assert.deepStrictEqual(inWindow, [])
          assert.deepStrictEqual(owners, world.at(verdict.to).map(({ owner, tokenId }) => [tokenId, owner] as const))
        } else {
          assert.deepStrictEqual(verdict.tokens, ascending(inWindow.map(({ tokenId }) => tokenId)))
        }
      }),
    { fastCheck: { numRuns: 40 } }
  )

  it.effect.prop(
    "is by update times called unchanged only if the table is the owners of that moment, and what is named has moved",
    { moves: FastCheck.array(handed, { maxLength: 2 }).map((each) => each.flat()), size },
    ({ moves, size }) =>
      Effect.gen(function*() {
        const world = World.nfts({ size: 12, moves })
        const { owners, verdict } = yield* taken(world, size, OwnerChanges.fromUpdateTimes)
        const since = moves.filter(({ at }) => at >= verdict.from)
        if (verdict._tag === "Unchanged") {
          assert.deepStrictEqual(since.filter(({ at }) => at <= verdict.to), [])
          assert.deepStrictEqual(owners, world.at(verdict.to).map(({ owner, tokenId }) => [tokenId, owner] as const))
        } else {
          assert.includeMembers(ascending(since.map(({ tokenId }) => tokenId)), [...verdict.tokens])
        }
      }),
    { fastCheck: { numRuns: 40 } }
  )
})
