/** What becomes of the label of a contract at a Unix second. Labels are not part of the chain. */
import type { ContractLabel } from "../TokenRecord.js"

type Change = (label: ContractLabel) => ContractLabel

export const set = (status: ContractLabel["status"], now: number): Change => ({ createdAt, deletedAt }) => ({
  status,
  createdAt: deletedAt === undefined ? createdAt : now,
  updatedAt: now,
  deletedAt: undefined
})

export const remove = (now: number): Change => (label) => ({
  ...label,
  updatedAt: now,
  deletedAt: label.deletedAt ?? now
})
