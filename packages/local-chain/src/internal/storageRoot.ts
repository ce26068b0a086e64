import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { MerklePatriciaTrie } from "@ethereumjs/mpt"
import { RLP } from "@ethereumjs/rlp"
import { hexToBytes, unpadBytes } from "@ethereumjs/util"
import * as Effect from "effect/Effect"

/** The root of the trie of a storage. */
export const rootOf = (storage: ReadonlyMap<Hex, Hex>): Effect.Effect<Hex> =>
  Effect.promise(async () => {
    const trie = new MerklePatriciaTrie({ useKeyHashing: true })
    for (const [slot, value] of storage) await trie.put(hexToBytes(slot), RLP.encode(unpadBytes(hexToBytes(value))))
    return fromBytes(trie.root())
  })
