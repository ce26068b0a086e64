import { fromBytes, type Hex } from "@effect-klaytn/transaction/Hex"
import { RLP } from "@ethereumjs/rlp"
import { blob } from "../store/Column.js"

type Item = Uint8Array | Array<Item>

const none = new Uint8Array(0)

/** What stands in a transaction where nobody has signed yet. */
const unsigned = [[Uint8Array.of(1), none, none]]

const nobody = new Uint8Array(20)

const isBytes = (item: Item | undefined): item is Uint8Array => item instanceof Uint8Array

/** A chain, and two empty places where a signature would be: the end of all that is signed. */
const isEnd = (chain: Item | undefined, r: Item | undefined, s: Item | undefined, chainId: number): boolean =>
  isBytes(chain) && BigInt(fromBytes(chain) === "0x" ? 0 : fromBytes(chain)) === BigInt(chainId) &&
  isBytes(r) && r.length === 0 && isBytes(s) && s.length === 0

/** A type whose fee somebody else pays ends in 1 or 2. */
const isFeeDelegated = (type: number): boolean => (type & 7) !== 0

/**
 * The transaction of a `SigRLP`, the bytes that its sender signs, which is the unsigned form of a transaction that the
 * service's paths for raw transactions take. Nothing if the bytes are none, or are for another chain.
 */
export const fromSigRlp = (rlp: Hex, chainId: number): Hex | undefined => {
  try {
    const items: Item = RLP.decode(blob(rlp))
    if (isBytes(items)) return undefined
    if (items.length === 9 && isEnd(items[6], items[7], items[8], chainId)) {
      return fromBytes(RLP.encode([...items.slice(0, 6), ...unsigned.flat()]))
    }
    const [inner, chain, r, s] = items
    if (items.length !== 4 || !isBytes(inner) || !isEnd(chain, r, s, chainId)) return undefined
    const body: Item = RLP.decode(inner)
    if (isBytes(body)) return undefined
    const [type, ...fields] = body
    if (!isBytes(type) || type.length !== 1) return undefined
    const [number = 0] = type
    const payer = isFeeDelegated(number) ? [nobody, unsigned] : []
    const written = RLP.encode([...fields, unsigned, ...payer])
    return fromBytes(Uint8Array.of(number, ...written))
  } catch {
    // Bytes that are no RLP.
    return undefined
  }
}
