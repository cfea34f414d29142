/** Addresses to listen at, and the names by which others may know them. */

/** Where a port is opened. */
export interface ListenAddress {
  /** Name or address, IPv6 without brackets. */
  readonly host: string;
  /** 0 to 65535; 0 stands for any free one. */
  readonly port: number;
}

const THIS_MACHINE = "127.0.0.1";

/** `[HOST:]PORT`, IPv6 in brackets; undefined where it is none. */
export function parseListen(text: string): ListenAddress | undefined {
  const [, bracketed, plain, digits] =
    /^(?:(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+)):)?(\d{1,5})$/i.exec(text) ?? [];
  const port = Number(digits);
  return digits === undefined || port > 65_535
    ? undefined
    : { host: bracketed ?? plain ?? THIS_MACHINE, port };
}

/** A list with commas between its entries, in lower case. */
export function listOf(text: string): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== "");
}

/** Whether text is a host as URLs write it, without port. */
export function isHostName(text: string): boolean {
  return (
    /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/.test(text) &&
    URL.canParse(`http://${text}`) &&
    new URL(`http://${text}`).hostname === text
  );
}

/** Whether text is the origin of a web page: scheme, host, and port where it is not the usual one. */
export function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}
