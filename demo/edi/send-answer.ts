/** Writes an answer to the socket: HEAD, byte ranges, files from disk, and the faults that spoil a body. */
import { createReadStream } from "node:fs";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { readRange } from "../ranges.ts";
import { type Answer, type Body, type DemoRequest, GATEWAY_PAGE, sizeOf } from "./answer.ts";
import type { Failure } from "./faults.ts";

/** What was sent: kept up to date while the body travels. */
export interface Meter {
  status: number;
  /** Body bytes handed to the socket so far. */
  bytes: number;
}

/** Sends the answer and counts it in `meter`. */
export async function sendAnswer(
  response: ServerResponse,
  request: DemoRequest,
  answer: Answer,
  failure: Failure | undefined,
  meter: Meter,
): Promise<void> {
  const ranged = applyRange(request, answer);
  const spoiled = spoil(ranged, failure);
  meter.status = spoiled.status;
  response.writeHead(spoiled.status, {
    ...spoiled.headers,
    ...(spoiled.sizeBytes === undefined ? {} : { "Content-Length": String(spoiled.sizeBytes) }),
  });
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const delayMs = failure?.kind === "slow" ? failure.delayMs : 0;
  const counted = async function* () {
    for await (const chunk of spoiled.chunks(delayMs)) {
      meter.bytes += chunk.length;
      yield chunk;
    }
  };
  try {
    // A short body (`breaks`) must not end the message: the socket is cut instead.
    await pipeline(Readable.from(counted(), { objectMode: false }), response, {
      end: !spoiled.breaks,
    });
    if (spoiled.breaks) {
      response.socket?.destroySoon();
    }
  } catch (error) {
    if (!response.destroyed) {
      throw error;
    }
    // The client went away: that is its right.
  }
}

interface Sending {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly sizeBytes: number | undefined;
  readonly breaks: boolean;
  readonly chunks: (delayMs: number) => AsyncIterable<Buffer>;
}

interface Part {
  readonly answer: Answer;
  readonly start: number;
  readonly end: number;
}

/** The part of the body that the request's `Range` asks for, with the headers that say so. */
function applyRange(request: DemoRequest, answer: Answer): Part {
  const sizeBytes = sizeOf(answer.body);
  const whole: Part = { answer, start: 0, end: sizeBytes };
  if (answer.rangeTag === undefined || answer.status !== 200) {
    return whole;
  }
  const tag = `"${answer.rangeTag}"`;
  const headers = { ...answer.headers, "Accept-Ranges": "bytes", ETag: tag };
  const { range, "if-range": ifRange, "if-match": ifMatch } = request.headers;
  if (ifMatch !== undefined && ifMatch !== "*" && !ifMatch.split(/,\s*/).includes(tag)) {
    return { answer: { status: 412, headers, body: "" }, start: 0, end: 0 };
  }
  const slice = ifRange === undefined || ifRange === tag ? readRange(range, sizeBytes) : undefined;
  if (slice === undefined) {
    return { ...whole, answer: { ...answer, headers } };
  }
  if (slice === "unsatisfiable") {
    const unsatisfied = { ...headers, "Content-Range": `bytes */${sizeBytes}` };
    return { answer: { status: 416, headers: unsatisfied, body: "" }, start: 0, end: 0 };
  }
  const { start, end } = slice;
  const contentRange = `bytes ${start}-${end - 1}/${sizeBytes}`;
  return {
    answer: { ...answer, status: 206, headers: { ...headers, "Content-Range": contentRange } },
    start,
    end,
  };
}

function spoil({ answer, start, end }: Part, failure: Failure | undefined): Sending {
  const { status, headers, body } = answer;
  const sizeBytes = end - start;
  const half = start + Math.floor(sizeBytes / 2);
  const send = (
    chunks: Sending["chunks"],
    size: number | "unsaid" = sizeBytes,
    breaks = false,
  ): Sending => ({
    status,
    headers,
    sizeBytes: size === "unsaid" ? undefined : size,
    breaks,
    chunks,
  });
  switch (failure?.kind) {
    case "cut-body":
      return send((delayMs) => chunksOf(body, start, half, delayMs), sizeBytes, true);
    case "cut-document":
      return send((delayMs) => chunksOf(body, start, half, delayMs), half - start);
    case "gateway-page": {
      const page = Buffer.from(GATEWAY_PAGE).subarray(0, sizeBytes);
      return send(() => chunksOf(page, 0, page.length, 0), sizeBytes, page.length < sizeBytes);
    }
    case "oversize":
      return send(() => padded(chunksOf(body, start, end, 0), failure.sizeBytes), "unsaid");
    case "slow":
    case "status":
    case "drop":
    case undefined:
      return send((delayMs) => chunksOf(body, start, end, delayMs));
  }
}

async function* chunksOf(
  body: Body,
  start: number,
  end: number,
  delayMs: number,
): AsyncGenerator<Buffer> {
  if (typeof body === "object" && !Buffer.isBuffer(body)) {
    if (end > start) {
      for await (const chunk of createReadStream(body.path, { start, end: end - 1 })) {
        await pause(delayMs);
        yield chunk;
      }
    }
    return;
  }
  const bytes = (typeof body === "string" ? Buffer.from(body) : body).subarray(start, end);
  const step = delayMs > 0 ? Math.max(1, Math.ceil(bytes.length / 10)) : 65_536;
  for (let at = 0; at < bytes.length; at += step) {
    await pause(delayMs);
    yield bytes.subarray(at, at + step);
  }
}

async function pause(delayMs: number): Promise<void> {
  if (delayMs > 0) {
    await sleep(delayMs);
  }
}

async function* padded(chunks: AsyncIterable<Buffer>, sizeBytes: number): AsyncGenerator<Buffer> {
  let sent = 0;
  for await (const chunk of chunks) {
    sent += chunk.length;
    yield chunk;
  }
  while (sent < sizeBytes) {
    const blanks = Buffer.alloc(Math.min(65_536, sizeBytes - sent), " ");
    sent += blanks.length;
    yield blanks;
  }
}
