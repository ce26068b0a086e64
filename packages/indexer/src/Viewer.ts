/**
 * The state at the end of a block, as far as the index asks for it.
 */
import type { Hex } from "@effect-klaytn/transaction/Hex"
import type * as Effect from "effect/Effect"

/**
 * A call of a contract without value, from the zero address.
 *
 * @category models
 */
export interface ContractCall {
  readonly to: Hex
  readonly data: Uint8Array
  /** Gas for the execution itself, without what a transaction pays before it runs. */
  readonly gas: bigint
}

/**
 * The answer to a call: bytes, the contract's refusal, or that it did not end.
 *
 * @category models
 */
export interface Answer {
  readonly kind: "returned" | "refused" | "failed"
  /** Empty unless the kind is `returned`. */
  readonly data: Uint8Array
  /**
   * The gas used, as far as the source knows. `eth_call` does not return it: 0 then, and all of the gas if it ran out.
   * It counts against what a block's contracts may be asked.
   */
  readonly gasUsed: bigint
}

/**
 * The state at the end of one block, for calls that change nothing.
 *
 * The token index calls contracts about themselves and about their holders. The EVM of a chain implements it for the
 * block that is being built, a client of a node by `klay_call` and `klay_getCode` at the block's hash.
 *
 * @category services
 */
export interface Viewer<E = never> {
  /**
   * Whether the state belongs to a later block, because the source no longer has the state of the block itself. That may
   * change while the block is read. Default: false.
   */
  readonly isLater?: boolean | undefined
  readonly call: (call: ContractCall) => Effect.Effect<Answer, E>
  /**
   * Makes many calls, and returns the answers in their order: for a source that takes many in one request, as a node does.
   * Lists of calls that are made at the same time are put together by Effect's batching of requests. Default: none, for a
   * source that makes one call at a time, as an EVM does.
   */
  readonly callAll?: ((calls: ReadonlyArray<ContractCall>) => Effect.Effect<ReadonlyArray<Answer>, E>) | undefined
  /** The code of a contract; empty for any other address. */
  readonly code: (address: Hex) => Effect.Effect<Uint8Array, E>
}
