/** Input fields that operations share. */
import * as Address from "@effect-klaytn/core/Address"
import * as TokenId from "../TokenId.js"

export const contract = { contract: Address.FromInput }

export const owner = { owner: Address.FromInput }

export const tokenId = { tokenId: TokenId.TokenId }
