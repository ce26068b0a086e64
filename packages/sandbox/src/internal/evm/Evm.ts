import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import type { Secp256k1 } from "@effect-klaytn/transaction/Secp256k1"
import { createCustomCommon, Hardfork, Mainnet } from "@ethereumjs/common"
import { createEVM, type EVM, EVMError, type EVMOpts, type EVMResult } from "@ethereumjs/evm"
import { Address, hexToBytes } from "@ethereumjs/util"
import { StoreFailure } from "../../ChainError.js"
import type { JournalState } from "../state/JournalState.js"
import { klaytnPrecompiles } from "./KlaytnPrecompiles.js"
import { MappingKeys } from "./MappingKeys.js"
import { type BlockEnvironment, type Message, type Outcome, randaoOf } from "./Message.js"
import type { Touched } from "./Touched.js"

/** Gas limit of every block as Ethereum-shaped blocks show it: the constant of the node. */
export const blockGasLimit = 999_999_999_999n

const zeroAddress = new Address(new Uint8Array(20))
const addressOf = (hex: Hex): Address => new Address(hexToBytes(hex))

/** How long an execution goes on before others have their turn, milliseconds. */
const longestTurn = 25

/**
 * The instruction at the head of every loop, which gives way now and then: while it waits, the process answers others.
 * The chain of the execution does not; whoever looks at its state waits for its end.
 */
const jumpDestination = (): NonNullable<EVMOpts["customOpcodes"]>[number] => {
  let seen = 0
  let since = performance.now()
  return {
    opcode: 0x5b,
    opcodeName: "JUMPDEST",
    baseFee: 1,
    logicFunction: () => {
      if ((++seen & 0xff) !== 0 || performance.now() - since < longestTurn) return
      return new Promise<void>((resolve) =>
        setImmediate(() => {
          since = performance.now()
          resolve()
        })
      )
    }
  }
}

/** What the running message has to do with others than the EVM. */
interface Running {
  feePayer: Hex
  touched: Touched | undefined
}

/** Tells of every address and slot that code asks for: the journal hears of it first, to know whether it is warm. */
const watch = ({ journal }: EVM, running: Running): void => {
  const isWarmedAddress = journal.isWarmedAddress.bind(journal)
  const isWarmedStorage = journal.isWarmedStorage.bind(journal)
  journal.isWarmedAddress = (address) => {
    running.touched?.address(fromBytes(address))
    return isWarmedAddress(address)
  }
  journal.isWarmedStorage = (address, slot) => {
    running.touched?.slot(fromBytes(address), fromBytes(slot))
    return isWarmedStorage(address, slot)
  }
}

/** Runs messages on a state by the rules of Cancun with Klaytn's precompiles. One message at a time. */
export class Evm {
  readonly #evm: EVM
  readonly #state: JournalState
  readonly #running: Running
  readonly #keys: MappingKeys
  /** Addresses of the precompiles, which are warm for everybody. */
  readonly precompiles: ReadonlyArray<Hex>

  private constructor(evm: EVM, state: JournalState, running: Running, keys: MappingKeys) {
    this.#evm = evm
    this.#state = state
    this.#running = running
    this.#keys = keys
    this.precompiles = Array.from(evm.precompiles.keys(), (address): Hex => `0x${address}`)
    watch(evm, running)
  }

  static async make(options: {
    readonly chainId: number
    readonly state: JournalState
    readonly curve: Secp256k1
    /** Hash of a block, for the BLOCKHASH instruction. */
    readonly blockHash: (number: number) => Hex | undefined
  }): Promise<Evm> {
    const running: Running = { feePayer: "0x", touched: undefined }
    const keys = new MappingKeys()
    const blockchain = {
      getBlock: async (number: number) => {
        const hash = hexToBytes(stored(() => options.blockHash(number)) ?? fromBytes(new Uint8Array(32)))
        return { hash: () => hash }
      },
      putBlock: async () => {},
      shallowCopy: () => blockchain
    }
    const evm = await createEVM({
      common: createCustomCommon({ chainId: options.chainId }, Mainnet, {
        hardfork: Hardfork.Cancun,
        customCrypto: { keccak256: keys.keccak256 }
      }),
      stateManager: options.state,
      blockchain,
      customOpcodes: [jumpDestination()],
      customPrecompiles: klaytnPrecompiles({
        state: options.state,
        curve: options.curve,
        feePayer: () => running.feePayer
      })
    })
    return new Evm(evm, options.state, running, keys)
  }

  /**
   * Runs a message; its changes stay, unless it fails. The nonce of the caller was raised before. Whatever goes wrong
   * inside is a failed outcome; only the database can make it throw, with a {@link StoreFailure}.
   */
  async run(message: Message, block: BlockEnvironment): Promise<Outcome> {
    const { journal } = this.#evm
    this.#running.feePayer = message.feePayer
    this.#running.touched = message.touched
    for (const address of this.precompiles) journal.addAlwaysWarmAddress(address)
    journal.addAlwaysWarmAddress(message.from)
    journal.addAlwaysWarmAddress(zeroAddress.toString())
    if (message.to !== undefined) journal.addAlwaysWarmAddress(message.to)
    for (const { address, storageKeys } of message.accessList) {
      journal.addAlwaysWarmAddress(address)
      for (const slot of storageKeys) journal.addAlwaysWarmSlot(address, slot)
    }
    try {
      const result = await this.#call(message, block)
      for (const destroyed of result.execResult.selfdestruct?.keys() ?? []) {
        // Since Cancun a contract vanishes only in the transaction that made it.
        if (result.execResult.createdAddresses?.has(destroyed)) await journal.deleteAccount(addressOf(destroyed))
      }
      if (result.execResult.exceptionError === undefined) {
        for (const [contract, slot] of message.writes === undefined ? [] : this.#state.written()) {
          message.writes?.push({ contract, keys: this.#keys.of(slot) })
        }
      }
      return outcomeOf(result)
    } finally {
      // Without both, warm slots and original values of this transaction would leak into the next one's gas.
      this.#running.touched = undefined
      this.#keys.clear()
      await journal.cleanup()
      this.#state.originalStorageCache.clear()
      this.#evm.transientStorage.clear()
    }
  }

  /** Runs a message and takes all of it back, with whatever `prepare` did to the state before. */
  async view(
    message: Message,
    block: BlockEnvironment,
    prepare?: (state: JournalState) => Promise<void>
  ): Promise<Outcome> {
    await this.#state.checkpoint()
    try {
      await prepare?.(this.#state)
      // What was there before is what the message begins with.
      this.#state.originalStorageCache.clear()
      const account = this.#state.accountOrEmpty(message.from)
      this.#state.update(message.from, { nonce: account.nonce + 1n })
      return await this.run(message, block)
    } finally {
      await this.#state.revert()
    }
  }

  async #call(message: Message, block: BlockEnvironment): Promise<EVMResult> {
    const depth = this.#state.depth
    try {
      return await this.#evm.runCall({
        caller: addressOf(message.from),
        origin: addressOf(message.from),
        ...(message.to !== undefined && { to: addressOf(message.to) }),
        value: message.value,
        data: message.data,
        gasLimit: message.gasLimit,
        gasPrice: message.gasPrice,
        skipNonceIncrement: true,
        skipBalance: message.skipBalance ?? false,
        block: {
          header: {
            number: BigInt(block.number),
            timestamp: BigInt(block.timestamp),
            coinbase: zeroAddress,
            difficulty: 0n,
            prevRandao: randaoOf(block.parentHash),
            gasLimit: blockGasLimit,
            baseFeePerGas: block.unitPrice,
            getBlobGasPrice: () => 1n
          }
        }
      })
    } catch (cause) {
      if (cause instanceof StoreFailure) throw cause
      // The EVM throws its own errors where a creation can't move its value, and others where it gives up: at what it
      // can't do, or has no memory for. Either is the message's fault alone. What it began is taken back here.
      await this.#state.unwind(depth)
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

/** Reads the store for an instruction. A database that fails is nobody's fault in the EVM, and is told apart there. */
const stored = <A>(read: () => A): A => {
  try {
    return read()
  } catch (cause) {
    throw new StoreFailure({ operation: "blockHash", cause })
  }
}

const outcomeOf = ({ createdAddress, execResult }: EVMResult): Outcome => ({
  gasUsed: execResult.executionGasUsed,
  gasRefund: execResult.gasRefund ?? 0n,
  // Here too a foreign error may stand, without words of the EVM's own.
  fault: execResult.exceptionError === undefined ? undefined : execResult.exceptionError.error ?? internalError.error,
  returnValue: execResult.returnValue,
  logs: (execResult.logs ?? []).map(([address, topics, data]) => ({
    address: fromBytes(address),
    topics: topics.map(fromBytes),
    data
  })),
  created: execResult.exceptionError === undefined ? createdAddress?.toString() : undefined
})
