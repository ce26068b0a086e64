import type { NewSend } from "@effect-klaytn/custody/SendStore"

/** A payment that the wallet made, as it is stored: its bytes are its hash unless they are named. */
export const newSend = (send: Pick<NewSend, "account" | "nonce" | "hash"> & Partial<NewSend>): NewSend => ({
  senderHash: send.hash,
  raw: send.hash,
  price: 1n,
  cancels: "none",
  request: undefined,
  isRaisable: true,
  leasedUntil: 0,
  ...send
})
