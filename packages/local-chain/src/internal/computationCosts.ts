/**
 * The costs of instructions and precompiles in the chain's count of computation, which stands for the time they take. Origin of
 * all figures: stored versions of the chain's source later than 2.2.1 (`params/computation_cost_params.go`,
 * `blockchain/vm/jump_table.go`, `eips.go` and `contracts.go`), as every block since its Cancun upgrade counts them. The
 * figures for P256 and CLZ are those of the table "Computation Cost" in the chain's documentation. The files of 2.2.1
 * itself were not read, so its figures may differ.
 */
import { type Hardfork, includes } from "@effect-klaytn/transaction/Hardfork"
import * as BigInteger from "effect/BigInt"
import { byInstruction } from "./byInstruction.js"

/** The cost of each instruction, by its number. */
export const instructionCosts: ReadonlyMap<number, bigint> = byInstruction(BigInt, [
  // STOP to SIGNEXTEND
  [0x00, [0, 150, 200, 219, 404, 360, 320, 560, 360, 700, 720, 481]],
  // LT to CLZ, which has no cost
  [0x10, [201, 264, 176, 222, 220, 165, 288, 160, 454, 364, 589, 478, 498, 834, 0]],
  // KECCAK256
  [0x20, [560]],
  // ADDRESS to EXTCODEHASH
  [0x30, [284, 1407, 210, 188, 149, 596, 194, 100, 145, 898, 131, 1481, 1000, 10, 40, 1000]],
  // BLOCKHASH to BLOBBASEFEE
  [0x40, [500, 189, 265, 202, 1498, 166, 120, 374, 198, 165, 120]],
  // POP to PUSH0
  [0x50, [140, 376, 288, 230, 2550, 2510, 253, 176, 147, 137, 230, 10, 220, 280, 250, 80]],
  // PUSH1 to PUSH32
  [0x60, Array.from({ length: 32 }, () => 120)],
  // DUP1 to DUP16
  [0x80, [190, 190, 176, 142, 177, 165, 147, 157, 138, 174, 141, 144, 157, 143, 237, 149]],
  // SWAP1 to SWAP16
  [0x90, [141, 156, 145, 135, 115, 146, 199, 130, 160, 134, 147, 128, 121, 114, 197, 128]],
  // LOG0 to LOG4
  [0xa0, [100, 500, 500, 500, 500]],
  // CREATE to CREATE2
  [0xf0, [2094, 5000, 4000, 0, 696, 10_000]],
  // STATICCALL, REVERT and SELFDESTRUCT
  [0xfa, [10_000]],
  [0xfd, [0]],
  [0xff, [0]]
])

/** The reads of other accounts and the calls. */
const accountReads = [0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa]

/**
 * The gas of an instruction that an execution must have for the chain to count it, where that is not the fixed part of its
 * gas: the chain charges reads of accounts as warm first, and EXP and logs at once, with the part for their operands.
 */
export const gasBeforeCost: ReadonlyMap<number, bigint> = new Map<number, bigint>([
  ...accountReads.map((instruction) => [instruction, 100n] as const),
  ...[0x0a, 0xa0, 0xa1, 0xa2, 0xa3, 0xa4].map((instruction) => [instruction, 0n] as const)
])

/** Data of a precompile as a number; bytes past its end are zeros. */
const numberAt = (data: Uint8Array, start: number, length: number): bigint => {
  const bytes = Buffer.alloc(length)
  bytes.set(data.subarray(start, start + length))
  return length === 0 ? 0n : BigInt(`0x${bytes.toString("hex")}`)
}

const most64 = 2n ** 64n - 1n

const atMost64 = BigInteger.min(most64)

/** The first 32 bytes of the exponent, if the data reaches it. */
const exponentHead = (data: Uint8Array, base: bigint, exponent: bigint): bigint => {
  const operands = BigInt(Math.max(0, data.length - 96))
  return operands > base ? numberAt(data, 96 + Number(base), exponent > 32n ? 32 : Number(exponent)) : 0n
}

/** The gas of a modular exponentiation: by EIP-7883 since Osaka, by EIP-2565 before. Where 64 bits don't hold it, the most. */
const modexpGas = (data: Uint8Array, hardfork: Hardfork): bigint => {
  const isOsaka = includes(hardfork, "osaka")
  const lengthAt = (start: number): bigint => atMost64(numberAt(data, start, 32))
  const [base, exponent] = [lengthAt(0), lengthAt(32)]
  const longest = BigInteger.max(base, lengthAt(64))
  const words = ((longest + 7n) / 8n) ** 2n
  const complexity = atMost64(!isOsaka ? words : longest <= 32n ? 16n : 2n * words)
  if (complexity === most64) return most64
  const head = exponentHead(data, base, exponent)
  const bits = head === 0n ? 0n : BigInt(head.toString(2).length - 1)
  const tail = exponent > 32n ? (exponent - 32n) * (isOsaka ? 16n : 8n) : 0n
  const gas = complexity * BigInteger.max(atMost64(tail + bits), 1n)
  if (gas > most64) return most64
  return isOsaka ? BigInteger.max(gas, 500n) : BigInteger.max(gas / 3n, 200n)
}

/** Thousandths of a multiplication that one of k pairs of a multi-exponentiation costs (EIP-2537), from k = 1 to 128. */
const discounts = {
  g1: [
    ...[1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677, 673, 669, 665, 661, 658, 654],
    ...[651, 648, 645, 642, 640, 637, 635, 632, 630, 627, 625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604],
    ...[603, 601, 599, 598, 596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576, 575, 574],
    ...[573, 572, 570, 569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 551],
    ...[550, 549, 548, 547, 547, 546, 545, 544, 543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532],
    ...[532, 531, 530, 529, 528, 528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519]
  ],
  g2: [
    ...[1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717, 711, 704, 699, 693, 688, 683],
    ...[679, 674, 670, 666, 663, 659, 655, 652, 649, 646, 643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615],
    ...[613, 611, 609, 607, 606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582, 580, 579],
    ...[578, 576, 575, 574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554],
    ...[553, 552, 552, 551, 550, 549, 548, 547, 546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536],
    ...[535, 535, 534, 533, 532, 532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524]
  ]
} as const

const multiExponentiation = (
  data: Uint8Array,
  { bytes, cost, table }: { readonly bytes: number; readonly cost: number; readonly table: ReadonlyArray<number> }
): bigint => {
  const pairs = Math.floor(data.length / bytes)
  const discount = table[Math.min(pairs, table.length) - 1] ?? 0
  return BigInt(pairs) * BigInt(cost) * BigInt(discount) / 1000n
}

/** A cost that does not depend on the data. */
const fixed = (cost: number) => (): bigint => BigInt(cost)

/** A cost for each full or partial piece of the data, and one besides. */
const perStarted = (bytes: number, each: number, base: number) => (data: Uint8Array): bigint =>
  BigInt(Math.ceil(data.length / bytes) * each + base)

/** A cost for each full piece of the data, and one besides. */
const perFull = (bytes: number, each: number, base: number) => (data: Uint8Array): bigint =>
  BigInt(Math.floor(data.length / bytes) * each + base)

const precompileCosts: ReadonlyMap<number, (data: Uint8Array, hardfork: Hardfork) => bigint> = new Map([
  [0x01, fixed(113_150)],
  [0x02, perStarted(32, 100, 1000)],
  [0x03, perStarted(32, 10, 100)],
  [0x04, fixed(0)],
  [0x05, (data: Uint8Array, hardfork: Hardfork) => modexpGas(data, hardfork) / 100n + 100n],
  [0x06, fixed(8000)],
  [0x07, fixed(100_000)],
  [0x08, perFull(192, 1_000_000, 2_000_000)],
  [0x09, (data: Uint8Array) => data.length === 213 ? numberAt(data, 0, 4) * 10n + 10_000n : 0n],
  [0x0a, fixed(2_200_000)],
  [0x0b, fixed(18_750)],
  [0x0c, (data: Uint8Array) => multiExponentiation(data, { bytes: 160, cost: 600_000, table: discounts.g1 })],
  [0x0d, fixed(30_000)],
  [0x0e, (data: Uint8Array) => multiExponentiation(data, { bytes: 288, cost: 1_125_000, table: discounts.g2 })],
  [0x0f, perFull(384, 1_630_000, 1_885_000)],
  [0x10, fixed(275_000)],
  [0x11, fixed(1_190_000)],
  [0x100, fixed(235_000)],
  [0x3fd, fixed(10)],
  [0x3fe, fixed(10)],
  [0x3ff, perFull(65, 180_000, 10_000)]
])

/** The cost of a call of the precompile with this number, whether or not it has the gas. */
export const precompileCost = (precompile: number, data: Uint8Array, hardfork: Hardfork): bigint =>
  precompileCosts.get(precompile)?.(data, hardfork) ?? 0n
