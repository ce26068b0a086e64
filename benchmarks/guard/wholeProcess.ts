/** Loaded before a program with `--import`: tells the CPU time of the whole process when the program ends. */
import { tellTime } from "./measured.js"

const figure = process.env["GUARD_FIGURE"] ?? ""
process.once("exit", () => tellTime(figure))
