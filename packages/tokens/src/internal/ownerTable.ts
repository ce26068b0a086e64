/** Reads the complete table of owners from the lists. */
import type { StreamError } from "@effect-klaytn/core/ServiceError"
import * as Stream from "effect/Stream"
import type { MtToken, Nft } from "../Token.js"
import { TokenData } from "../TokenData.js"

export interface TableOptions {
  readonly contract: string
  readonly size?: number | undefined
  readonly concurrency?: number | undefined
}

const largestSize = 1000

export const ofNft = ({ contract, size = largestSize }: TableOptions): Stream.Stream<Nft, StreamError, TokenData> =>
  Stream.flatMap(TokenData, (tokens) => tokens.getNftsByContractAddress.items({ contract, size }))

/** Reads every token of the contract and every owner of each. */
export const ofMt = (
  { concurrency = 4, contract, size = largestSize }: TableOptions
): Stream.Stream<MtToken, StreamError, TokenData> =>
  Stream.flatMap(TokenData, (tokens) =>
    tokens.getMtsByContractAddress.items({ contract, size }).pipe(
      Stream.flatMap(
        ({ tokenId }) => tokens.getMtTokensByContractAddressAndTokenId.items({ contract, tokenId, size }),
        { concurrency }
      )
    ))
