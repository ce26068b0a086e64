/** A chain makes a block each second. A node that is this many seconds behind still catches up, or has stopped. */
export const maxBlockAge = 60
