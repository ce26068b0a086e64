/** Random transactions of every type, mostly such that a node takes them, and some that it must refuse. */
import type * as AccountKey from "../../packages/transaction/src/AccountKey.js"
import * as Authorization from "../../packages/transaction/src/Authorization.js"
import type { Hex } from "../../packages/transaction/src/Hex.js"
import * as Transaction from "../../packages/transaction/src/Transaction.js"
import * as TransactionType from "../../packages/transaction/src/TransactionType.js"
import { RandomCode } from "../tools/randomCode.js"
import { get, type Owner, owner, type Random } from "../transaction/random.js"
import { someBlobs } from "./blobs.js"

const peb = 10n ** 18n
const ston = 10n ** 9n

/** The private keys that sign for an account in each role. */
type Signers = Readonly<Record<AccountKey.Role, ReadonlyArray<Hex>>>

/** An account with its key as the chain has it, as far as is known. */
export interface Actor {
  readonly owner: Owner
  key: AccountKey.AccountKey
  signers: Signers
  /** The next nonce, and whether code was set for it. */
  nonce: number
}

/** A transaction, its bytes, and what to do when it has succeeded. */
export interface Made {
  readonly raw: Hex
  readonly hash: Hex
  readonly what: string
  readonly actor: Actor
  readonly succeeded: () => void
}

const everyRole = (keys: ReadonlyArray<Hex>): Signers => ({ transaction: keys, accountUpdate: keys, feePayer: keys })

export const actorOf = (someone: Owner): Actor => ({
  owner: someone,
  key: { type: "AccountKeyLegacy" },
  signers: everyRole([someone.privateKey]),
  nonce: 0
})

/** A key for one role, and who signs with it. */
const roleKey = (r: Random): readonly [AccountKey.RoleKey, ReadonlyArray<Hex>] => {
  const kind = r.int(20)
  if (kind === 0) return [{ type: "AccountKeyFail" }, []]
  if (kind < 10) {
    const one = owner(r)
    return [{ type: "AccountKeyPublic", publicKey: one.publicKey }, [one.privateKey]]
  }
  const owners = Array.from({ length: 1 + r.int(4) }, () => owner(r))
  const keys = owners.map(({ publicKey }) => ({ weight: 1 + r.int(3), publicKey }))
  const reachable = keys.reduce((sum, { weight }) => sum + weight, 0)
  return [
    { type: "AccountKeyWeightedMultiSig", threshold: r.int(reachable + 1), keys },
    owners.map(({ privateKey }) => privateKey)
  ]
}

/** A new key for an account, and who signs with it then. */
const newKey = (r: Random, { owner: { privateKey }, signers }: Actor): readonly [AccountKey.AccountKey, Signers] => {
  const kind = r.int(6)
  if (kind === 0) return [{ type: "AccountKeyLegacy" }, everyRole([privateKey])]
  if (kind < 4) {
    const [key, keys] = roleKey(r)
    return [key, everyRole(keys)]
  }
  const [[transaction, a], [accountUpdate, b], [feePayer, c]] = [roleKey(r), roleKey(r), roleKey(r)]
  const nil: AccountKey.RoleKey = { type: "AccountKeyNil" }
  const keepsPayer = r.int(4) === 0
  return r.pick<readonly [AccountKey.AccountKey, Signers]>([
    [{ type: "AccountKeyRoleBased", keys: [transaction] }, everyRole(a)],
    [{ type: "AccountKeyRoleBased", keys: [transaction, accountUpdate] }, {
      transaction: a,
      accountUpdate: b,
      feePayer: a
    }],
    [{ type: "AccountKeyRoleBased", keys: [transaction, accountUpdate, keepsPayer ? nil : feePayer] }, {
      transaction: a,
      accountUpdate: b,
      feePayer: keepsPayer ? signers.feePayer : c
    }]
  ])
}

/** Nothing but what is signed can be set right in advance: the rest is a mistake that a node has to find. */
const spoil = (r: Random, raw: Hex): Hex => {
  const at = 2 + 2 * r.int((raw.length - 2) / 2)
  switch (r.int(4)) {
    case 0:
      return `0x${raw.slice(2, at)}`
    case 1:
      return `0x${raw.slice(2)}${r.bytes(1 + r.int(3)).slice(2)}`
    case 2:
      return `0x${raw.slice(2, at)}${r.bytes(1).slice(2)}${raw.slice(at + 2)}`
    default:
      return `0x${r.bytes(1).slice(2)}${raw.slice(4)}`
  }
}

const blobType = "EthereumBlob"

const allBut = TransactionType.all.filter((type) => type !== blobType)

/** How many transactions with blobs a round has: as many as blocks in which they come. */
const mostBlobs = 2

export class Traffic {
  #blobs = 0
  readonly actors: Array<Actor> = []
  /** Contracts that calls and code may use. */
  readonly contracts: Array<Hex> = []
  /** What was sent, so that it can be sent again. */
  readonly #sent: Array<Made> = []

  constructor(readonly r: Random, readonly chainId: number, howMany: number) {
    for (let count = 0; count < howMany; count++) this.actors.push(actorOf(owner(r)))
  }

  #someone(): Actor {
    return this.actors[this.r.int(this.actors.length)] ?? actorOf(owner(this.r))
  }

  /** A new account in the place of another. */
  replace(actor: Actor): Actor {
    const fresh = actorOf(owner(this.r))
    this.actors[this.actors.indexOf(actor)] = fresh
    return fresh
  }

  code(): RandomCode {
    return new RandomCode(
      this.r,
      [...this.contracts.slice(-12), ...this.actors.map(({ owner: { address } }) => address)]
        .map((address) => address.slice(2)),
      true
    )
  }

  /** An address that coin may go to. */
  address(): Hex {
    const { r } = this
    switch (r.int(8)) {
      case 0:
        return r.bytes(20)
      case 1:
        return `0x${r.int(0x400).toString(16).padStart(40, "0")}`
      case 2:
      case 3:
        return this.contracts[r.int(this.contracts.length)] ?? r.bytes(20)
      default:
        return this.#someone().owner.address
    }
  }

  #price(): bigint {
    const { r } = this
    const kind = r.int(24)
    if (kind === 0) return r.bigint(80)
    if (kind === 1) return 24n * ston
    return r.pick([25n, 25n, 26n, 30n, 50n, 100n, 750n]) * ston + BigInt(r.int(2))
  }

  #nonce({ nonce }: Actor): bigint {
    const { r } = this
    const kind = r.int(40)
    if (kind === 0) return BigInt(nonce + 1 + r.int(3))
    if (kind === 1) return BigInt(Math.max(0, nonce - 1 - r.int(2)))
    if (kind === 2) return r.bigint(64)
    return BigInt(nonce)
  }

  #value(): bigint {
    const { r } = this
    const kind = r.int(20)
    if (kind === 0) return r.bigint(256)
    if (kind === 1) return 10_000n * peb
    return kind < 6 ? 0n : r.bigint(56)
  }

  /** Up to three authorizations, of which some do not hold. */
  #authorizations() {
    const { r } = this
    return Array.from({ length: r.int(12) === 0 ? 0 : 1 + r.int(3) }, () => {
      const actor = this.#someone()
      const isRight = r.int(5) > 0
      return get(Authorization.sign({
        chainId: r.pick([0n, BigInt(this.chainId), BigInt(isRight ? this.chainId : 5)]),
        address: r.int(5) === 0 ? `0x${"0".repeat(40)}` : this.contracts[r.int(this.contracts.length)] ?? r.bytes(20),
        nonce: BigInt(isRight ? actor.nonce : r.int(5))
      }, { privateKey: actor.owner.privateKey }))
    })
  }

  #type({ key }: Actor): TransactionType.TransactionType {
    const { r } = this
    // A block has one blob, so that a round has few.
    const known = this.#blobs < mostBlobs && r.int(10) === 0
      ? [...allBut, ...Array.from({ length: 40 }, () => blobType)]
      : allBut
    // Without a legacy key an account can't send these.
    const isOfEthereum = (type: TransactionType.TransactionType): boolean =>
      type === "LegacyTransaction" || TransactionType.isEthereum(type)
    const types = key.type === "AccountKeyLegacy" || r.int(20) === 0
      ? known
      : allBut.filter((type) => !isOfEthereum(type))
    return types[r.int(types.length)] ?? "LegacyTransaction"
  }

  #build(actor: Actor) {
    const { chainId, r } = this
    const type = this.#type(actor)
    const isDeploy = type.includes("Deploy")
    const isAnchor = type.includes("Anchoring")
    const isCall = !isDeploy && r.int(2) === 0 && this.contracts.length > 0
    const isCreation = isDeploy ||
      (type === "LegacyTransaction" ||
          TransactionType.isEthereum(type) && type !== "EthereumSetCode" && type !== blobType) &&
        r.int(5) === 0
    const code = this.code()
    const input: Hex = isCreation
      ? `0x${code.creation(r.int(12) === 0 ? "" : code.runtime())}`
      : isCall
      ? r.bytes(r.int(100))
      : isAnchor || type.includes("Execution") || type.includes("Memo")
      ? r.bytes(r.int(80))
      : r.int(6) === 0
      ? r.bytes(r.int(60))
      : "0x"
    const [key, signers] = newKey(r, actor)
    const blobs = type === blobType ? someBlobs(r) : undefined
    if (blobs !== undefined) this.#blobs++
    const price = this.#price()
    const to = isCall ? this.contracts[r.int(this.contracts.length)] ?? this.address() : this.address()
    const made = get(Transaction.make({
      type,
      chainId,
      from: actor.owner.address,
      ...(!isCreation && { to }),
      nonce: this.#nonce(actor),
      gas: 1n,
      gasPrice: price,
      maxFeePerGas: price,
      maxPriorityFeePerGas: r.int(4) === 0 ? price : BigInt(r.int(3)) * ston,
      value: isCreation || isCall ? BigInt(r.int(3)) : this.#value(),
      input,
      key,
      humanReadable: false,
      codeFormat: 0,
      feeRatio: 1 + r.int(99),
      accessList: Array.from({ length: r.int(3) }, () => ({
        address: this.address(),
        storageKeys: Array.from({ length: r.int(3) }, () => `0x${r.int(6).toString(16).padStart(64, "0")}` as const)
      })),
      authorizationList: type === "EthereumSetCode" ? this.#authorizations() : [],
      ...blobs?.fields
    }))
    const runs = isCreation || isCall
    const needed = Transaction.intrinsicGas(made)
    const kind = r.int(30)
    const gas = kind === 0
      ? needed - 1n
      : kind === 1
      ? needed
      : kind === 2
      ? r.bigint(64)
      : needed + BigInt(runs ? r.pick([30_000, 300_000, 2_000_000]) : r.int(2) * 50_000)
    const what = `${type} of ${actor.key.type}${isCreation ? ", a creation" : isCall ? ", a call" : ""}${
      blobs === undefined ? "" : `, ${blobs.what}`
    }`
    return { unsigned: { ...made, gas }, signers, key, what }
  }

  #sign(unsigned: Transaction.Transaction, actor: Actor): Transaction.Transaction {
    const { chainId, r } = this
    const mistake = r.int(40)
    const all = actor.signers[Transaction.senderRole(unsigned)]
    const keys = mistake === 0
      ? [owner(r).privateKey]
      : mistake === 1
      ? [...all, owner(r).privateKey]
      : all.length > 1 && r.int(3) === 0
      ? all.slice(1)
      : all
    let signed = unsigned
    // Types of Ethereum have one signature.
    const few = TransactionType.isEthereum(unsigned.type) || unsigned.type === "LegacyTransaction"
      ? keys.slice(0, 1)
      : keys
    for (const privateKey of few) signed = get(Transaction.signAsSender(signed, { chainId, privateKey }))
    if (!Transaction.isFeeDelegatedTransaction(signed)) return signed
    const payer = r.int(12) === 0 ? actor : this.#someone()
    const payers = r.int(30) === 0 ? [owner(r).privateKey] : payer.signers.feePayer
    let delegated = signed
    for (const privateKey of payers) {
      delegated = get(Transaction.signAsFeePayer(delegated, { chainId, privateKey, feePayer: payer.owner.address }))
    }
    return delegated
  }

  /** A transaction of most accounts, and a second one of some. */
  round(): ReadonlyArray<Made> {
    const { r } = this
    this.#blobs = 0
    return this.actors.flatMap((actor) => {
      const kind = r.int(10)
      return Array.from({ length: kind === 0 ? 0 : kind < 9 ? 1 : 2 }, () => {
        const made = this.next(actor)
        if (made.actor === actor && made.hash !== "0x") actor.nonce++
        return made
      })
    })
  }

  /** The next transaction of an account, or the bytes of another one again, or spoiled ones. */
  next(actor: Actor): Made {
    const { r } = this
    const again = this.#sent.at(-1 - r.int(40))
    if (again !== undefined && r.int(40) === 0) return { ...again, what: `${again.what}, again` }
    const { key, signers, unsigned, what } = this.#build(actor)
    const signed = this.#sign(unsigned, actor)
    const encoded = Transaction.encode(signed)
    // Without signatures there is nothing to give: the key is one that nobody has.
    const hash = Transaction.hash(signed)
    if (!encoded.ok || !hash.ok) return this.next(actor)
    const raw = encoded.value
    if (r.int(30) === 0) {
      return { raw: spoil(r, raw), hash: "0x", what: `${what}, spoiled`, actor, succeeded: () => {} }
    }
    const made: Made = {
      raw,
      hash: hash.value,
      what,
      actor,
      succeeded: () => {
        if (!TransactionType.isAccountUpdate(signed.type)) return
        actor.key = key
        actor.signers = signers
      }
    }
    this.#sent.push(made)
    return made
  }
}
