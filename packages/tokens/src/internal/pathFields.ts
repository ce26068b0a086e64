/** The parts of paths. */
import * as Address from "@effect-klaytn/core/Address"
import * as TokenId from "../TokenId.js"

export const contract = {
  /** The address of the token contract. */
  contract: Address.FromWire
}

export const owner = {
  /** The address of the owner. */
  owner: Address.FromWire
}

export const tokenId = {
  /** The ID of the token. */
  tokenId: TokenId.FromQuantity
}
