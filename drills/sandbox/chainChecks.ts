/** What must hold for a chain after the drill. */
import { encodeCall, uintAt } from "@effect-klaytn/indexer/Abi"
import { type AccountRecord, decodeAccount } from "@effect-klaytn/local-chain/AccountRecord"
import { select } from "@effect-klaytn/store/Query"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain } from "../../packages/sandbox/src/Chain.js"
import { state } from "../../packages/sandbox/src/internal/store/Schema.js"
import type { Store } from "../../packages/sandbox/src/internal/store/Store.js"
import { type ChainCounts, type ChainWrong, tally } from "./chainCounts.js"

/** An account, or a slot of it: `slot` has 64 hexadecimal digits, and none for the account itself. */
export interface StateKey {
  readonly address: Hex
  readonly slot: string
}

/** The state as the database has it: accounts, and slots by address and slot. */
const worldOf = (store: Store, chain: Chain) => {
  const accounts = new Map<Hex, AccountRecord>()
  const slots = new Map<string, { readonly key: StateKey; readonly value: bigint }>()
  for (const row of select(store.driver, state.as("s"), `FROM state_${chain.chainId} s`).all()) {
    const key = fromBytes(row.key)
    const [address, slot]: readonly [Hex, string] = [`0x${key.slice(2, 42)}`, key.slice(42)]
    if (slot === "") accounts.set(address, decodeAccount(row.value))
    else slots.set(address + slot, { key: { address, slot }, value: BigInt(fromBytes(row.value)) })
  }
  return { accounts, slots }
}

/** What is in memory as it is not in the database, of everything that is stored or that a block has changed. */
const stateWrong = (chain: Chain, { accounts, slots }: ReturnType<typeof worldOf>, changed: ReadonlyArray<StateKey>) =>
  Effect.gen(function*() {
    const wrong: Array<string> = []
    const owners = new Set([
      ...accounts.keys(),
      ...changed.flatMap(({ address, slot }) => slot === "" ? [address] : [])
    ])
    for (const address of owners) {
      const account = Option.getOrUndefined(yield* chain.account(address))
      const stored = accounts.get(address)
      if (
        account?.balance !== stored?.balance || account?.nonce !== stored?.nonce ||
        account?.codeHash !== (stored && fromBytes(stored.codeHash))
      ) wrong.push(address)
    }
    const keys = new Map([
      ...Array.from(slots, ([id, { key }]) => [id, key] as const),
      ...changed.flatMap((key) => key.slot === "" ? [] : [[key.address + key.slot, key] as const])
    ])
    for (const [id, { address, slot }] of keys) {
      const value = slots.get(id)?.value ?? 0n
      if (BigInt(yield* chain.storageAt(address, BigInt(`0x${slot}`))) !== value) {
        wrong.push(`slot ${slot} of ${address}`)
      }
    }
    return wrong
  })

/** The accepted transactions, and what their code may have burnt. */
export interface Accepted {
  readonly hash: Hex
  readonly mayBurn: bigint
}

export interface Checked {
  readonly chain: Chain
  readonly store: Store
  readonly mode: string
  readonly genesis: bigint
  /** What blocks have changed. */
  readonly changed: ReadonlyArray<StateKey>
  readonly accepted: ReadonlyArray<Accepted>
  readonly token: Hex | undefined
  readonly counts: ChainCounts
}

/** Checks that a chain is consistent. */
export const check = ({ accepted, chain, changed, counts, genesis, mode, store, token }: Checked) =>
  Effect.gen(function*() {
    const wrong: Array<ChainWrong> = []
    const say = (kind: ChainWrong["kind"], what: string) => void wrong.push({ mode, kind, what })
    // Each accepted transaction is in a block, or there is a reason why not.
    const dropped = new Map((yield* chain.dropped).map(({ hash, reason }) => [hash, reason]))
    let mayBurn = 0n
    for (const { hash, mayBurn: coin } of accepted) {
      const found = yield* chain.transaction(hash)
      if (Option.isNone(found)) {
        if (dropped.has(hash)) counts.dropped++
        else say("lost", `${hash} is in no block, and nobody says why`)
        continue
      }
      const record = found.value
      counts.executed++
      mayBurn += coin
      if (record.status === 0) {
        counts.failed++
        tally(counts.txErrors, `0x${(record.txError ?? 0).toString(16)}`)
      }
      const isTold = record.status === 1 ? record.txError === undefined : record.txError !== undefined
      if (!isTold || record.gasUsed > record.gas || record.fee !== record.gasUsed * record.gasPrice) {
        say("receipt", `${hash} has status ${record.status}, txError ${record.txError}, gas ${record.gasUsed}`)
      }
      if (record.status === 0 && (record.logCount > 0 || record.contractAddress !== undefined)) {
        say("receipt", `${hash} failed and left something`)
      }
    }

    // Blocks add up, and nothing but fees is paid.
    const head = yield* chain.head
    let fees = 0n
    let parent: Hex = `0x${"0".repeat(64)}`
    for (let number = 0; number <= head.number; number++) {
      const block = Option.getOrThrow(yield* chain.block(number))
      const transactions = yield* chain.transactionsOf(number)
      const gas = transactions.reduce((sum, { gasUsed }) => sum + gasUsed, 0n)
      if (block.parentHash !== parent || block.transactionCount !== transactions.length || block.gasUsed !== gas) {
        say("block", `block ${number} does not add up`)
      }
      parent = block.hash
      fees += transactions.reduce((sum, { fee }) => sum + fee, 0n)
    }
    counts.blocks += head.number

    // No KLAY comes out of nowhere, and none disappears except as a fee or by code that burns it.
    const world = worldOf(store, chain)
    const { accounts } = world
    const total = [...accounts.values()].reduce((sum, { balance }) => sum + balance, 0n)
    const missing = genesis - fees - total
    if (missing < 0n || missing > mayBurn) say("balances", `${missing} peb are missing, ${mayBurn} may be burnt`)

    // What the chain answers from memory is what it has stored.
    for (const what of yield* stateWrong(chain, world, changed)) {
      say("state", `${what} is in memory as it is not in the database`)
    }

    // The records of tokens agree with their contracts.
    if (token !== undefined) {
      for (const { address } of [...accounts.keys()].map((address) => ({ address }))) {
        const asked = yield* chain.call({
          to: token,
          data: fromBytes(encodeCall("balanceOf(address)", [address]))
        })
        const indexed = yield* chain.totalBalance(token, address)
        if ((uintAt(Buffer.from(asked.data.slice(2), "hex"), 0) ?? 0n) !== indexed) {
          say("index", `${address} has ${indexed} tokens by the index, ${asked.data} by the contract`)
        }
      }
    }
    return wrong
  })
