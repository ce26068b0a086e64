import type { SubmitFault } from "@effect-klaytn/local-chain/LocalChain"
import { isNamedBy, methodsOf } from "@effect-klaytn/service/Route"
import type { ActiveFault, Fault, Send } from "../../Fault.js"

/** What names of requests to the JSON-RPC for development begin with. */
export const rpcPrefix = "rpc."

/** A fault that a request meets. */
export interface RequestFault extends ActiveFault {
  readonly action: Exclude<ActiveFault["action"], typeof Send.Type>
}

const isOfRequests = (fault: ActiveFault): fault is RequestFault => fault.action.kind !== "send"

const isOf = ({ chainId: wanted }: Pick<Fault, "chainId">, chainId: number | undefined): boolean =>
  wanted === undefined || wanted === chainId

/** The faults in force, oldest first. */
export class Faults {
  #active: ReadonlyArray<ActiveFault> = []
  #last = 0

  list(): ReadonlyArray<ActiveFault> {
    return this.#active
  }

  add(fault: Fault): ActiveFault {
    const active = { id: ++this.#last, ...fault, left: fault.times ?? 1 }
    this.#active = [...this.#active, active]
    return active
  }

  remove(id: number): boolean {
    const before = this.#active.length
    this.#active = this.#active.filter((fault) => fault.id !== id)
    return this.#active.length < before
  }

  clear(): void {
    this.#active = []
  }

  /** Takes the first fault that matches a request, and counts it as applied. */
  take(operations: ReadonlyArray<string>, chainId: number | undefined): RequestFault | undefined {
    return this.#take((fault) =>
      isOfRequests(fault) &&
        isOf(fault, chainId) &&
        (fault.operation === undefined || operations.some((name) => isNamedBy(fault.operation ?? "", name)))
        ? fault
        : undefined
    )
  }

  /** Takes the first fault that matches a request to the JSON-RPC for development by its body, and counts it as applied. */
  takeRpc(body: string, chainId: number): RequestFault | undefined {
    if (!this.#active.some(({ operation }) => operation?.startsWith(rpcPrefix))) return undefined
    const names = ["exchange", ...methodsOf(body)].map((name) => rpcPrefix + name)
    return this.#take((fault) =>
      isOfRequests(fault) && isOf(fault, chainId) && names.includes(fault.operation ?? "") ? fault : undefined
    )
  }

  /** Takes the first fault of sends that matches a chain, and counts it as applied. */
  takeSend(chainId: number): SubmitFault | undefined {
    return this.#take(({ action, chainId: wanted }) =>
      action.kind === "send" && isOf({ chainId: wanted }, chainId) ? action.outcome : undefined
    )
  }

  #take<A>(match: (fault: ActiveFault) => A | undefined): A | undefined {
    for (const fault of this.#active) {
      const found = match(fault)
      if (found === undefined) continue
      this.#active = this.#active.flatMap((one) =>
        one !== fault ? [one] : one.left > 1 ? [{ ...one, left: one.left - 1 }] : []
      )
      return found
    }
    return undefined
  }
}
