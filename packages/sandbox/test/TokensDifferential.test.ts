import { type AbiValue, encodeCall, stringAt, uintAt } from "@effect-klaytn/indexer/Abi"
import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import * as TokenData from "@effect-klaytn/tokens/TokenData"
import { fromBytes } from "@effect-klaytn/transaction/Hex"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as Sandbox from "../src/Sandbox.js"
import * as TokenContract from "../src/TokenContract.js"

const sandbox = Sandbox.layer({ seed: "differential", clock: { start: 1_600_000_000, step: 1 } })
const client = TokenData.layer().pipe(Layer.provide(Sandbox.clientConfig(1001)), Layer.provide(FetchHttpClient.layer))

const operations = 1000
const perBlock = 50
const nfts = 150
const mts = 30
const names = ["alice", "bob", "carol", "dave"] as const

/** A small generator of numbers, the same in every run. */
const randomOf = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const call = (signature: string, values: ReadonlyArray<AbiValue>) => fromBytes(encodeCall(signature, values))

layer(Layer.provideMerge(client, sandbox), { excludeTestServices: true })(
  "After 1000 random token operations",
  (it) => {
    it.effect("what the service tells is what the contracts tell", () =>
      Effect.gen(function*() {
        const { chains } = yield* Sandbox.Sandbox
        const data = yield* TokenData.TokenData
        const chain = chains.chain(1001)
        const people = names.map(chains.account)
        const [deployer] = people
        assert(deployer !== undefined)
        const cats = (yield* TokenContract.deploy(chain, deployer, { kind: "nft", name: "Cats", symbol: "C" })).address
        const items = (yield* TokenContract.deploy(chain, deployer, { kind: "mt", uri: "u/{id}" })).address
        // Carol may move everybody's tokens.
        const operator = people[2]
        assert(operator !== undefined)
        for (const to of [cats, items]) {
          yield* chain.sendBlock(
            people.filter((one) => one !== operator).map((from): SendRequest => ({
              kind: "execute",
              from,
              to,
              data: call("setApprovalForAll(address,bool)", [operator.address, true])
            }))
          )
        }
        const random = randomOf(7)
        const person = () => people[random(people.length)] ?? deployer
        const operation = (): SendRequest => {
          const [from, to] = [person(), person().address]
          const id = BigInt(random(nfts))
          const [kind, other, amount] = [BigInt(random(mts)), BigInt(random(mts)), BigInt(random(6))]
          const signer = random(3) === 0 ? operator : from
          const nft = (signer: typeof from, data: `0x${string}`): SendRequest => ({
            kind: "execute",
            from: signer,
            to: cats,
            data
          })
          const mt = (signer: typeof from, data: `0x${string}`): SendRequest => ({
            kind: "execute",
            from: signer,
            to: items,
            data
          })
          switch (random(9)) {
            case 0:
              return nft(from, call("mint(address,uint256,string)", [to, id, `cat ${random(1000)}`]))
            case 1:
            case 2:
              return nft(signer, call("transferFrom(address,address,uint256)", [from.address, to, id]))
            case 3:
              return random(3) === 0
                ? nft(from, call("burn(uint256)", [id]))
                : nft(signer, call("transferFrom(address,address,uint256)", [from.address, to, id]))
            case 4:
              return mt(from, call("mint(address,uint256,uint256)", [to, kind, amount]))
            case 5:
              return mt(from, call("mintBatch(address,uint256[],uint256[])", [to, [kind, other], [amount, 2n]]))
            case 6:
              return mt(from, call("burn(address,uint256,uint256)", [to, kind, amount]))
            case 7:
              return mt(
                signer,
                call("safeTransferFrom(address,address,uint256,uint256,bytes)", [from.address, to, kind, amount, "0x"])
              )
            default:
              return mt(
                signer,
                call("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", [
                  from.address,
                  to,
                  [kind, other],
                  [1n, amount],
                  "0x"
                ])
              )
          }
        }
        let succeeded = 0
        for (let done = 0; done < operations; done += perBlock) {
          const block = yield* chain.sendBlock(Array.from({ length: perBlock }, operation))
          assert.strictEqual(block.transactionCount, perBlock)
          const transactions = yield* chain.transactionsOf(block.number)
          succeeded += transactions.filter(({ status }) => status === 1).length
        }
        assert.isAbove(succeeded, operations / 4)

        const ask = (to: `0x${string}`, signature: string, values: ReadonlyArray<AbiValue>) =>
          Effect.map(
            chain.call({ to, data: call(signature, values) }),
            ({ data, txError }) => txError === undefined ? Buffer.from(data.slice(2), "hex") : undefined
          )
        const all = <A, E>(stream: Stream.Stream<A, E>) => Effect.map(Stream.runCollect(stream), (chunk) => [...chunk])

        const trueNfts: Record<string, string> = {}
        for (let id = 0n; id < nfts; id++) {
          const owner = yield* ask(cats, "ownerOf(uint256)", [id])
          const uri = yield* ask(cats, "tokenURI(uint256)", [id])
          if (owner !== undefined) trueNfts[`${id}`] = `0x${owner.toString("hex", 12, 32)} ${uri && stringAt(uri, 0)}`
        }
        const served = yield* all(data.getNftsByContractAddress.items({ contract: cats, size: 7 }))
        assert.deepStrictEqual(
          Object.fromEntries(served.map(({ owner, tokenId, tokenUri }) => [`${tokenId}`, `${owner} ${tokenUri}`])),
          trueNfts
        )
        assert.strictEqual(served.length, Object.keys(trueNfts).length)

        const supplies = new Map<bigint, bigint>()
        for (const { address } of people) {
          const trueMts: Record<string, bigint> = {}
          let total = 0n
          for (let id = 0n; id < mts; id++) {
            const answer = yield* ask(items, "balanceOf(address,uint256)", [address, id])
            const balance = (answer && uintAt(answer, 0)) ?? 0n
            total += balance
            supplies.set(id, (supplies.get(id) ?? 0n) + balance)
            if (balance > 0n) trueMts[`${id}`] = balance
          }
          const held = yield* all(
            data.getMtTokensByContractAddressAndOwnerAddress.items({ contract: items, owner: address, size: 4 })
          )
          assert.deepStrictEqual(
            Object.fromEntries(held.map(({ balance, tokenId }) => [`${tokenId}`, balance])),
            trueMts
          )
          const page = yield* data.getMtTokensByContractAddressAndOwnerAddress({ contract: items, owner: address })
          assert.strictEqual(page.totalBalance, total)
          const owned = yield* all(data.getNftsByOwnerAddress.items({ contract: cats, owner: address, size: 5 }))
          assert.strictEqual(owned.length, served.filter(({ owner }) => owner === address).length)
          assert.isTrue(owned.every(({ owner }) => owner === address))
        }
        const issued = yield* all(data.getMtsByContractAddress.items({ contract: items, size: 4 }))
        const ids = issued.map(({ tokenId }) => `0x${tokenId.toString(16)}`)
        assert.deepStrictEqual(ids, ids.toSorted())
        for (const { tokenId, totalSupply } of issued) assert.strictEqual(totalSupply, supplies.get(tokenId))
        for (const [id, supply] of supplies) {
          if (supply > 0n) assert.isTrue(issued.some(({ tokenId }) => tokenId === id))
          const owners = yield* all(
            data.getMtTokensByContractAddressAndTokenId.items({ contract: items, tokenId: id, size: 1 })
          )
          assert.strictEqual(owners.reduce((sum, { balance }) => sum + balance, 0n), supply)
        }
      }), 120_000)
  }
)
