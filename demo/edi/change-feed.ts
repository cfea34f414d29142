/** What happened to packages and when: creations, updates, deletions. */
import { type Answer, text } from "./answer.ts";
import { type Corpus, compareText } from "./build-corpus.ts";
import { PastaProblem } from "./pasta-route.ts";
import { el, writeElement } from "./xml.ts";

interface Change {
  readonly scope: string;
  readonly identifier: number;
  readonly revision: number;
  readonly principal: string;
  readonly doi: string;
  readonly action: "createDataPackage" | "updateDataPackage" | "deleteDataPackage";
  /** UTC, `YYYY-MM-DDThh:mm:ss.SSS`. */
  readonly date: string;
}

/** Every change, ascending by date, then revision. A deleted revision appears twice. */
function changesOf(corpus: Corpus): Change[] {
  const changes = corpus.series.flatMap((series): Change[] => {
    const { scope, identifier, owner: principal } = series;
    const shared = { scope, identifier, principal };
    const first = Math.min(
      ...[...series.revisions, ...(series.deleted ?? [])].map((one) => one.revision),
    );
    const upload = (revision: number, date: string, doi = ""): Change => ({
      ...shared,
      revision,
      doi,
      action: revision === first ? "createDataPackage" : "updateDataPackage",
      date,
    });
    return [
      ...corpus.packages
        .filter((one) => one.series === series)
        .map((one) => upload(one.description.revision, one.description.uploaded, one.doi)),
      ...(series.deleted ?? []).flatMap((one): Change[] => [
        upload(one.revision, one.uploaded),
        {
          ...shared,
          revision: one.revision,
          doi: "",
          action: "deleteDataPackage",
          date: one.deletedAt,
        },
      ]),
    ];
  });
  return changes.sort((a, b) => compareText(a.date, b.date) || a.revision - b.revision);
}

/** `GET /package/changes/eml`: bounds inclusive, no limit, no declaration. */
export function answerChanges(corpus: Corpus, query: URLSearchParams): Answer {
  const from = dateParameter(query.get("fromDate"), "");
  const to = dateParameter(query.get("toDate"), "9999");
  const scope = query.get("scope");
  if (scope !== null && !/^[a-z][a-z0-9-]*$/.test(scope)) {
    throw new PastaProblem(400, `Bad scope parameter: ${scope}`);
  }
  const found = changesOf(corpus).filter(
    (change) =>
      change.date >= from && change.date <= to && (scope ?? change.scope) === change.scope,
  );
  return feed("dataPackageChanges", found);
}

/** `GET /package/uploads/eml`: newest first. */
export function answerUploads(corpus: Corpus, query: URLSearchParams): Answer {
  const type = query.get("type") ?? "insert";
  const limit = Number(query.get("limit") ?? Number.POSITIVE_INFINITY);
  if ((type !== "insert" && type !== "update") || !(limit >= 1)) {
    throw new PastaProblem(400, "Bad type or limit parameter");
  }
  const action = type === "insert" ? "createDataPackage" : "updateDataPackage";
  const found = changesOf(corpus).filter((change) => change.action === action);
  return feed("dataPackageUploads", found.reverse().slice(0, limit));
}

function dateParameter(value: string | null, fallback: string): string {
  if (value === null) {
    return fallback;
  }
  if (!/^[12]/.test(value)) {
    throw new PastaProblem(400, `Bad date parameter: ${value}`);
  }
  return value;
}

function feed(root: string, changes: readonly Change[]): Answer {
  const element = el(
    root,
    changes.map((change) =>
      el("dataPackage", [
        el("packageId", `${change.scope}.${change.identifier}.${change.revision}`),
        el("scope", change.scope),
        el("identifier", String(change.identifier)),
        el("revision", String(change.revision)),
        el("principal", change.principal),
        el("doi", change.doi),
        el("serviceMethod", change.action),
        // The fraction is not padded: `.9` stands for 900 ms; it disappears for whole seconds but for one zero.
        el("date", change.date.replace(/(\.\d+?)0+$/, "$1")),
      ]),
    ),
  );
  return text(200, writeElement(element), "application/xml");
}
