import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { intrinsicGas } from "@effect-klaytn/transaction/Transaction"
import { Address } from "@ethereumjs/util"
import * as Effect from "effect/Effect"
import type { AccountOverride, CallRequest, CallResult, GasEstimate } from "../../Call.js"
import type { ReadFailure } from "../../Chain.js"
import { StoreFailure } from "../../ChainError.js"
import { type Message, type Outcome, txErrorOf } from "../evm/Message.js"
import type { JournalState } from "../state/JournalState.js"
import type { ChainState } from "./ChainState.js"
import { executionGasLimit } from "./Executor.js"
import { heightOf } from "./reads.js"

/** Who sends a message that names no sender. */
export const nobody: Hex = "0x0000000000000000000000000000000000000000"

const bytesOf = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), "hex")

const messageOf = (live: ChainState, request: CallRequest): Omit<Message, "gasLimit"> => {
  const from = request.from ?? nobody
  return {
    from,
    to: request.to,
    value: request.value ?? 0n,
    data: bytesOf(request.data ?? "0x"),
    gasPrice: request.gasPrice ?? live.unitPrice,
    feePayer: from,
    accessList: request.accessList ?? [],
    skipBalance: request.movesValue !== true
  }
}

/** Gas that every transaction with this message pays before it runs. */
export const intrinsicGasOf = (request: CallRequest): bigint =>
  intrinsicGas({
    type: "EthereumAccessList",
    chainId: 0,
    nonce: 0n,
    gas: 0n,
    gasPrice: 0n,
    ...(request.to !== undefined && { to: request.to }),
    value: request.value ?? 0n,
    input: request.data ?? "0x",
    accessList: request.accessList ?? [],
    signatures: []
  })

const override = async (state: JournalState, address: Hex, account: AccountOverride): Promise<void> => {
  const owner = new Address(bytesOf(address))
  const { balance, code, nonce } = account
  if (nonce !== undefined || balance !== undefined) {
    state.update(address, { ...(nonce !== undefined && { nonce }), ...(balance !== undefined && { balance }) })
  }
  if (code !== undefined) await state.putCode(owner, bytesOf(code))
  if (account.state !== undefined) await state.clearStorage(owner)
  for (const [slot, value] of account.state ?? account.stateDiff ?? []) {
    await state.putStorage(owner, bytesOf(slot), bytesOf(value))
  }
}

/** Puts the overrides of a request in place. */
const preparation = ({ overrides }: CallRequest) =>
  overrides === undefined ? undefined : async (state: JournalState): Promise<void> => {
    for (const [address, account] of overrides) await override(state, address, account)
  }

/** What came of a message. */
export const resultOf = (outcome: Outcome): CallResult => ({
  txError: outcome.fault === undefined ? undefined : txErrorOf(outcome.fault),
  fault: outcome.fault,
  data: fromBytes(outcome.returnValue),
  gasUsed: outcome.gasUsed
})

/** What differs from one run of a request to the next. */
type Run = Pick<Message, "gasLimit"> & Partial<Pick<Message, "accessList" | "touched">>

/** Runs messages at the block of a request. */
export const at = <A>(
  live: ChainState,
  request: CallRequest,
  operation: string,
  use: (view: (run: Run) => Promise<Outcome>) => Promise<A>
): Effect.Effect<A, ReadFailure> =>
  Effect.flatMap(heightOf(live, request.block), (height) =>
    // Never given up half way: the state of another block may be in place.
    Effect.uninterruptible(Effect.tryPromise({
      try: () => {
        const message = messageOf(live, request)
        const prepare = preparation(request)
        return live.views(height, (view) => use((run) => view({ ...message, ...run }, prepare)))
      },
      catch: (cause) => new StoreFailure({ operation, cause })
    })))

/** Runs a message and takes it back. */
export const call = (live: ChainState, request: CallRequest): Effect.Effect<CallResult, ReadFailure> => {
  const gas = request.gas === undefined || request.gas > executionGasLimit ? executionGasLimit : request.gas
  return at(live, request, "call", async (view) => resultOf(await view({ gasLimit: gas })))
}

const isOutOfGas = ({ fault }: Outcome): boolean => fault === "out of gas" || fault === "code store out of gas"

/** The least gas between one that fails and one that suffices. */
const search = async (
  fails: bigint,
  suffices: bigint,
  test: (gas: bigint) => Promise<boolean>
): Promise<bigint> => {
  let [low, high] = [fails, suffices]
  while (low + 1n < high) {
    const middle = (low + high) / 2n
    if (await test(middle)) high = middle
    else low = middle
  }
  return high
}

/**
 * Finds the least gas that suffices, as a node's search between all and nothing does, but from what an execution with
 * plenty used. Most need exactly that; one that hands gas on to another contract needs a little more.
 */
export const estimateGas = (live: ChainState, request: CallRequest): Effect.Effect<GasEstimate, ReadFailure> => {
  const intrinsic = intrinsicGasOf(request)
  const most = intrinsic + executionGasLimit
  const limit = request.gas === undefined || request.gas > most ? most : request.gas
  if (limit < intrinsic) return Effect.succeed({ kind: "tooLittle", limit })
  return at(live, request, "estimateGas", async (view): Promise<GasEstimate> => {
    const plenty = await view({ gasLimit: limit - intrinsic })
    if (plenty.fault !== undefined) {
      return isOutOfGas(plenty) ? { kind: "tooLittle", limit } : { kind: "fails", result: resultOf(plenty) }
    }
    const used = intrinsic + plenty.gasUsed
    const test = async (gas: bigint) => (await view({ gasLimit: gas - intrinsic })).fault === undefined
    if (used >= limit || await test(used)) return { kind: "enough", gas: used }
    // What is kept back when gas is handed on, once.
    const likely = (used + 2_300n) * 64n / 63n
    if (likely >= limit) return { kind: "enough", gas: await search(used, limit, test) }
    const suffices = await test(likely)
    return { kind: "enough", gas: await search(suffices ? used : likely, suffices ? likely : limit, test) }
  })
}
