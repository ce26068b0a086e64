import { zeroHash } from "@effect-klaytn/custody/TransactionFields"
import type { BlockRecord } from "@effect-klaytn/indexer/BlockRecord"
import { zeroAddress } from "@effect-klaytn/transaction/Hex"
import * as Effect from "effect/Effect"
import type { Chain } from "../../Chain.js"
import { klayBlock, klayReceipts, withBlobGas } from "./blocks.js"
import { blockNumber, find, type NumberSelector } from "./BlockSelector.js"
import { failure, type Method, method, type Methods } from "./Method.js"
import { hash, optional } from "./ParamDecoder.js"

/** Who agreed on a block: the one validator, and none on the genesis block. Headers have no seals, so both hashes are one. */
const agreement = ({ validator }: Chain, { hash, number }: BlockRecord) => {
  const members = number === 0 ? null : [validator]
  return {
    committee: members,
    committers: members,
    proposer: number === 0 ? zeroAddress : validator,
    originProposer: number === 0 ? null : validator,
    round: 0,
    sigHash: number === 0 ? zeroHash : hash
  }
}

/** A block with who agreed on it. */
export const consensusBlock = (chain: Chain) => (block: BlockRecord) =>
  Effect.zipWith(klayReceipts(chain)(block), withBlobGas(chain, block), (receipts, shown) => ({
    ...klayBlock(shown, chain, receipts),
    ...agreement(chain, block)
  }))

/** What holds at a block that there is. */
export const at = <A>(answer: (chain: Chain) => A) =>
  method(
    [optional(blockNumber)],
    (chain, number: NumberSelector = "latest") =>
      Effect.flatMap(chain.head, (head) =>
        typeof number === "bigint" && number > BigInt(head.number)
          ? unknownBlock
          : Effect.succeed(answer(chain)))
  )

const unknownBlock = failure("unknown block")

/** The same of a committee, which is drawn for a block that there is. */
const ofCommittee = <A>(answer: (chain: Chain) => A): Method => (chain, params) =>
  params[0] === "pending" ? failure("pending is not allowed") : at(answer)(chain, params)

/** The validators of a chain that one process builds. */
export const consensusMethods: Methods = {
  getCouncil: at(({ validator }) => [validator]),
  getCouncilSize: at(() => 1),
  getCommittee: ofCommittee(({ validator }) => [validator]),
  getCommitteeSize: ofCommittee(() => 1),
  nodeAddress: method([], ({ validator }) => Effect.succeed(validator)),
  getBlockWithConsensusInfoByNumber: method(
    [optional(blockNumber)],
    (chain, number) =>
      number === undefined
        ? Effect.fail(failure("block number is not assigned"))
        : Effect.flatMap(find(chain, number, "block"), consensusBlock(chain))
  ),
  getBlockWithConsensusInfoByHash: method(
    [hash],
    (chain, wanted) => Effect.flatMap(find(chain, { hash: wanted }, "block"), consensusBlock(chain))
  )
}
