/** What transactions did: anvil and the sandbox trace the same random contracts to the same calls, logs, gas and accounts. */
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
  readonly logs?: ReadonlyArray<Fields>
}

/** The sandbox lists no call that fails before it begins, with too little balance; anvil and go-ethereum do. */
const hasBegun = ({ calls = [], error, gasUsed }: Call): boolean =>
  error === undefined || gasUsed !== "0x0" || calls.length > 0

/** How many calls had begun before a log. */
const begunBefore = (calls: ReadonlyArray<Call>, { position }: Fields): number =>
  calls.slice(0, Number(position)).filter(hasBegun).length

/**
 * A call without the words for its failure, which differ. anvil keeps the logs of messages that failed, and numbers them;
 * go-ethereum and the sandbox drop them.
 */
const plainCall = ({ calls = [], error, logs = [], revertReason: _, ...call }: Call, isVoid = false): Fields => {
  const hasFailed = isVoid || error !== undefined
  return {
    ...call,
    failed: error !== undefined,
    calls: calls.filter(hasBegun).map((inner) => plainCall(inner, hasFailed)),
    logs: hasFailed ? [] : logs.map((log) => ({ ...log, position: begunBefore(calls, log), index: undefined }))
  }
}

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

const isEmpty = (account: Fields): boolean => JSON.stringify(account) === "{\"balance\":\"0x0\",\"storage\":{}}"

/**
 * anvil lists contracts that were created as empty accounts before; go-ethereum and the sandbox leave them out. The chain
 * and the sandbox list a slot that a static call tried to write, and none whose gas is not there; anvil does the opposite. Slots
 * that are zero are not compared.
 */
const accountsOf = (accounts: unknown, refused: ReadonlySet<string>): unknown =>
  Object.fromEntries(
    Object.entries(accounts as Readonly<Record<string, Account>>)
      .map(([address, account]) => [address, filled(account, refused)] as const)
      .filter(([, account]) => !isEmpty(account))
  )

/**
 * The slots of instructions that were refused: a static call tried to write, whose cost the machine does not compute, or the
 * cost is more than the gas that is left.
 */
const refusedIn = (trace: unknown): ReadonlySet<string> => {
  const { structLogs } = trace as { readonly structLogs: ReadonlyArray<Fields> }
  const found = structLogs.filter(({ gas, gasCost, op }) =>
    (op === "SSTORE" || op === "SLOAD") && (gasCost === 0 || Number(gasCost) > Number(gas))
  )
  return new Set(found.map(({ stack }) => `0x${String((stack as Array<string>).at(-1)).slice(2).padStart(64, "0")}`))
}

const differenceOf = (difference: unknown, refused: ReadonlySet<string>): unknown => {
  const { post, pre } = difference as { readonly post: unknown; readonly pre: unknown }
  return { post, pre: accountsOf(pre, refused) }
}

/**
 * anvil counts the gas that a creation hands on as its cost, as for a call; go-ethereum and the sandbox do not. The storage in
 * steps is not compared: the two differ in what they list of slots that are cleared or met again. What was written is in the
 * difference of the state. What an instruction costs that can't be paid, anvil gives as the gas that is left.
 */
const stepsOf = (trace: unknown): unknown => {
  const { structLogs, ...rest } = trace as { readonly structLogs: ReadonlyArray<Fields> }
  const steps = structLogs.map(({ error: _, gasCost, refund: __, storage: ___, ...step }) => ({
    ...step,
    op: String(step["op"]).endsWith("not defined") ? "Unknown" : step["op"],
    gasCost: String(step["op"]).startsWith("CREATE") ? undefined : Math.min(Number(gasCost), Number(step["gas"]))
  }))
  return { ...rest, steps }
}

const kinds: ReadonlyArray<
  readonly [options: object, form: (trace: unknown, refused: ReadonlySet<string>) => unknown]
> = [
  [{ tracer: "callTracer", tracerConfig: { withLog: true } }, callsOf],
  [{ tracer: "prestateTracer" }, accountsOf],
  [{ tracer: "prestateTracer", tracerConfig: { diffMode: true } }, differenceOf],
  [{ enableMemory: true }, stepsOf]
]

/** Sends to both, and compares all traces. Gives the contract that was created, if one was. */
const compare = async (transaction: object): Promise<string | null> => {
  await result(world.anvil, "anvil_setNextBlockBaseFeePerGas", gasPrice)
  const ours = await send(world.sandbox, transaction)
  const theirs = await send(world.anvil, transaction)
  const refused = refusedIn(await result(world.sandbox, "debug_traceTransaction", ours.hash))
  for (const [options, form] of kinds) {
    const traced = (url: string, { hash }: Fields) => result(url, "debug_traceTransaction", hash, options)
    assert.deepStrictEqual(
      form(await traced(world.sandbox, ours), refused),
      form(await traced(world.anvil, theirs), refused),
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
