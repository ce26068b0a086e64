/** What transactions did: anvil and the sandbox trace the same random contracts to the same calls, gas and accounts. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { random } from "../transaction/random.js"
import { openBoth, result, sender } from "./anvil.js"
import { RandomCode } from "./randomCode.js"

/** How many contracts are deployed; each is then called five times. 50 make 300 transactions. */
const contracts = Number(process.env["TRACES_CONTRACTS"] ?? 5)

const seed = Number(process.env["TRACES_SEED"] ?? 0x7ace5)

let world: Awaited<ReturnType<typeof openBoth>>
beforeAll(async () => {
  world = await openBoth("--steps-tracing")
})
afterAll(() => world.close())

const gasPrice = "0x5d21dba00"

interface Receipt {
  readonly contractAddress: string | null
}

/** The receipt of a transaction. anvil answers a send before the block is there. */
const receiptOf = async (url: string, hash: unknown, tries = 500): Promise<Receipt> => {
  const receipt = await result(url, "eth_getTransactionReceipt", hash) as Receipt | null
  if (receipt !== null) return receipt
  if (tries === 0) throw new Error(`${url} has no receipt of ${String(hash)}`)
  await new Promise((resolve) => setTimeout(resolve, 10))
  return receiptOf(url, hash, tries - 1)
}

const send = async (url: string, transaction: object) => {
  const hash = await result(url, "eth_sendTransaction", { from: sender, gas: "0x1e8480", gasPrice, ...transaction })
  return { hash, ...await receiptOf(url, hash) }
}

type Fields = Readonly<Record<string, unknown>>

interface Call extends Fields {
  readonly calls?: ReadonlyArray<Call>
}

/** A call without the words for its failure, which differ, and without what only the chain's nodes have. */
const plainCall = ({ calls = [], error, revertReason: _, reverted: __, ...call }: Call): Fields => ({
  ...call,
  failed: error !== undefined,
  calls: calls.map((inner) => plainCall(inner))
})

/** anvil gives the outermost message the gas of its execution; go-ethereum and the sandbox the limit of the transaction. */
const callsOf = (call: unknown): unknown => ({ ...plainCall(call as Call), gas: undefined })

interface Account extends Fields {
  readonly storage?: Readonly<Record<string, string>>
}

const zero = `0x${"0".repeat(64)}`

/** An account without slots that are zero, or are left out. */
const filled = ({ storage = {}, ...account }: Account, refused: ReadonlySet<string>): Fields => ({
  ...account,
  storage: Object.fromEntries(Object.entries(storage).filter(([slot, value]) => value !== zero && !refused.has(slot)))
})

/** An account as anvil shows it: without what it does not have. */
const shown = ({ balance, code, nonce, storage }: Fields): Fields => ({
  balance,
  ...(nonce !== 0 && { nonce }),
  ...(code !== "0x" && { code }),
  storage
})

/**
 * The accounts that both show. anvil also shows the proposer and who is paid by a contract that destroys itself; the chain's nodes
 * and the sandbox also show what an instruction would have looked at that can't be paid.
 */
const accountsOf = (accounts: unknown, refused: ReadonlySet<string>, others: unknown): unknown =>
  Object.fromEntries(
    Object.entries(accounts as Readonly<Record<string, Account>>)
      .filter(([address]) => address in (others as object))
      .map(([address, account]) =>
        [address, filled(shown({ nonce: 0, code: "0x", ...account }) as Account, refused)] as const
      )
  )

/** The slots of instructions that were refused, because a static call tried to write, or for their gas. */
const refusedIn = (trace: unknown): ReadonlySet<string> => {
  const { structLogs } = trace as { readonly structLogs: ReadonlyArray<Fields> }
  const found = structLogs.filter(({ op }) => op === "SSTORE" || op === "SLOAD").filter(({ error, gas, gasCost }) =>
    error !== undefined || gasCost === 0 || Number(gasCost) > Number(gas)
  )
  return new Set(found.map(({ stack }) => `0x${String((stack as Array<string>).at(-1)).padStart(64, "0")}`))
}

/** Names that the chain's nodes write otherwise. */
const names: ReadonlyMap<unknown, string> = new Map([
  ["SHA3", "KECCAK256"],
  ["DIFFICULTY", "PREVRANDAO"],
  ["Missing opcode 0x5c", "TLOAD"],
  ["Missing opcode 0x5d", "TSTORE"]
])

/**
 * anvil counts the gas that a creation hands on as its cost, as for a call; go-ethereum and the sandbox do not. Memory and storage in
 * steps are not compared: the chain's nodes show the memory with what the instruction adds, and what was written of the storage.
 */
const stepsOf = (trace: unknown): unknown => {
  const { returnValue, structLogs, ...rest } = trace as {
    readonly returnValue: string
    readonly failed: boolean
    readonly structLogs: ReadonlyArray<Fields>
  }
  const steps = structLogs.map((step, at) => {
    const op = names.get(step["op"]) ?? step["op"]
    const isCreation = String(op).startsWith("CREATE")
    // What ends its message may have failed, and then has a cost of its own on each chain.
    const isLast = Number(structLogs[at + 1]?.["depth"] ?? 0) < Number(step["depth"])
    return {
      pc: step["pc"],
      op: /not defined|Missing/.test(String(op)) ? "Unknown" : op,
      depth: step["depth"],
      gas: step["gas"],
      gasCost: isCreation || isLast ? undefined : step["gasCost"],
      stack: (step["stack"] as ReadonlyArray<string>).map((word) => BigInt(word.startsWith("0x") ? word : `0x${word}`))
    }
  })
  // Of a failure, the chain's nodes show no value.
  return { ...rest, returnValue: rest.failed ? "" : returnValue.replace(/^0x/, ""), steps }
}

const kinds: ReadonlyArray<
  readonly [options: object, form: (trace: unknown, refused: ReadonlySet<string>, other: unknown) => unknown]
> = [
  [{ tracer: "callTracer" }, callsOf],
  [{ tracer: "prestateTracer" }, accountsOf],
  [{}, stepsOf]
]

/** Sends to both, and compares all traces. Gives the contract that was created, if one was. */
const compare = async (transaction: object): Promise<string | null> => {
  await result(world.anvil, "anvil_setNextBlockBaseFeePerGas", gasPrice)
  const ours = await send(world.sandbox, transaction)
  const theirs = await send(world.anvil, transaction)
  const refused = refusedIn(await result(world.sandbox, "debug_traceTransaction", ours.hash))
  for (const [options, form] of kinds) {
    const traced = (url: string, { hash }: Fields) => result(url, "debug_traceTransaction", hash, options)
    const [left, right] = [await traced(world.sandbox, ours), await traced(world.anvil, theirs)]
    assert.deepStrictEqual(
      form(left, refused, right),
      form(right, refused, left),
      `${JSON.stringify(options)} of ${JSON.stringify(transaction)}`
    )
  }
  return ours.contractAddress
}

describe("A trace", () => {
  it("of a random transaction is the one of anvil", async () => {
    const r = random(seed)
    const known: Array<string> = []
    for (let at = 0; at < contracts; at++) {
      const code = new RandomCode(r, known)
      const to = await compare({ data: `0x${code.creation(code.runtime())}`, value: "0x64" })
      if (to === null) continue
      known.push(to.slice(2))
      for (let times = 0; times < 5; times++) {
        await compare({ to, data: r.bytes(r.int(100)), value: `0x${r.int(20).toString(16)}` })
      }
    }
    assert.isAbove(known.length, contracts / 2)
  }, 60_000 + contracts * 20_000)
})
