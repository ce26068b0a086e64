/** A secret that is sealed with a data key of its own, which a root key seals. */
import { randomBytes } from "node:crypto"
import { Vault } from "../Vault.js"

const version = 1

/** Version, generation of the root, sealed data key. */
const headBytes = 5
const keyBytes = 32
const sealedKeyBytes = 12 + keyBytes + 16
const bodyAt = headBytes + sealedKeyBytes

const nameOf = (generation: number): string => `data key of root ${generation}`

/** A root key by its generation. */
export interface Root {
  readonly generation: number
  readonly vault: Vault
}

const head = (generation: number): Buffer => {
  const bytes = Buffer.alloc(headBytes)
  bytes.writeUInt8(version)
  bytes.writeUInt32BE(generation, 1)
  return bytes
}

/** The generation of the root that seals a record; undefined for bytes of another form. */
export const generationOf = (sealed: Uint8Array): number | undefined =>
  sealed.length > bodyAt && sealed[0] === version
    ? Buffer.from(sealed.buffer, sealed.byteOffset, sealed.length).readUInt32BE(1)
    : undefined

/** Seals a secret for a record, with a new data key. */
export const seal = ({ generation, vault }: Root, name: string, secret: Uint8Array): Uint8Array => {
  const key = randomBytes(keyBytes)
  const body = new Vault(key).seal(name, secret)
  const sealed = Buffer.concat([head(generation), vault.seal(nameOf(generation), key), body])
  key.fill(0)
  return sealed
}

const keyOf = ({ generation, vault }: Root, sealed: Uint8Array): Uint8Array | undefined =>
  vault.open(nameOf(generation), sealed.subarray(headBytes, bodyAt))

/** The secret of a record; undefined if another root sealed it, or anything of it was changed. */
export const open = (root: Root, name: string, sealed: Uint8Array): Uint8Array | undefined => {
  const key = keyOf(root, sealed)
  if (key === undefined) return undefined
  const secret = new Vault(key).open(name, sealed.subarray(bodyAt))
  key.fill(0)
  return secret
}

/** The same secret, whose data key another root seals. */
export const rewrap = (from: Root, to: Root, sealed: Uint8Array): Uint8Array | undefined => {
  const key = keyOf(from, sealed)
  if (key === undefined) return undefined
  const moved = Buffer.concat([head(to.generation), to.vault.seal(nameOf(to.generation), key), sealed.subarray(bodyAt)])
  key.fill(0)
  return moved
}
