/** Prefix of folders that are still being written. */
export const UNFINISHED = ".making-";
