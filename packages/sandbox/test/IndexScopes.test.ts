import * as OwnNode from "@effect-klaytn/core/OwnNode"
import * as ServiceClient from "@effect-klaytn/core/ServiceClient"
import { catchUp } from "@effect-klaytn/indexer/CatchUp"
import * as IndexScope from "@effect-klaytn/indexer/IndexScope"
import * as NodeSource from "@effect-klaytn/indexer/NodeSource"
import * as SqliteIndex from "@effect-klaytn/indexer/SqliteIndex"
import * as Driver from "@effect-klaytn/store/Driver"
import { type Hex, quantity } from "@effect-klaytn/transaction/Hex"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import { filtersOf, namesOf, operations, pathsOf } from "../../../drills/sandbox/dataPages.js"
import { calling, deploy, stories } from "../../../drills/sandbox/tokenStories.js"
import type { Chain } from "../src/Chain.js"
import { Random } from "../src/internal/Random.js"
import * as Sandbox from "../src/Sandbox.js"
import { serve } from "./support/dataPages.js"
import * as nodeWorld from "./support/nodeWorld.js"
import { control } from "./support/wire.js"

/** The code of the refusal, as the documentation has it. */
const notIndexed = 1_049_400

const nobody: Hex = `0x${"0e".repeat(20)}`
const unknownHash: Hex = `0x${"0e".repeat(32)}`

const scopeOf = (input: IndexScope.IndexScopeInput): IndexScope.IndexScope => Either.getOrThrow(IndexScope.make(input))

/** An index of the sandbox's chain with a scope, over JSON-RPC, and its handlers. */
const serveScope = (chain: Chain, scope: IndexScope.IndexScope) =>
  Effect.gen(function*() {
    const { url } = yield* Sandbox.Sandbox
    const driver = yield* Effect.acquireRelease(
      Effect.sync(() => Driver.open(":memory:")),
      (opened) => Effect.sync(() => opened.close())
    )
    const index = yield* SqliteIndex.open(driver, 1001, scope)
    const source = yield* ServiceClient.make("node").pipe(
      Effect.provide(OwnNode.layer({ chain: 1001, url: `${url}/rpc/1001` })),
      Effect.provide(FetchHttpClient.layer),
      Effect.flatMap(NodeSource.make)
    )
    yield* catchUp(index, source)
    for (const { id: _, ...preset } of yield* chain.presets) yield* index.addPreset(preset)
    return { index, get: yield* serve({ ...index.reader, chainId: 1001, now: chain.now }) }
  })

/** A chain with contracts that are older and younger than its middle, and traffic before and after it. */
const makeWorld = (chain: Chain) =>
  Effect.gen(function*() {
    const { chains } = yield* Sandbox.Sandbox
    const people = ["alice", "bob", "carol", "dave"].map(chains.account)
    yield* nodeWorld.make
    const used = stories.filter(({ name }) =>
      ["wrapped coin", "proxy initialised late", "KIP-17", "KIP-37"].includes(name)
    )
    const begin = Effect.forEach(used, (story) => story.begin(chain, people, 3))
    const operate = (running: Effect.Effect.Success<typeof begin>, name: string) =>
      Effect.gen(function*() {
        const random = new Random(name)
        for (const story of running) {
          yield* chain.sendBlock(Array.from({ length: 8 }, (_, done) => story.next(random, done)))
        }
      })
    const older = yield* begin
    yield* operate(older, "before")
    const middle = (yield* chain.head).number + 1
    const younger = yield* begin
    yield* operate([...older, ...younger], "after")
    yield* operate(younger, "later")
    const [alice, bob, carol] = people.map(({ address }) => address)
    assert(alice !== undefined && bob !== undefined && carol !== undefined)
    const [old, young] = [older[0]?.address, younger[0]?.address]
    assert(old !== undefined && young !== undefined)
    const presets = [
      { accounts: [bob], contracts: [] },
      { accounts: [bob, carol], contracts: [] },
      { accounts: [], contracts: [old] },
      { accounts: [bob], contracts: [young] }
    ]
    for (const preset of presets) yield* control("POST", "/chains/1001/presets", { name: "p", ...preset })
    const { number } = yield* chain.head
    const blocks = yield* Effect.forEach(
      Array.from({ length: number + 1 }, (_, height) => height),
      chain.transactionsOf
    )
    const creations = blocks.flat().flatMap(({ blockNumber, contractAddress, status }) =>
      contractAddress === undefined || status === 0 ? [] : [[contractAddress, blockNumber] as const]
    )
    const timeOf = (height: number) => Effect.map(chain.block(height), (found) => Option.getOrThrow(found).timestamp)
    const names = yield* namesOf(chain)
    const held = yield* Effect.forEach(
      [...older.slice(-1), ...younger.slice(-1)],
      ({ address }) => chain.holdings({ contracts: [address], limit: 1 })
    )
    const items = held.flat()
    return {
      people: { alice, bob, carol },
      old,
      young,
      older: older.map(({ address }) => address),
      younger: younger.map(({ address }) => address),
      middle,
      middleTime: yield* timeOf(middle),
      presets,
      creations: new Map<Hex, number>(creations),
      // Contracts of both halves, an address that never was one, and as many transactions of each half.
      names: {
        ...names,
        address: [bob, carol, old, nobody],
        owner: [...new Set([bob, alice, nobody, ...items.map(({ owner }) => owner)])],
        tokenId: [...new Set([...names.tokenId.slice(0, 2), ...items.map(({ tokenId = 0n }) => quantity(tokenId))])],
        hash: [...names.hash.filter((_, index) => index % 5 === 0), unknownHash],
        contracts: [...names.contracts, ...names.contracts.slice(0, 1).map((one) => ({ ...one, address: nobody }))]
      }
    }
  })

type World = Effect.Effect.Success<ReturnType<typeof makeWorld>>

/** What a question names. */
interface Question {
  readonly operation: string
  readonly values: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

const questionOf = ({ name, template }: typeof operations[number], path: string, filter: string): Question => {
  const parts = path.split("/")
  const values = template.split("/").flatMap((part, index) =>
    part.startsWith(":") ? [[part.slice(1), parts[index] ?? ""] as const] : []
  )
  return { operation: name, values: Object.fromEntries(values), query: new URLSearchParams(filter) }
}

/** Whether an index with this scope has all that an answer needs: the table of the documentation once more. */
const answerable = (
  { accounts, contracts, firstBlock, firstSecond }: IndexScope.IndexScope,
  { creations, middleTime, presets }: World,
  { operation, query, values }: Question,
  hasTransaction: boolean
): boolean => {
  const isSelective = accounts !== undefined || contracts !== undefined
  const isWhole = !isSelective && firstBlock === 0
  const hasAccount = (address: string) => !isSelective || accounts?.some((one) => one === address) === true
  const hasContract = (address: string) => !isSelective || contracts?.some((one) => one.address === address) === true
  const isFull = (address: string) => {
    const declared = contracts?.find((one) => one.address === address)?.createdAt
    const created = declared ?? [...creations].find(([one]) => one === address)?.[1] ?? -1
    return hasContract(address) && (firstBlock === 0 || created >= firstBlock)
  }
  const [from = ""] = query.get("range")?.split(",") ?? []
  const isInRange = firstBlock === 0 ||
    (from.startsWith("0x") ? Number(from) >= firstBlock : Number(from) >= (firstSecond ?? middleTime + 1))
  switch (operation) {
    case "history.getTransfers": {
      const wanted = (query.get("presets") ?? "").split(",").flatMap((id) => presets[Number(id) - 1] ?? [])
      return isInRange && wanted.every((one) => one.accounts.every(hasAccount) && one.contracts.every(hasContract))
    }
    case "history.getTransfersByEoa":
      return isInRange && (hasAccount(values["address"] ?? "") || hasContract(query.get("ca-filter") ?? ""))
    case "history.getTransfersByTxHash":
      return hasTransaction || isWhole
    case "tokens.getFtContracts":
    case "tokens.getNftContracts":
    case "tokens.getMtContracts":
    case "tokens.getContractsByOwnerAddress":
      return isWhole
    case "tokens.getTokensByOwnerAddress":
      return query.has("ca-filters") ? (query.get("ca-filters") ?? "").split(",").every(isFull) : isWhole
    default:
      return isFull(values["contract"] ?? "")
  }
}

/** The filters of a list, in the ranges that the scopes of this test are about. */
const searchesOf = (operation: string, { middle, middleTime, names, old, young }: World): ReadonlyArray<string> => {
  const [one, other] = [young, old].map((address) => names.contracts.filter((contract) => contract.address === address))
  const filters = filtersOf(operation, { ...names, contracts: [...one ?? [], ...other ?? []] })
  const more = operation === "tokens.getTokensByOwnerAddress" ? [`ca-filters=${old}`, `ca-filters=${young}`] : []
  if (!operation.startsWith("history.") || operation.endsWith("ByTxHash")) return [...filters, ...more]
  const searches = operation === "history.getTransfers"
    ? ["presets=1", "presets=2", "presets=3", "presets=1,4"]
    : filters
  const ranges = [`0x${middle.toString(16)},`, `0x${(middle - 1).toString(16)},`, `${middleTime - 1},`]
  return searches.filter((search) => !search.includes("range=")).flatMap((search) => [
    search,
    ...["0x2,0x5", ...ranges, `${middleTime},`, `${middleTime + 1},`].map((range) => `${search}&range=${range}`)
  ])
}

/** A body without what is new in every refusal. */
const bodyOf = (text: string): unknown => ({ ...JSON.parse(text), requestId: undefined })

type Serve = Effect.Effect.Success<ReturnType<typeof serve>>

/** Compares every answer with that of the whole chain, and returns how many questions were answered and refused. */
const compare = (chain: Chain, whole: Serve, world: World, scope: IndexScope.IndexScope) =>
  Effect.gen(function*() {
    const { get, index } = yield* serveScope(chain, scope)
    const counts = { answered: new Set<string>(), refused: new Set<string>() }
    for (const operation of operations) {
      for (const path of pathsOf(operation.template, world.names)) {
        for (const filter of searchesOf(operation.name, world)) {
          const question = questionOf(operation, path, filter)
          const hash = question.values["hash"]
          const found = hash !== undefined &&
            Option.isSome(yield* index.reader.transaction(`0x${hash.slice(2)}`))
          const isExpected = answerable(scope, world, question, found)
          let [cursor, isMore] = ["", true]
          while (isMore) {
            const url = `${path}?${filter}&size=7&cursor=${cursor}`
            const answer = yield* get(url)
            if (!isExpected) {
              assert.deepStrictEqual([url, answer.status, JSON.parse(answer.text).code], [url, 400, notIndexed])
              counts.refused.add(operation.name)
              break
            }
            const right = yield* whole(url)
            assert.deepStrictEqual([url, answer.status, bodyOf(answer.text)], [url, right.status, bodyOf(right.text)])
            if (answer.status === 200) counts.answered.add(operation.name)
            cursor = JSON.parse(answer.text).cursor ?? ""
            isMore = cursor !== ""
          }
        }
      }
    }
    return { answered: [...counts.answered].sort(), refused: [...counts.refused].sort() }
  })

layer(Sandbox.layer({ seed: "scopes", clock: { start: 1_600_000_000, step: 1 } }), { excludeTestServices: true })(
  "An index that keeps a part of its chain",
  (it) => {
    it.scoped("answers as one of the whole chain, or refuses", () =>
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        const world = yield* makeWorld(chain)
        const { creations, middle, middleTime, old, older, people: { bob }, young, younger } = world
        const contracts = (addresses: ReadonlyArray<Hex>) => addresses.map((address) => ({ address }))
        const scopes = {
          whole: { firstBlock: 0 },
          since: { firstBlock: middle },
          sinceSecond: { firstBlock: middle, firstSecond: middleTime },
          account: { firstBlock: 0, accounts: [bob] },
          contracts: { firstBlock: 0, contracts: contracts(older) },
          both: { firstBlock: middle, accounts: [bob], contracts: contracts([...older, ...younger]) },
          declared: {
            firstBlock: middle,
            contracts: [{ address: old, createdAt: middle - 1 }, {
              address: young,
              createdAt: creations.get(young) ?? 0
            }]
          }
        }
        const whole = yield* Effect.cachedFunction(yield* serve(chain))
        const found = yield* Effect.all(Record.map(scopes, (input) => compare(chain, whole, world, scopeOf(input))))
        const history = operations.flatMap(({ name }) => name.startsWith("history.") ? [name] : [])
        const ofChain = ["getContractsByOwnerAddress", "getFtContracts", "getNftContracts", "getMtContracts"]
        const all = operations.map(({ name }) => name).sort()
        const ofContracts = all.filter((name) => !ofChain.includes(name.replace("tokens.", "")))
        assert.deepStrictEqual(Record.map(found, ({ answered }) => answered), {
          whole: all,
          since: ofContracts,
          sinceSecond: ofContracts,
          account: history,
          contracts: ofContracts,
          both: ofContracts,
          declared: [...history, "tokens.getFtContractDetail", "tokens.getTokensByOwnerAddress"]
        })
        for (const [name, { refused }] of Object.entries(found)) {
          assert.deepStrictEqual([name, refused], [name, name === "whole" ? [] : all])
        }
      }), 240_000)

    it.scoped("keeps the transactions that concern an account or a contract, whatever their part in it", () =>
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        const { number } = yield* chain.head
        const blocks = yield* Effect.forEach(
          Array.from({ length: number + 1 }, (_, height) => height),
          chain.transactionsOf
        )
        const records = yield* Effect.forEach(blocks.flat(), (record) =>
          Effect.map(
            Effect.all({ transfers: chain.transfersOf(record.hash), logs: chain.logsOf(record.hash) }),
            (made) => ({ ...record, ...made })
          ))
        const carol = chains.account("carol").address
        const all = yield* chain.contracts({ limit: 1000 })
        const contract = all.find(({ kind }) => kind === "nft")
        assert(contract !== undefined)
        const partsOf = (input: IndexScope.IndexScopeInput) =>
          Effect.gen(function*() {
            const { index } = yield* serveScope(chain, scopeOf(input))
            const kept = new Set((yield* index.reader.transactions({ limit: 10_000 })).map(({ hash }) => hash))
            const held = yield* index.reader.holdings({ contracts: all.map(({ address }) => address), limit: 1000 })
            assert.deepStrictEqual(
              [...new Set(held.map((one) => one.contract))],
              input.contracts?.map(({ address }) => address) ?? []
            )
            const parts = new Set<string>()
            for (const record of records) {
              const found = [
                ...(record.from === carol ? ["sender"] : []),
                ...(record.to === carol ? ["recipient"] : []),
                ...(record.feePayer === carol ? ["fee payer"] : []),
                ...(record.transfers.some(({ from, to }) => from === carol || to === carol) ? ["party"] : [])
              ]
              const touched = [
                ...(record.to === contract.address ? ["called"] : []),
                ...(record.contractAddress === contract.address ? ["created"] : []),
                ...(record.logs.some(({ address }) => address === contract.address) ? ["logged"] : [])
              ]
              const expected = input.accounts === undefined ? touched : found
              assert.strictEqual(kept.has(record.hash), expected.length > 0, JSON.stringify(expected))
              for (const part of expected.length === 1 ? expected : []) parts.add(part)
              if (!kept.has(record.hash)) continue
              // Whole, and at the place that it has in its block.
              assert.deepStrictEqual(yield* index.reader.logsOf(record.hash), record.logs)
              assert.deepStrictEqual(
                (yield* index.reader.transfersOf(record.hash)).map(({ id }) => id),
                record.transfers.map(({ id }) => id)
              )
            }
            return [...parts].sort()
          })
        assert.deepStrictEqual(yield* partsOf({ firstBlock: 0, accounts: [carol] }), ["fee payer", "party"])
        assert.deepStrictEqual(yield* partsOf({ firstBlock: 0, contracts: [{ address: contract.address }] }), [
          "called",
          "created"
        ])
      }))

    it.scoped("has the name that a contract got after the transactions that are kept", () =>
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const chain = chains.chain(1001)
        const [alice, erin] = [chains.account("alice"), chains.account("erin")]
        const implementation = yield* deploy(chain, alice, "LateToken")
        const proxy = yield* deploy(chain, alice, "LateProxy", "(address)", [implementation])
        yield* chain.execute(calling(alice, proxy, "mint(address,uint256)", [erin.address, 5n]))
        yield* chain.execute(calling(alice, proxy, "initialize(string,string,uint8)", ["Late", "LATE", 6n]))
        const { get } = yield* serveScope(chain, scopeOf({ firstBlock: 0, accounts: [erin.address] }))
        const path = `/v2/transfer/account/${erin.address}?kind=ft`
        const { text } = yield* get(path)
        assert.strictEqual(text, (yield* (yield* serve(chain))(path)).text)
        assert.deepInclude(JSON.parse(text).items[0].contract, { symbol: "LATE", decimals: 6 })
      }))
  }
)
