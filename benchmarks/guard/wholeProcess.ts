/** Loaded before a program with `--import`: tells the CPU time of the whole process when the program ends. */
import { tellWhole } from "./measured.js"

const figure = process.env["GUARD_FIGURE"] ?? ""
process.once("exit", () => tellWhole(figure))
