/**
 * The keys of the transactions, logs and transfers in a block.
 */

/**
 * Keys of things inside a block contain the block's number: `number * 2^20 + position`. They sort in the order of the
 * chain, two of them bound a range of blocks, and they stay below 2^53 for 2^33 blocks.
 *
 * @category keys
 */
export const slotsPerBlock = 2 ** 20

/**
 * The highest block whose keys are exact numbers.
 *
 * @category keys
 */
export const highestBlock = 2 ** 33 - 1

/**
 * Whether a position of a block has a key; the key after the last one belongs to the next block.
 *
 * @category keys
 */
export const hasKey = (block: number, position: number): boolean =>
  block >= 0 && block <= highestBlock && position >= 0 && position < slotsPerBlock

/**
 * The key of a position in a block. Throws if there is none.
 *
 * @category keys
 */
export const keyOf = (block: number, position: number): number => {
  if (!hasKey(block, position)) throw new RangeError(`there is no key for position ${position} of block ${block}`)
  return block * slotsPerBlock + position
}

/**
 * The block of a key.
 *
 * @category keys
 */
export const blockOf = (key: number): number => Math.floor(key / slotsPerBlock)

/**
 * The position of a key inside its block.
 *
 * @category keys
 */
export const positionOf = (key: number): number => key % slotsPerBlock
