/**
 * Test vectors that EIP-7951 publishes for its precompile (`assets/eip-7951/test-vectors.json` of the repository
 * `ethereum/EIPs`, CC0; most of them from the project Wycheproof): the first 28 and some of the last. Its price of gas is that
 * of the final EIP; the file has an older one.
 */

const digest = "bb5a52f42f9c9261ed4361f59422a1e30036e7c32b270c8807a419feca605023"
const key =
  "2927b10512bae3eddcfe467828128bad2903269919f7086069c8c4df6c732838c7787964eaac00e5921fb1498a60f4606766b3d9685001558d1a974e7341513e"

// The order of the group and the prime of the field, and numbers beside them.
const order = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"
const belowOrder = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"
const aboveOrder = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552"
const prime = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
const abovePrime = "ffffffff00000001000000000000000000000001000000000000000000000000"
const zero = "".padStart(64, "0")
const one = "1".padStart(64, "0")

/** A signature that must be refused: its two numbers. */
const refused: ReadonlyArray<readonly [number: number, r: string, s: string]> = [
  [
    3,
    "d45c5740946b2a147f59262ee6f5bc90bd01ed280528b62b3aed5fc93f06f739",
    "b329f479a2bbd0a5c384ee1493b1f5186a87139cac5df4087c134b49156847db"
  ],
  [
    5,
    "d45c5741946b2a137f59262ee6f5bc91001af27a5e1117a64733950642a3d1e8",
    "b329f479a2bbd0a5c384ee1493b1f5186a87139cac5df4087c134b49156847db"
  ],
  [
    8,
    "2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e18",
    "4cd60b865d442f5a3c7b11eb6c4e0ae79578ec6353a20bf783ecb4b6ea97b825"
  ],
  ...[zero, one, order, belowOrder, aboveOrder, prime, abovePrime].map((s, index) => [9 + index, zero, s] as const),
  ...[zero, one, order, belowOrder, aboveOrder, prime, abovePrime].map((s, index) => [16 + index, one, s] as const),
  ...[zero, one, order, belowOrder, aboveOrder, prime, abovePrime].map((s, index) => [23 + index, order, s] as const),
  ...[zero, one, order].map((s, index) => [30 + index, belowOrder, s] as const)
]

const otherDigest = "2f77668a9dfbf8d5848b9eeb4a7145ca94c6ed9236e4a773f6dcafa5132b2f91"
const smallX =
  "00000003fa15f963949d5f03a6f5c7f86f9e0015eeb23aebbff1173937ba748e1099872070e8e87c555fa13659cca5d7fadcfcb0023ea889548ca48af2ba7e71"
const largeX =
  "fffffff948081e6a0458dd8f9e738f2665ff9059ad6aac0708318c4ca9a7a4f55a8abcba2dda8474311ee54149b973cae0c0fb89557ad0bf78e6529a1663bd73"
const x = "bcbb2914c79f045eaa6ecbbc612816b3be5d2d6796707d8125e9f851c18af015"
const smallY = `${x}000000001352bb4a0fa2ea4cceb9ab63dd684ade5a1127bcf300a698a7193bc2`
const y = "fffffffeecad44b6f05d15b33146549c2297b522a5eed8430cff596758e6c43d"
const last =
  "70bebe684cdcb5ca72a42f0d873879359bd1781a591809947628d313a3814f67aec03aca8f5587a4d535fa31027bbe9cc0e464b1c3577f4c2dcde6b2094798a9"

/** A digest, a signature and a key, and whether the signature is the key's. */
export type P256Vector = readonly [name: string, input: string, isValid: boolean]

export const p256Vectors: ReadonlyArray<P256Vector> = [
  [
    "#1: signature malleability",
    digest +
    "2ba3a8be6b94d5ec80a6d9d1190a436effe50d85a1eee859b8cc6af9bd5c2e184cd60b855d442f5b3c7b11eb6c4e0ae7525fe710fab9aa7c77a67f79e6fadd76" +
    key,
    true
  ],
  ...refused.map(([number, r, s]): P256Vector => [`#${number}`, digest + r + s + key, false]),
  [
    "webcrypto #303: x-coordinate of the public key is small",
    otherDigest +
    "b7c81457d4aeb6aa65957098569f0479710ad7f6595d5874c35a93d12a5dd4c7b7961a0b652878c2d568069a432ca18a1a9199f2ca574dad4b9e3a05c0a1cdb3" +
    smallX,
    true
  ],
  [
    "webcrypto #300: x-coordinate of the public key is large",
    otherDigest +
    "766456dce1857c906f9996af729339464d27e9d98edc2d0e3b760297067421f6402385ecadae0d8081dccaf5d19037ec4e55376eced699e93646bfbbf19d0b41" +
    largeX,
    true
  ],
  [
    "webcrypto #306: y-coordinate of the public key is small",
    otherDigest +
    "31230428405560dcb88fb5a646836aea9b23a23dd973dcbe8014c87b8b20eb070f9344d6e812ce166646747694a41b0aaf97374e19f3c5fb8bd7ae3d9bd0beff" +
    smallY,
    true
  ],
  ["webcrypto #311: y-coordinate of the public key is large", otherDigest + last + x + y, true],
  ["invalid public key x param errors", otherDigest + last + zero + y, false],
  ["invalid public key y param errors", otherDigest + last + x + zero, false],
  ["reference point errors", otherDigest + last + zero + zero, false]
]

/** The price of each call. */
export const p256Gas = 6900n
