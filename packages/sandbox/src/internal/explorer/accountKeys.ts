import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { copied } from "./ExplorerReads.js"
import { count, pill, quiet } from "./format.js"
import { type Html, html } from "./Html.js"
import { facts, table } from "./layout.js"

const kinds = {
  AccountKeyNil: ["No key", "This role keeps the key that it has."],
  AccountKeyLegacy: ["Legacy", "The key that belongs to the address signs."],
  AccountKeyPublic: ["Public", "One key signs, whatever the address."],
  AccountKeyFail: ["Fail", "No signature is accepted."],
  AccountKeyWeightedMultiSig: [
    "Weighted multisig",
    "The weights of the keys that sign must reach the threshold."
  ],
  AccountKeyRoleBased: ["Role based", "Each role has a key of its own."]
} as const

const roles = ["Transactions", "Account updates", "Fee payments"]

/** The kind of an account key in a word. */
export const keyPill = ({ type }: AccountKey.AccountKey): Html => pill("plain", kinds[type][0])

/** An account key: what it is, and the public keys in it. */
export const keyView = (key: AccountKey.AccountKey): Html => {
  const lead = html`<p>${keyPill(key)} ${quiet(kinds[key.type][1])}</p>`
  switch (key.type) {
    case "AccountKeyPublic":
      return html`${lead}${facts([["Public key", copied(key.publicKey)]])}`
    case "AccountKeyWeightedMultiSig": {
      const keys = table("Keys", key.keys, {
        key: ({ publicKey }) => publicKey,
        columns: [["Weight", ({ weight }) => count(weight)], ["Public key", ({ publicKey }) => copied(publicKey)]],
        empty: "No keys."
      })
      return html`${lead}${facts([["Threshold", count(key.threshold)]])}${keys}`
    }
    case "AccountKeyRoleBased": {
      const sections = roles.map((role, index) => {
        const own = key.keys[index]
        return html`<section><h3>${role}</h3>${
          own === undefined ? html`<p class="quiet">As for transactions.</p>` : keyView(own)
        }</section>`
      })
      return html`${lead}<div class="roles">${sections}</div>`
    }
    default:
      return lead
  }
}
