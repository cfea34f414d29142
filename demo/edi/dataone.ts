/** DataONE's two sorts of nodes: the coordinating node (search, documents, where things are) and member nodes (bytes). */
import { type Answer, type DemoRequest, type Handler, xml } from "./answer.ts";
import { answerSolr, dataoneIndex } from "./dataone-index.ts";
import type { D1Object, NodeName } from "./dataone-objects.ts";
import { decode } from "./pasta-route.ts";
import { el, maybe } from "./xml.ts";

/** @param memberUrl base URL of a node's origin, where `resolve` sends its clients */
export function coordinatingNode(
  objects: readonly D1Object[],
  memberUrl: (node: NodeName) => string,
): Handler {
  const index = dataoneIndex(objects);
  return (request) => {
    if (/^\/cn\/v2\/query\/solr\/?$/.test(request.path)) {
      return answerSolr(index, request);
    }
    return answerObject(request, "/cn/v2", objects, (call, object) => {
      if (call === "resolve") {
        return resolve(object, memberUrl(object.node));
      }
      // Copies are kept of documents only; data stay with their member node.
      return call === "object" && object.type === "DATA" ? undefined : read(call, object, request);
    });
  };
}

/** A member node with the objects of `nodes`. */
export function memberNode(objects: readonly D1Object[], nodes: readonly NodeName[]): Handler {
  const ours = objects.filter((object) => nodes.includes(object.node));
  return (request) =>
    answerObject(request, "/mn/v2", ours, (call, object) =>
      call === "resolve" ? undefined : read(call, object, request),
    );
}

/** How DataONE says a status without more to say. */
export function dataoneStatus(status: number): Answer {
  return exception(
    status,
    status === 404 ? "NotFound" : "ServiceFailure",
    "2180",
    "",
    "Service failure",
  );
}

type Call = "object" | "meta" | "checksum" | "resolve";

function answerObject(
  request: DemoRequest,
  prefix: string,
  objects: readonly D1Object[],
  answer: (call: Call, object: D1Object) => Answer | undefined,
): Answer {
  const found = /^\/(object|meta|checksum|resolve)\/(.+)$/.exec(
    request.path.startsWith(prefix) ? request.path.slice(prefix.length) : "",
  );
  const pid = decode(found?.[2] ?? "") ?? "";
  const object = objects.find((candidate) => candidate.pid === pid);
  if (request.method !== "GET" && request.method !== "HEAD") {
    return exception(405, "InvalidRequest", "1000", pid, "Method not allowed");
  }
  if (object?.restricted === true) {
    return exception(
      401,
      "NotAuthorized",
      "1000",
      pid,
      `Access to ${pid} is not allowed for public`,
    );
  }
  const answered = object && answer(found?.[1] as Call, object);
  return (
    answered ??
    exception(
      404,
      "NotFound",
      "1020",
      pid,
      `Attempted to perform operation on non-existing object. id="${pid}"`,
    )
  );
}

function read(
  call: "object" | "meta" | "checksum",
  object: D1Object,
  request: DemoRequest,
): Answer {
  switch (call) {
    case "object":
      return { status: 200, headers: objectHeaders(object, request), body: object.body };
    case "meta":
      return asTextXml(xml(200, systemMetadata(object)));
    case "checksum":
      return asTextXml(xml(200, el("checksum", { algorithm: "SHA-1" }, object.sha1)));
  }
}

function asTextXml(answer: Answer): Answer {
  return { ...answer, headers: { "Content-Type": "text/xml" } };
}

/** `Range` is ignored, so nothing is said of ranges; the length of a described object is the true one. */
function objectHeaders(object: D1Object, { method }: DemoRequest): Record<string, string> {
  const isData = object.fileName !== undefined;
  return {
    "Content-Type": isData ? "application/octet-stream" : "text/xml",
    ...(method === "HEAD" ? { "Content-Length": String(object.sizeBytes) } : {}),
    ...(isData ? { "Content-Disposition": `attachment; filename="${object.fileName}"` } : {}),
    "Last-Modified": new Date(`${object.uploaded}Z`).toUTCString(),
    "DataONE-GMN": "3.4.7",
    "DataONE-FormatId": object.formatId,
    "DataONE-Checksum": `SHA-1,${object.sha1}`,
    "DataONE-SerialVersion": "1",
    ...(object.obsoletes === undefined ? {} : { "DataONE-Obsoletes": object.obsoletes }),
    ...(object.obsoletedBy === undefined ? {} : { "DataONE-ObsoletedBy": object.obsoletedBy }),
    ...(isData ? { "DataONE-Proxy": object.pid } : {}),
  };
}

function systemMetadata(object: D1Object) {
  const subject = `CN=urn:node:${object.node},DC=dataone,DC=org`;
  const node = `urn:node:${object.node}`;
  return el("ns1:systemMetadata", { "xmlns:ns1": "http://ns.dataone.org/service/types/v2.0" }, [
    el("serialVersion", "1"),
    el("identifier", object.pid),
    el("formatId", object.formatId),
    el("size", String(object.sizeBytes)),
    el("checksum", { algorithm: "SHA-1" }, object.sha1),
    el("submitter", subject),
    el("rightsHolder", subject),
    el("accessPolicy", [el("allow", [el("subject", "public"), el("permission", "read")])]),
    el("replicationPolicy", { replicationAllowed: "false", numberReplicas: "0" }, []),
    maybe("obsoletes", object.obsoletes),
    maybe("obsoletedBy", object.obsoletedBy),
    el("archived", "false"),
    el("dateUploaded", `${object.uploaded}+00:00`),
    el("dateSysMetadataModified", `${object.modified}+00:00`),
    el("originMemberNode", node),
    el("authoritativeMemberNode", node),
    maybe("fileName", object.fileName),
  ]);
}

function resolve(object: D1Object, memberUrl: string): Answer {
  const url = `${memberUrl}/mn/v2/object/${encodeURIComponent(object.pid)}`;
  const list = el(
    "ns2:objectLocationList",
    { "xmlns:ns2": "http://ns.dataone.org/service/types/v1" },
    [
      el("identifier", object.pid),
      el("objectLocation", [
        el("nodeIdentifier", `urn:node:${object.node}`),
        el("baseURL", `${memberUrl}/mn`),
        el("version", "v2"),
        el("url", url),
      ]),
    ],
  );
  return { ...xml(303, list), headers: { "Content-Type": "text/xml", Location: url } };
}

/** The error document; HEAD, which has no body, reads the headers. */
function exception(
  status: number,
  name: string,
  detailCode: string,
  pid: string,
  description: string,
): Answer {
  const root = el("error", { detailCode, errorCode: String(status), name, identifier: pid }, [
    el("description", description),
  ]);
  return {
    ...xml(status, root),
    headers: {
      "Content-Type": "text/xml",
      "DataONE-Exception-Name": name,
      "DataONE-Exception-DetailCode": detailCode,
      "DataONE-Exception-Description": description,
      "DataONE-Exception-PID": pid,
    },
  };
}
