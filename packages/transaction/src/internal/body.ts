import type { AccessListEntry } from "../TransactionBody.js"
import type { TransactionType } from "../TransactionType.js"
import * as accountKey from "./accountKey.js"
import type { Faults } from "./faults.js"
import * as fields from "./fields.js"
import { type Field, type Fields, layouts } from "./layout.js"
import type { Encodable, Item } from "./rlp.js"

const maxChainId = Number.MAX_SAFE_INTEGER

/** Writes the fields between the type byte and the signatures. */
export const write = (type: TransactionType, source: Fields, faults: Faults): Array<Encodable> =>
  layouts[type].map((field) => writeField(field, source, faults))

const writeField = (field: Field, source: Fields, faults: Faults): Encodable => {
  switch (field) {
    case "nonce":
    case "gas":
      return fields.writeQuantity(source[field], fields.uint64, field, faults)
    case "gasPrice":
    case "maxPriorityFeePerGas":
    case "maxFeePerGas":
    case "value":
      return fields.writeQuantity(source[field], fields.uint256, field, faults)
    case "to":
    case "from":
      return fields.writeFixed(source[field], 20, field, faults)
    case "creation":
      return source.to === undefined ? new Uint8Array(0) : fields.writeFixed(source.to, 20, "to", faults)
    case "input":
      return fields.writeBytes(source.input, field, faults)
    case "key":
      rejectNil(source.key?.type, faults)
      return accountKey.write(source.key, field, faults)
    case "humanReadable":
      return fields.writeBoolean(source.humanReadable, field, faults)
    case "feeRatio":
      return fields.writeNumber(source.feeRatio, 1, 99, field, faults)
    case "codeFormat":
      return fields.writeNumber(source.codeFormat, 0, 255, field, faults)
    case "chainId":
      return writeChainId(source.chainId, faults)
    case "accessList":
      return writeAccessList(source.accessList, faults)
  }
}

export const writeChainId = (chainId: number | undefined, faults: Faults): Uint8Array =>
  fields.writeNumber(chainId, 1, maxChainId, "chainId", faults)

const writeAccessList = (list: ReadonlyArray<AccessListEntry> | undefined, faults: Faults): Encodable =>
  fields.elements(list, "accessList", faults).map((entry, i): Encodable => {
    const slots = `accessList[${i}].storageKeys`
    return [
      fields.writeFixed(entry?.address, 20, `accessList[${i}].address`, faults),
      fields.elements(entry?.storageKeys, slots, faults).map((slot, j) =>
        fields.writeFixed(slot, 32, `${slots}[${j}]`, faults)
      )
    ]
  })

/** Reads those fields from the start of `items` and returns how many items they took. */
export const read = (type: TransactionType, items: ReadonlyArray<Item>, target: Fields, faults: Faults): number => {
  const layout = layouts[type]
  for (const [i, field] of layout.entries()) {
    readField(field, items[i], target, faults)
  }
  return layout.length
}

const readField = (field: Field, item: Item | undefined, target: Fields, faults: Faults): void => {
  switch (field) {
    case "nonce":
    case "gas":
      target[field] = fields.readQuantity(item, fields.uint64, field, faults)
      return
    case "gasPrice":
    case "maxPriorityFeePerGas":
    case "maxFeePerGas":
    case "value":
      target[field] = fields.readQuantity(item, fields.uint256, field, faults)
      return
    case "to":
    case "from":
      target[field] = fields.readFixed(item, 20, field, faults)
      return
    case "creation":
      if (fields.readBytes(item, "to", faults).length > 0) {
        target.to = fields.readFixed(item, 20, "to", faults)
      }
      return
    case "input":
      target.input = fields.readHex(item, field, faults)
      return
    case "key":
      target.key = accountKey.read(fields.readBytes(item, field, faults), field, faults)
      rejectNil(target.key.type, faults)
      return
    case "humanReadable":
      target.humanReadable = fields.readBoolean(item, field, faults)
      return
    case "feeRatio":
      target.feeRatio = readInRange(item, 1, 99, field, faults)
      return
    case "codeFormat":
      target.codeFormat = readInRange(item, 0, 255, field, faults)
      return
    case "chainId":
      target.chainId = readInRange(item, 1, maxChainId, field, faults)
      return
    case "accessList":
      target.accessList = fields.readList(item, field, faults).map((entry, i) => readEntry(entry, i, faults))
      return
  }
}

const readInRange = (item: Item | undefined, min: number, max: number, path: string, faults: Faults): number => {
  const value = fields.readNumber(item, fields.uint64, path, faults)
  if (value < min || value > max) {
    faults.add("OutOfRange", path, `is not an integer from ${min} to ${max}`)
  }
  return value
}

const readEntry = (item: Item, i: number, faults: Faults): AccessListEntry => {
  const path = `accessList[${i}]`
  const entry = fields.readList(item, path, faults)
  fields.expectLength(entry, 2, path, faults)
  return {
    address: fields.readFixed(entry[0], 20, `${path}.address`, faults),
    storageKeys: fields.readList(entry[1], `${path}.storageKeys`, faults).map((slot, j) =>
      fields.readFixed(slot, 32, `${path}.storageKeys[${j}]`, faults)
    )
  }
}

const rejectNil = (type: string | undefined, faults: Faults): void => {
  if (type === "AccountKeyNil") {
    faults.add(
      "InvalidKey",
      "key",
      "AccountKeyNil is only allowed in a role of a role-based key; give another kind of key"
    )
  }
}
