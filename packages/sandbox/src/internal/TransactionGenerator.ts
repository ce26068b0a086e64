import type { DevAccount } from "@effect-klaytn/local-chain/DevAccount"
import type { SendRequest } from "@effect-klaytn/local-chain/SendRequest"
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { NonEmptyReadonlyArray } from "effect/Array"
import * as TokenContract from "../TokenContract.js"
import { Random } from "./Random.js"

/** One token contract of each kind. */
export type Tokens = Readonly<Record<TokenContract.TokenContract["kind"], TokenContract.TokenContract>>

/** How often each kind comes, out of 100 transactions. */
const weights = { coin: 64, ft: 20, nft: 10, mt: 6 } as const
const gas = 400_000n
const coinGas = 100_000n
/** Old non-fungible tokens are forgotten, so that the generator's memory does not grow with the chain. */
const rememberedTokens = 2_000

/** Generates transactions that succeed, keeping track of the owners of tokens. */
export class TransactionGenerator {
  readonly #random: Random
  readonly #nfts: Array<{ readonly id: bigint; owner: DevAccount }> = []
  readonly #multi: Array<{ readonly owner: DevAccount; readonly id: bigint; amount: bigint }> = []
  #nextToken = 1n

  constructor(
    seed: string,
    /** The first one is the busy account. */
    readonly accounts: NonEmptyReadonlyArray<DevAccount>,
    readonly tokens: Tokens,
    readonly busyShare: number
  ) {
    this.#random = new Random(seed)
  }

  /** The requests of one block, with at most `wanted` transfers. */
  block(size: { readonly least: number; readonly most: number }, wanted: number): ReadonlyArray<SendRequest> {
    const requests: Array<SendRequest> = []
    const count = this.#random.between(size.least, size.most)
    for (let left = wanted; requests.length < count && left > 0;) {
      const request = this.#request(left)
      left -= request.kind === "execute" ? 2 : 1
      requests.push(request)
    }
    return requests
  }

  #request(left: number): SendRequest {
    const draw = this.#random.between(1, 100)
    if (left < 2 || draw <= weights.coin) return this.#coin()
    if (draw <= weights.coin + weights.ft) return this.#fungible()
    return draw <= weights.coin + weights.ft + weights.nft ? this.#nonFungible() : this.#multiToken()
  }

  #coin(): SendRequest {
    const [from, to] = this.#pair()
    const memo = this.#random.fraction() < 0.1 ? { memo: "0x7468616e6b20796f75" as const } : {}
    return { kind: "transfer", from, to: to.address, value: this.#amount(), gas: coinGas, ...memo, ...this.#payer() }
  }

  #fungible(): SendRequest {
    const [from, to] = this.#pair()
    const transfer = { kind: "ft", to: to.address, amount: this.#amount() } as const
    return this.#execute(from, this.tokens.ft, TokenContract.transferCall(from.address, transfer))
  }

  #nonFungible(): SendRequest {
    const known = this.#random.fraction() < 0.6 ? this.#random.pick(this.#nfts) : undefined
    const [minter, to] = this.#pair()
    if (known === undefined) {
      const id = this.#nextToken++
      this.#nfts.push({ id, owner: to })
      if (this.#nfts.length > rememberedTokens) this.#nfts.splice(0, rememberedTokens / 2)
      const mint = { kind: "nft", to: to.address, tokenId: id, uri: `ipfs://picture/${id}` } as const
      return this.#execute(minter, this.tokens.nft, TokenContract.mintCall(this.tokens.nft, mint))
    }
    const from = known.owner
    known.owner = to
    const transfer = { kind: "nft", to: to.address, tokenId: known.id } as const
    return this.#execute(from, this.tokens.nft, TokenContract.transferCall(from.address, transfer))
  }

  #multiToken(): SendRequest {
    const known = this.#random.fraction() < 0.6 ? this.#random.pick(this.#multi) : undefined
    const [minter, to] = this.#pair()
    if (known === undefined || known.amount < 10n) {
      const id = BigInt(this.#random.between(1, 50))
      this.#multi.push({ owner: to, id, amount: 1000n })
      if (this.#multi.length > rememberedTokens) this.#multi.splice(0, rememberedTokens / 2)
      const mint = { kind: "mt", to: to.address, tokenId: id, amount: 1000n } as const
      return this.#execute(minter, this.tokens.mt, TokenContract.mintCall(this.tokens.mt, mint))
    }
    const other = this.#multi.find((held) => held.owner === known.owner && held.id !== known.id && held.amount > 9n)
    const held = other === undefined || this.#random.fraction() < 0.5 ? [known] : [known, other]
    for (const one of held) one.amount -= 5n
    const ids = held.map(({ id }) => id)
    const transfer = { kind: "mt", to: to.address, ids, amounts: held.map(() => 5n) } as const
    return this.#execute(known.owner, this.tokens.mt, TokenContract.transferCall(known.owner.address, transfer))
  }

  #execute(from: DevAccount, token: TokenContract.TokenContract, data: Hex): SendRequest {
    return { kind: "execute", from, to: token.address, data, gas, ...this.#payer() }
  }

  /** Most senders pay themselves; some have a fee payer, and of these some pay a part. */
  #payer(): TokenContract.Carrier {
    const draw = this.#random.fraction()
    if (draw > 0.15) return {}
    const feePayer = this.#any()
    return draw < 0.05 ? { feePayer, feeRatio: this.#random.between(1, 99) } : { feePayer }
  }

  #pair(): readonly [DevAccount, DevAccount] {
    if (this.#random.fraction() >= this.busyShare) return [this.#any(), this.#any()]
    const [busy] = this.accounts
    return this.#random.fraction() < 0.3 ? [busy, this.#any()] : [this.#any(), busy]
  }

  #any(): DevAccount {
    return this.#random.pick(this.accounts) ?? this.accounts[0]
  }

  /** Small compared with the balances: no account runs out. */
  #amount(): bigint {
    return BigInt(this.#random.between(1, 1_000_000)) * 10n ** 9n
  }
}
