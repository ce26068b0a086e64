/** The contracts of the token drill, and the operations on each. */
import { type AbiValue, encodeArguments, encodeCall } from "@effect-klaytn/indexer/Abi"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { InvalidRequest } from "../../packages/local-chain/src/ChainError.js"
import type { DevAccount } from "../../packages/local-chain/src/DevAccount.js"
import type { SendRequest } from "../../packages/local-chain/src/SendRequest.js"
import type { Chain, SendFailure } from "../../packages/sandbox/src/Chain.js"
import type { Random } from "../../packages/sandbox/src/internal/Random.js"
import { artifacts } from "./contracts.generated.js"
import type { Watched } from "./tokenTruth.js"

/** A deployed contract and its operations. */
export interface Running extends Watched {
  readonly next: (random: Random, done: number) => SendRequest
}

/** A kind of contract. */
export interface Story {
  readonly name: string
  readonly begin: (
    chain: Chain,
    people: ReadonlyArray<DevAccount>,
    operations: number
  ) => Effect.Effect<Running, SendFailure>
}

const nobody: Hex = "0x0000000000000000000000000000000000000000"

/** An address that never signs anything. */
const collector: Hex = `0x${"c0".repeat(20)}`

/** Deploys a contract of the drill. */
export const deploy = (
  chain: Chain,
  from: DevAccount,
  name: keyof typeof artifacts,
  types: string = "()",
  values: ReadonlyArray<AbiValue> = []
): Effect.Effect<Hex, SendFailure> => {
  const code: Hex = `0x${artifacts[name].bytecode.slice(2)}${fromBytes(encodeArguments(types, values)).slice(2)}`
  return Effect.flatMap(
    chain.execute({ kind: "deploy", from, code }),
    ({ contractAddress }) =>
      contractAddress === undefined
        ? Effect.fail(new InvalidRequest({ message: `no ${name} was deployed` }))
        : Effect.succeed(contractAddress)
  )
}

/** A call as a request. */
export const calling = (
  from: DevAccount,
  to: Hex,
  signature: string,
  values: ReadonlyArray<AbiValue> = [],
  value: bigint = 0n
): SendRequest => ({ kind: "execute", from, to, data: fromBytes(encodeCall(signature, values)), value })

/** An operation and its relative frequency. */
type Choice = readonly [weight: number, make: () => SendRequest]

const choose = (random: Random, choices: ReadonlyArray<Choice>, otherwise: SendRequest): SendRequest => {
  let place = random.between(1, choices.reduce((sum, [weight]) => sum + weight, 0))
  return (choices.find(([weight]) => (place -= weight) <= 0)?.[1] ?? (() => otherwise))()
}

/** The random choices of a story's operations. */
const drawing = (people: ReadonlyArray<DevAccount>, others: ReadonlyArray<Hex>, ids: ReadonlyArray<bigint>) => {
  const [first] = people
  if (first === undefined) throw new Error("a story needs people")
  const everybody = [...people.map(({ address }) => address), ...others]
  return {
    first,
    everybody,
    from: (random: Random) => ({
      who: random.pick(people) ?? first,
      other: random.pick(everybody) ?? nobody,
      third: random.pick(everybody) ?? nobody,
      id: random.pick(ids) ?? 0n,
      next: random.pick(ids) ?? 0n,
      // Often nothing, sometimes more than anybody owns.
      amount: BigInt(random.pick([0, 1, 2, 7, 50, 1000, 10 ** 9]) ?? 0)
    })
  }
}

const wrappedCoin: Story = {
  name: "wrapped coin",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const { everybody, first, from } = drawing(people, [nobody], [])
      const coin = yield* deploy(chain, first, "WrappedKlay")
      const router = yield* deploy(chain, first, "WrapRouter", "(address)", [coin])
      const targets = [...everybody, router, coin]
      return {
        kind: "ft",
        address: coin,
        people: targets,
        ids: [],
        next: (random) => {
          const { amount, other, who } = from(random)
          const to = random.pick(targets) ?? other
          const call = (signature: string, values: ReadonlyArray<AbiValue>, value = 0n) =>
            calling(who, coin, signature, values, value)
          return choose(random, [
            [4, () => call("deposit()", [], amount)],
            [2, () => ({ kind: "execute", from: who, to: coin, data: "0x", value: amount })],
            [4, () => call("withdraw(uint256)", [amount])],
            [4, () => call("transfer(address,uint256)", [to, amount])],
            [2, () => call("approve(address,uint256)", [other, amount])],
            [3, () => call("transferFrom(address,address,uint256)", [other, to, amount])],
            [2, () => calling(who, router, "hold()", [], amount)],
            [2, () => calling(who, router, "wrapFor(address)", [to], amount)],
            [1, () => calling(who, router, "drain()")]
          ], call("deposit()", [], 1n))
        }
      }
    })
}

const feeToken: Story = {
  name: "fee on transfer",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const { everybody, first, from } = drawing(people, [collector, nobody], [])
      const fee = yield* deploy(chain, first, "FeeToken", "(address)", [collector])
      return {
        kind: "ft",
        address: fee,
        people: [...everybody, fee],
        ids: [],
        next: (random) => {
          const { amount, other, who } = from(random)
          const call = (signature: string, values: ReadonlyArray<AbiValue>) => calling(who, fee, signature, values)
          const several = BigInt(random.between(1, 4))
          return choose(random, [
            [3, () => call("mint(address,uint256)", [other, amount])],
            [6, () => call("transfer(address,uint256)", [other, amount])],
            [2, () => call("burn(uint256)", [amount])],
            [2, () => call("approve(address,uint256)", [other, amount])],
            [2, () => call("transferFrom(address,address,uint256)", [other, who.address, amount])],
            [2, () =>
              call("airdrop(address[],uint256)", [
                everybody.slice(0, Number(several)).map((one) => BigInt(one)),
                amount / 5n
              ])],
            [1, () => call("setCollector(address)", [random.pick([collector, other]) ?? other])]
          ], call("mint(address,uint256)", [other, 1n]))
        }
      }
    })
}

const lateProxy: Story = {
  name: "proxy initialised late",
  begin: (chain, people, operations) =>
    Effect.gen(function*() {
      const { everybody, first, from } = drawing(people, [collector], [])
      const implementation = yield* deploy(chain, first, "LateToken")
      const proxy = yield* deploy(chain, first, "LateProxy", "(address)", [implementation])
      return {
        kind: "ft",
        address: proxy,
        people: [...everybody, proxy, implementation],
        ids: [],
        next: (random, done) => {
          const { amount, other, who } = from(random)
          const call = (signature: string, values: ReadonlyArray<AbiValue>) => calling(who, proxy, signature, values)
          if (done === Math.floor(operations / 3)) return call("initialize(string,string,uint8)", ["Late", "LATE", 6n])
          return choose(random, [
            [3, () => call("mint(address,uint256)", [other, amount])],
            [5, () => call("transfer(address,uint256)", [other, amount])],
            [1, () => call("transfer(address,uint256)", [who.address, amount])],
            [2, () => call("burn(address,uint256)", [other, amount])]
          ], call("mint(address,uint256)", [other, 1n]))
        }
      }
    })
}

const lyingToken: Story = {
  name: "lying token",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const { everybody, first, from } = drawing(people, [collector, nobody], [])
      const liar = yield* deploy(chain, first, "LyingToken")
      return {
        kind: "ft",
        address: liar,
        people: everybody,
        ids: [],
        next: (random) => {
          const { amount, other, third, who } = from(random)
          const call = (signature: string, values: ReadonlyArray<AbiValue>) => calling(who, liar, signature, values)
          return choose(random, [
            [4, () => call("quietMint(address,uint256)", [other, amount])],
            [4, () => call("quietMove(address,address,uint256)", [other, third, amount])],
            [2, () => call("quietBurn(address,uint256)", [other, amount])],
            [4, () => call("claim(address,address,uint256)", [other, third, 2n ** 256n - 1n])],
            [4, () =>
              call("moveAndLie(address,address,uint256,address,uint256)", [
                other,
                third,
                amount,
                who.address,
                amount * 3n
              ])],
            [1, () => call("set(address,uint256)", [other, random.pick([0n, 5n, 2n ** 256n - 1n]) ?? 0n])]
          ], call("quietMint(address,uint256)", [other, 1n]))
        }
      }
    })
}

const lyingCats: Story = {
  name: "lying NFTs",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const ids = Array.from({ length: 12 }, (_, index) => BigInt(index * 1000 + 7))
      const { everybody, first, from } = drawing(people, [collector], ids)
      const liar = yield* deploy(chain, first, "LyingCats")
      const put = (who: DevAccount, id: bigint, to: Hex, toldFrom: Hex, toldTo: Hex, tells: boolean) =>
        calling(who, liar, "put(uint256,address,address,address,bool)", [id, to, toldFrom, toldTo, tells])
      // A token is known from its first log on.
      yield* chain.sendBlock(ids.map((id) => put(first, id, first.address, nobody, first.address, true)))
      return {
        kind: "nft",
        address: liar,
        people: everybody,
        ids,
        next: (random) => {
          const { id, other, third, who } = from(random)
          return choose(random, [
            [4, () => put(who, id, other, who.address, other, true)],
            [4, () => put(who, id, other, who.address, third, true)],
            [2, () => put(who, id, other, who.address, nobody, true)],
            [2, () => put(who, id, nobody, who.address, other, true)],
            [2, () => put(who, id, nobody, who.address, nobody, true)]
          ], put(who, id, other, who.address, other, true))
        }
      }
    })
}

const lyingItems: Story = {
  name: "lying multi tokens",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const ids = [1n, 2n, 3n, 2n ** 255n]
      const { everybody, first, from } = drawing(people, [collector], ids)
      const liar = yield* deploy(chain, first, "LyingItems")
      return {
        kind: "mt",
        address: liar,
        people: everybody,
        ids,
        next: (random) => {
          const { amount, id, next, other, third, who } = from(random)
          const call = (signature: string, values: ReadonlyArray<AbiValue>) => calling(who, liar, signature, values)
          const told = random.pick([0n, amount, amount * 9n]) ?? 0n
          return choose(random, [
            [4, () => call("mint(address,uint256,uint256,uint256)", [other, id, amount, told])],
            [4, () => call("move(address,address,uint256,uint256,uint256)", [other, third, id, amount, told])],
            [3, () => call("quietMove(address,address,uint256,uint256)", [other, third, id, amount])],
            [2, () => call("quietMoves(address,address,uint256[],uint256)", [other, third, [id, next], amount])],
            [2, () => call("quietMint(address,uint256,uint256)", [other, id, amount])],
            [2, () => call("quietBurn(address,uint256,uint256)", [other, id, amount])]
          ], call("mint(address,uint256,uint256,uint256)", [other, id, 1n, 1n]))
        }
      }
    })
}

const cats: Story = {
  name: "KIP-17",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const ids = Array.from({ length: 30 }, (_, index) => BigInt(index))
      const plain = drawing(people, [], ids)
      const address = yield* deploy(chain, plain.first, "Cats")
      const keeper = yield* deploy(chain, plain.first, "Keeper")
      const { everybody, from } = drawing(people, [keeper, address], ids)
      return {
        kind: "nft",
        address,
        people: everybody,
        ids,
        next: (random) => {
          const { id, other, third, who } = from(random)
          const call = (signature: string, values: ReadonlyArray<AbiValue>) => calling(who, address, signature, values)
          const room = BigInt(ids.length) - id
          const many = BigInt(random.between(0, 3))
          return choose(random, [
            [4, () => call("mintMany(address,uint256,uint256)", [other, id, many < room ? many : room])],
            [2, () => call("burn(uint256)", [id])],
            [2, () => call("approve(address,uint256)", [other, id])],
            [2, () => call("setApprovalForAll(address,bool)", [other, random.between(0, 2) > 0])],
            [6, () => call("transferFrom(address,address,uint256)", [other, third, id])],
            [3, () => call("transferFrom(address,address,uint256)", [who.address, third, id])],
            [2, () => call("safeTransferFrom(address,address,uint256)", [who.address, third, id])],
            [1, () => call("transferFrom(address,address,uint256)", [who.address, who.address, id])],
            [2, () => call("setURI(uint256,string)", [id, `cat://${random.between(1, 1000)}`])]
          ], call("burn(uint256)", [id]))
        }
      }
    })
}

const items: Story = {
  name: "KIP-37",
  begin: (chain, people) =>
    Effect.gen(function*() {
      const ids = [0n, 1n, 2n, 16n, 255n, 2n ** 160n + 1n]
      const plain = drawing(people, [], ids)
      const address = yield* deploy(chain, plain.first, "Items")
      const keeper = yield* deploy(chain, plain.first, "Keeper")
      const { everybody, from } = drawing(people, [keeper, address], ids)
      return {
        kind: "mt",
        address,
        people: everybody,
        ids,
        next: (random) => {
          const { amount, id, next, other, third, who } = from(random)
          const call = (signature: string, values: ReadonlyArray<AbiValue>) => calling(who, address, signature, values)
          const batch = random.pick([[id], [id, next], [id, id], []]) ?? []
          const amounts = batch.map((_, index) => amount / BigInt(index + 1))
          return choose(random, [
            [4, () => call("mintBatch(address,uint256[],uint256[])", [who.address, batch, amounts])],
            [2, () => call("burnBatch(address,uint256[],uint256[])", [other, batch, amounts])],
            [2, () => call("setApprovalForAll(address,bool)", [other, random.between(0, 2) > 0])],
            [3, () =>
              call("safeTransferFrom(address,address,uint256,uint256,bytes)", [who.address, third, id, amount, "0x"])],
            [3, () =>
              call("safeTransferFrom(address,address,uint256,uint256,bytes)", [other, third, id, amount, "0x"])],
            [3, () =>
              call("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", [
                who.address,
                third,
                batch,
                amounts,
                "0x"
              ])],
            [1, () =>
              call("setURI(uint256,string)", [id, `item://${random.between(1, 1000)}`])]
          ], call("mintBatch(address,uint256[],uint256[])", [who.address, [id], [1n]]))
        }
      }
    })
}

/** All of them. */
export const stories: ReadonlyArray<Story> = [
  wrappedCoin,
  feeToken,
  lateProxy,
  lyingToken,
  lyingCats,
  lyingItems,
  cats,
  items
]
