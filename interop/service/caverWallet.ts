/** The parts that are used of the service's own client: its wallet, node access and codec. */
import { createRequire } from "node:module"
import type { TokenHistory } from "./caver.js"

export interface CaverAccount {
  readonly address: string
  readonly chainId: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly krn: string
  readonly keyId: string
  readonly publicKey: string
  readonly threshold?: number
  readonly multiSigKeys?: ReadonlyArray<{ readonly publicKey: string; readonly weight: number }>
}

export interface CaverKey {
  readonly blob: string
  readonly keyId: string
  readonly krn: string
  readonly publicKey: string
}

export interface CaverSignature {
  readonly R: string
  readonly S: string
  readonly V: string
}

/** An uncompressed key without its first byte, as the codec takes it. */
export const bare = (publicKey: string): string => `0x${publicKey.slice(4)}`

/** The answer of every call that creates a transaction. */
export interface CaverResult {
  readonly from: string
  readonly to?: string
  readonly value?: string
  readonly input?: string
  readonly nonce: number
  readonly gas: number
  readonly typeInt: number
  readonly rlp: string
  readonly signatures: ReadonlyArray<CaverSignature>
  readonly status?: string
  readonly transactionHash: string
  readonly transactionId: string
  readonly feePayer?: string
  readonly feeRatio?: number
}

export interface CaverReceipt {
  readonly status: string
  readonly from: string
  readonly contractAddress?: string
  readonly feePayer?: string
  readonly gasUsed: string
  readonly transactionHash: string
  readonly typeInt: number
}

export interface CaverList<A> {
  readonly items: ReadonlyArray<A>
  readonly cursor: string
}

export interface Pending {
  readonly address: string
  readonly transactionId: string
  readonly threshold: number
  readonly multiSigKeys: ReadonlyArray<{ readonly address: string; readonly weight: number }>
}

/** The state of a pending transaction after a signature. */
export interface Signing {
  readonly status: string
  readonly transactionId: string
  readonly transactionHash?: string
  readonly weight: number
  readonly signedWeight: number
  readonly threshold: number
  readonly reminders?: ReadonlyArray<string>
}

export interface Registered {
  readonly status: string
  readonly failures?: Readonly<Record<string, string>>
}

/** An account to migrate, with its single key, several keys, or keys for its three roles. */
export interface Moving {
  readonly address: string
  readonly key: string | ReadonlyArray<string> | ReadonlyArray<ReadonlyArray<string>>
  readonly nonce?: number
}

type Send = (request: Readonly<Record<string, unknown>>) => Promise<CaverResult>

interface ListOptions {
  readonly size?: number
  readonly cursor?: string
  readonly status?: string
  readonly fromTimestamp?: number
  readonly toTimestamp?: number
}

/** The part of the wallet that is used. */
export interface CaverWallet {
  /** Sent with every request; there is no other way to name a pool. */
  readonly client: { defaultHeaders: Record<string, string> }
  readonly createAccount: () => Promise<CaverAccount>
  readonly getAccountList: (options?: ListOptions) => Promise<CaverList<CaverAccount>>
  readonly getAccount: (address: string) => Promise<CaverAccount>
  readonly getAccountListByPublicKey: (publicKey: string) => Promise<CaverList<CaverAccount>>
  readonly deleteAccount: (address: string) => Promise<{ readonly status: string }>
  readonly disableAccount: (address: string) => Promise<CaverAccount>
  readonly enableAccount: (address: string) => Promise<CaverAccount>
  readonly signTransaction: (address: string, transactionId: string) => Promise<CaverSignature>
  readonly updateToMultiSigAccount: (
    address: string,
    keys: {
      readonly threshold: number
      readonly weightedKeys: ReadonlyArray<{ readonly weight: number; readonly publicKey: string }>
    }
  ) => Promise<CaverAccount & { readonly transactionHash: string }>
  readonly getAccountCount: () => Promise<{ readonly accountId: string; readonly count: number }>
  readonly getAccountCountByKRN: () => Promise<{ readonly count: number; readonly krn: string }>
  readonly createKeys: (size: number) => Promise<{ readonly items: ReadonlyArray<CaverKey> }>
  readonly getKeyListByKRN: (krn: string, options?: ListOptions) => Promise<CaverList<CaverKey>>
  readonly getKey: (keyId: string) => Promise<CaverKey>
  readonly signMessage: (keyId: string, data: string) => Promise<{ readonly signedData: string }>
  readonly deleteKey: (keyId: string) => Promise<{ readonly status: string }>
  readonly createFeePayer: (withoutAccountUpdate?: boolean) => Promise<CaverAccount>
  readonly getFeePayer: (address: string) => Promise<CaverAccount>
  readonly getFeePayerList: (options?: ListOptions) => Promise<CaverList<CaverAccount>>
  readonly deleteFeePayer: (address: string) => Promise<{ readonly status: string }>
  readonly migrateAccounts: (accounts: ReadonlyArray<Moving>) => Promise<Registered>
  readonly getTransaction: (hash: string) => Promise<CaverReceipt>
  readonly callContract: (
    contract: string,
    method: string,
    input: ReadonlyArray<{ readonly type: string; readonly value: unknown }>
  ) => Promise<{ readonly result: string; readonly data: string }>
  readonly getMultiSigTransactionList: (address: string, options?: ListOptions) => Promise<CaverList<Pending>>
  readonly signMultiSigTransction: (address: string, transactionId: string) => Promise<Signing>
  readonly appendSignatures: (transactionId: string, signatures: ReadonlyArray<CaverSignature>) => Promise<Signing>
  readonly requestLegacyTransaction: Send
  readonly requestValueTransfer: Send
  readonly requestSmartContractDeploy: Send
  readonly requestSmartContractExecution: Send
  readonly requestCancel: Send
  readonly requestChainDataAnchoring: Send
  readonly requestRawTransaction: Send
  readonly requestAccountUpdate: Send
  readonly requestFDValueTransferPaidByGlobalFeePayer: Send
  readonly requestFDSmartContractDeployPaidByGlobalFeePayer: Send
  readonly requestFDSmartContractExecutionPaidByGlobalFeePayer: Send
  readonly requestFDCancelPaidByGlobalFeePayer: Send
  readonly requestFDChainDataAnchoringPaidByGlobalFeePayer: Send
  readonly requestFDRawTransactionPaidByGlobalFeePayer: Send
  readonly requestFDAccountUpdatePaidByGlobalFeePayer: Send
  readonly requestFDValueTransferPaidByUser: Send
  readonly requestFDSmartContractDeployPaidByUser: Send
  readonly requestFDSmartContractExecutionPaidByUser: Send
  readonly requestFDCancelPaidByUser: Send
  readonly requestFDChainDataAnchoringPaidByUser: Send
  readonly requestFDRawTransactionPaidByUser: Send
  readonly requestFDAccountUpdatePaidByUser: Send
}

/** A transaction of its codec. */
export interface CaverTransaction {
  readonly type: string
  readonly from: string
  readonly feePayer?: string
  readonly sign: (keyring: unknown) => Promise<CaverTransaction>
  readonly getRLPEncoding: () => string
  readonly getTransactionHash: () => string
  readonly getSenderTxHash: () => string
  readonly recoverPublicKeys: () => ReadonlyArray<string>
  readonly recoverFeePayerPublicKeys: () => ReadonlyArray<string>
}

interface Keyring {
  readonly address: string
  readonly getPublicKey: () => string
  readonly key: { readonly privateKey: string }
}

interface Account {
  readonly address: string
}

type Init = (chain: number, accessKeyId: string, secretAccessKey: string, url: string) => void

interface Client {
  readonly initNodeAPI: Init
  readonly initTokenHistoryAPI: Init
  readonly initWalletAPI: Init
  readonly kas: { readonly wallet: CaverWallet; readonly tokenHistory: TokenHistory }
  readonly transaction:
    & Record<
      "accountUpdate" | "feeDelegatedValueTransfer" | "valueTransfer",
      { readonly create: (fields: Readonly<Record<string, unknown>>) => CaverTransaction }
    >
    & { readonly decode: (rlp: string) => CaverTransaction }
  readonly account: {
    readonly createWithAccountKeyWeightedMultiSig: (
      address: string,
      publicKeys: ReadonlyArray<string>,
      options: { readonly threshold: number; readonly weights: ReadonlyArray<number> }
    ) => Account
    readonly createWithAccountKeyRoleBased: (
      address: string,
      publicKeys: ReadonlyArray<ReadonlyArray<string>>,
      options: ReadonlyArray<{ readonly threshold: number; readonly weights: ReadonlyArray<number> } | object>
    ) => Account
    readonly createWithAccountKeyPublic: (address: string, publicKey: string) => Account
  }
  readonly keyringContainer: {
    readonly keyring: {
      readonly generate: () => Keyring
      readonly create: (address: string, key: Moving["key"]) => Keyring
    }
  }
  readonly rpc: {
    readonly klay: {
      readonly getBalance: (address: string) => Promise<string>
      readonly getTransactionCount: (address: string) => Promise<string>
      readonly getTransactionReceipt: (
        hash: string
      ) => Promise<{ readonly status: boolean | string; readonly senderTxHash: string } | null>
      readonly sendRawTransaction: (rlp: string) => Promise<{ readonly status: boolean | string }>
      readonly getAccountKey: (address: string) => Promise<{ readonly keyType: number }>
    }
  }
  readonly utils: {
    readonly publicKeyToAddress: (publicKey: string) => string
    readonly recoverPublicKey: (
      message: string,
      signature: { readonly v: string; readonly r: string; readonly s: string },
      isHashed: boolean
    ) => string
  }
}

// A CommonJS package without types of its own. Without arguments it names no host; each API is given one below.
const Caver: new() => Client = createRequire(import.meta.url)("caver-js-ext-kas")

/** The client with all its services at one address. */
interface Place {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly url: string
}

/** The client, with the node of another place if one is given. */
export const client = ({ accessKeyId, secretAccessKey, url }: Place, node?: Place): Client => {
  const made = new Caver()
  const { accessKeyId: id, secretAccessKey: secret, url: nodeUrl } = node ?? { accessKeyId, secretAccessKey, url }
  made.initNodeAPI(1001, id, secret, nodeUrl)
  made.initTokenHistoryAPI(1001, accessKeyId, secretAccessKey, url)
  made.initWalletAPI(1001, accessKeyId, secretAccessKey, url)
  return made
}

export type { Client as CaverClient }
