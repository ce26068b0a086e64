/** Who owns what, folded from the transfers of a contract alone. */
import type { TransferRecord } from "../../packages/indexer/src/TransferRecord.js"

const nobody = `0x${"0".repeat(40)}`

/** The non-fungible tokens of a contract, last change first. */
export const nftsOf = (newestFirst: ReadonlyArray<TransferRecord>, contract: string) => {
  const tokens = new Map<bigint, {
    tokenId: bigint
    owner: string
    previousOwner: string
    tokenUri: string
    transactionHash: string
    createdAt: number
    updatedAt: number
  }>()
  for (const one of newestFirst.toReversed()) {
    if (one.kind !== "nft" || one.contract.address !== contract) continue
    const { timestamp, transactionHash } = one.transaction
    const createdAt = tokens.get(one.tokenId)?.createdAt ?? timestamp
    // Taken out first: the order of the map is the order of the last changes.
    tokens.delete(one.tokenId)
    tokens.set(one.tokenId, {
      tokenId: one.tokenId,
      owner: one.to,
      previousOwner: one.from,
      // What the generator mints it with.
      tokenUri: `ipfs://picture/${one.tokenId}`,
      transactionHash,
      createdAt,
      updatedAt: timestamp
    })
  }
  return [...tokens.values()].reverse()
}

/** What every owner holds of every multi token of a contract. */
export const heldOf = (transfers: ReadonlyArray<TransferRecord>, contract: string) => {
  const held = new Map<string, { owner: string; tokenId: bigint; balance: bigint }>()
  const move = (owner: string, tokenId: bigint, amount: bigint): void => {
    if (owner === nobody) return
    const key = `${owner} ${tokenId}`
    held.set(key, { owner, tokenId, balance: (held.get(key)?.balance ?? 0n) + amount })
  }
  for (const one of transfers) {
    if (one.kind !== "mt" || one.contract.address !== contract) continue
    one.ids.forEach((id, i) => {
      const amount = one.values[i] ?? 0n
      move(one.from, id, -amount)
      move(one.to, id, amount)
    })
  }
  return [...held.values()].filter(({ balance }) => balance > 0n)
}
