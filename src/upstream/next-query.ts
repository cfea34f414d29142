/** The address of the next page, as an answer gives it: only its query is used, and only if all else is the same. */
import { ToolError } from "../errors.ts";
import type { BuiltRequest } from "./request.ts";

function notFollowed(what: string, why: string): ToolError {
  return new ToolError("NOT_ALLOWED", `The next page of ${what} was not asked for: ${why}`, {
    hint: "This is a matter of the upstream; another argument will not help",
  });
}

const withoutSlash = (path: string): string => path.replace(/\/+$/, "");

/** Ports that are the protocol's own are "" on both sides; an API behind a proxy may call itself http. */
function isSamePlace(url: URL, here: URL): boolean {
  const scheme = url.protocol === here.protocol || (url.protocol === "http:" && here.port === "");
  return scheme && url.host === here.host && url.username === "" && url.password === "";
}

/**
 * Query of the next page's address.
 * @param baseUrl the API's own address
 * @param secretParameter query parameter of the credential, which is added anew
 * @throws ToolError NOT_ALLOWED when it leads to another origin or another path than `built`
 */
export function nextQuery(
  baseUrl: string,
  built: BuiltRequest,
  next: string,
  secretParameter: string | undefined,
): string {
  const what = `${built.method} ${built.path}`;
  const here = new URL(`${withoutSlash(baseUrl)}${built.path}`);
  if (!URL.canParse(next, here.href)) {
    throw notFollowed(what, "its address is no URL");
  }
  const url = new URL(next, here);
  if (!isSamePlace(url, here)) {
    throw notFollowed(
      what,
      `it is at ${url.host || url.protocol}, outside the upstream's own address`,
    );
  }
  if (withoutSlash(url.pathname) !== withoutSlash(here.pathname)) {
    throw notFollowed(what, "its address is another operation's");
  }
  return url.search
    .slice(1)
    .split("&")
    .filter((pair) => {
      const name = pair.split("=", 1)[0] ?? "";
      return secretParameter === undefined || decodeName(name) !== secretParameter;
    })
    .join("&");
}

function decodeName(name: string): string {
  return [...new URLSearchParams(`${name}=`).keys()][0] ?? name;
}
