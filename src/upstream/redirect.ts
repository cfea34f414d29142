/** Where a redirect may lead. */
import { ToolError } from "../errors.ts";

/** Most redirects that are followed one after another. */
export const MAX_REDIRECTS = 5;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);

/** Whether a status asks to look elsewhere. */
export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status);
}

/** Whether a URL's host is this machine itself: 127.0.0.0/8, ::1, localhost. */
export function isLoopback(url: URL): boolean {
  const { hostname } = url;
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function isListed(hostname: string, hosts: readonly string[]): boolean {
  return hosts.some((host) => {
    const name = host.toLowerCase();
    return name.startsWith("*.") ? hostname.endsWith(name.slice(1)) : hostname === name;
  });
}

function notFollowed(what: string, why: string): ToolError {
  return new ToolError("NOT_ALLOWED", `The redirect of ${what} was not followed: ${why}`, {
    hint: "This is a matter of the upstream or of the server's configuration; another argument will not help",
  });
}

/**
 * The target of a redirect, once it is known to be fit.
 * @param hosts names it may lead to outside `from`'s origin (`*.example.org` for all below); absent: any
 * @throws ToolError NOT_ALLOWED for anything but https, or http on this machine where `from` is plain too
 */
export function redirectTarget(
  from: URL,
  location: string | undefined,
  hosts: readonly string[] | undefined,
  what: string,
): URL {
  if (location === undefined || !URL.canParse(location, from.href)) {
    throw notFollowed(what, location === undefined ? "it names no target" : "its target is no URL");
  }
  const target = new URL(location, from);
  target.hash = "";
  if (target.username !== "" || target.password !== "") {
    throw notFollowed(what, `its target at ${target.host} carries a user name`);
  }
  if (target.protocol === "http:" && (from.protocol === "https:" || !isLoopback(target))) {
    throw notFollowed(what, `it leads to plain http at ${target.host}`);
  }
  if (target.protocol !== "https:" && target.protocol !== "http:") {
    throw notFollowed(what, `it leads to ${target.protocol} instead of https`);
  }
  // A server under test redirects on this machine, whatever hosts its production counterpart uses.
  const near = target.origin === from.origin || (isLoopback(from) && isLoopback(target));
  if (!near && hosts !== undefined && !isListed(target.hostname, hosts)) {
    throw notFollowed(what, `${target.host} is not among the hosts that redirects may lead to`);
  }
  return target;
}
