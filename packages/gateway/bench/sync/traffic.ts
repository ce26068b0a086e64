/** A chain of a sandbox with all that an index meets: every type of transaction, tokens of every kind, failures, empty blocks. */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import { type Deed, keyOf, type Sender, senderOf, transactionOf } from "../../../../drills/sandbox/chainSenders.js"
import type * as DevAccount from "../../../local-chain/src/DevAccount.js"
import type { Chain } from "../../../sandbox/src/Chain.js"
import { Random } from "../../../sandbox/src/internal/Random.js"
import {
  creationCode,
  deploy,
  mintCall,
  type TokenContract,
  type TokenSpec,
  transferCall
} from "../../../sandbox/src/TokenContract.js"

/** Names of the accounts that send. */
export const names: ReadonlyArray<string> = Array.from({ length: 60 }, (_, index) => `sender ${index}`)

/** Accounts whose keys change. */
const changing = 4

const specs: ReadonlyArray<TokenSpec> = [
  ...["Apple", "Pear", "Plum", "Fig"].map((name) => ({ kind: "ft", name, symbol: name.slice(0, 3) } as const)),
  ...["Cards", "Stamps"].map((name) => ({ kind: "nft", name, symbol: name.slice(0, 3) } as const)),
  { kind: "mt", uri: "https://tokens.example/{id}.json" }
]

/** How many addresses receive without ever sending. */
const receivers = 1500

/** Mines the chain, and returns its height. */
export const mineTraffic = (
  chain: Chain,
  accounts: ReadonlyArray<DevAccount.DevAccount>,
  { blocks, seed }: { readonly blocks: number; readonly seed: string }
) =>
  Effect.gen(function*() {
    const random = new Random(seed)
    const [deployer] = accounts
    if (deployer === undefined) return 0
    const tokens: Array<TokenContract> = []
    for (const spec of specs) tokens.push(yield* deploy(chain, deployer, spec))
    const senders = accounts.slice(1).map(senderOf)
    const nonces = new Map<Hex, bigint>()
    const owned: Array<{ readonly token: TokenContract; readonly id: bigint; owner: Sender }> = []
    let made = 0n
    const address = (): Hex =>
      random.fraction() < 0.5
        ? random.pick(senders)?.address ?? deployer.address
        : `0x${(0x5afe_0000 + Math.floor(receivers * random.fraction() ** 2)).toString(16).padStart(40, "0")}`
    const pick = (kind: TokenContract["kind"]): TokenContract =>
      random.pick(tokens.filter((one) => one.kind === kind)) ?? Effect.runSync(Effect.dieMessage("no such token"))
    const ofToken = (token: TokenContract, input: Hex, isEthereum = random.fraction() < 0.3): Deed => ({
      kind: isEthereum ? "call" : "execute",
      to: token.address,
      input,
      value: 0n
    })
    const deedOf = (sender: Sender): Deed => {
      const chance = random.fraction()
      const amount = BigInt(random.between(1, 1000))
      if (chance < 0.3) return { kind: "transfer", to: address(), value: amount }
      if (chance < 0.42) {
        const token = pick("ft")
        return ofToken(token, mintCall(token, { kind: "ft", to: sender.address, amount: amount * 100n }))
      }
      if (chance < 0.72) return ofToken(pick("ft"), transferCall(sender.address, { kind: "ft", to: address(), amount }))
      if (chance < 0.77) {
        const token = pick("nft")
        const id = made++
        owned.push({ token, id, owner: sender })
        const uri = `https://tokens.example/${id}.json`
        return ofToken(token, mintCall(token, { kind: "nft", to: sender.address, tokenId: id, uri }))
      }
      if (chance < 0.84) {
        const one = random.pick(owned)
        const to = random.pick(senders)
        if (one === undefined || to === undefined) return { kind: "cancel" }
        // Of another owner's token, it fails.
        const data = transferCall(one.owner.address, { kind: "nft", to: to.address, tokenId: one.id })
        if (one.owner === sender) one.owner = to
        return ofToken(one.token, data)
      }
      if (chance < 0.88) {
        const token = pick("mt")
        return ofToken(token, mintCall(token, { kind: "mt", to: sender.address, tokenId: amount % 50n, amount }))
      }
      if (chance < 0.92) {
        const ids = [amount % 50n, (amount + 1n) % 50n]
        return ofToken(pick("mt"), transferCall(sender.address, { kind: "mt", to: address(), ids, amounts: [1n, 1n] }))
      }
      if (chance < 0.95) return { kind: "anchor", input: `0x${"61".repeat(random.between(1, 100))}` }
      if (chance < 0.97) return { kind: "cancel" }
      if (chance < 0.972) {
        const spec = random.pick(specs) ?? { kind: "mt", uri: "" }
        return { kind: sender.isLegacy ? "create" : "deploy", input: creationCode(spec), value: 0n }
      }
      // Code that stores a word, and code that reverts.
      return { kind: "create", input: random.fraction() < 0.5 ? "0x6001600055600a6000f3" : "0x60006000fd", value: 0n }
    }
    yield* chain.setMining("manual")
    for (let block = 0; block < blocks; block++) {
      const count = block % 2 === 0 ? random.between(8, 10) : 0
      for (let index = 0; index < count; index++) {
        const sender = random.pick(senders)
        if (sender === undefined) continue
        const nonce = nonces.get(sender.address) ?? (yield* chain.pendingNonce(sender.address))
        const key = senders.indexOf(sender) < changing && random.fraction() < 0.2 ? keyOf(random, accounts) : undefined
        const deed: Deed = key === undefined ? deedOf(sender) : { kind: "update", key: key.key }
        const feePayer = random.fraction() < 0.3 ? senders.at(-1 - random.between(0, 9)) : undefined
        const feeRatio = random.fraction() < 0.5 ? random.between(1, 99) : undefined
        const gas = random.fraction() < 0.03
          ? 1000n
          : deed.kind === "create" || deed.kind === "deploy"
          ? 8_000_000n
          : 500_000n
        const transaction = transactionOf(chain, sender, deed, { nonce, gas, feePayer, feeRatio })
        if (transaction === undefined) continue
        const sent = yield* Effect.either(chain.submit(transaction))
        if (sent._tag === "Left") continue
        nonces.set(sender.address, nonce + 1n)
        if (key !== undefined) [sender.signers, sender.isLegacy] = [key.signers, false]
      }
      yield* chain.mine()
    }
    return (yield* chain.head).number
  })
