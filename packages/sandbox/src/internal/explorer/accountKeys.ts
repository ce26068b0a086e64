import type * as AccountKey from "@effect-klaytn/transaction/AccountKey"
import { copied } from "./ExplorerReads.js"
import { count, pill } from "./format.js"
import { type Html, html } from "./Html.js"
import { facts, table } from "./layout.js"

const titles = {
  AccountKeyNil: "No key",
  AccountKeyLegacy: "Legacy",
  AccountKeyPublic: "Public",
  AccountKeyFail: "Fail",
  AccountKeyWeightedMultiSig: "Weighted multisig",
  AccountKeyRoleBased: "Role based"
} as const

const meanings = {
  AccountKeyNil: "This role keeps the key that it has.",
  AccountKeyLegacy: "The key that belongs to the address signs.",
  AccountKeyPublic: "One key signs, whatever the address.",
  AccountKeyFail: "No signature is accepted.",
  AccountKeyWeightedMultiSig: "The weights of the keys that sign must reach the threshold.",
  AccountKeyRoleBased: "Each role has a key of its own."
} as const

const roles = ["Transactions", "Account updates", "Fee payments"]

/** The kind of an account key in a word. */
export const keyPill = ({ type }: AccountKey.AccountKey): Html => pill("plain", titles[type])

/** An account key: what it is, and the public keys in it. */
export const keyView = (key: AccountKey.AccountKey): Html => {
  const lead = html`<p>${keyPill(key)} <span class="quiet">${meanings[key.type]}</span></p>`
  switch (key.type) {
    case "AccountKeyPublic":
      return html`${lead}${facts([["Public key", copied(key.publicKey)]])}`
    case "AccountKeyWeightedMultiSig":
      return html`${lead}${facts([["Threshold", count(key.threshold)]])}${
        table("Keys", key.keys, {
          key: (one) => one.publicKey,
          columns: [["Weight", ({ weight }) => count(weight)], ["Public key", (one) => copied(one.publicKey)]],
          empty: "No keys."
        })
      }`
    case "AccountKeyRoleBased":
      return html`${lead}<div class="roles">${
        roles.map((role, index) => {
          const own = key.keys[index]
          return html`<section><h3>${role}</h3>${
            own === undefined ? html`<p class="quiet">As for transactions.</p>` : keyView(own)
          }</section>`
        })
      }</div>`
    default:
      return lead
  }
}
