import type { Hex } from "@effect-klaytn/transaction/Hex"
import type { CallRequest } from "../../Call.js"

/** Addresses and hashes as they stand everywhere behind the door of a chain: a checksum's capitals stay outside. */
export const lowerCase = (hex: Hex): Hex => `0x${hex.slice(2).toLowerCase()}`

/** The same for all that a call names. */
export const callInLowerCase = (request: CallRequest): CallRequest => {
  const { accessList, from, overrides, to } = request
  return {
    ...request,
    ...(from !== undefined && { from: lowerCase(from) }),
    ...(to !== undefined && { to: lowerCase(to) }),
    ...(accessList !== undefined && {
      accessList: accessList.map(({ address, storageKeys }) => ({
        address: lowerCase(address),
        storageKeys: storageKeys.map(lowerCase)
      }))
    }),
    ...(overrides !== undefined && {
      overrides: new Map([...overrides].map(([address, account]) => [lowerCase(address), account]))
    })
  }
}
