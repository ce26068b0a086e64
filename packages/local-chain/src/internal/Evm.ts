import type { Hardfork } from "@effect-klaytn/transaction/Hardfork"
import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import { largestGas } from "@effect-klaytn/transaction/Transaction"
import { type Common, createCustomCommon, Mainnet } from "@ethereumjs/common"
import { createEVM, type EVM, EVMError, type EVMResult, getOpcodesForHF, paramsEVM } from "@ethereumjs/evm"
import { Address, hexToBytes } from "@ethereumjs/util"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../ChainError.js"
import { ComputationBound, Halted } from "./ComputationBound.js"
import {
  type ComputationMeter,
  countedPrecompiles,
  type Instruction,
  isOver,
  meteredInstructions
} from "./ComputationMeter.js"
import { copyInstructions } from "./copyInstructions.js"
import type { Delegated } from "./delegations.js"
import { noHash } from "./Header.js"
import { InternalTransfers } from "./InternalTransfers.js"
import type { JournalState } from "./JournalState.js"
import { kaiaInstructions, type KaiaRunning, runAsOnKaia } from "./kaiaMachine.js"
import { klaytnPrecompiles } from "./KlaytnPrecompiles.js"
import { MappingKeys } from "./MappingKeys.js"
import { type BlockEnvironment, type Deadline, faultOf, type Message, type Outcome } from "./Message.js"
import { blobFeeOf } from "./NextBlock.js"

const addressOf = (hex: Hex): Address => new Address(hexToBytes(hex))

/** How long an execution runs before it yields to other work, in milliseconds. */
const longestTurn = 25

/** The deadline of an execution that has none. */
const never: Deadline = { at: Number.POSITIVE_INFINITY }

/** The running message, as far as the EVM has no place for it. */
interface Running extends KaiaRunning {
  feePayer: Hex
  meter: ComputationMeter
  deadline: Deadline
  /** How many messages ran, with those that code sent. */
  messages: number
  /** Why the store could not be read for an instruction, if so. */
  failure: StoreFailure | undefined
}

/**
 * Lets the process do other work from time to time. The chain itself stays locked: reads of its state wait for the execution to
 * end, or for its deadline.
 */
const makeTurn = (running: Running) => {
  let since = performance.now()
  return {
    isOver: (): boolean => {
      const now = performance.now()
      if (now > running.deadline.at) throw new Halted("time limit")
      return now - since >= longestTurn
    },
    next: (): Promise<void> =>
      new Promise((resolve) =>
        setImmediate(() => {
          since = performance.now()
          resolve()
        })
      )
  }
}

type Turn = ReturnType<typeof makeTurn>

/** The instruction at the head of every loop, which yields if a turn is over. */
const jumpDestination = (turn: Turn, bound: ComputationBound): Instruction => {
  let seen = 0
  return {
    opcode: 0x5b,
    opcodeName: "JUMPDEST",
    baseFee: 1,
    logicFunction: ({ code, programCounter }) => {
      bound.add(code, programCounter)
      return (++seen & 0xff) === 0 && turn.isOver() ? turn.next() : undefined
    }
  }
}

/** How many bytes are hashed, about, between two looks at whether a turn is over. */
const hashedAtOnce = 65_536

/** The instruction that hashes memory, which yields after so many bytes: a code can hash for minutes without a loop. */
const hashing = (common: Common, turn: Turn): ReadonlyArray<Instruction> => {
  const { dynamicGasHandlers, handlers, opcodes } = getOpcodesForHF(common, [])
  const [run, gasFunction, described] = [handlers.get(0x20), dynamicGasHandlers.get(0x20), opcodes.get(0x20)]
  if (run === undefined || gasFunction === undefined || described === undefined) return []
  let hashed = 0
  return [{
    opcode: 0x20,
    opcodeName: described.name,
    baseFee: described.fee,
    gasFunction,
    logicFunction: (state) => {
      hashed += Number(state.stack.peek(2)[1] ?? 0n)
      if (hashed < hashedAtOnce) return run(state, common)
      hashed = 0
      return turn.isOver() ? turn.next().then(() => run(state, common)) : run(state, common)
    }
  }]
}

/** Counts calls, and yields before each, too: code that calls itself needs no loop. */
const watchCalls = (machine: EVM, turn: Turn, running: Running): void => {
  const runCall = machine.runCall.bind(machine)
  machine.runCall = (options) => {
    running.messages++
    return turn.isOver() ? turn.next().then(() => runCall(options)) : runCall(options)
  }
}

/** Bounds the first stretch of every code that runs. */
const boundCode = (machine: EVM, bound: ComputationBound): void => {
  const run = machine["runInterpreter"].bind(machine)
  machine["runInterpreter"] = (message, options) => {
    if (message.code instanceof Uint8Array) bound.add(message.code, 0)
    return run(message, options)
  }
}

/**
 * Records every address and slot that code accesses: the EVM asks the journal whether each is warm. Of a call, that is the account that
 * is called, and not another one whose code it runs.
 */
const watch = ({ journal }: EVM, running: Running): void => {
  const isWarmedAddress = journal.isWarmedAddress.bind(journal)
  const isWarmedStorage = journal.isWarmedStorage.bind(journal)
  journal.isWarmedAddress = (address) => {
    if (running.asked === undefined || running.asked++ === 0) running.touched?.address(fromBytes(address))
    return isWarmedAddress(address)
  }
  journal.isWarmedStorage = (address, slot) => {
    running.touched?.slot(fromBytes(address), fromBytes(slot))
    return isWarmedStorage(address, slot)
  }
}

/**
 * Lets calls that fail cost the time of their own entries: the EVM's journal copies, for each of them, the entries of all calls
 * before, so that a loop of such calls would take the square of their number.
 */
const revertAlone = ({ journal }: EVM): void => {
  const revert = journal.revert.bind(journal)
  journal.revert = () => {
    const entries = journal["journalDiff"]
    let end = entries.length - 1
    while (end > 0 && (entries[end]?.[0] ?? 0) >= journal["journalHeight"]) end--
    const own = entries.splice(end)
    journal["journalDiff"] = own
    // Up to the state, this is synchronous.
    const reverted = revert()
    entries.push(...journal["journalDiff"])
    journal["journalDiff"] = entries
    return reverted
  }
}

/** Changes the state before a message. The function that it returns runs once the nonce of the sender is raised. */
export type Prepare = (state: JournalState) => Promise<() => Delegated>

/** The EVM that counts computation cost, or the one that does not. */
type MakeMachine = (isMetered: boolean) => Promise<EVM>

/** Runs messages on a state, one at a time, by the rules of a hard fork and with Klaytn's precompiles. */
export class Evm {
  #metered: EVM | undefined
  readonly #internalTransfers: InternalTransfers
  /** Addresses of the precompiles, which are always warm. */
  readonly precompiles: ReadonlyArray<Hex>

  private constructor(
    private readonly plain: EVM,
    private readonly makeMachine: MakeMachine,
    private readonly state: JournalState,
    private readonly running: Running,
    private readonly keys: MappingKeys,
    private readonly bound: ComputationBound,
    /** Whether contracts run as on Kaia 2.2. */
    private readonly isKaia: boolean,
    private readonly hardfork: Hardfork
  ) {
    this.#internalTransfers = new InternalTransfers(plain, state)
    this.precompiles = Array.from(plain.precompiles.keys(), (address): Hex => `0x${address}`)
  }

  static async make(options: {
    readonly chainId: number
    readonly hardfork: Hardfork
    /** Whether contracts run as on Kaia 2.2 where that is not as on Ethereum. */
    readonly isKaia: boolean
    readonly state: JournalState
    readonly curve: Secp256k1
    /** Hash of a block, for the BLOCKHASH instruction. */
    readonly blockHash: (number: number) => Hex | undefined
  }): Promise<Evm> {
    const running: Running = {
      feePayer: "0x",
      touched: undefined,
      asked: undefined,
      isCall: false,
      meter: { cost: 0n },
      deadline: never,
      messages: 0,
      failure: undefined
    }
    const bound = new ComputationBound()
    const keys = new MappingKeys()
    const blockchain = {
      getBlock: async (number: number) => {
        let found: Hex | undefined
        try {
          found = options.blockHash(number)
        } catch (cause) {
          // The message runs on without the hash, and its outcome is dropped: the EVM would take an error for its own.
          running.failure = new StoreFailure({ operation: "blockHash", cause })
        }
        const hash = hexToBytes(found ?? noHash)
        return { hash: () => hash }
      },
      putBlock: async () => {},
      shallowCopy: () => blockchain
    }
    const common = createCustomCommon({ chainId: options.chainId }, Mainnet, {
      hardfork: options.hardfork,
      customCrypto: { keccak256: keys.keccak256 }
    })
    // As an EVM does at its start: the gas of instructions is read below.
    common.updateParams(paramsEVM)
    const turn = makeTurn(running)
    const { hardfork, isKaia, state } = options
    const always = [jumpDestination(turn, bound), ...hashing(common, turn), ...copyInstructions(common, state)]
    const instructions = isKaia ? [...always, ...kaiaInstructions(common, running)] : always
    const precompiles = klaytnPrecompiles({
      state: options.state,
      curve: options.curve,
      feePayer: () => running.feePayer
    })
    const meter = () => running.meter
    const makeMachine: MakeMachine = async (isMetered) => {
      const machine = await createEVM({
        common,
        stateManager: options.state,
        blockchain,
        customOpcodes: isMetered ? meteredInstructions(common, instructions, meter) : instructions,
        customPrecompiles: countedPrecompiles(common, precompiles, {
          hardfork,
          count: (cost, isTooLong) => {
            // Ends what is late, before more work that nothing can end.
            turn.isOver()
            if (isMetered) running.meter.cost += cost
            else bound.spend(Number(cost))
            if (isTooLong) throw new Halted(isMetered && isOver(running.meter) ? "computation limit" : "time limit")
          }
        })
      })
      watch(machine, running)
      revertAlone(machine)
      watchCalls(machine, turn, running)
      boundCode(machine, bound)
      if (isKaia) runAsOnKaia(machine, state, running)
      return machine
    }
    return new Evm(await makeMachine(false), makeMachine, state, running, keys, bound, isKaia, hardfork)
  }

  /**
   * Runs a message whose sender's nonce is already raised, and keeps its changes unless it fails. Every failure of the
   * execution is an outcome. If the database fails, the caller has to undo the message.
   */
  run(message: Message, block: BlockEnvironment): Effect.Effect<Outcome, StoreFailure> {
    return this.#unlessStoreFails(() => this.#limit(message, block))
  }

  /** Runs a message, and reverts its changes and the changes of `prepare` before it. */
  view(message: Message, block: BlockEnvironment, prepare?: Prepare): Effect.Effect<Outcome, StoreFailure> {
    return this.#unlessStoreFails(() => this.#view(message, block, prepare))
  }

  #unlessStoreFails(run: () => Promise<Outcome>): Effect.Effect<Outcome, StoreFailure> {
    return Effect.suspend(() => {
      this.running.failure = undefined
      return Effect.flatMap(Effect.promise(run), (outcome) => {
        const { failure } = this.running
        return failure === undefined ? Effect.succeed(outcome) : Effect.fail(failure)
      })
    })
  }

  /**
   * Runs a message within its limit of computation cost. Most executions are far below: one that the bound shows to be is not
   * counted. Any other is undone and runs again with the meter; a trace has the meter at once.
   */
  async #limit({ computationLimit, ...message }: Message, block: BlockEnvironment): Promise<Outcome> {
    if (computationLimit === undefined) return this.#run(message, block)
    if (message.tracer === undefined) {
      this.bound.left = Number(computationLimit)
      try {
        const outcome = await this.#run(message, block)
        if (outcome.fault !== "computation limit") return outcome
      } finally {
        this.bound.left = Number.POSITIVE_INFINITY
      }
      if (message.internalTransfers !== undefined) message.internalTransfers.length = 0
    }
    const meter: ComputationMeter = { cost: 0n, limit: computationLimit }
    const { depth } = this.state
    await this.state.checkpoint()
    const outcome = await this.#run({ ...message, meter }, block)
    // A precompile that is called by the transaction itself may cost any amount: what ends for its cost is the code after one.
    if (!isOver(meter) || this.#isPrecompile(message.to)) {
      await this.state.commit()
      return outcome
    }
    await this.state.unwind(depth)
    if (message.writes !== undefined) message.writes.length = 0
    if (message.internalTransfers !== undefined) message.internalTransfers.length = 0
    return failed("computation limit", message.gasLimit)
  }

  #isPrecompile(to: Hex | undefined): boolean {
    return to !== undefined && this.precompiles.includes(to)
  }

  async #run(message: Message, block: BlockEnvironment): Promise<Outcome> {
    const machine = message.meter === undefined
      ? this.plain
      : this.#metered ??= await this.makeMachine(true)
    const { journal } = machine
    this.running.feePayer = message.feePayer
    this.running.touched = message.touched
    this.running.isCall = false
    this.running.messages = 0
    this.#internalTransfers.recordTo(message.internalTransfers)
    if (message.meter !== undefined) this.running.meter = message.meter
    this.running.deadline = message.deadline ?? never
    for (const address of this.precompiles) journal.addAlwaysWarmAddress(address)
    journal.addAlwaysWarmAddress(message.from)
    if (this.isKaia) journal.addAlwaysWarmAddress(message.feePayer)
    journal.addAlwaysWarmAddress(block.miner)
    if (message.to !== undefined) journal.addAlwaysWarmAddress(message.to)
    for (const { address, storageKeys } of message.accessList) {
      journal.addAlwaysWarmAddress(address)
      for (const slot of storageKeys) journal.addAlwaysWarmSlot(address, slot)
    }
    const detach = message.tracer?.attach(machine, message.meter)
    try {
      const result = await this.#call(machine, message, block)
      if (result instanceof Halted) return failed(result.reason, message.gasLimit)
      for (const destroyed of result.execResult.selfdestruct?.keys() ?? []) {
        // Since Cancun a contract is destroyed only in the transaction that created it.
        if (result.execResult.createdAddresses?.has(destroyed)) await journal.deleteAccount(addressOf(destroyed))
      }
      if (message.writes !== undefined && result.execResult.exceptionError === undefined) {
        for (const [contract, slot] of this.state.written()) {
          message.writes.push({ contract, keys: this.keys.of(slot) })
        }
      }
      return toOutcome(result, this.running.messages)
    } finally {
      detach?.()
      // Otherwise warm slots and original values of this message would change the gas of the next one.
      this.running.touched = undefined
      this.running.deadline = never
      this.#internalTransfers.recordTo(undefined)
      this.keys.clear()
      await journal.cleanup()
      this.state.originalStorageCache.clear()
      machine.transientStorage.clear()
    }
  }

  async #view(message: Message, block: BlockEnvironment, prepare?: Prepare): Promise<Outcome> {
    await this.state.checkpoint()
    try {
      const delegated = await prepare?.(this.state)
      // The message starts from the prepared state.
      this.state.originalStorageCache.clear()
      for (const address of [message.from, message.to]) {
        if (address !== undefined) message.tracer?.touch(address)
      }
      const account = this.state.accountOrEmpty(message.from)
      this.state.update(message.from, { nonce: account.nonce + 1n })
      const { refund = 0n, warm = [] } = delegated?.() ?? {}
      const outcome = await this.#run({ ...message, accessList: [...message.accessList, ...warm] }, block)
      return { ...outcome, gasRefund: outcome.gasRefund + refund }
    } finally {
      await this.state.revert()
    }
  }

  async #call(machine: EVM, message: Message, block: BlockEnvironment): Promise<EVMResult | Halted> {
    const depth = this.state.depth
    try {
      return await machine.runCall({
        caller: addressOf(message.from),
        origin: addressOf(message.from),
        ...(message.to !== undefined && { to: addressOf(message.to) }),
        value: message.value,
        data: message.data,
        blobVersionedHashes: [...message.blobHashes ?? []],
        gasLimit: message.gasLimit,
        gasPrice: message.gasPrice,
        skipNonceIncrement: true,
        skipBalance: message.skipBalance ?? false,
        block: {
          header: {
            number: BigInt(block.number),
            timestamp: BigInt(block.timestamp),
            coinbase: addressOf(block.miner),
            difficulty: 0n,
            prevRandao: hexToBytes(block.mixHash),
            // The instruction GASLIMIT gives a limit that somebody has set, and else, on Kaia, 0.
            gasLimit: this.isKaia && block.gasLimit === largestGas ? 0n : block.gasLimit,
            baseFeePerGas: block.baseFeePerGas,
            getBlobGasPrice: () => (this.isKaia && blobFeeOf(block.baseFeePerGas, this.hardfork)) || 1n
          }
        }
      })
    } catch (cause) {
      // The EVM throws an error of its own if a creation can't transfer its value, and other errors where it gives up:
      // at what it doesn't support, or when memory runs out. In both cases only this message fails, and is reverted here.
      await this.state.unwind(depth)
      if (cause instanceof Halted) return cause
      return {
        execResult: {
          executionGasUsed: message.gasLimit,
          exceptionError: cause instanceof EVMError ? cause : internalError,
          returnValue: new Uint8Array(0)
        }
      }
    }
  }
}

const internalError = new EVMError("internal error")

/** The outcome of a message that failed and used all of its gas. */
const failed = (fault: Outcome["fault"], gasUsed: bigint): Outcome => ({
  messages: 1,
  gasUsed,
  gasRefund: 0n,
  fault,
  returnValue: new Uint8Array(0),
  logs: [],
  created: undefined
})

const toOutcome = ({ createdAddress, execResult }: EVMResult, messages: number): Outcome => {
  const { exceptionError, executionGasUsed, gasRefund = 0n, logs = [], returnValue } = execResult
  const hasFailed = exceptionError !== undefined
  return {
    messages,
    gasUsed: executionGasUsed,
    gasRefund: hasFailed ? 0n : gasRefund,
    fault: faultOf(exceptionError),
    returnValue,
    logs: logs.map(([address, topics, data]) => ({ address: fromBytes(address), topics: topics.map(fromBytes), data })),
    created: hasFailed ? undefined : createdAddress?.toString()
  }
}
