/** Why a file can't be read or written, as a sentence: the errors of the platform name system calls. */
import type { PlatformError } from "@effect/platform/Error"
import * as Predicate from "effect/Predicate"
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"

export const isPlatformError = (error: unknown): error is PlatformError =>
  Predicate.isTagged(error, "SystemError") || Predicate.isTagged(error, "BadArgument")

const codeOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "code") && typeof error.code === "string") return error.code
  const cause = Predicate.hasProperty(error, "cause") ? error.cause : undefined
  return cause === undefined ? "" : codeOf(cause)
}

/** What is wrong with a path. `error` is one of Node, or of the platform, whose cause is one of Node. */
export const fileProblem = (path: string, error: unknown): string => {
  const folder = dirname(resolve(path))
  switch (codeOf(error)) {
    case "ENOENT":
      return existsSync(folder) ? `there is no file ${path}` : `there is no folder ${folder}`
    case "EISDIR":
      return `${path} is a folder, not a file`
    case "ENOTDIR":
      return `a part of the path ${path} is a file, not a folder`
    case "EEXIST":
      return `${path} is there already`
    case "EACCES":
    case "EPERM":
      return `this user may not read or write ${path}`
    case "EROFS":
      return `${path} is on a disk that can only be read`
    case "ENOSPC":
      return `the disk of ${path} is full`
    default:
      return `${path} can't be read or written${codeOf(error) === "" ? "" : ` (${codeOf(error)})`}`
  }
}

/** The same of an error of the platform that names its path. */
export const platformProblem = (error: PlatformError): string =>
  "pathOrDescriptor" in error && typeof error.pathOrDescriptor === "string"
    ? fileProblem(error.pathOrDescriptor, error)
    : `a file can't be read or written${codeOf(error) === "" ? "" : ` (${codeOf(error)})`}`
