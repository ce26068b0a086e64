/** What happens during a run of the drill: payments are asked for and cancelled while everything that can break breaks. */
import { type Ask, type Line, pause, type Place, until } from "./payoutPlace.js"
import type { Blow, Requested, Step } from "./payoutPlan.js"
import type { Relay } from "./payoutService.js"

/** What the storm can touch. */
export interface Scene {
  readonly places: ReadonlyArray<Place>
  readonly relays: ReadonlyArray<Relay>
  readonly random: () => number
  /** How long a process is frozen at least, in milliseconds. */
  readonly freeze: number
  /** How long a process lives once it is ready, at least and at most, in milliseconds. */
  readonly life: readonly [number, number]
  readonly restartDatabase: (turn: number) => Promise<void>
  readonly restartSandbox: (turn: number) => Promise<void>
  readonly fund: (account: string) => Promise<void>
  /** Somebody else sends from the account. */
  readonly payAside: (account: string) => Promise<void>
  readonly onProgress: (text: string) => void
}

const endTags = new Set(["Executed", "Refused", "Cancelled"])

/** How long a process may take to start, in milliseconds, however busy the machine is. */
const patience = 60_000

export class Storm {
  readonly done: Record<Blow, number> = { kill: 0, freeze: 0, cut: 0, "database restart": 0, "sandbox restart": 0 }
  /** The ends that were answered, by key. */
  readonly ends = new Map<string, Set<string>>()
  /** What was answered to `get`, by key. */
  readonly told = new Map<string, unknown>()
  readonly counts = { asks: 0, answers: 0, others: 0, conflicts: 0, cancels: 0, strangers: 0, crashes: 0, defects: 0 }
  readonly frozen = new Set<Promise<void>>()

  /** Takes the answer of a process. */
  readonly onAnswer = (ask: Ask, { error, payout, state }: Line): void => {
    this.counts.answers++
    if (error === "KeyConflict") this.counts.conflicts++
    if (error === "Defect") this.counts.defects++
    if (payout !== undefined) this.told.set(ask.key, payout)
    if (state === undefined || !endTags.has(state._tag)) return
    const ends = this.ends.get(ask.key) ?? new Set()
    this.ends.set(ask.key, ends.add(JSON.stringify(state)))
  }

  /** The payments that are cancelled as soon as the wire sees a request to send them, by receiver. */
  readonly cancelledOnSend = new Map<string, Requested>()

  /** Cancels a payment while it is sent. */
  onSend({ places, random }: Scene, to: string): void {
    const request = this.cancelledOnSend.get(to)
    if (request === undefined) return
    this.cancelledOnSend.delete(to)
    this.counts.cancels++
    this.ask(this.pick(places, random), "cancel", request)
  }

  ask(place: Place, verb: Ask["verb"], { from, key, to, value }: Requested): void {
    place.ask({ id: this.counts.asks++, verb, key, from, to, value })
  }

  pick(places: ReadonlyArray<Place>, random: () => number): Place {
    const place = places[Math.floor(random() * places.length)]
    if (place === undefined) throw new Error("there is no process")
    return place
  }

  /** Does all steps, spread over so many milliseconds, or later where something takes its time. */
  async rage(scene: Scene, steps: ReadonlyArray<Step>, spread: number): Promise<void> {
    const areReady = () => scene.places.every(({ isReady }) => isReady)
    const ready = async () => {
      if (!(await until(areReady, patience))) throw new Error("a process does not get ready")
    }
    await ready()
    const begin = Date.now()
    for (const step of steps) {
      await pause(Math.max(0, begin + step.at * spread - Date.now()))
      await this.take(scene, step)
      scene.onProgress(`${Math.round(step.at * 100)}%: ${JSON.stringify(this.done)}, ${this.counts.answers} answers`)
    }
    await Promise.all(this.frozen)
    await ready()
  }

  async take(scene: Scene, step: Step): Promise<void> {
    const { places, random } = scene
    switch (step.do) {
      case "ask":
        return this.ask(this.pick(places, random), "submit", step.request)
      case "cancel":
        if (step.onSend) return void this.cancelledOnSend.set(step.request.to, step.request)
        this.counts.cancels++
        return this.ask(this.pick(places, random), "cancel", step.request)
      case "fund":
        return scene.fund(step.account)
      case "stranger":
        this.counts.strangers++
        // It is somebody else's business whether it arrives.
        return void scene.payAside(step.account).catch(() => {})
      case "blow":
        await this.strike(scene, step.blow)
        this.done[step.blow]++
    }
  }

  async strike(scene: Scene, blow: Blow): Promise<void> {
    switch (blow) {
      case "kill": {
        const frozen = scene.places.filter(({ isFrozen }) => isFrozen)
        const place = frozen.length > 0 && scene.random() < 0.1
          ? this.pick(frozen, scene.random)
          : await this.victim(scene)
        place.kill()
        return place.start()
      }
      case "freeze": {
        while (this.frozen.size >= 2) await Promise.race(this.frozen)
        const place = await this.victim(scene)
        const thaw = place.freeze(scene.freeze * (1 + scene.random() / 4)).finally(() => this.frozen.delete(thaw))
        this.frozen.add(thaw)
        return
      }
      case "cut": {
        const relay = scene.relays[Math.floor(scene.random() * scene.relays.length)]
        if (!(await until(() => (relay?.cut() ?? 0) > 0, patience))) throw new Error("there is no connection to cut")
        return
      }
      case "database restart":
        return scene.restartDatabase(this.done[blow])
      case "sandbox restart":
        return scene.restartSandbox(this.done[blow])
    }
  }

  /** A process that has lived long enough to do something, and not long enough to do much. */
  async victim({ life: [shortest, longest], places, random }: Scene): Promise<Place> {
    const lives = places.map((place) => [place, shortest + (longest - shortest) * random()] as const)
    const ripe = () =>
      lives.filter(([{ isFrozen, isReady, readyAt }, life]) => isReady && !isFrozen && Date.now() > readyAt + life)
    if (!(await until(() => ripe().length > 0, patience))) throw new Error("no process got ready")
    return this.pick(ripe().map(([place]) => place), random)
  }

  /** Asks for the ends: for each in one process, and for every tenth in all of them. */
  askEnds({ places }: Scene, requests: ReadonlyArray<Requested>): void {
    for (const [turn, place] of places.entries()) {
      for (const [i, request] of requests.entries()) {
        if (i % places.length === turn || i % 10 === 0) this.ask(place, "pay", request)
      }
    }
  }

  /** Waits until a part of all has ended. */
  awaitEnds({ onProgress }: Scene, wanted: number, millis: number): Promise<boolean> {
    return until(() => {
      onProgress(`${this.ends.size} of ${wanted} have ended`)
      return this.ends.size >= wanted
    }, millis)
  }

  /** Waits until every question is answered. */
  awaitAnswers({ places }: Scene, millis: number): Promise<boolean> {
    return until(() => places.every(({ open }) => open.size === 0), millis)
  }

  /** Asks for another content under every tenth key that is known to be stored. */
  async askOthers({ places, random }: Scene, requests: ReadonlyArray<Requested>, millis: number): Promise<void> {
    for (const [i, request] of requests.entries()) {
      if (i % 10 !== 0 || !this.told.has(request.key)) continue
      this.counts.others++
      this.ask(this.pick(places, random), "submit", { ...request, value: String(BigInt(request.value) + 1n) })
    }
    await until(() => this.counts.conflicts >= this.counts.others, millis)
  }

  /** Reads every payout with its history, from a process that has one. */
  async readAll(scene: Scene, requests: ReadonlyArray<Requested>, millis: number): Promise<void> {
    for (const place of scene.places) place.open.clear()
    for (const request of requests) this.ask(this.pick(scene.places, scene.random), "get", request)
    await this.awaitAnswers(scene, millis)
  }
}
