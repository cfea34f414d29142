/** The identity service: an API key for a token. */
import { type Answer, type DemoRequest, type Handler, json, text, xml } from "./answer.ts";
import { DEMO_KEY, type Tokens } from "./tokens.ts";
import { el } from "./xml.ts";

/** The old token that comes along; the demo's PASTA does not read it. */
const PASTA_TOKEN = Buffer.from(
  "uid=demo,o=EDI,dc=edirepository,dc=org*demo*0*authenticated",
).toString("base64");

/** The handler of the identity service's origin. */
export function auth(tokens: Tokens): Handler {
  return (request) => {
    if (request.path === "/auth/v1/ping" && request.method === "GET") {
      return text(200, "pong");
    }
    if (request.path === "/auth/v1/key" && request.method === "POST") {
      return exchange(request, tokens);
    }
    if (request.path === "/auth/v1/token/refresh" && request.method === "POST") {
      return refresh(request, tokens);
    }
    return authStatus(404);
  };
}

/** How the identity service says a status without more to say. */
export function authStatus(status: number): Answer {
  return json(status, { msg: status === 503 ? "Service unavailable" : `Status ${status}` });
}

function exchange(request: DemoRequest, tokens: Tokens): Answer {
  const method = "getTokenByKey";
  const body = jsonObject(request.body);
  if (body === undefined || typeof body.key !== "string") {
    return write(request, 400, { msg: "Request body is not JSON with a key", method });
  }
  return body.key === DEMO_KEY
    ? write(request, 200, granted(tokens, method))
    : write(request, 401, { msg: "Invalid API key", method });
}

function refresh(request: DemoRequest, tokens: Tokens): Answer {
  const method = "refreshToken";
  const { "edi-token": token, "pasta-token": old } = jsonObject(request.body) ?? {};
  if (typeof token !== "string" || typeof old !== "string") {
    return write(request, 400, { msg: "Request body needs both tokens", method });
  }
  return tokens.isGood(token) && old === PASTA_TOKEN
    ? write(request, 200, granted(tokens, method))
    : write(request, 401, { msg: "Invalid token", method });
}

function granted(tokens: Tokens, method: string) {
  return {
    msg: "Token created successfully",
    "edi-token": tokens.issue(),
    "pasta-token": PASTA_TOKEN,
    method,
  };
}

/** JSON is read whatever the request's media type says. */
function jsonObject(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function write(
  { headers }: DemoRequest,
  status: number,
  members: Readonly<Record<string, string>>,
): Answer {
  const accept = headers.accept ?? "*/*";
  if (accept.includes("application/json") || accept.includes("*/*")) {
    return json(status, members);
  }
  return accept.includes("application/xml")
    ? xml(
        status,
        el(
          "result",
          Object.entries(members).map(([name, value]) => el(name, value)),
        ),
      )
    : json(400, { msg: `Unsupported media type: ${accept}`, method: members.method });
}
