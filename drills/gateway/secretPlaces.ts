/** What a gateway with a wallet leaves behind, by place, and the secrets that are found there. */
import { type ChildProcess, spawn } from "node:child_process"
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync
} from "node:fs"
import { join } from "node:path"
import { pause } from "./processes.js"
import type { Find, Search } from "./secretBytes.js"

/** What the talkative gateway is started with. */
export interface TalkativeJob {
  readonly database: string
  readonly port: number
  readonly node: string
  readonly authorization: string
  readonly keyFile: string
}

/** A place that was searched. */
export interface Place {
  bytes: number
  /** How often each secret was found, by its name. */
  readonly finds: Map<string, number>
  /** The forms of a few finds. */
  readonly forms: Set<string>
}

/** A form in a text with what surrounds it, on one line. */
const around = (text: string, form: string): string => {
  const at = Math.max(text.indexOf(form), text.toLowerCase().indexOf(form.toLowerCase()))
  return at < 0 ? form : text.slice(Math.max(0, at - 300), at + form.length + 100).replace(/\s+/g, " ")
}

/** Counts the finds of all places. */
export class Places {
  readonly all = new Map<string, Place>()
  readonly #all: Search
  readonly #own: Search

  /** `own` finds no texts that callers wrote where they don't belong: such a text is in the answer to its caller, and in a memo. */
  constructor(all: Search, own: Search) {
    this.#all = all
    this.#own = own
  }

  #add(place: string, bytes: number, finds: ReadonlyArray<Find>): void {
    const one = this.all.get(place) ?? { bytes: 0, finds: new Map(), forms: new Set() }
    this.all.set(place, one)
    one.bytes += bytes
    for (const { form, secret } of finds) {
      one.finds.set(secret, (one.finds.get(secret) ?? 0) + 1)
      if (one.forms.size < 8) one.forms.add(`${secret}: ${form}`)
    }
  }

  text(place: string, text: string): void {
    const finds = this.#all.inText(text)
    this.#add(place, text.length, finds.map(({ form, secret }) => ({ secret, form: around(text, form) })))
  }

  /** A text for the caller who asked. */
  ownText(place: string, text: string): void {
    this.#add(place, text.length, this.#own.inText(text))
  }

  /** A file of texts. */
  texts(place: string, file: string): void {
    if (existsSync(file)) this.text(place, readFileSync(file, "utf8"))
  }

  /** A file of bytes, such as a database. */
  file(place: string, file: string): void {
    if (!existsSync(file)) return
    const bytes = readFileSync(file)
    const texts = this.#own.inText(bytes.toString("latin1"))
    this.#add(place, bytes.length, [...this.#own.inBytes(bytes), ...texts])
  }

  /** Large bytes, in which forms that a printer makes are not looked for. */
  bytes(place: string, bytes: Buffer): void {
    this.#add(place, bytes.length, this.#own.inBytes(bytes))
  }
}

/** A process whose output goes to files. */
export interface Running {
  readonly child: ChildProcess
  readonly files: { readonly out: string; readonly error: string; readonly traces: string }
  readonly folder: string
}

/** Starts a program with its output in files of a folder. */
export const start = (
  folder: string,
  script: string,
  { args = [], env = {} }: { readonly args?: ReadonlyArray<string>; readonly env?: Readonly<Record<string, string>> }
): Running => {
  mkdirSync(folder, { recursive: true })
  const files = { out: join(folder, "out"), error: join(folder, "error"), traces: join(folder, "traces") }
  const [out, error, traces] = [openSync(files.out, "a"), openSync(files.error, "a"), openSync(files.traces, "a")]
  const child = spawn(process.execPath, ["--heapsnapshot-signal=SIGUSR2", script, ...args], {
    cwd: folder,
    stdio: ["pipe", out, error, traces],
    env: { ...process.env, ...env }
  })
  child.stdin?.on("error", () => {})
  for (const opened of [out, error, traces]) closeSync(opened)
  return { child, files, folder }
}

/** The exit code of a process; after so long the process is killed. */
export const ended = ({ child }: Running, millis: number): Promise<number | null> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(child.exitCode)
    const timer = setTimeout(() => child.kill("SIGKILL"), millis)
    child.once("exit", (code) => {
      clearTimeout(timer)
      resolve(code)
    })
  })

/** Waits for a word in what a process writes; false if the process ends before, or in a minute. */
export const says = async ({ child, files }: Running, word: string): Promise<boolean> => {
  for (let left = 600; left > 0 && child.exitCode === null && child.signalCode === null; left--) {
    if (readFileSync(files.out, "utf8").includes(word)) return true
    await pause(100)
  }
  return false
}

/** A heap snapshot, for which V8 first collects what is garbage; the file is complete when it no longer grows. */
export const heapSnapshot = async ({ child, folder }: Running): Promise<Buffer> => {
  child.kill("SIGUSR2")
  let size = 0
  for (let left = 1200; left > 0; left--) {
    await pause(100)
    const [name] = readdirSync(folder).filter((file) => file.endsWith(".heapsnapshot"))
    const now = name === undefined ? 0 : statSync(join(folder, name)).size
    if (name !== undefined && now > 0 && now === size) {
      await pause(500)
      if (statSync(join(folder, name)).size !== now) continue
      const bytes = readFileSync(join(folder, name))
      rmSync(join(folder, name))
      return bytes
    }
    size = now
  }
  throw new Error("the process wrote no heap snapshot")
}

/** Calls a function with each part of the memory that a process can write to; false where the machine does not show it. */
export const eachMemory = ({ child }: Running, use: (bytes: Buffer) => void): boolean => {
  const place = `/proc/${child.pid}`
  try {
    const ranges = readFileSync(`${place}/maps`, "utf8").split("\n").flatMap((line) => {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line) ?? []
      return from === undefined || to === undefined ? [] : [{ from: Number(`0x${from}`), to: Number(`0x${to}`) }]
    })
    const memory = openSync(`${place}/mem`, "r")
    try {
      for (const { from, to } of ranges) {
        const bytes = Buffer.alloc(Math.min(to - from, 2 ** 28))
        use(bytes.subarray(0, readSync(memory, bytes, 0, bytes.length, from)))
      }
    } finally {
      closeSync(memory)
    }
    return true
  } catch {
    return false
  }
}
